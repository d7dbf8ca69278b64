// Steppers, receding horizons, accelerations and controllers as C.
#include "daedal/task/export_c.hpp"

#include "daedal/base/utf8.hpp"
#include "daedal/emit/c_accelerations.hpp"
#include "daedal/emit/c_code.hpp"
#include "daedal/emit/c_controller.hpp"
#include "daedal/emit/c_horizon.hpp"
#include "daedal/emit/files.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/formulate/descriptor_form.hpp"
#include "daedal/invert/classical.hpp"
#include "daedal/invert/internal_dynamics.hpp"
#include "daedal/invert/receding_run.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/counts.hpp"
#include "daedal/task/options.hpp"
#include "inverse_form.hpp"
#include "stable_inversion.hpp"
#include "stepping.hpp"
#include "warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

constexpr double before_motion = -1;  // [s]: motions begin at 0 or later

/// A stepper takes equal steps with one set of equations: it neither looks for events nor changes what is attached.
void refuse_events(const model::Model& m) {
  if (m.events.empty()) return;
  const model::Event& first = m.events.front();
  const std::size_t others = m.events.size() - 1;
  fault(first.place,
        fmt::format("model '{}': event '{}'{} cannot be exported: a stepper of equal steps has no "
                    "events",
                    m.name, first.name,
                    others == 0 ? "" : fmt::format(" and {} other{}", others, plural(others))),
        "export a model without events, one for each mode, and change between them outside; "
        "`simulate()` has events");
}

bool jumps(expr::Op op) {
  using expr::Op;
  return op == Op::less || op == Op::less_equal || op == Op::sign || op == Op::floor ||
         op == Op::mod;
}

/// Expressions of time that jump.
std::vector<std::string> switches_of_time(const Mechanism& mechanism) {
  const model::Model& m = *mechanism.model;
  std::vector<std::string> switches;
  for (const expr::Family& family : mechanism.dae->residual.families) {
    const expr::Graph& graph = *family.graph;
    for (const expr::Expr e : expr::reachable(graph, family.outputs)) {
      if (!jumps(graph.node(e).op)) continue;
      const expr::Expr root[] = {e};
      const std::vector<expr::Leaf> leaves = expr::leaves(graph, root);
      const bool of_time = std::any_of(leaves.begin(), leaves.end(), [&](expr::Leaf leaf) {
        return family.symbol(0, leaf.symbol) == expr::time_symbol;
      });
      if (!of_time) continue;
      std::string text = expr::to_text(
          graph, e,
          [&](expr::Leaf leaf) {
            return model::name_of(m.symbols[family.symbol(0, leaf.symbol)], leaf.order);
          },
          100);
      if (std::find(switches.begin(), switches.end(), text) == switches.end())
        switches.push_back(std::move(text));
    }
  }
  return switches;
}

/// A step takes the branch at its end for all of its length.
std::vector<Diagnostic> warnings_of_switches(const Mechanism& mechanism) {
  const model::Model& m = *mechanism.model;
  const std::vector<std::string> switches = switches_of_time(mechanism);
  if (switches.empty()) return {};
  return {
      {Severity::warning,
       m.place,
       fmt::format("model '{}': the stepper passes '{}'{} with equal steps: a step in which it "
                   "switches takes the branch at its end, an error of first order in the step",
                   m.name, switches.front(),
                   switches.size() == 1 ? "" : fmt::format(" and {} more", switches.size() - 1)),
       {},
       "take a short step; or make what switches an input, which jumps between two steps"}};
}

Diagnostic warning_of_events(const model::Model& m) {
  return {Severity::warning,
          m.events.front().place,
          fmt::format("model '{}': the function ignores its {} event{}", m.name, m.events.size(),
                      plural(m.events.size())),
          {},
          "the program that integrates the accelerations has to look for them"};
}

Fact list_fact(const std::string& word, const std::vector<std::string>& names, std::size_t shown) {
  const std::vector<std::string> first(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(shown, names.size())));
  return {word,
          fmt::format("{}{}", names.empty() ? "none" : fmt::format("{}", fmt::join(first, ", ")),
                      names.size() > shown ? ", ..." : ""),
          static_cast<double>(names.size()), "", ""};
}

}  // namespace

std::vector<std::string> names_of(const emit::CResults& results) {
  std::vector<std::string> names;
  for (const emit::CResult& result : results.values) names.push_back(result.name);
  return names;
}

std::vector<std::string> names_of_signals(const solve::StepProgram& program) {
  std::vector<std::string> names;
  for (const expr::Leaf leaf : program.signals)
    names.push_back(name_of(program.model->symbols[leaf.symbol], leaf.order));
  return names;
}

