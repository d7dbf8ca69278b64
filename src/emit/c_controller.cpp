#include "daedal/emit/c_controller.hpp"

#include "c_expressions.hpp"
#include "c_kalman.hpp"
#include "c_text.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/units/dimension.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace daedal::emit {

namespace {

constexpr const char* controller_header = R"(/* TITLE
 * Written by Daedal: the controller CONTROLLER of MODEL, C99, no dependency but math.h.
 * Call NAME_step at t = 0, T, 2 T, ... with T = PERIOD s; NAME_init before the first call. The commands are those of the
 * simulation, bit for bit, when this is compiled with -ffp-contract=off. */
#ifndef GUARD_H
#define GUARD_H

#ifdef __cplusplus
extern "C" {
#endif

enum { GUARD_MEASURED = MEASURED, GUARD_STATES = STATES, GUARD_COMMANDS = COMMANDS };

/* measured, as the sensors deliver it, in this order:
MEASURED_LIST * commands, held until the next step:
COMMAND_LIST */

typedef enum {
  GUARD_OK = 0,
  /* The sample is passed over: its time counts, the states stay, the commands are those of the last good sample. */
  GUARD_BAD_MEASUREMENT = 1, /* a measurement is not a finite number */
  GUARD_NOT_FINITE = 2,      /* a state, an estimate or a command would be none */
  GUARD_INDEFINITE = 3       /* a covariance of the observer is no longer positive definite */
} NAME_status;

ESTIMATE_TYPE
typedef struct {
  unsigned long long samples;      /* so far: the next one is at t = samples*T */
  double states[STATES_ROOM];      /* of filters, delays, integrals */
  double commands[COMMANDS_ROOM];  /* of the last good sample */
ESTIMATE_MEMBER
} NAME_state;

extern const double NAME_period; /* T [s] */

void NAME_init(NAME_state* s);

/* measured[GUARD_MEASURED] in, commands[GUARD_COMMANDS] out. */
NAME_status NAME_step(NAME_state* s, const double* measured, double* commands);

#ifdef __cplusplus
}
#endif

#endif
)";

constexpr const char* controller_driver = R"(
const double NAME_period = PERIOD_VALUE;

void NAME_init(NAME_state* s) {
  int k;
  s->samples = 0;
  for (k = 0; k < STATES_ROOM; ++k) s->states[k] = start_states[k];
  for (k = 0; k < COMMANDS_ROOM; ++k) s->commands[k] = start_commands[k];
BEGIN_ESTIMATE
}

static int all_finite(const double* values, int size) {
  int k;
  for (k = 0; k < size; ++k)
    if (!isfinite(values[k])) return 0;
  return 1;
}

NAME_status NAME_step(NAME_state* s, const double* measured, double* commands) {
  const double t = (double)s->samples*PERIOD_VALUE;
  double next[GUARD_STATES + GUARD_COMMANDS];
  NAME_status status = GUARD_OK;
  int k;
COPY_ESTIMATE
  ++s->samples;
  if (!all_finite(measured, GUARD_MEASURED)) status = GUARD_BAD_MEASUREMENT;
OBSERVE
  if (status == GUARD_OK) {
    decide(t, s, measured, next);
    if (!all_finite(next, GUARD_STATES + GUARD_COMMANDS)) status = GUARD_NOT_FINITE;
  }
  if (status == GUARD_OK) {
KEEP_ESTIMATE
    for (k = 0; k < GUARD_STATES; ++k) s->states[k] = next[k];
    for (k = 0; k < GUARD_COMMANDS; ++k) s->commands[k] = next[GUARD_STATES + k];
  }
  for (k = 0; k < GUARD_COMMANDS; ++k) commands[k] = s->commands[k];
  return status;
}
)";

constexpr const char* observe_text =
    R"(  if (status == GUARD_OK && e.begun && !observe(s, &e, measured)) status = GUARD_INDEFINITE;
  e.begun = 1;
  if (status == GUARD_OK && !all_finite(e.x, X)) status = GUARD_NOT_FINITE;
)";

/// An argument of the step: a measurement, or a quantity that the controller knows exactly.
struct Argument {
  expr::Leaf leaf;
  std::string name, unit, more;
};

class ControllerCode {
 public:
  ControllerCode(const model::Model& model, const model::Controller& controller,
                 const std::string& name)
      : model_(model), controller_(controller), name_(name) {
    require_clock();
    require_explicit();
    find_observer();
    for (const model::Update& update : controller.states) roots_.push_back(update.value);
    for (const model::Command& command : controller.commands) roots_.push_back(command.value);
    require_no_random_numbers();
    find_arguments();
    words_ = {{"NAME", name},
              {"GUARD", in_capitals(name)},
              {"TITLE", in_comment(title())},
              {"CONTROLLER", in_comment(controller.name)},
              {"MODEL", in_comment(model.name)},
              {"PERIOD", fmt::format("{}", controller.period)},
              {"PERIOD_VALUE", c_number(controller.period)},
              {"MEASURED", std::to_string(arguments_.size())},
              {"STATES", std::to_string(controller.states.size())},
              {"COMMANDS", std::to_string(controller.commands.size())},
              {"STATES_ROOM", room(controller.states.size())},
              {"COMMANDS_ROOM", room(controller.commands.size())}};
  }

