// observe ukf(process = ..., start = ...): a filter on the model that the controller assumes. Its estimates take the place
// of the states wherever the block names one.
#include "daedal/laws/laws.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace daedal::model {

using expr::Expr;

namespace {

const std::vector<std::string>& filters() {
  static const std::vector<std::string> names{"ukf", "ekf", "kalman", "forward_kinematics"};
  return names;
}

/// The inputs that controllers with clocks command, and the parameters that hold them.
std::vector<std::pair<std::string, expr::SymbolId>> held_inputs(const Model& model,
                                                                const expr::Graph& graph) {
  std::vector<std::pair<std::string, expr::SymbolId>> held;
  for (const InputDefault& input : model.inputs) {
    if (graph.node(input.value).op != expr::Op::leaf) continue;
    const expr::SymbolId symbol = graph.leaf_of(input.value).symbol;
    if (model.symbols[symbol].held) held.emplace_back(model.symbols[input.input].name, symbol);
  }
  return held;
}

}  // namespace

/// A number for all, or one for each.
std::vector<double> ControllerLaws::deviations(const syntax::Call& call, std::string_view name,
                                               std::size_t size, const Place& place) {
  constexpr auto nowhere = static_cast<std::size_t>(-1);
  const syntax::Argument* const given = argument(call, nowhere, name);
  if (given == nullptr)
    fault(place, fmt::format("{} needs '{}'", call.function, name),
          name == "noise"
              ? "no noise is stated where it is measured: write  noise = 1e-3, a standard deviation"
              : fmt::format("write  {} = deviations(x = 1e-3, others = 0): standard deviations of "
                            "states, {}",
                            name, name == "start" ? "of the start" : "that a period adds to them"));
  Numbers numbers = this->numbers(*given, fmt::format("'{}' of {}", name, call.function));
  if (numbers.values.size() == 1) numbers.values.assign(size, numbers.values[0]);
  if (numbers.values.size() != size)
    fault(given->value->place,
          fmt::format("'{}' of {} has {} entries for {} {}", name, call.function,
                      numbers.values.size(), size, name == "noise" ? "measurements" : "states"),
          "give a number for all, or one for each");
  const bool zero_allowed = name != "noise";
  for (const double v : numbers.values)
    if (!std::isfinite(v) || v < 0 || (v == 0 && !zero_allowed))
      fault(given->value->place,
            fmt::format("'{}' of {} has the entry {}", name, call.function, number_text(v)),
            zero_allowed ? "standard deviations are 0 or more" : "a standard deviation is above 0");
  return numbers.values;
}

/// What holds the own command of `age` samples before the last one; of another controller, what acts.
expr::SymbolId ControllerLaws::issued(const std::string& input, expr::SymbolId held, int age,
                                      const Place& place) {
  if (std::ranges::find(controller_.commanded, input) == controller_.commanded.end()) return held;
  std::vector<Expr>& kept = controller_.issued[held];
  const double start = around_.model().symbols[held].value;
  while (kept.size() <= static_cast<std::size_t>(age))
    kept.push_back(memory("command", start, place));
  return graph().leaf_of(kept[static_cast<std::size_t>(age)]).symbol;
}