class Exporter {
 public:
  Exporter(const Model& model, const ExportOptions& options)
      : asked_(options), made_(model), mechanism_(model.written_out()) {
    made_.warnings = model.warnings();
  }

  Stepping stepping() {
    refuse_events(model());
    return prepared_stepper().stepping;
  }

  CExport run() {
    keeping_warnings(made_, [&] {
      if (asked_.function == CFunction::accelerations) return accelerations();
      if (asked_.function == CFunction::controller) return controller();
      refuse_events(*mechanism_.model);
      if (asked_.function == CFunction::plant) return plant();
      asked_.function == CFunction::receding ? horizon() : stepper();
    });
    return std::move(made_);
  }

 private:
  const model::Model& model() const { return *mechanism_.model; }

  void warn(const std::vector<Diagnostic>& warnings) {
    made_.warnings.insert(made_.warnings.end(), warnings.begin(), warnings.end());
  }

  void take(emit::CCode code, const std::string& name) {
    made_.name = name;
    made_.path = asked_.to + "/" + name;
    made_.header = std::move(code.header);
    made_.source = std::move(code.source);
  }

  void wrote(const std::string& more = "") {
    made_.facts_.push_back(
        {"wrote", fmt::format("{0}.c, {0}.h{1}", visible(made_.path), more), {}, "", ""});
  }

  void refuse(bool given, const char* option, const char* reason, const char* help) const {
    if (given) fault({}, fmt::format("`{}` {}", option, reason), help);
  }

  void refuse_options_of_steps(const char* reason, const char* help) const {
    for (const auto& [option, given] :
         {std::pair<const char*, bool>{"step", asked_.step.has_value()},
          {"method", asked_.method.made()},
          {"formulation", asked_.formulation.made()},
          {"period", asked_.period.has_value()},
          {"preview", asked_.preview.has_value()}})
      refuse(given, option, reason, help);
  }

  void add_arguments() {
    for (const auto& [word, names] : made_.arguments)
      made_.facts_.push_back(list_fact(word, names, names.size()));
  }

  const model::Controller& the_controller() const {
    const std::vector<model::Controller>& acting = model().controllers;
    if (acting.empty())
      fault(model().place, "which controller is to be exported?",
            model().controller_names.empty()
                ? fmt::format("model '{}' has none", model().name)
                : fmt::format("it has {}", fmt::join(model().controller_names, ", ")));
    if (acting.size() > 1)
      fault(acting[1].place,
            fmt::format("{} controllers act, and one is exported at a time", acting.size()),
            fmt::format("name one:  `controller = {}`", acting[1].name));
    return acting[0];
  }

  /// What a controller with a clock does at a sample.
  void controller() {
    refuse_options_of_steps("does not belong to a controller, whose clock says when it acts",
                            "leave it out");
    const model::Controller& acting = the_controller();
    const std::string name = emit::c_identifier(model().name + "_" + acting.name);
    emit::CController made = emit::c_controller(model(), acting, name);
    take(std::move(made.code), name);
    made_.headline_ =
        fmt::format("{}: controller '{}', a sample every {:g} s", name, acting.name, acting.period);
    made_.arguments = {{"measured", std::move(made.measured)},
                       {"commands", std::move(made.commands)}};
    add_arguments();
    if (const std::string motion = desired_motion(acting, made.tables); !motion.empty())
      made_.facts_.push_back({"motion", motion, {}, "", ""});
    wrote(fmt::format(": {} state{}", acting.states.size(), plural(acting.states.size())));
    made_.numbers_ = {{"period", acting.period},
                      {"states", static_cast<double>(acting.states.size())}};
  }

  /// How it knows where the mechanism should be.
  static std::string desired_motion(const model::Controller& acting, std::size_t tables) {
    const bool steps = std::ranges::any_of(
        acting.solved, [](const model::Solved& solved) { return solved.law == "inverse"; });
    const std::string in_tables =
        tables == 0 ? "" : fmt::format("{} table{}", tables, plural(tables));
    if (!steps) return in_tables;
    return "a step of the inverse model at each sample, by bdf4" +
           (in_tables.empty() ? "" : "; and " + in_tables);
  }

  /// The mechanism that it commands, with what it measures as results: a test bench.
  void plant() {
    for (const auto& [option, given] :
         {std::pair<const char*, bool>{"formulation", asked_.formulation.made()},
          {"period", asked_.period.has_value()},
          {"preview", asked_.preview.has_value()}})
      refuse(given, option, "does not belong to the plant of a controller", "leave it out");
    const model::Controller& acting = the_controller();
    const emit::CResults results = emit::c_sensed(model(), acting);
    const Choice<solve::Method> chosen =
        asked_.method.made() ? asked_.method : Choice<solve::Method>("radau5");
    const solve::Method method = method_of(chosen, {}, asked_.step.value_or(acting.period));
    warn(warnings_of_switches(mechanism_));
    write_stepper(*forward_program(method), method, {}, results,
                  emit::c_identifier(model().name + "_" + acting.name + "_plant"));
  }

