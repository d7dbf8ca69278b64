// Blocks with memory: filters, delays, PID, noise. With a clock they remember values from sample to sample; without one they
// are states of the equations. They begin at rest with their first input.
#include "daedal/laws/laws.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace daedal::model {

using expr::Expr;
using expr::Op;

std::string ControllerLaws::fresh(const std::string& kind) {
  return fmt::format("{}{}", kind, ++controller_.counts[kind]);
}

Expr ControllerLaws::memory(const std::string& kind, double start, const Place& place) {
  return graph().leaf({around_.held_symbol(controller_, fresh(kind), start, place), 0});
}

void ControllerLaws::remember(Expr memory, Expr next) {
  auto& updates = controller_.measuring ? controller_.made.measured : controller_.made.states;
  updates.push_back({graph().leaf_of(memory).symbol, next, place_});
}

/// True at the first sample alone.
Expr ControllerLaws::first_sample(const Place& place) {
  const Expr first = memory("first", 1, place);
  remember(first, graph().constant(0));
  return graph().binary(Op::less, graph().constant(0.5), first);
}

Expr ControllerLaws::variable(const std::string& kind, Expr start, const Place& place) {
  const expr::SymbolId symbol = around_.new_symbol(
      {controller_.made.name + "." + fresh(kind), SymbolKind::variable, "", "", place, 0, 1});
  controller_.starts.emplace_back(symbol, start);
  return graph().leaf({symbol, 0});
}

void ControllerLaws::rate(Expr variable, Expr value, const Place& place) {
  const expr::SymbolId symbol = graph().leaf_of(variable).symbol;
  around_.model().equations.push_back({"rate of " + around_.model().symbols[symbol].name,
                                       graph().sub(graph().leaf({symbol, 1}), value), place});
}

void ControllerLaws::need_clock(const syntax::Expression& e, const std::string& law,
                                const std::string& instead) const {
  if (clocked()) return;
  fault(e.place,
        fmt::format("{} needs a clock, and controller '{}' is continuous", law,
                    controller_.made.name),
        fmt::format("write  controller {} every 10 ms{}", controller_.made.name, instead));
}

Expr ControllerLaws::clamp(Expr x, Expr low, Expr high) {
  return graph().binary(Op::max, low, graph().binary(Op::min, x, high));
}

// ---- what is held

Value ControllerLaws::previous(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 1, {"start"});
  need_clock(e, "previous", "");
  const Expr start = optional_scalar(call, "start").value_or(graph().constant(0));
  const double first = around_.evaluator().number(start, e.place, "a start value");
  return entrywise(value(e, call, 0, "x"), [&](Expr x) {
    const Expr kept = memory("previous", first, e.place);
    remember(kept, x);
    return kept;
  });
}

Value ControllerLaws::delay(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 2, {"start", "time"});
  need_clock(e, "delay", "");
  if (const std::optional<Expr> time = optional_scalar(call, "time")) return late(e, call, *time);
  const syntax::Argument* const given = argument(call, 1, "samples");
  const long samples =
      given == nullptr ? 1 : around_.evaluator().integer(*given->value, scope_, "a delay");
  constexpr long most = 10000;
  if (samples < 0 || samples > most)
    fault(given->place, fmt::format("a delay is 0 to {} samples, not {}", most, samples));
  const Expr start = optional_scalar(call, "start").value_or(graph().constant(0));
  const double first = around_.evaluator().number(start, e.place, "a start value");
  return entrywise(value(e, call, 0, "x"), [&](Expr x) {
    for (long k = 0; k < samples; ++k) {
      const Expr kept = memory("delay", first, e.place);
      remember(kept, x);
      x = kept;
    }
    return x;
  });
}

/// Dead time of a command. Sensors are read at samples, so they are late by whole ones.
Value ControllerLaws::late(const syntax::Expression& e, const syntax::Call& call, Expr time) {
  const double seconds = around_.evaluator().number(time, e.place, "a delay");
  constexpr double longest = 1e6;
  if (!(seconds >= 0 && seconds <= longest))
    fault(e.place, fmt::format("a delay of {} s", number_text(seconds)), "it is 0 s or longer");
  if (controller_.measuring)
    fault(e.place,
          fmt::format("a measurement cannot be delayed by a time: a sample every {} s takes what "
                      "the mechanism does at that time",
                      number_text(controller_.made.period)),
          "delay it by samples,  delay(x, 1),  with a shorter period where it is a part of one");
  return entrywise(value(e, call, 0, "x"), [&](Expr x) {
    const Expr stands_for_it = memory("delay", 0, e.place);
    controller_.late[graph().leaf_of(stands_for_it).symbol] = {x, seconds, e.place};
    return stands_for_it;
  });
}

