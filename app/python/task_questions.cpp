// The questions of the module `task` and their options: names as in its headers.
#include "daedal/task/check.hpp"
#include "daedal/task/compare.hpp"
#include "daedal/task/export_c.hpp"
#include "daedal/task/invert.hpp"
#include "daedal/task/simulate.hpp"
#include "questions.hpp"

namespace daedal::python {

namespace {

constexpr const char* of_redundant_constraints =
    "constraints that follow from others: error, or least_norm: left out, their reactions shared";

OptionTable<task::InvertOptions> invert_table() {
  using O = task::InvertOptions;
  OptionTable<O> table;
  table.add("until", &O::until, "end of the rows [s]; default: that of the desired motion")
      .add("every", &O::every, "time between rows [s]; default until/1000")
      .add("tolerance", &O::tolerance, "relative; default by the method")
      .add("method", &O::method,
           "by the class of the model (default), collocation(order = 6), or of fixed step: "
           "bdf(order = 4)")
      .add("step", &O::step, "of a method with fixed step, or of a receding horizon's mesh [s]")
      .add("formulation", &O::formulation,
           "of a method with fixed step: original (default), baumgarte(pole = 10), projection, "
           "substitution, minimal_extension")
      .add("verify", &O::verify,
           "verify the rows by the equations between them and by the forward model")
      .add("verify_with", &O::verify_with,
           "parameters and sizes of another plant that the inputs drive as well")
      .add("before", &O::before, "stable inversion: actuation before the motion [s]")
      .add("after", &O::after, "stable inversion: actuation after the motion [s]")
      .add("ends", &O::ends,
           "stable inversion: conditions at the ends, automatic (default), eigenspace, positions")
      .add("receding", &O::receding, "stable inversion sample by sample, from a window of preview")
      .add("period", &O::period, "time between samples of a receding horizon [s]; default 0.001")
      .add("preview", &O::preview, "length of the window of a receding horizon [s]")
      .add("redefine", &O::redefine,
           "OUTPUT:RIGID: weight*OUTPUT + (1 - weight)*RIGID follows the desired motion of OUTPUT")
      .add("weight", &O::weight,
           "of redefine, 0 to 1; default: the largest one without unstable zeros")
      .add("margin", &O::margin, "how far left of the axis zeros must lie [1/s]")
      .add("experiment", &O::experiment, "whose inversion it is, for titles; \"\" none")
      .add("history", &O::history, "keep drift and energy of every row, for the report")
      .add("backend", &O::backend, "kernels: automatic, tape, native");
  return table;
}

OptionTable<task::CompareOptions> compare_table() {
  using O = task::CompareOptions;
  OptionTable<O> table;
  table.add("methods", &O::methods, "integrators, with options in brackets")
      .add("formulations", &O::formulations, "how constraints are held")
      .add("tolerances", &O::tolerances, "of methods that control their steps")
      .add("steps", &O::steps, "[s], of methods with equal steps")
      .add("until", &O::until, "end time [s]; default as in simulate")
      .add("every", &O::every, "time between the rows that are compared [s]; default until/100")
      .add("redundant_constraints", &O::redundant_constraints, of_redundant_constraints);
  return table;
}

OptionTable<task::CompareControllersOptions> compare_controllers_table() {
  using O = task::CompareControllersOptions;
  OptionTable<O> table;
  table.add("controllers", &O::controllers, "one after the other on the same run")
      .required()
      .add("experiment", &O::experiment,
           "whose plant, start values and options are taken; \"\" none")
      .include(simulate_table(), &O::simulate, {"experiment"});
  return table;
}

OptionTable<task::MonteCarloOptions> monte_carlo_table() {
  using O = task::MonteCarloOptions;
  OptionTable<O> table;
  table
      .add("plant", &O::plant,
           "parameters of the plant that are drawn: {\"m\": \"normal(18.9, 0.5)\"}")
      .add("starts", &O::starts, "start values that are drawn: {\"x\": \"uniform(-0.1, 0.1)\"}")
      .add("runs", &O::runs, "how many")
      .add("seed", &O::seed, "of the random numbers: run k draws from its own stream")
      .add("threads", &O::threads, "0: as many as the machine has cores; results are the same")
      .include(simulate_table(), &O::simulate, {"seed", "experiment"});
  return table;
}

OptionTable<task::ExportOptions> export_table() {
  using O = task::ExportOptions;
  OptionTable<O> table;
  table
      .add("function", &O::function,
           "inverse, forward: steppers; receding: a receding horizon; accelerations; controller; "
           "plant")
      .add("step", &O::step, "of a stepper, or of a horizon's mesh [s]")
      .add("method", &O::method, "of a stepper: implicit_euler, bdf(order = 2) (default), radau5")
      .add("formulation", &O::formulation, "of the inverse model's equations, as in invert")
      .add("period", &O::period, "of a receding horizon [s]")
      .add("preview", &O::preview, "of a receding horizon [s]")
      .add("to", &O::to, "folder of the files");
  return table;
}

OptionTable<task::CheckOptions> check_table() {
  using O = task::CheckOptions;
  OptionTable<O> table;
  table.add("redundant_constraints", &O::redundant_constraints, of_redundant_constraints)
      .add("units", &O::units, "list the unit of every name");
  return table;
}

OptionTable<task::ExplainOptions> explain_table() {
  using O = task::ExplainOptions;
  OptionTable<O> table;
  table
      .add("inverse", &O::inverse,
           "of the inverse model: servo-constraints are equations, inputs unknowns")
      .add("latex", &O::latex, "equations of the summary as LaTeX")
      .add("redundant_constraints", &O::redundant_constraints, of_redundant_constraints);
  return table;
}

}  // namespace

OptionTable<task::SimulateOptions> simulate_table() {
  using O = task::SimulateOptions;
  OptionTable<O> table;
  table
      .add("until", &O::until,
           "end time [s], > 0; default: that of the first experiment or of the servo motions, else "
           "10")
      .add("every", &O::every, "time between rows [s], > 0; default until/1000")
      .add("method", &O::method, "integrator, default rk45; with options radau5(tolerance = 1e-8)")
      .add("tolerance", &O::tolerance,
           "relative and absolute, of a step; default that of the method")
      .add("step", &O::step, "first and longest step [s]; default that of the method")
      .add("formulation", &O::formulation, "how constraints are held, default projection")
      .add("redundant_constraints", &O::redundant_constraints, of_redundant_constraints)
      .add("start", &O::start,
           "start values: consistent, the nearest ones that satisfy the constraints; rest, "
           "equilibrium, as_given")
      .add("global_error", &O::global_error, "estimate it by a second run of twice the work")
      .add("seed", &O::seed, "of the random numbers that controllers with clocks draw")
      .add("reference", &O::reference,
           "what the outputs of a closed loop are compared with: servo, end")
      .add("experiment", &O::experiment, "whose run it is, for titles; \"\" none")
      .add("history", &O::history, "keep drift and energy of every row, for the report")
      .add("backend", &O::backend, "kernels: automatic, tape, native");
  return table;
}

std::vector<Question> task_questions() {
  std::vector<Question> all;
  all.push_back(question("check", "Check", "CheckOptions",
                         "What the model is: its contents, index and degrees of freedom.",
                         check_table(), task::check));
  all.push_back(question("explain", "Explanation", "ExplainOptions",
                         "The equations, their derivatives and the order of solution.",
                         explain_table(), task::explain));
  all.push_back(question("simulate", "Simulation", "SimulateOptions",
                         "Integrates the equations of motion; with an estimate of the error.",
                         simulate_table(), task::simulate));
  all.push_back(question("monte_carlo", "MonteCarlo", "MonteCarloOptions",
                         "Many runs of a closed loop around disturbed plants.", monte_carlo_table(),
                         task::monte_carlo));
  all.push_back(question("invert", "Inversion", "InvertOptions",
                         "The inputs that make the outputs follow the servo lines, verified.",
                         invert_table(), task::invert));
  all.push_back(question("compare", "Comparison", "CompareOptions",
                         "Formulations and methods on the model: error against cost.",
                         compare_table(), task::compare));
  all.push_back(question("compare_controllers", "ControllerComparison", "CompareControllersOptions",
                         "The same run with each controller: figures of merit side by side.",
                         compare_controllers_table(), task::compare_controllers));
  all.push_back(
      question("compare_inverse_forms", "InverseForms", "InvertOptions",
               "Index, size and condition numbers of every form of the inverse equations.",
               invert_table(), task::compare_inverse_forms));
  all.push_back(question("compare_stable_formulations", "StableFormulations", "InvertOptions",
                         "Stable inversion as a boundary value problem and as an optimisation.",
                         invert_table(), task::compare_stable_formulations));
  all.push_back(question("export_c", "CExport", "ExportOptions",
                         "The model as C99: a stepper, its accelerations or a controller; writes "
                         "NAME.h and NAME.c.",
                         export_table(),
                         [](const task::Model& model, const task::ExportOptions& o) {
                           task::CExport code = task::export_c(model, o);
                           task::write(code);
                           return code;
                         }));
  return all;
}

}  // namespace daedal::python