  void write_stepper(const solve::StepProgram& program, const solve::Method& method,
                     const inversion::ClassicalForm& form, const emit::CResults& results,
                     const std::string& name) {
    take(emit::c_stepper(program, inversion::stepper_options(method, form), name, results), name);
    made_.headline_ =
        fmt::format("{}: {} with a step of {:g} s", name, program.formula.name, program.step);
    made_.arguments = {{"signals", names_of_signals(program)}, {"results", names_of(results)}};
    add_arguments();
    wrote(fmt::format(": {} unknowns a step", program.correction.size()));
    made_.method_ = program.formula.name;
    made_.numbers_ = {{"step", program.step},
                      {"unknowns", static_cast<double>(program.correction.size())}};
  }

  /// Accelerations and multipliers at a state.
  void accelerations() {
    refuse_options_of_steps("does not belong to `accelerations`, which makes no steps",
                            "leave it out, or take  `forward`  for a stepper");
    formulate::Formulation formulation;
    formulation.kind = formulate::Kind::index1;
    const solve::Prepared prepared = solve::prepare(mechanism_.dae, formulation);
    warn(prepared.start.warnings);
    if (!model().events.empty()) warn({warning_of_events(model())});
    const std::string name = emit::c_identifier(model().name + "_accelerations");
    emit::CAccelerations code = emit::c_accelerations(prepared.problem, prepared.start, name);
    take(std::move(code.code), name);
    made_.headline_ = fmt::format(
        "{}(t, q, v, p, u, a, lambda): the equations of motion, constraints differentiated", name);
    made_.arguments = {{"positions", code.positions},         {"velocities", code.velocities},
                       {"parameters", code.parameters},       {"inputs", code.inputs},
                       {"accelerations", code.accelerations}, {"multipliers", code.multipliers}};
    constexpr std::size_t shown = 12;
    const char* const letters[] = {"q", "v", "p", "u", "a", "lambda"};
    for (std::size_t k = 0; k < made_.arguments.size(); ++k)
      made_.facts_.push_back(list_fact(letters[k], made_.arguments[k].second, shown));
    wrote();
  }

  /// The inverse of a model that is not minimum phase, sample by sample from a window ahead.
  void horizon() {
    const inversion::InverseModel inverse = inversion::inverse_model(*mechanism_.dae);
    warn(inverse.warnings);
    if (inverse.algebraic())
      fault({},
            fmt::format("model '{}': the inputs follow from the desired motion alone: no preview "
                        "is needed",
                        model().name),
            "leave `receding` out and add  `step`");
    const auto problem = inversion::tracking_problem(inverse);
    if (formulate::is_descriptor_form(*problem))
      fault(model().place,
            fmt::format("model '{}': its inputs reach the outputs in more than two derivatives, "
                        "and C code of a receding horizon supports two",
                        model().name),
            "invert without `receding` inverts the whole motion at once");
    const solve::ConsistentPoint start = solve::consistent_point(*problem);
    boundary::InverseSystem system(*problem, {.backend = compile::Backend::tape});
    InvertOptions words;
    words.period = asked_.period;
    words.preview = asked_.preview;
    words.step = asked_.step;
    const inversion::RecedingHorizonOptions options =
        completed(system, receding_options(words).horizon);
    const inversion::RecedingHorizon plan(
        system,
        {before_motion, [&](double t, double* w) { system.desired(t, w); }, start.states,
         start.tops},
        options);
    const std::string name = emit::c_identifier(model().name + "_horizon");
    take(emit::c_horizon(*problem, plan, options, name), name);
    const double truncation = std::exp(-plan.slowest_growth() * plan.preview());
    made_.headline_ =
        fmt::format("{}: receding horizon, a sample every {:g} s", name, options.period);
    made_.facts_.push_back(preview_fact("preview", "", plan.preview(), plan.step(), truncation));
    made_.facts_.push_back({"modes",
                            fmt::format("{}; the slowest grows with {:.6g} 1/s",
                                        describe(plan.modes()), plan.slowest_growth()),
                            plan.slowest_growth(), "1/s", ""});
    wrote();
    made_.numbers_ = {{"period", options.period},
                      {"preview", plan.preview()},
                      {"step", plan.step()},
                      {"slowest_growth", plan.slowest_growth()},
                      {"truncation", truncation},
                      {"signals", static_cast<double>(system.signals() - 1)},
                      {"states", static_cast<double>(system.states())}};
  }

