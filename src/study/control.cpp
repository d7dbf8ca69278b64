// A regulator: where, which gains, what becomes of the poles, what the loop tolerates.
#include "daedal/study/control.hpp"

#include "daedal/analyse/linearise.hpp"
#include "daedal/control/regulator.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/options.hpp"
#include "daedal/task/spectrum.hpp"
#include "design_writer.hpp"
#include "loop_design.hpp"
#include "margins.hpp"
#include "matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

Weights read_weights(const std::string& option, const std::string& text) {
  Weights weights;
  std::vector<std::string> named;
  for (const std::string& item : split_list(text)) {
    if (item.find('=') != std::string::npos) {
      named.push_back(item);
    } else {
      if (weights.others) fault({}, fmt::format("{} {}: two numbers without a name", option, text));
      weights.others = read_values(option, {"others=" + item}).front().value;
    }
  }
  weights.named = read_values(option, named);
  return weights;
}

struct ControlDesign::Details {
  feedback::Regulator regulator;
  std::vector<expr::Leaf> states;
};

namespace {

std::vector<std::pair<std::string, double>> pairs(const Weights& weights) {
  std::vector<std::pair<std::string, double>> result;
  for (const NamedNumber& w : weights.named) result.emplace_back(w.name, w.value);
  return result;
}

/// "m/s" of the derivative of what is in m; "" where nothing is known.
std::string unit_of(const model::Model& m, const expr::Leaf& leaf) {
  const std::string& unit = m.symbols[leaf.symbol].unit;
  if (unit.empty() || leaf.order == 0) return unit;
  return leaf.order == 1 ? unit + "/s" : fmt::format("{}/s^{}", unit, leaf.order);
}

/// ln(z)/period: the pole whose motion has that factor from sample to sample.
std::complex<double> rate_of(std::complex<double> factor, double period) {
  return std::log(factor) / period;
}

void add_rest(ControlDesign& design, const analysis::Equilibrium& rest, const model::Model& m,
              const std::vector<expr::Leaf>& leaves) {
  for (std::size_t j = 0; j < leaves.size(); ++j) {
    design.rest.push_back(
        {design.states[j], leaves[j].order == 0 ? rest.values[leaves[j].symbol] : 0});
    design.state_units.push_back(unit_of(m, leaves[j]));
  }
  for (const std::string& input : design.inputs) {
    const expr::SymbolId symbol = m.find(input);
    design.rest.push_back({input, rest.values[symbol]});
    design.input_units.push_back(m.symbols[symbol].unit);
  }
}

/// "u [N]"
std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

/// Parts that are rounding beside the fastest pole are 0.
std::string poles_text(const std::vector<std::complex<double>>& poles) {
  constexpr double rounding = 1e-12;
  double fastest = 0;
  for (const std::complex<double>& pole : poles) fastest = std::max(fastest, std::abs(pole));
  const auto shown = [&](double part) { return std::abs(part) <= rounding * fastest ? 0 : part; };
  std::string text;
  for (const std::complex<double>& pole : poles) {
    const double real = shown(pole.real()), imaginary = shown(pole.imag());
    if (imaginary < 0) continue;  // shown with its mirror image
    text += fmt::format("{}{:.6g}", text.empty() ? "" : ", ", real);
    if (imaginary > 0) text += fmt::format(" +- {:.6g}i", imaginary);
  }
  return text + " 1/s";
}

/// "2.27 s, 0.2 s": time constants of the modes, slowest first.
std::string times_text(const std::vector<std::complex<double>>& poles) {
  std::vector<double> times;
  for (const std::complex<double>& pole : poles)
    if (pole.imag() >= 0 && pole.real() < 0) times.push_back(-1 / pole.real());
  std::ranges::sort(times, std::greater<>());
  std::string text;
  for (const double time : times) text += fmt::format("{}{:.3g} s", text.empty() ? "" : ", ", time);
  return "time constants " + text;
}

/// "3.2 s": that of the slowest pole.
std::string slowest_text(const std::vector<std::complex<double>>& poles) {
  double slowest = -std::numeric_limits<double>::infinity();
  for (const std::complex<double>& pole : poles) slowest = std::max(slowest, pole.real());
  return fmt::format("{:.3g} s", -1 / slowest);
}

}  // namespace