Value ControllerLaws::hold(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 2, {});
  const syntax::Argument* const when = argument(call, 1, "when");
  if (when == nullptr)
    fault(e.place, "hold needs a condition", "write  hold(x, t >= 6): x, and its value of then");
  const Expr holds = around_.evaluator().condition(*when->value, scope_);
  expr::Graph& g = graph();
  if (!clocked()) return hold_from_event(value(e, call, 0, "x"), holds, e.place);
  return entrywise(value(e, call, 0, "x"), [&](Expr x) {
    const Expr kept = memory("hold", 0, e.place), before = memory("holding", 0, e.place);
    const Expr held_before = g.binary(Op::less, g.constant(0.5), before);
    const Expr now = g.select(g.binary(Op::logical_and, holds, held_before), kept, x);
    remember(kept, now);
    remember(before, g.select(holds, g.constant(1), g.constant(0)));
    return now;
  });
}

/// Held from the event on, not from the condition on: at the very time of the event x is still x.
Value ControllerLaws::hold_from_event(const Value& x, Expr holds, const Place& place) {
  expr::Graph& g = graph();
  const Expr yes = g.constant(1), no = g.constant(0);
  const Expr holding = variable("holding", g.select(holds, yes, no), place);
  rate(holding, no, place);
  const Expr is_holding = g.binary(Op::less, g.constant(0.5), holding);
  EventAction begin;
  begin.kind = EventAction::Kind::set;
  begin.place = place;
  EventAction end = begin;
  begin.targets = end.targets = {g.leaf_of(holding)};
  begin.values = {yes};
  end.values = {no};
  const Value held = entrywise(x, [&](Expr entry) {
    const Expr kept = variable("hold", entry, place);
    rate(kept, no, place);
    begin.targets.push_back(g.leaf_of(kept));
    begin.values.push_back(entry);
    return g.select(is_holding, kept, entry);
  });
  const std::string& name = around_.model().symbols[g.leaf_of(holding).symbol].name;
  const auto both = [&](Expr p, Expr q) { return g.binary(Op::logical_and, p, q); };
  const auto negation = [&](Expr p) { return g.unary(Op::logical_not, p); };
  std::vector<Event>& events = around_.model().events;
  events.push_back({name, both(holds, negation(is_holding)), {std::move(begin)}, place});
  events.push_back({name + ".end", both(negation(holds), is_holding), {std::move(end)}, place});
  return held;
}

// ---- filters

/// x through 1/(1 + T s); between samples x is taken as held.
Expr ControllerLaws::followed(Expr x, Expr time, const Place& place) {
  expr::Graph& g = graph();
  if (!clocked()) {
    const Expr y = variable("lowpass", x, place);
    rate(y, g.div(g.sub(x, y), time), place);
    return y;
  }
  const Expr before = memory("lowpass", 0, place);
  const Expr share = g.sub(g.constant(1), g.unary(Op::exp, g.neg(g.div(period(), time))));
  const Expr now = g.select(first_sample(place), x, g.add(before, g.mul(share, g.sub(x, before))));
  remember(before, now);
  return now;
}

Value ControllerLaws::lowpass(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 2, {"time"});
  const Expr time = ranged(e, call, 1, "time", Range::positive);
  return entrywise(value(e, call, 0, "x"), [&](Expr x) { return followed(x, time, e.place); });
}

/// T s/(1 + T s) = 1 - 1/(1 + T s)
Value ControllerLaws::washout(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 2, {"time"});
  const Expr time = ranged(e, call, 1, "time", Range::positive);
  return entrywise(value(e, call, 0, "x"),
                   [&](Expr x) { return graph().sub(x, followed(x, time, e.place)); });
}

