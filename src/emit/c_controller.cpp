#include "daedal/emit/c_controller.hpp"

#include "c_expressions.hpp"
#include "c_kalman.hpp"
#include "c_matrices.hpp"
#include "c_nonlinear_filter.hpp"
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
  GUARD_INDEFINITE = 3,      /* a covariance of the observer is no longer positive definite */
  GUARD_NO_SOLUTION = 4      /* equations of the observer or of a law have no solution there, or Newton's method finds none */
} NAME_status;

ESTIMATE_TYPE
typedef struct {
  unsigned long long samples;      /* so far: the next one is at t = samples*T */
  double states[STATES_ROOM];      /* of filters, delays, integrals */
  double commands[COMMANDS_ROOM];  /* of the last good sample */
ESTIMATE_MEMBER
SOLVED_MEMBER
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
BEGIN_SOLVED
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
COPY_SOLVED
  ++s->samples;
  if (!all_finite(measured, GUARD_MEASURED)) status = GUARD_BAD_MEASUREMENT;
OBSERVE
SOLVE
  if (status == GUARD_OK) {
    decide(ARGUMENTS, next);
    if (!all_finite(next, GUARD_STATES + GUARD_COMMANDS)) status = GUARD_NOT_FINITE;
  }
  if (status == GUARD_OK) {
KEEP_ESTIMATE
KEEP_SOLVED
    for (k = 0; k < GUARD_STATES; ++k) s->states[k] = next[k];
    for (k = 0; k < GUARD_COMMANDS; ++k) s->commands[k] = next[GUARD_STATES + k];
  }
  for (k = 0; k < GUARD_COMMANDS; ++k) commands[k] = s->commands[k];
  return status;
}
)";

constexpr const char* observe_text =
    R"(  if (status == GUARD_OK && e.begun) status = observe(s, &e, t, measured);
  e.begun = 1;
  if (status == GUARD_OK && !all_finite(e.x, ESTIMATES)) status = GUARD_NOT_FINITE;
)";