  CResults sensed() const {
    auto graph = std::make_shared<expr::Graph>(model_.graph);
    CResults results;
    for (const Argument& argument : arguments_) {
      if (!argument.more.empty()) continue;  // a flag
      const auto update =
          std::ranges::find(controller_.measured, argument.leaf.symbol, &model::Update::symbol);
      const expr::Expr value = update == controller_.measured.end()
                                   ? graph->leaf(argument.leaf)
                                   : without_noise(*graph, update->value, argument.name);
      results.values.push_back({argument.name, argument.unit, value});
    }
    results.graph = std::move(graph);
    return results;
  }

  CController made() const {
    CController result{{header(), source()}, {}, {}};
    for (const Argument& argument : arguments_) result.measured.push_back(argument.name);
    for (const model::Command& command : controller_.commands)
      result.commands.push_back(model_.symbols[command.input].name);
    return result;
  }

 private:
  static std::string room(std::size_t size) {
    return std::to_string(std::max<std::size_t>(size, 1));
  }
  std::string title() const {
    return name_ + (controller_.doc.empty() ? "" : ": " + controller_.doc);
  }
  [[noreturn]] void refuse(const std::string& message, const std::string& help) const {
    throw ModelError({Severity::error, controller_.place, message, {}, help});
  }

  expr::Expr without_noise(expr::Graph& graph, expr::Expr measured, const std::string& name) const {
    const expr::Expr roots[] = {measured};
    return expr::copy(graph, roots, graph, [&](expr::Leaf leaf) -> std::optional<expr::Expr> {
      const bool noise = std::ranges::any_of(controller_.noise, [&](const model::Noise& drawn) {
        return drawn.symbol == leaf.symbol && !drawn.uniform;
      });
      if (noise) return graph.constant(0);
      if (model_.symbols[leaf.symbol].held)
        refuse(
            fmt::format("controller '{}': the sensor of '{}' remembers, which the plant does not",
                        controller_.name, name),
            "measure the quantity itself, and let a program around the plant play the sensor");
      return std::nullopt;
    })[0];
  }

  void require_clock() const {
    if (controller_.period > 0) return;
    refuse(fmt::format("controller '{}' is continuous: a function of C is called at samples",
                       controller_.name),
           fmt::format("give it a clock:  controller {} every 10 ms", controller_.name));
  }

  /// Equations that a law solves at a sample need a solver, and a bound on its time.
  void require_explicit() const {
    if (controller_.solved.empty()) return;
    refuse(fmt::format("controller '{}': {} solves equations at each sample, which C code does not",
                       controller_.name, controller_.solved.front().law),
           "write the law as a formula of what is measured, or use  lqr  or  pid");
  }

  void find_observer() {
    if (!controller_.observation) return;
    const model::Observation& observation = *controller_.observation;
    filter_ = feedback::linear_filter_numbers(*observation.design);
    if (!filter_)
      refuse(fmt::format("controller '{}': C code has  kalman,  not yet ekf and ukf",
                         controller_.name),
             "observe with  kalman,  or filter the measurements:  lowpass, derivative");
    for (const expr::SymbolId input : observation.inputs)
      if (!commanding(input))
        refuse(fmt::format("controller '{}': its observer must know '{}', which acts late or is "
                           "commanded elsewhere",
                           controller_.name, input_of(input)),
               "C code supports delays of commands up to a period");
    for (std::size_t k = 0; k < filter_->rest.size(); ++k)
      places_[observation.estimates[k]] = fmt::format("e->x[{}]", k);
  }

  /// "u" of its held value "c.u".
  std::string input_of(expr::SymbolId held) const {
    const std::string& name = model_.symbols[held].name;
    return name.substr(name.find('.') + 1);
  }

  /// Which command a held value is, if it acts within a period.
  std::optional<std::size_t> commanding(expr::SymbolId held) const {
    for (std::size_t k = 0; k < controller_.commands.size(); ++k)
      if (controller_.commands[k].held == held &&
          controller_.commands[k].dead_time <= controller_.period)
        return k;
    return std::nullopt;
  }