void DesignWriter::write(const derive::Dae& dae, const analysis::LinearModel& linear,
                         const analysis::Equilibrium& rest,
                         const feedback::Regulator& found) const {
  design.inputs = found.inputs;
  design.states = found.states;
  design.gain = matrix_of(found.gain);
  design.integral_gain = matrix_of(found.integral_gain);
  for (const Eigen::MatrixXd& past : found.past_gains) design.past_gains.push_back(matrix_of(past));
  design.state_weights.assign(found.state_weights.begin(), found.state_weights.end());
  design.input_weights.assign(found.input_weights.begin(), found.input_weights.end());
  design.held = found.held;
  design.open = values_of(found.open);
  for (const std::complex<double> value : found.closed)
    design.closed.push_back(design.period > 0 ? rate_of(value, design.period) : value);
  const bool stable = std::ranges::all_of(
      design.closed, [](const std::complex<double>& pole) { return pole.real() < 0; });
  for (std::size_t k = 0; k < found.margins.size() && stable; ++k)
    design.margins.push_back(plain(found.inputs[k], found.margins[k]));
  design.residual = found.residual;
  design.condition = found.condition;
  const std::vector<expr::Leaf> states = feedback::states_of(linear);
  add_rest(design, rest, *dae.model, states);
  design.limits = bandwidth_limits(linear, found, design.period, design.delay);
  if (stable) design.step = step_response(*dae.model, found, states, design.period);
  const std::size_t gains =
      design.inputs.size() * (design.states.size() + design.integrals.size() +
                              design.inputs.size() * design.past_gains.size());
  design.verdict =
      stable ? fmt::format(
                   "Held at rest by {} gain{}: the slowest mode decays with a time constant of {}.",
                   gains, gains == 1 ? "" : "s", slowest_text(design.closed))
             : "The loop is not asymptotically stable.";
  design.details_ =
      std::make_shared<const ControlDesign::Details>(ControlDesign::Details{found, states});
}

ControlDesign control(const Model& model, const ControlOptions& options) {
  const StopScope stoppable(options.watch.stop);
  if (options.period && !(*options.period > 0 && std::isfinite(*options.period)))
    fault({},
          fmt::format("`period = {:g}`: the time between samples is above 0 s", *options.period));
  ControlDesign design(model);
  refuse_controllers(model, Refused::all);
  const Asked asked = asked_of(model, options.redundant_constraints);
  design.warnings = asked.warnings;
  const analysis::Equilibrium rest = rest_of(asked, options.free);
  options.watch.check();
  const analysis::LinearModel linear = analysis::linearise(*asked.dae, analysis::point_of(rest));
  feedback::RegulatorOptions regulator;
  regulator.inputs = options.inputs;
  regulator.states = pairs(options.state_weights);
  regulator.other_states = options.state_weights.others;
  regulator.commands = pairs(options.input_weights);
  regulator.other_commands = options.input_weights.others.value_or(1);
  regulator.period = options.period.value_or(0);
  regulator.delay = options.delay.value_or(0);
  regulator.reduce = design.reduced = options.reduce;
  options.watch.check();
  const feedback::Regulator found = feedback::regulator(*asked.dae, linear, regulator);
  design.period = regulator.period;
  design.delay = regulator.delay;
  DesignWriter{design}.write(*asked.dae, linear, rest, found);
  return design;
}