constexpr const char* law_text = R"(
/* Newton's method from the solution of the sample before */
static int solve_law_NUMBER(PARAMETERS) {
  double b[SIZE], a[SIZE*SIZE];
  int iteration, k;
  for (iteration = 0; iteration < 50; ++iteration) {
    int small = 1;
    for (k = 0; k < SIZE*SIZE; ++k) a[k] = 0.0;
    law_NUMBER(ARGUMENTS, b, a);
    for (k = 0; k < SIZE; ++k) b[k] = -b[k];
    if (!solve_scaled(a, b, SIZE)) return 0;
    for (k = 0; k < SIZE; ++k) {
      w[FIRST + k] += b[k];
      if (!(fabs(b[k]) <= 1e-9*(1.0 + fabs(w[FIRST + k])))) small = 0;
    }
    if (small) return 1;
  }
  return 0;
}
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
    find_observer();
    find_laws();
    for (const model::Update& update : controller.states) roots_.push_back(update.value);
    for (const model::Command& command : controller.commands) roots_.push_back(command.value);
    require_no_random_numbers();
    find_arguments();
    decided_roots_ = roots_;
    decided_ = written_out(model_.graph, decided_roots_);
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
    CController result{{header(), source()}, {}, {}, tables()};
    for (const Argument& argument : arguments_) result.measured.push_back(argument.name);
    for (const model::Command& command : controller_.commands)
      result.commands.push_back(model_.symbols[command.input].name);
    return result;
  }

 private:
  std::size_t tables() const {
    std::set<std::uint16_t> splines;
    for (const expr::Expr e : expr::reachable(*model_.graph, roots_)) {
      const expr::Node& node = model_.graph->node(e);
      if (node.op != expr::Op::spline) continue;
      const expr::Expr of{node.a};
      if (model_.graph->node(of).op == expr::Op::leaf &&
          model_.graph->leaf_of(of).symbol == expr::time_symbol)
        splines.insert(node.aux);
    }
    return splines.size();
  }
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

  void find_observer() {
    if (!controller_.observation) return;
    const model::Observation& observation = *controller_.observation;
    const feedback::NonlinearFilterNumbers* const numbers =
        feedback::nonlinear_filter_numbers(*observation.design);
    filter_ = feedback::linear_filter_numbers(*observation.design);
    if (numbers != nullptr) {
      if (numbers->between > 0)
        refuse(fmt::format("controller '{}': its observer knows of commands that change within a "
                           "period",
                           controller_.name),
               "C code supports that of  kalman");
      if (!numbers->motion)
        refuse(fmt::format("controller '{}': the model of its observer is too large to be written "
                           "out as C",
                           controller_.name),
               "observe with  kalman,  or with a coarser model");
      nonlinear_ = c_nonlinear_filter(*numbers);
    }
    estimates_ = observation.states.size();
    for (const expr::SymbolId input : observation.inputs)
      if (!commanding(input))
        refuse(fmt::format("controller '{}': its observer must know '{}', which acts late or is "
                           "commanded elsewhere",
                           controller_.name, input_of(input)),
               "C code supports delays of commands up to a period");
    for (std::size_t k = 0; k < estimates_; ++k)
      places_[observation.estimates[k]] = fmt::format("e->x[{}]", k);
  }

  /// What a law finds by Newton's method: residuals, then their derivatives.
  struct Law {
    std::shared_ptr<const expr::Graph> graph;
    std::vector<expr::Expr> roots;
    std::vector<std::string> targets;
    std::size_t first = 0, size = 0;  // of its unknowns among those of all laws
  };

  void find_laws() {
    for (const model::Solved& solved : controller_.solved) {
      const std::size_t size = solved.unknowns.size();
      auto graph = std::make_shared<expr::Graph>(model_.graph);
      Law law{nullptr, solved.residuals, {}, unknowns_.size(), size};
      std::vector<expr::Leaf> leaves;
      for (const expr::SymbolId symbol : solved.unknowns) {
        places_[symbol] = fmt::format("w[{}]", unknowns_.size());
        unknowns_.push_back(model_.symbols[symbol].value);
        leaves.push_back({symbol, 0});
      }
      for (std::size_t i = 0; i < size; ++i) law.targets.push_back(fmt::format("b[{}]", i));
      for (const expr::JacobianEntry& entry : expr::jacobian(*graph, solved.residuals, leaves)) {
        law.roots.push_back(entry.value);
        law.targets.push_back(fmt::format("a[{}]", entry.row * size + entry.column));
      }
      law.graph = written_out(graph, law.roots);
      laws_.push_back(std::move(law));
    }
  }
  /// As the simulation compiles it: copied into a graph of its own.
  static std::shared_ptr<const expr::Graph> written_out(
      const std::shared_ptr<const expr::Graph>& graph, std::vector<expr::Expr>& roots) {
    std::vector<expr::Term> terms;
    for (const expr::Expr root : roots)
      terms.push_back({root, static_cast<std::uint32_t>(terms.size())});
    auto own = std::make_shared<expr::Graph>();
    if (!terms.empty())
      roots = expr::expand(
          {static_cast<std::uint32_t>(roots.size()), {expr::identity_family(graph, terms)}}, *own);
    return own;
  }
  CFunction function_of(std::size_t law) const {
    return {fmt::format("law_{}", law), *laws_[law].graph, laws_[law].roots, true};
  }

  /// Everything that a sample computes but the estimate.
  std::vector<expr::Leaf> leaves_used() const {
    std::vector<expr::Expr> roots = roots_;
    for (const model::Solved& solved : controller_.solved)
      roots.insert(roots.end(), solved.residuals.begin(), solved.residuals.end());
    return expr::leaves(*model_.graph, roots);
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
    const std::vector<expr::Leaf> used = leaves_used();
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
    std::vector<expr::Leaf> others = leaves_used();
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
    replace_line(text, "ESTIMATE_TYPE",
                 observes() ? "typedef struct {\n" +
                                  (filter_ ? c_kalman(*filter_).members : nonlinear_->members) +
                                  "} NAME_estimate;\n\n"
                            : "");
    replace_line(text, "ESTIMATE_MEMBER", observes() ? "  NAME_estimate estimate;\n" : "");
    replace_line(text, "SOLVED_MEMBER",
                 laws_.empty() ? ""
                               : fmt::format("  double solved[{}]; /* where Newton's method begins "
                                             "in the equations of laws */\n",
                                             unknowns_.size()));
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
           helpers() + "\n" + start_table("start_states", starts_of(controller_.states)) +
           start_table("start_commands", command_starts()) +
           (laws_.empty() ? "" : start_table("start_solved", unknowns_)) +
           (nonlinear_ ? matrices_text : "") + solver() + observe() + laws() + decide() + driver();
  }

  std::string driver() const {
    std::string text = controller_driver;
    const auto add_where = [&](bool needed, const char* line, const std::string& by) {
      replace_line(text, line, needed ? by : "");
    };
    add_where(observes(), "BEGIN_ESTIMATE", "  begin_estimate(&s->estimate);\n");
    add_where(observes(), "COPY_ESTIMATE", "  NAME_estimate e = s->estimate;\n");
    add_where(observes(), "OBSERVE", observe_text);
    add_where(observes(), "KEEP_ESTIMATE", "    s->estimate = e;\n");
    const auto copied = [&](const char* indent, const char* to, const char* from) {
      return fmt::format("{}for (k = 0; k < {}; ++k) {}[k] = {}[k];\n", indent, unknowns_.size(),
                         to, from);
    };
    std::string solve;
    for (std::size_t k = 0; k < laws_.size(); ++k)
      solve += fmt::format(
          "  if (status == GUARD_OK && !solve_law_{}(ARGUMENTS)) status = GUARD_NO_SOLUTION;\n", k);
    add_where(!laws_.empty(), "BEGIN_SOLVED", copied("  ", "s->solved", "start_solved"));
    add_where(!laws_.empty(), "COPY_SOLVED", copied("  ", "w", "s->solved"));
    add_where(!laws_.empty(), "SOLVE", solve);
    add_where(!laws_.empty(), "KEEP_SOLVED", copied("    ", "s->solved", "w"));
    const std::string declared = "  int k;\n";
    const std::size_t in_step = text.find(declared, text.find("NAME_step"));
    if (!laws_.empty()) text.insert(in_step, fmt::format("  double w[{}];\n", unknowns_.size()));
    std::map<std::string, std::string> words = words_;
    words["ARGUMENTS"] = std::string("t, s, ") + (observes() ? "&e, " : "") +
                         (laws_.empty() ? "" : "w, ") + "measured";
    words["ESTIMATES"] = std::to_string(estimates_);
    return filled(text, words);
  }

  bool observes() const { return filter_ || nonlinear_; }

  std::string parameters(bool solving) const {
    return std::string("double t, const NAME_state* s, ") +
           (observes() ? "const NAME_estimate* e, " : "") +
           (laws_.empty() ? ""
            : solving     ? "double* w, "
                          : "const double* w, ") +
           "const double* measured";
  }
  std::string unused() const {
    return std::string(observes() ? "  (void)e;\n" : "") + (laws_.empty() ? "" : "  (void)w;\n") +
           "  (void)t;\n  (void)s;\n  (void)measured;\n}\n";
  }

  /// Linear equations of observers and laws.
  std::string solver() const {
    std::size_t largest = nonlinear_ ? nonlinear_->largest : 0;
    for (const Law& law : laws_) largest = std::max(largest, law.size);
    if (largest == 0) return {};
    return fmt::format("\nenum {{ LARGEST = {} }};\n", largest) + solve_scaled_text;
  }

  std::string laws() const {
    std::string text;
    for (std::size_t k = 0; k < laws_.size(); ++k) {
      const Law& law = laws_[k];
      text += fmt::format("\n/* {} */\nstatic void law_{}({}, double* b, double* a) {{\n",
                          in_comment(controller_.solved[k].law), k, parameters(false)) +
              c_statements(
                  function_of(k), [&](expr::Leaf leaf) { return place_of(leaf); },
                  [&](std::size_t i) { return law.targets[i]; }) +
              unused();
      text +=
          filled(law_text,
                 {{"PARAMETERS", parameters(true)},
                  {"ARGUMENTS", std::string("t, s, ") + (observes() ? "e, " : "") + "w, measured"},
                  {"SIZE", std::to_string(law.size)},
                  {"FIRST", std::to_string(law.first)}});
      const std::string number = "NUMBER";
      for (std::size_t at = text.find(number); at != std::string::npos; at = text.find(number))
        text.replace(at, number.size(), std::to_string(k));
    }
    return filled(text, words_);
  }

  /// Goes on with the filter from the commands that act and from what is measured.
  std::string observe() const {
    if (!observes()) return {};
    const model::Observation& observation = *controller_.observation;
    std::string body = observation.inputs.empty() ? "  inputs[0] = 0.0;\n" : "";
    for (std::size_t k = 0; k < observation.inputs.size(); ++k)
      body += fmt::format("  inputs[{}] = s->commands[{}];\n", k,
                          commanding(observation.inputs[k]).value_or(0));
    for (std::size_t k = 0; k < observation.measured.size(); ++k)
      body += fmt::format("  seen[{}] = {};\n", k, place_of({observation.measured[k], 0}));
    for (std::size_t k = 0; k < observation.fresh.size(); ++k)
      body += fmt::format(
          "  fresh[{}] = {};\n", k,
          observation.fresh[k] == 0 ? "1" : place_of({observation.fresh[k], 0}) + " != 0.0");
    return filled(
        (filter_ ? c_kalman(*filter_).text : nonlinear_->text) +
            "\nstatic NAME_status observe(const NAME_state* s, NAME_estimate* e, double t, "
            "const double* measured) {\n  double inputs[U], seen[Y];\n  int fresh[Y];\n" +
            body + "  (void)s;\n  return estimate(e, t, inputs, seen, fresh);\n}\n",
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

  CFunction function() const { return {"decide", *decided_, decided_roots_, true}; }
  std::string helpers() const {
    std::vector<CFunction> functions;
    if (nonlinear_)
      for (const CStraight& straight : nonlinear_->functions)
        functions.push_back(straight.function());
    for (std::size_t k = 0; k < laws_.size(); ++k) functions.push_back(function_of(k));
    functions.push_back(function());
    return c_helpers(functions);
  }

  /// States and commands at once, from the values before.
  std::string decide() const {
    return filled("\nstatic void decide(" + parameters(false) + ", double* next) {\n", words_) +
           c_statements(
               function(), [&](expr::Leaf leaf) { return place_of(leaf); },
               [](std::size_t i) { return fmt::format("next[{}]", i); }) +
           unused();
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
  std::vector<expr::Expr> roots_, decided_roots_;  // of the model's graph, and of
  std::shared_ptr<const expr::Graph> decided_;
  std::map<expr::SymbolId, std::string> places_;
  std::vector<Argument> arguments_;
  std::optional<feedback::LinearFilterNumbers> filter_;
  std::optional<CNonlinearFilter> nonlinear_;
  std::size_t estimates_ = 0;  // states
  std::vector<Law> laws_;
  std::vector<double> unknowns_;  // of laws, at the start
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