/// (1 + T1 s)/(1 + T2 s); with a clock by the trapezoidal rule.
Value ControllerLaws::lead_lag(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 3, {"lead", "lag"});
  const Expr lead = scalar(e, call, 1, "lead"), lag = ranged(e, call, 2, "lag", Range::positive);
  expr::Graph& g = graph();
  return entrywise(value(e, call, 0, "x"), [&](Expr x) {
    if (!clocked()) {
      const Expr z = variable("lead_lag", x, e.place);
      rate(z, g.div(g.sub(x, z), lag), e.place);
      return g.add(z, g.mul(g.div(lead, lag), g.sub(x, z)));
    }
    const Expr one = g.constant(1), twice = g.constant(2);
    const Expr p = g.div(g.mul(twice, lead), period()), q = g.div(g.mul(twice, lag), period());
    const Expr x1 = memory("lead_lag", 0, e.place), y1 = memory("lead_lag", 0, e.place);
    const Expr next = g.div(
        g.add(g.add(g.mul(g.sub(q, one), y1), g.mul(g.add(one, p), x)), g.mul(g.sub(one, p), x1)),
        g.add(one, q));
    const Expr now = g.select(first_sample(e.place), x, next);
    remember(x1, x);
    remember(y1, now);
    return now;
  });
}

/// (s^2 + 2 z w s + w^2)/(s^2 + 2 p w s + w^2); with a clock by the trapezoidal rule that is exact at w.
Value ControllerLaws::notch(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 2, {"omega", "depth", "width"});
  const Expr w = ranged(e, call, 1, "omega", Range::positive),
             zero = ranged(e, call, 9, "depth", Range::not_negative),
             pole = ranged(e, call, 9, "width", Range::positive);
  if (clocked())
    require_below(call, 1, "omega", w, std::numbers::pi / controller_.made.period,
                  "samples do not show more than pi/T, where T is their period");
  expr::Graph& g = graph();
  const Expr two = g.constant(2);
  return entrywise(value(e, call, 0, "x"), [&](Expr x) {
    if (!clocked()) {  // y = x + 2 (z - p)/w q',  q'' + 2 p w q' + w^2 q = w^2 x
      const Expr q = variable("notch", x, e.place), v = variable("notch", g.constant(0), e.place);
      rate(q, v, e.place);
      rate(v, g.sub(g.mul(g.mul(w, w), g.sub(x, q)), g.mul(g.mul(two, g.mul(pole, w)), v)),
           e.place);
      return g.add(x, g.mul(g.div(g.mul(two, g.sub(zero, pole)), w), v));
    }
    const Expr half = g.mul(g.constant(0.5), g.mul(w, period()));
    const Expr k = g.unary(Op::tan, half), k2 = g.mul(k, k), one = g.constant(1);
    const Expr damped = g.mul(two, g.mul(pole, k)), shallow = g.mul(two, g.mul(zero, k));
    const Expr a0 = g.add(g.add(one, damped), k2), a2 = g.add(g.sub(one, damped), k2);
    const Expr b0 = g.add(g.add(one, shallow), k2), b2 = g.add(g.sub(one, shallow), k2);
    const Expr b1 = g.mul(two, g.sub(k2, one));  // = a1
    const Expr x1 = memory("notch", 0, e.place), x2 = memory("notch", 0, e.place);
    const Expr y1 = memory("notch", 0, e.place), y2 = memory("notch", 0, e.place);
    const Expr sum = g.sub(g.add(g.add(g.mul(b0, x), g.mul(b1, x1)), g.mul(b2, x2)),
                           g.add(g.mul(b1, y1), g.mul(a2, y2)));
    const Expr first = first_sample(e.place);
    const Expr now = g.select(first, x, g.div(sum, a0));
    remember(x2, g.select(first, x, x1));
    remember(x1, x);
    remember(y2, g.select(first, x, y1));
    remember(y1, now);
    return now;
  });
}

/// 1/s; with a clock the present sample is not in the sum.
Expr ControllerLaws::summed(Expr x, Expr start, const Place& place) {
  if (!clocked()) {
    const Expr sum = variable("integral", start, place);
    rate(sum, x, place);
    return sum;
  }
  const double first = around_.evaluator().number(start, place, "a start value");
  const Expr sum = memory("integral", first, place);
  remember(sum, graph().add(sum, graph().mul(period(), x)));
  return sum;
}

Value ControllerLaws::integral(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 1, {"start"});
  const Expr start = optional_scalar(call, "start").value_or(graph().constant(0));
  return entrywise(value(e, call, 0, "x"), [&](Expr x) { return summed(x, start, e.place); });
}