std::vector<Fact> ControlDesign::facts() const {
  std::vector<Fact> facts;
  const auto add = [&](std::string name, std::string text) {
    facts.push_back({std::move(name), std::move(text), {}, "", ""});
  };
  std::string at;
  const std::vector<expr::Leaf>& leaves = details_->states;  // then the inputs
  for (std::size_t k = 0; k < rest.size(); ++k)
    if (k >= leaves.size() || leaves[k].order == 0)
      at += fmt::format("{}{} = {:.6g}", at.empty() ? "" : ", ", rest[k].name, rest[k].value);
  add("rest", at);
  if (period > 0) add("clock", fmt::format("a command every {:g} s, held in between", period));
  if (delay > 0)
    add("delay",
        fmt::format("{:g} s until a command acts: the gains predict the states over it", delay));
  std::string unmoved;
  for (const std::string& name : held) unmoved += (unmoved.empty() ? "" : ", ") + name;
  if (!held.empty()) add("held", unmoved + ": other inputs drive it");
  add("poles", poles_text(open));
  add("closed", poles_text(closed));
  if (reduced)
    add("reduced",
        fmt::format("designed on {} of {} states; poles and margins are those of the whole",
                    *reduced, open.size()));
  for (const InputMargins& m : margins)
    add("margins", fmt::format("{}: {}", m.input, margin_text(m)));
  add("decay", times_text(closed));
  for (const BandwidthLimit& limit : limits) add("speed", limit.text);
  if (condition > 0)
    add("riccati", fmt::format("residual {:.2g}, condition {:.2g}", residual, condition));
  return facts;
}

/// The feedback of which the gains are F.
std::string ControlDesign::formula() const {
  if (!past_gains.empty()) return "u = u_rest + v,  v = -F (x - x_rest, v of earlier samples)";
  return integrals.empty() ? "u = u_rest - F (x - x_rest)"
                           : "u = u_rest - F (x - x_rest, integrals of errors)";
}

std::vector<ControlDesign::Further> ControlDesign::further() const {
  std::vector<Further> found;
  for (std::size_t j = 0; j < integrals.size(); ++j) {
    found.push_back({"integral of " + integrals[j], {}});
    for (const std::vector<double>& row : integral_gain) found.back().gains.push_back(row[j]);
  }
  for (std::size_t age = 0; age < past_gains.size(); ++age)
    for (std::size_t j = 0; j < inputs.size(); ++j) {
      found.push_back({with_unit(fmt::format("v of {}, {} sample{} ago", inputs[j], age + 1,
                                             age == 0 ? "" : "s"),
                                 input_units[j]),
                       {}});
      for (std::size_t i = 0; i < inputs.size(); ++i)
        found.back().gains.push_back(past_gains[age][i][j]);
    }
  return found;
}

std::string ControlDesign::summary() const {
  std::string text = fmt::format("{}: feedback {}\n{}", title, formula(), lines_of(facts()));
  std::size_t width = 10;
  for (std::size_t j = 0; j < states.size(); ++j)
    width = std::max(width, with_unit(states[j], state_units[j]).size() + 2);
  const std::vector<Further> more = further();
  for (const Further& quantity : more) width = std::max(width, quantity.name.size() + 2);
  text += fmt::format("  {:<{}}", "F", width);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    text += fmt::format("{:>18}", with_unit(inputs[i], input_units[i]));
  const bool weighted = !state_weights.empty();
  text += weighted ? fmt::format("{:>12}\n", "weight") : "\n";
  for (std::size_t j = 0; j < states.size(); ++j) {
    text += fmt::format("  {:<{}}", with_unit(states[j], state_units[j]), width);
    for (std::size_t i = 0; i < inputs.size(); ++i) text += fmt::format("{:>18.10g}", gain[i][j]);
    text += weighted ? fmt::format("{:>12.6g}\n", state_weights[j]) : "\n";
  }
  for (const Further& quantity : more) {
    text += fmt::format("  {:<{}}", quantity.name, width);
    for (const double value : quantity.gains) text += fmt::format("{:>18.10g}", value);
    text += "\n";
  }
  return text + "  " + verdict + "\n";
}