  /// Sensors are noisy by themselves; a controller that draws numbers of its own is none that can be repeated.
  void require_no_random_numbers() const {
    const std::vector<expr::Leaf> used = expr::leaves(*model_.graph, roots_);
    for (const model::Noise& noise : controller_.noise)
      if (std::ranges::find(used, expr::Leaf{noise.symbol, 0}) != used.end())
        refuse(fmt::format("controller '{}' draws random numbers for what it computes, and C code "
                           "has none",
                           controller_.name),
               "write noise and dropout of a sensor in a  measure  line");
  }

  void find_arguments() {
    for (std::size_t k = 0; k < controller_.states.size(); ++k)
      places_[controller_.states[k].symbol] = fmt::format("s->states[{}]", k);
    std::vector<expr::Leaf> others = expr::leaves(*model_.graph, roots_);
    const auto take = [&](expr::Leaf leaf, const std::string& name) {
      arguments_.push_back({leaf, name, unit_of(leaf, name), ""});
    };
    std::map<expr::SymbolId, std::string> fresh;  // flags of measurements
    if (controller_.observation) {
      const model::Observation& observation = *controller_.observation;
      for (std::size_t k = 0; k < observation.measured.size(); ++k) {
        others.push_back({observation.measured[k], 0});
        if (observation.fresh[k] != 0)
          fresh[observation.fresh[k]] +=
              (fresh[observation.fresh[k]].empty() ? "" : ", ") + own_name(observation.measured[k]);
      }
    }
    for (const model::Update& update : controller_.measured)
      if (std::ranges::find(others, expr::Leaf{update.symbol, 0}) != others.end())
        take({update.symbol, 0}, own_name(update.symbol));
    for (const auto& [symbol, names] : fresh)
      arguments_.push_back({{symbol, 0},
                            names + ".fresh",
                            "",
                            fmt::format(": 1 where {} is new, 0 where it is lost or old and keeps "
                                        "its last value",
                                        names)});
    for (const expr::Leaf leaf : others) {
      const model::Symbol& symbol = model_.symbols[leaf.symbol];
      if (symbol.kind == model::SymbolKind::time || symbol.kind == model::SymbolKind::parameter ||
          own_command(leaf))
        continue;
      take(leaf, model::name_of(symbol, leaf.order));
    }
  }

  /// "s" of the symbol "c.s".
  std::string own_name(expr::SymbolId symbol) const {
    return model_.symbols[symbol].name.substr(controller_.name.size() + 1);
  }

  /// An input that acts as this controller commanded it a sample ago: which one.
  std::optional<std::size_t> own_command(expr::Leaf leaf) const {
    for (std::size_t k = 0; k < controller_.commands.size(); ++k)
      if (controller_.commands[k].input == leaf.symbol && leaf.order == 0 &&
          controller_.commands[k].dead_time <= controller_.period)
        return k;
    return std::nullopt;
  }

  /// A measurement that keeps the name of what it measures has its unit.
  std::string unit_of(expr::Leaf leaf, const std::string& name) const {
    const model::Symbol& symbol = model_.symbols[leaf.symbol];
    if (!symbol.held) return model::derivative_unit(symbol.unit, leaf.order);
    const std::size_t letters = name.find_last_not_of('\'') + 1;
    const expr::SymbolId same = model_.find(name.substr(0, letters));
    return same == 0 ? ""
                     : model::derivative_unit(model_.symbols[same].unit,
                                              static_cast<int>(name.size() - letters));
  }

  std::string header() const {
    std::map<std::string, std::string> words = words_;
    for (const Argument& argument : arguments_)
      words["MEASURED_LIST"] += described(argument.name, argument.unit, argument.more);
    for (const model::Command& command : controller_.commands) {
      const model::Symbol& input = model_.symbols[command.input];
      words["COMMAND_LIST"] +=
          described(input.name, input.unit,
                    command.dead_time > 0
                        ? fmt::format(", acts {} s after its sample: a delay of the machine, which "
                                      "this function does not make",
                                      command.dead_time)
                        : "");
    }
    words.try_emplace("MEASURED_LIST", "");
    words.try_emplace("COMMAND_LIST", "");
    std::string text = controller_header;
    replace_line(
        text, "ESTIMATE_TYPE",
        filter_ ? "typedef struct {\n" + c_kalman(*filter_).members + "} NAME_estimate;\n\n" : "");
    replace_line(text, "ESTIMATE_MEMBER", filter_ ? "  NAME_estimate estimate;\n" : "");
    return filled(text, words);
  }

  static void replace_line(std::string& text, const std::string& line, const std::string& by) {
    const std::size_t at = text.find("\n" + line + "\n");
    if (at != std::string::npos) text.replace(at + 1, line.size() + 1, by);
  }

  static std::string described(const std::string& name, const std::string& unit,
                               const std::string& more) {
    return in_comment(
        fmt::format(" *   {}{}{}\n", name, unit.empty() ? "" : " [" + unit + "]", more));
  }