/// s/(1 + T s); with a clock by backward differences, T >= 0.
Expr ControllerLaws::difference(Expr x, Expr filter, const Place& place) {
  expr::Graph& g = graph();
  if (!clocked()) {
    const Expr z = variable("derivative", x, place);
    const Expr slope = g.div(g.sub(x, z), filter);
    rate(z, slope, place);
    return slope;
  }
  const Expr before = memory("derivative", 0, place), slope = memory("derivative", 0, place);
  const Expr next = g.div(g.add(g.mul(filter, slope), g.sub(x, before)), g.add(filter, period()));
  const Expr now = g.select(first_sample(place), g.constant(0), next);
  remember(before, x);
  remember(slope, now);
  return now;
}

Value ControllerLaws::derivative(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 1, {"filter"});
  const Expr filter =
      ranged(e, call, 9, "filter", clocked() ? Range::not_negative : Range::positive);
  return entrywise(value(e, call, 0, "x"), [&](Expr x) { return difference(x, filter, e.place); });
}

/// u = kp e + ki int e + kd e', kept within [low, high]: what is cut off is taken from the integral at the rate 1/`unwind`
/// (back-calculation [AstromHagglund2006, section 3.5]).
Value ControllerLaws::pid(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 1, {"kp", "ki", "kd", "filter", "low", "high", "unwind"});
  expr::Graph& g = graph();
  const Expr zero = g.constant(0);
  const Expr kp = scalar(e, call, 9, "kp"), ki = optional_scalar(call, "ki").value_or(zero),
             kd = optional_scalar(call, "kd").value_or(zero);
  const std::optional<Expr> low = optional_scalar(call, "low"),
                            high = optional_scalar(call, "high"),
                            filter = optional_ranged(
                                call, "filter", clocked() ? Range::not_negative : Range::positive),
                            unwind = optional_ranged(call, "unwind", Range::positive);
  if (low.has_value() != high.has_value())
    fault(e.place, "pid needs both limits, or none", "write  pid(e, ..., low = -1, high = 1)");
  if (low) require_order(e.place, "pid", *low, *high);
  const bool integrates = !g.is_constant(ki, 0), differentiates = !g.is_constant(kd, 0);
  if (differentiates && !filter && !clocked())
    fault(e.place, "pid needs a filter for its derivative",
          "write  filter = 0.01: the time constant of  s/(1 + T s)");
  if (low && integrates && !unwind)
    fault(e.place, "pid with limits needs 'unwind'",
          "write  unwind = 1: the time [s] in which the integral gives way at a limit");
  return entrywise(value(e, call, 0, "error"), [&](Expr error) {
    Expr u = g.mul(kp, error);
    if (differentiates) u = g.add(u, g.mul(kd, difference(error, filter.value_or(zero), e.place)));
    Expr sum = zero;
    if (integrates) {
      sum = clocked() ? memory("integral", 0, e.place) : variable("integral", zero, e.place);
      u = g.add(u, sum);
    }
    const Expr limited = low ? clamp(u, *low, *high) : u;
    if (!integrates) return limited;
    Expr slope = g.mul(ki, error);
    if (low) slope = g.add(slope, g.div(g.sub(limited, u), *unwind));
    if (clocked())
      remember(sum, g.add(sum, g.mul(period(), slope)));
    else
      rate(sum, slope, e.place);
    return limited;
  });
}

// ---- limits and disturbances

Value ControllerLaws::saturate(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 3, {"low", "high"});
  const Value low = value(e, call, 1, "low"), high = value(e, call, 2, "high");
  const Value x = value(e, call, 0, "x");
  const std::vector<Expr> lows = broadcast(low, x.shape, e.place, "the lower limit"),
                          highs = broadcast(high, x.shape, e.place, "the upper limit");
  Value result{x.shape, {}};
  for (std::size_t i = 0; i < x.entries.size(); ++i)
    require_order(e.place, "saturate", lows[i], highs[i]);
  for (std::size_t i = 0; i < x.entries.size(); ++i)
    result.entries.push_back(clamp(x.entries[i], lows[i], highs[i]));
  return result;
}