Json ControlDesign::json() const {
  ordered_json json{
      {"model", model.name()}, {"inputs", inputs}, {"states", states}, {"gain", gain}};
  json["state_weights"] = state_weights;
  json["input_weights"] = input_weights;
  for (const NamedNumber& value : rest) json["rest"][value.name] = value.value;
  json["units"] = ordered_json::object();
  for (std::size_t k = 0; k < rest.size(); ++k)  // states, then inputs
    if (const std::string& unit =
            k < states.size() ? state_units[k] : input_units[k - states.size()];
        !unit.empty())
      json["units"][rest[k].name] = unit;
  json["held"] = held;
  if (period > 0) json["period"] = period;
  if (delay > 0) json["delay"] = delay;
  if (!past_gains.empty()) json["past_gains"] = past_gains;
  if (!integrals.empty()) {
    json["integrals"] = integrals;
    json["integral_gain"] = integral_gain;
  }
  if (reduced) json["reduced"] = *reduced;
  for (const auto& [name, poles] : {std::pair{"open", &open}, std::pair{"closed", &closed}}) {
    json[name] = ordered_json::array();
    for (const std::complex<double>& pole : *poles) json[name].push_back(complex_json(pole));
  }
  json["margins"] = margins_json(margins);
  json["limits"] = ordered_json::array();
  for (const BandwidthLimit& limit : limits)
    json["limits"].push_back({{"cause", limit.cause},
                              {"frequency", limit.frequency},
                              {"lowest", limit.lowest},
                              {"text", limit.text}});
  if (condition > 0) json["riccati"] = {{"residual", residual}, {"condition", condition}};
  return {std::move(json)};
}

void ControlDesign::illustrate(emit::Report& page) const {
  std::vector<std::string> columns, rows;
  for (std::size_t j = 0; j < states.size(); ++j)
    columns.push_back(with_unit(states[j], state_units[j]));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    rows.push_back(with_unit(inputs[i], input_units[i]));
  Matrix whole = gain;
  for (const Further& quantity : further()) {
    columns.push_back(quantity.name);
    for (std::size_t i = 0; i < inputs.size(); ++i) whole[i].push_back(quantity.gains[i]);
  }
  page.tables.push_back(matrix_table("Gains F of " + formula(), columns, rows, whole));
  emit::TextTable weights{"Weights", {"state", "weight", "at rest"}, {}};
  for (std::size_t j = 0; j < states.size(); ++j)
    weights.rows.push_back({states[j],
                            state_weights.empty() ? "-" : fmt::format("{:g}", state_weights[j]),
                            fmt::format("{:.8g}", rest[j].value)});
  page.tables.push_back(std::move(weights));
  emit::Chart map = empty_pole_zero_map("Poles: open and closed loop");
  for (const auto& [name, marker, poles] :
       {std::tuple{"open loop", "ring", &open}, std::tuple{"closed loop", "cross", &closed}}) {
    emit::ChartSeries series{name, {}, {}, {}, marker, false};
    for (const std::complex<double>& pole : *poles) {
      series.x.push_back(pole.real());
      series.y.push_back(pole.imag());
    }
    map.series.push_back(std::move(series));
  }
  page.charts.push_back(std::move(map));
  if (!margins.empty()) page.tables.push_back(margins_table(margins));
  add_loops(page, inputs, details_->regulator.loops, closed, period);
  emit::Chart answer{
      "Step of 1 added to the command",
      "t [s]",
      "departure from rest",
      "The loop is closed; what stays is the price of a feedback without an integral.",
      false,
      false,
      false,
      {}};
  for (std::size_t k = 1; k < step.width(); ++k)
    answer.series.push_back({with_unit(step.columns()[k].name, step.columns()[k].unit),
                             step.column(0),
                             step.column(k),
                             {},
                             "none",
                             true});
  page.charts.push_back(std::move(answer));
}

}  // namespace task
}  // namespace daedal