  std::string source() const {
    return filled("/* TITLE\n * Written by Daedal, see NAME.h. */\n", words_) +
           fmt::format(
               "#include \"{}.h\"\n\n#include <math.h>\n#include <stdint.h>\n#include "
               "<string.h>\n",
               name_) +
           helpers() + "\n" + c_table("double", "start_states", starts_of(controller_.states)) +
           c_table("double", "start_commands", command_starts()) + observe() + decide() + driver();
  }

  std::string driver() const {
    std::string text = controller_driver;
    const auto with_filter = [&](const char* line, const char* by) {
      replace_line(text, line, filter_ ? by : "");
    };
    with_filter("BEGIN_ESTIMATE", "  begin_estimate(&s->estimate);\n");
    with_filter("COPY_ESTIMATE", "  NAME_estimate e = s->estimate;\n");
    with_filter("OBSERVE", observe_text);
    with_filter("KEEP_ESTIMATE", "    s->estimate = e;\n");
    const std::string call = "decide(t, s, ";
    if (filter_) text.insert(text.find(call) + call.size(), "&e, ");
    return filled(text, words_);
  }

  /// Goes on with the filter from the commands that act and from what is measured.
  std::string observe() const {
    if (!filter_) return {};
    const model::Observation& observation = *controller_.observation;
    std::string body;
    for (std::size_t k = 0; k < observation.inputs.size(); ++k)
      body += fmt::format("  inputs[{}] = s->commands[{}];\n", k,
                          commanding(observation.inputs[k]).value_or(0));
    for (std::size_t k = 0; k < observation.measured.size(); ++k)
      body += fmt::format("  seen[{}] = {};\n", k, place_of({observation.measured[k], 0}));
    for (std::size_t k = 0; k < observation.fresh.size(); ++k)
      body += fmt::format(
          "  fresh[{}] = {};\n", k,
          observation.fresh[k] == 0 ? "1" : place_of({observation.fresh[k], 0}) + " != 0.0");
    return filled(c_kalman(*filter_).text +
                      "\nstatic int observe(const NAME_state* s, NAME_estimate* e, const double* "
                      "measured) {\n  double inputs[U], seen[Y];\n  int fresh[Y];\n" +
                      body + "  return estimate(e, inputs, seen, fresh);\n}\n",
                  words_);
  }

  std::vector<double> starts_of(const std::vector<model::Update>& updates) const {
    std::vector<double> starts;
    for (const model::Update& update : updates)
      starts.push_back(model_.symbols[update.symbol].value);
    return starts;
  }
  std::vector<double> command_starts() const {
    std::vector<double> starts;
    for (const model::Command& command : controller_.commands)
      starts.push_back(model_.symbols[command.held].value);
    return starts;
  }

  CFunction function() const { return {"decide", *model_.graph, roots_, true}; }
  std::string helpers() const {
    const CFunction functions[] = {function()};
    return c_helpers(functions);
  }

  /// States and commands at once, from the values before.
  std::string decide() const {
    return filled(fmt::format("\nstatic void decide(double t, const NAME_state* s, {}const double* "
                              "measured, double* next) {{\n",
                              filter_ ? "const NAME_estimate* e, " : ""),
                  words_) +
           c_statements(
               function(), [&](expr::Leaf leaf) { return place_of(leaf); },
               [](std::size_t i) { return fmt::format("next[{}]", i); }) +
           (filter_ ? "  (void)e;\n" : "") + "  (void)t;\n  (void)s;\n  (void)measured;\n}\n";
  }

  std::string place_of(expr::Leaf leaf) const {
    if (leaf.symbol == expr::time_symbol) return "t";
    if (const auto place = places_.find(leaf.symbol); place != places_.end()) return place->second;
    for (std::size_t k = 0; k < arguments_.size(); ++k)
      if (arguments_[k].leaf == leaf) return fmt::format("measured[{}]", k);
    if (const auto command = own_command(leaf)) return fmt::format("s->commands[{}]", *command);
    return c_number(model_.symbols[leaf.symbol].value);
  }

  const model::Model& model_;
  const model::Controller& controller_;
  std::string name_;
  std::vector<expr::Expr> roots_;
  std::map<expr::SymbolId, std::string> places_;
  std::vector<Argument> arguments_;
  std::optional<feedback::LinearFilterNumbers> filter_;
  std::map<std::string, std::string> words_;
};

}  // namespace

CController c_controller(const model::Model& model, const model::Controller& controller,
                         const std::string& name) {
  return ControllerCode(model, controller, name).made();
}

CResults c_sensed(const model::Model& model, const model::Controller& controller) {
  return ControllerCode(model, controller, "sensed").sensed();
}

}  // namespace daedal::emit