  struct PreparedStepper {
    Stepping stepping;
    solve::Method method;
    inversion::ClassicalForm form;
  };

  PreparedStepper prepared_stepper() {
    const bool inverse = asked_.function == CFunction::inverse;
    if (!asked_.step) fault({}, "the length of a step is required", "add  `step = 0.001`  [s]");
    const Choice<solve::Method> chosen =
        asked_.method.made() ? asked_.method : Choice<solve::Method>("bdf");
    const solve::Method method = method_of(chosen, {}, asked_.step);
    if (!inverse && asked_.formulation.made())
      fault(asked_.formulation.words("formulation")->place,
            "formulations are for the stepper of an inverse model",
            "leave `formulation` out: a forward model is stepped as it was derived");
    const inversion::ClassicalForm form = classical_form_of(asked_.formulation);
    warn(warnings_of_switches(mechanism_));
    const auto [program, results] =
        inverse ? inverse_program(method, form)
                : Program(forward_program(method), emit::c_results(*mechanism_.dae));
    return {
        {program, inversion::stepper_options(method, form), results, made_.warnings}, method, form};
  }

  void stepper() {
    const PreparedStepper made = prepared_stepper();
    const bool inverse = asked_.function == CFunction::inverse;
    write_stepper(*made.stepping.program, made.method, made.form, made.stepping.results,
                  emit::c_identifier(model().name + (inverse ? "_inverse" : "")));
  }

  using Program = std::pair<std::shared_ptr<const solve::StepProgram>, emit::CResults>;

  Program inverse_program(const solve::Method& method, const inversion::ClassicalForm& form) {
    const inversion::InverseModel inverse = inversion::inverse_model(*mechanism_.dae);
    if (!inverse.structure.solvable())
      fault(model().place,
            fmt::format("the inverse model cannot be solved: {}", inverse.structure.remark));
    warn(inverse.warnings);
    if (!inverse.dae->shared.bounds.empty())
      warn({{Severity::warning,
             model().symbols[inverse.dae->shared.bounds.front().input].place,
             fmt::format("model '{}': the C code chooses the inputs without their limits",
                         model().name),
             {},
             "`invert()` shows where they are reached; values of the inputs in the model, such as "
             "T = 60, keep away from them"}});
    const solve::ConsistentPoint start = solve::consistent_point(inverse.problem);
    if (!inverse.algebraic()) {
      const auto dynamics = inversion::internal_dynamics(inverse, start);
      if (dynamics.margin.side == analysis::Side::right)
        fault(model().place,
              fmt::format("the inverse model has {} and would diverge", describe(dynamics)),
              "add  `receding`  for the receding horizon of stable inversion; or another output "
              "may be minimum phase: `analyse()` shows what would change the verdict");
    }
    const inversion::Steppable made = step_program(inverse, start, method, form);
    return {made.program, emit::c_results(*made.reduced.dae)};
  }

  std::shared_ptr<const solve::StepProgram> forward_program(const solve::Method& method) const {
    const solve::Prepared prepared = solve::prepare(mechanism_.dae, {});
    return std::make_shared<const solve::StepProgram>(solve::make_step_program(
        *mechanism_.dae, solve::step_formula(method), solve::step_length(method),
        solve::point_of(prepared.problem, prepared.start)));
  }

  const ExportOptions& asked_;
  CExport made_;
  const Mechanism& mechanism_;
};

CExport export_c(const Model& model, const ExportOptions& options) {
  const StopScope stoppable(options.watch.stop);
  if (options.function != CFunction::controller && options.function != CFunction::plant)
    refuse_controllers(model, Refused::all);
  return Exporter(model, options).run();
}

Stepping stepping_of(const Model& model, const ExportOptions& options) {
  const StopScope stoppable(options.watch.stop);
  refuse_controllers(model, Refused::all);
  return Exporter(model, options).stepping();
}

std::string CExport::summary() const { return headline_ + "\n" + lines_of(facts_); }

Json CExport::json() const {
  nlohmann::ordered_json json{{"header", path + ".h"}, {"source", path + ".c"}, {"function", name}};
  if (!method_.empty()) json["method"] = method_;
  for (const auto& [word, value] : numbers_)
    if (value == std::floor(value) && std::abs(value) < 1e15)
      json[word] = static_cast<std::int64_t>(value);
    else
      json[word] = value;
  for (const auto& [word, names] : arguments) json[word] = names;
  return {std::move(json)};
}

void write(const CExport& code) {
  emit::write_text(code.header, code.path + ".h");
  emit::write_text(code.source, code.path + ".c");
}

}  // namespace task
}  // namespace daedal