void ControllerLaws::observe(const syntax::Expression& e, const Place& place) {
  const auto& call = std::get<syntax::Call>(e.node);
  if (std::ranges::find(filters(), call.function) == filters().end())
    fault(e.place, fmt::format("there is no observer '{}'", call.function),
          did_you_mean_or_list(call.function, filters()));
  if (call.function == "forward_kinematics") return forward_kinematics(e, call);
  need_clock(e, call.function, "");
  if (controller_.made.observation)
    fault(place, fmt::format("controller '{}' observes twice", controller_.made.name));
  if (controller_.seen.empty())
    fault(place, fmt::format("controller '{}' measures nothing to observe", controller_.made.name),
          "add it:  measure x + noise(1e-3)");
  const bool points = call.function == "ukf";
  if (points)
    allow(e, call, 0,
          {"process", "noise", "start", "at", "delay", "substeps", "alpha", "beta", "kappa"});
  else if (call.function == "ekf")
    allow(e, call, 0, {"process", "noise", "start", "at", "delay", "substeps"});
  else
    allow(e, call, 0, {"process", "noise", "start", "at", "delay"});

  Designer& designs = designer(e);
  ObserverQuestion question;
  question.kind = call.function;
  question.place = e.place;
  question.period = controller_.made.period;
  question.delay = delay_of(e, call);
  question.graph = &graph();
  question.symbols = &around_.model().symbols;
  Observation made;
  const auto held = held_inputs(around_.model(), graph());
  for (const auto& [input, symbol] : held) question.inputs.push_back(input);
  bool has_noise = true;
  for (const Seen& seen : controller_.seen) {
    if (!seen.filtered.empty())
      fault(e.place,
            fmt::format("an observer does not know what {} makes of the measurement '{}'",
                        seen.filtered, seen.name),
            "measure the quantity itself; the observer filters");
    question.names.push_back(seen.name);
    question.measured.push_back(seen.quantity);
    question.outputs.push_back(seen.output);
    made.measured.push_back(seen.held);
    made.fresh.push_back(seen.fresh);
    double variance = 0;
    for (const Expr deviation : seen.noise) {
      const double own = around_.evaluator().number(around_.known_to(controller_, deviation, place),
                                                    place, "a standard deviation");
      variance += own * own;
    }
    question.noise.push_back(std::sqrt(variance));
    has_noise = has_noise && variance > 0;
  }
  constexpr auto nowhere = static_cast<std::size_t>(-1);
  if (!has_noise || argument(call, nowhere, "noise") != nullptr)
    question.noise = deviations(call, "noise", question.names.size(), e.place);
  const std::size_t size = designs.states().size();
  for (const char* name : {"process", "start"})
    question.given[name] = {static_cast<std::uint32_t>(size), 1,
                            deviations(call, name, size, e.place)};
  for (const syntax::Argument& given : call.arguments)
    if (given.name != "process" && given.name != "start" && given.name != "noise" &&
        given.name != "delay")
      question.given[given.name] =
          numbers(given, fmt::format("'{}' of {}", given.name, call.function));

  const Observer found = designs.observer(question);
  for (Diagnostic warning : found.warnings) {
    warning.place = e.place;
    warning.message = fmt::format("controller '{}': {}", controller_.made.name, warning.message);
    around_.warn(std::move(warning));
  }
  made.design = found.design;
  for (int part = 0; part <= (found.between ? 1 : 0); ++part)
    for (const auto& [input, symbol] : held)
      made.inputs.push_back(
          question.delay > 0 ? issued(input, symbol, found.samples + part, e.place) : symbol);
  const auto add = [&](const std::string& name, std::size_t k) {
    const expr::SymbolId symbol = around_.held_symbol(controller_, name, found.start[k], e.place);
    made.estimates.push_back(symbol);
    const Expr leaf = graph().leaf({symbol, 0});
    around_.model().outputs.push_back(
        {around_.model().symbols[symbol].name, leaf, "", "", e.place});
    return leaf;
  };
  std::vector<std::string> names;
  for (const Quantity& q : found.states)
    names.push_back(q.name + std::string(static_cast<std::size_t>(q.order), '\''));
  for (std::size_t k = 0; k < size; ++k) {
    const Expr estimate = add(names[k] + ".estimate", k);
    const expr::SymbolId symbol = around_.model().find(found.states[k].name);
    if (symbol == 0) fault(e.place, fmt::format("the plant has no '{}'", found.states[k].name));
    made.states.push_back({symbol, static_cast<std::uint16_t>(found.states[k].order)});
    controller_.known[made.states.back()] = estimate;
  }
  for (std::size_t k = 0; k < size; ++k) add(names[k] + ".deviation", size + k);
  add("innovation", 2 * size);
  controller_.made.observation = std::move(made);
}

}  // namespace daedal::model