Value ControllerLaws::rate_limit(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 2, {"rate", "lag"});
  expr::Graph& g = graph();
  const Expr fastest = ranged(e, call, 1, "rate", Range::positive);
  const std::optional<Expr> lag = optional_ranged(call, "lag", Range::positive);
  if (clocked() && lag)
    fault(e.place, "rate_limit with a clock has no 'lag'",
          "it moves by at most rate times the period in a sample; leave 'lag' out");
  if (!clocked() && !lag)  // y' = rate sign(x - y) has no value where y has caught up
    fault(e.place, "rate_limit without a clock needs 'lag'",
          "write  lag = 0.01: within the limit it follows with this time constant [s]");
  if (!clocked())
    return entrywise(value(e, call, 0, "x"), [&](Expr x) {
      const Expr y = variable("rate_limit", x, e.place);
      rate(y, clamp(g.div(g.sub(x, y), *lag), g.neg(fastest), fastest), e.place);
      return y;
    });
  const Expr step = g.mul(period(), fastest);
  return entrywise(value(e, call, 0, "x"), [&](Expr x) {
    const Expr before = memory("rate_limit", 0, e.place);
    const Expr moved = g.add(before, clamp(g.sub(x, before), g.neg(step), step));
    const Expr now = g.select(first_sample(e.place), x, moved);
    remember(before, now);
    return now;
  });
}

Value ControllerLaws::quantise(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 2, {"step"});
  const Expr step = ranged(e, call, 1, "step", Range::positive);
  expr::Graph& g = graph();
  return entrywise(value(e, call, 0, "x"), [&](Expr x) {
    return g.mul(step, g.unary(Op::floor, g.add(g.div(x, step), g.constant(0.5))));
  });
}

/// Normal, independent from sample to sample.
Value ControllerLaws::noise(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 1, {});
  need_clock(e, "noise", "");
  const Value deviations = value(e, call, 0, "deviation");
  require(call, 0, "deviation", deviations, Range::not_negative);
  if (controller_.measuring) controller_.item_noise.push_back(deviations);
  return entrywise(deviations, [&](Expr deviation) {
    const Expr drawn = memory("noise", 0, e.place);
    controller_.made.noise.push_back({graph().leaf_of(drawn).symbol, 1.0, false});
    return graph().mul(deviation, drawn);
  });
}

/// With probability p a sample is lost and the one before it stays.
Value ControllerLaws::dropout(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 2, {"probability"});
  need_clock(e, "dropout", "");
  const Expr probability = ranged(e, call, 1, "probability", Range::probability);
  expr::Graph& g = graph();
  const Value x = value(e, call, 0, "x");
  const Expr drawn = memory("dropout", 0, e.place);
  controller_.made.noise.push_back({g.leaf_of(drawn).symbol, 0.0, true});
  const Expr first = first_sample(e.place);
  const Expr lost = g.binary(Op::logical_and, g.unary(Op::logical_not, first),
                             g.binary(Op::less, drawn, probability));
  return kept_where(lost, x, e.place);
}

/// One sample in n is taken, the first one too; it stays until the next.
Value ControllerLaws::decimate(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 2, {"n"});
  need_clock(e, "decimate", "");
  const syntax::Argument* const given = argument(call, 1, "n");
  if (given == nullptr) fault(e.place, "decimate needs 'n'", "write  decimate(x, 5)");
  const long n = around_.evaluator().integer(*given->value, scope_, "'n' of decimate");
  constexpr long most = 1000000;
  if (n < 1 || n > most)
    fault(given->place, fmt::format("decimate takes one sample in 1 to {}, not in {}", most, n));
  expr::Graph& g = graph();
  const Value x = value(e, call, 0, "x");
  const Expr count = memory("decimate", 0, e.place), one = g.constant(1);
  const Expr last = g.binary(Op::less, g.constant(static_cast<double>(n) - 1.5), count);
  remember(count, g.select(last, g.constant(0), g.add(count, one)));
  return kept_where(g.binary(Op::less, g.constant(0.5), count), x, e.place);
}

/// The value of the sample before where the condition holds; an observer takes it for no measurement.
Value ControllerLaws::kept_where(Expr condition, const Value& x, const Place& place) {
  expr::Graph& g = graph();
  if (controller_.measuring) {
    const Expr fresh = memory("fresh", 1, place);
    remember(fresh, g.select(condition, g.constant(0), g.constant(1)));
    controller_.item_fresh = g.leaf_of(fresh).symbol;
  }
  return entrywise(x, [&](Expr entry) {
    const Expr kept = memory("kept", 0, place);
    const Expr now = g.select(condition, kept, entry);
    remember(kept, now);
    return now;
  });
}

}  // namespace daedal::model
