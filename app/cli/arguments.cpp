#include "arguments.hpp"

#include "daedal/base/diagnostic.hpp"
#include "file_roles.hpp"
#include "help.hpp"
#include "library.hpp"
#include "request.hpp"
#include "show.hpp"
#include "usage_error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace daedal::cli {

namespace {

/// "name=value" into a table.
void split_into(const std::vector<std::string>& items, const char* option,
                std::map<std::string, std::string>& table) {
  for (const std::string& item : items) {
    const auto equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      throw CLI::ValidationError(option, fmt::format("'{}' is not of the form NAME=VALUE", item));
    if (!table.emplace(item.substr(0, equals), item.substr(equals + 1)).second)
      throw CLI::ValidationError(option,
                                 fmt::format("'{}' is given twice", item.substr(0, equals)));
  }
}

/// One value, which the help calls `type`.
template <class Value>
void add_value(CLI::App& app, const char* name, Value& value, const char* type, const char* help) {
  app.add_option(name, value, help)->type_name(type);
}

/// One word each time it is given: -p m=1 -p L=2.
CLI::Option* add_each(CLI::App& app, const char* names, std::vector<std::string>& words,
                      const char* help, const char* type = "NAME=VALUE") {
  return app.add_option(names, words, help)->type_name(type)->allow_extra_args(false);
}

/// Words with commas between: --free u1,u2.
void add_list(CLI::App& app, const char* names, std::vector<std::string>& words, const char* help,
              const char* type = "NAMES") {
  add_each(app, names, words, help, type)->delimiter(',');
}

struct Texts {
  std::vector<std::string> parameters, inputs, verify_with, plant, starts;
};

void add_model_options(CLI::App& app, Arguments& a, Texts& texts) {
  app.add_option("file", a.file, "model file (.daedal), or a name that  daedal models  lists")
      ->required();
  add_each(app, "-p", texts.parameters, "parameter or size: -p N=10, -p 'd[2]=0.1'");
  add_each(app, "--input", texts.inputs,
           "input signal: --input u='0.5*sin(t)', --input u=@file.csv");
  app.add_option("--model", a.overrides.model, "which model of the file; the last one otherwise");
  app.add_flag("--json", a.json, "machine-readable answer on standard output");
}

void add_report(CLI::App& app, Arguments& a) {
  add_value(app, "--report", a.report, "FILE", "write the answer as one HTML page to this file");
}

void add_plot(CLI::App& app, Arguments& a) {
  add_each(app, "--plot", a.plots, "show this column in a line of text: --plot x, --plot \"phi'\"",
           "NAME");
}

/// models/fourbar means models/fourbar/fourbar.daedal, and fourbar, where there is no such file, for the library's.
/// Throws ModelError for a name that is neither.
std::string file_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::exists(path, error) && path.find_first_of("/.") == std::string::npos && !path.empty()) {
    if (const auto file = library_model(path)) return *file;
    const std::string nearest = nearest_name(path, library_models());
    fault(
        {},
        fmt::format("cannot read '{}': there is no such file here, nor such a model in the library",
                    path),
        nearest.empty() ? "daedal models  lists the models of the library"
                        : fmt::format("did you mean '{}'?  daedal models  lists them", nearest));
  }
  if (!fs::is_directory(path, error)) return path;
  const fs::path folder = fs::path(path).lexically_normal();
  const fs::path name = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
  const fs::path file = fs::path(path) / (name.string() + ".daedal");
  return fs::exists(file, error) ? file.string() : path;
}

void add_csv_units(CLI::App& app, Arguments& a) {
  app.add_flag("--csv-units", a.csv_units, "write units in the header of --csv: x [m]");
}

void add_table_options(CLI::App& app, Arguments& a) {
  add_report(app, a);
  add_plot(app, a);
  add_value(app, "--csv", a.csv, "FILE",
            "write the trajectory to this file, - for standard output");
  add_csv_units(app, a);
  app.add_option(
      "--until", a.until,
      "end time [s]; default: that of the first experiment or of the servo motions, else 10");
  app.add_option("--every", a.every, "time between rows [s]; default until/1000");
  app.add_option(
      "--tolerance", a.tolerance,
      "relative and absolute tolerance of a step; default: that of the method, 1e-9 for rk45");
  app.add_option("--backend", a.backend, "kernels: automatic (default), tape, native")
      ->check(CLI::IsMember({"automatic", "tape", "native"}));
  app.add_flag("--quiet", a.quiet, "no summary, warnings only");
}

void add_lifting(CLI::App& app, Arguments& a) {
  app.add_option("--lifting", a.lifting,
                 "positions of recursive lets as unknowns: automatic (default: those of long "
                 "chains), always, never")
      ->check(CLI::IsMember({"automatic", "always", "never"}));
}

void add_run_options(CLI::App& app, Arguments& a) {
  add_lifting(app, a);
  add_table_options(app, a);
  app.add_option("--method", a.method,
                 "integrator, default rk45; options in brackets: 'radau5(tolerance = 1e-8)'");
  app.add_option(
      "--formulation", a.formulation,
      "how constraints are held, default projection; options in brackets: "
      "'baumgarte(pole = 5)', 'baumgarte(rod = [10, 25])', 'augmented_lagrangian(stiffness "
      "= 1e6)'");
  app.add_option("--redundant,--redundant_constraints", a.redundant,
                 "constraints that follow from others: error (default), or least_norm: left out, "
                 "their reactions shared");
  app.add_option("--global-error,--global_error", a.global_error,
                 "estimate the error by a second run of twice the work: on (default), off")
      ->check(CLI::IsMember({"on", "off"}));
  app.add_option("--start", a.start,
                 "start values: consistent (default), the nearest ones that satisfy the "
                 "constraints; rest, velocities 0; equilibrium, the nearest one; as_given, kept "
                 "although they violate the constraints");
  app.add_option("--step", a.step,
                 "first and longest step of the integrator [s]; default: that of the method");
}

void add_plant(CLI::App& app, Texts& texts) {
  add_each(app, "--plant", texts.plant,
           "parameter or size of the plant alone, unknown to controllers: --plant "
           "m=21");
  add_each(app, "--initial", texts.starts,
           "start value of the plant: --initial x=0.1, --initial \"x'=-0.5\"");
}

void add_plant_options(CLI::App& app, Arguments& a, Texts& texts) {
  add_plant(app, texts);
  app.add_option("--seed", a.seed, "of the random numbers that controllers draw; default 0");
  app.add_option("--reference", a.reference,
                 "what outputs are compared with in the figures of merit: servo (default), the "
                 "desired motion of the servo lines, or end, their last values");
}

void add_loop_options(CLI::App& app, Arguments& a, Texts& texts) {
  add_list(app, "--controller", a.controllers,
           "controllers of the model that act: --controller tracking");
  add_plant_options(app, a, texts);
  app.add_option("--runs", a.runs,
                 "so many runs, in which values of --plant and --initial are drawn: --plant "
                 "'m=normal(18.9, 0.5)' --initial 'x=uniform(-0.1, 0.1)' --runs 1000")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}).description(""))
      ->type_name("NUMBER");
}

void add_receding(CLI::App& app, Arguments& a, const char* what) {
  app.add_flag("--receding", a.receding, what);
  app.add_option("--period", a.period, "receding: time between samples [s]; default 0.001");
  app.add_option("--preview", a.preview,
                 "receding: length of the window [s]; default ten time constants of the slowest "
                 "unstable zero");
}

void add_redefine(CLI::App& app, Arguments& a, const char* what) {
  add_value(app, "--redefine", a.redefine, "OUTPUT:RIGID", what);
  add_value(app, "--margin", a.margin, "NUMBER",
            "how far left of the axis zeros must lie [1/s]; default 0: also on it");
}

void add_redundant(CLI::App& app, Arguments& a) {
  app.add_option("--redundant", a.redundant,
                 "constraints that follow from others: error, least_norm");
}

void add_compare_options(CLI::App& app, Arguments& a) {
  add_report(app, a);
  add_lifting(app, a);
  task::CompareOptions& compared = a.compared;
  app.add_option("--methods", compared.methods, "methods, with options in brackets")
      ->capture_default_str();
  app.add_option("--formulations", compared.formulations, "formulations")->capture_default_str();
  app.add_option("--tolerances", compared.tolerances, "of methods that control their steps")
      ->capture_default_str();
  app.add_option("--steps", compared.steps, "[s] of methods with equal steps")
      ->capture_default_str();
  app.add_option(
      "--until", a.until,
      "end time [s]; default: that of the first experiment or of the servo motions, else 10");
  app.add_option("--every", a.every,
                 "time between the rows that are compared [s]; default until/100");
  add_redundant(app, a);
  app.add_flag("--quiet", a.quiet, "no progress");
}

void add_export_options(CLI::App& app, Arguments& a) {
  add_list(app, "--controller", a.controllers,
           "a controller with a clock: measurements in, commands out, one call a sample");
  app.add_flag("--plant", a.of_plant,
               "with --controller: the mechanism that it commands instead, for a test bench: "
               "commands in, what it measures out");
  app.add_option("format", a.format, "c")->required()->check(CLI::IsMember({"c"}));
  CLI::Option* inverse =
      app.add_flag("--inverse", a.inverse, "desired outputs in, inputs out: from the servo lines");
  CLI::Option* forward =
      app.add_flag("--forward", a.forward, "inputs in, outputs out")->excludes(inverse);
  app.add_flag("--accelerations", a.accelerations,
               "no stepper but the equations of motion: a state and inputs in, accelerations and "
               "multipliers out")
      ->excludes(inverse)
      ->excludes(forward);
  app.add_option(
      "--method", a.method,
      "implicit_euler, linear_implicit_euler, 'bdf(order = 2)' (default), radau5 (default of a "
      "plant)");
  app.add_option(
      "--step", a.step,
      "its length [s]; default for a plant: the period of its controller; receding: of the "
      "window's mesh");
  add_receding(app, a,
               "with --inverse, not minimum phase: the receding horizon of stable inversion");
  app.add_option("--formulation", a.formulation,
                 "of the inverse model: original (default), 'baumgarte(pole = 10)', projection, "
                 "substitution, minimal_extension, as in invert");
  add_value(app, "--to", a.directory, "FOLDER", "folder of the files; default: here");
}

void add_control_options(CLI::App& app, Arguments& a) {
  add_list(app, "--controller", a.controllers, "show the gains that its laws have");
  add_list(app, "--inputs", a.commanded, "inputs that the feedback commands; default: all");
  add_value(app, "--state-weights", a.state_weights, "VALUES",
            "of squared departures, coordinates and velocities by name: \"x=10,x'=1\"; a number "
            "alone is for all that have no name: '1,phi=100'; default: 1 "
            "for all; where some are named, 0 for the others");
  add_value(app, "--input-weights", a.input_weights, "VALUES",
            "of squared commands: 'u_T=100', 100 for all; default 1");
  app.add_option("--period", a.period,
                 "time between the samples of a controller with a clock [s]; default: continuous");
  app.add_option("--delay", a.delay, "with --period: time until a command acts [s]");
  app.add_option("--reduce", a.questions.reduce,
                 "design the gains on so many states of the linear model")
      ->check(CLI::Range(1, 100000));
  add_list(app, "--free", a.free,
           "inputs that take the values that hold the pose: --free u1,u2, --free all");
  add_redundant(app, a);
  add_report(app, a);
}

void add_questions(CLI::App& app, Questions& q) {
  add_value(app, "--mat", q.mat, "FILE", "write E, A, B, C, D and their names to this MAT-file");
  app.add_option("--reduce", q.reduce, "linear model with so many states, and the error bound")
      ->check(CLI::Range(0, 100000));
  app.add_option("--reduction", q.reduction, "balanced (default), hankel")
      ->check(CLI::IsMember({"balanced", "hankel"}));
  app.add_option("--at", q.at,
                 "linearise at rest (default), or at the start values in motion: start")
      ->check(CLI::IsMember({"rest", "start"}));
  app.add_flag("--directions", q.directions,
               "inputs, motion and outputs at each zero: how it moves while the outputs stay");
  add_value(app, "--along", q.along, "FIRST:LAST[:COUNT]",
            "linearise along the simulated motion, at times in s");
  add_value(app, "--continue", q.follow, "NAME=FIRST:LAST",
            "equilibria over a parameter, round folds: load=0:10");
  add_value(app, "--locus", q.locus, "NAME=FIRST:LAST[:COUNT]",
            "poles and zeros over a parameter: alpha=0.1:1.5:50");
  add_value(app, "--map", q.map, "RANGES", "verdict over two parameters: k=1:5:100,d=0:2:100");
  app.add_option("--threads", q.threads, "of a map; default: as many as the machine has")
      ->check(CLI::Range(1, 1024));
  add_list(app, "--sensitivity", q.sensitivity,
           "of equilibrium, poles and zeros to parameters: --sensitivity k,d, --sensitivity all");
  add_value(app, "--pose", q.pose, "VALUES",
            "pose with these coordinates or outputs: 'x=0.1,phi=pi/4'");
  app.add_flag("--branches", q.branches, "with --pose: all poses that can be found");
  add_list(app, "--motors", q.motors, "coordinates of the motors; default: where inputs act");
  add_value(app, "--path", q.path, "RANGES",
            "singular poses on a straight line: 'a=0:1,b=0.5:0.2'");
  app.add_flag("--limits", q.limits, "how far coordinates and outputs go, with one direction free");
  add_list(app, "--hold", q.hold, "with --limits: coordinates or outputs that stay");
  add_value(app, "--box", q.box, "RANGES",
            "reach and singular poses over a box: 'a=0:1:11,b=-1:1:11'");
  add_list(app, "--normal-form", q.internal,
           "Lie derivatives and decoupling at the start values; internal states by name, or none");
  app.add_option("--zero-dynamics", q.zero_dynamics,
                 "simulate what moves while the outputs stay, so many s; with --disturb");
  app.add_option("--linear-motion", q.linear_motion,
                 "motion and linearised motion side by side, so many s; with --disturb");
  add_list(app, "--disturb", q.disturb, "states moved away from rest: theta1=0.1,theta1'=2",
           "VALUES");
  app.add_option("--lyapunov", q.lyapunov, "where it decreases: quadratic, energy")
      ->check(CLI::IsMember({"quadratic", "energy"}));
  app.add_option("--epsilon", q.epsilon, "[1/s] of the energy function; default: half its bound");
  app.add_option("--radius", q.radius, "of the samples, over the nominal values; default 0.1");
}

/// The exit code of a command line that cannot be followed, after the reason.
int refused(const Arguments& a, const std::vector<Diagnostic>& why) {
  fmt::print(stderr, "{}\n", render(why));
  if (a.json) fmt::print("{}\n", failure_text(a, 2, why));
  return 2;
}

/// An empty value is none: `--until ''` of a script whose variable was not set.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    for (const std::string& value : option->results()) {
      if (!value.empty()) continue;
      if (option->get_positional()) throw CLI::RequiredError(option->get_name());
      throw CLI::ArgumentMismatch(option->get_name() + ": empty");
    }
}

}  // namespace

std::optional<int> read_arguments(int argc, char** argv, Arguments& a) {
  CLI::App app{"simulates, analyses and inverts constrained mechanical systems"};
  app.require_subcommand(1);
  app.formatter_fn([](const CLI::App* command, const std::string&, CLI::AppFormatMode) {
    return help_text(*command);
  });
  app.set_help_flag("-h,--help", "this text");
  app.set_version_flag("--version", "daedal " DAEDAL_VERSION, "the version of the program");
  Texts texts;
  CLI::App* check = app.add_subcommand(
      "check", "parse and count: degrees of freedom, inputs, constraints; faults by name");
  add_model_options(*check, a, texts);
  add_lifting(*check, a);
  add_redundant(*check, a);
  check->add_flag("--print", a.print, "print the model in canonical form");
  check->add_flag(
      "--units", a.units,
      "list the unit of every name, stated or inferred; warnings about units become errors");
  CLI::App* explain =
      app.add_subcommand("explain", "equations, index, hidden constraints, order of solution");
  add_model_options(*explain, a, texts);
  add_lifting(*explain, a);
  add_redundant(*explain, a);
  explain->add_flag("--latex", a.latex, "equations as LaTeX");
  explain->add_flag("--inverse", a.inverse,
                    "of the inverse model: servo-constraints are equations, inputs unknowns");
  CLI::App* simulate = app.add_subcommand("simulate", "integrate the equations of motion");
  add_model_options(*simulate, a, texts);
  add_run_options(*simulate, a);
  add_loop_options(*simulate, a, texts);
  CLI::App* analyse = app.add_subcommand(
      "analyse", "equilibrium, poles, zeros, relative degree; flat, minimum or non-minimum phase");
  add_model_options(*analyse, a, texts);
  add_redundant(*analyse, a);
  add_list(*analyse, "--controller", a.controllers,
           "analyse the loop that these controllers close");
  add_plant(*analyse, texts);
  add_list(*analyse, "--free", a.free,
           "inputs that take the values that hold the pose: --free u1,u2, --free all");
  add_list(*analyse, "--output", a.outputs,
           "outputs to analyse; default: the servo lines, else all outputs");
  add_value(*analyse, "--response", a.response, "FIRST:LAST[:COUNT]",
            "frequency response from FIRST to LAST rad/s: --response 0.1:100:200 --csv bode.csv");
  analyse->add_flag("--nyquist", a.questions.nyquist,
                    "with --response: Nyquist's curve and how often it goes round -1");
  add_value(*analyse, "--csv", a.csv, "FILE",
            "write the response, locus, map, path, motion or zeros to this file, - for "
            "standard output");
  add_csv_units(*analyse, a);
  add_questions(*analyse, a.questions);
  add_report(*analyse, a);
  add_redefine(
      *analyse, a,
      "zeros of  Gamma OUTPUT + (1 - Gamma) RIGID  for weights Gamma from 0 to 1: "
      "--redefine tip:rigid --csv zeros.csv; several RIGID, with commas between, are compared");
  add_list(*analyse, "--vary", a.vary,
           "zeros along a range of a parameter, or of several that move together: --vary "
           "m=1:2,J=0.1:0.3",
           "NAME=FROM:TO");
  add_list(*analyse, "--against", a.against,
           "the same for several values of another parameter: what it buys, --vary mc=1:0 "
           "--against dc=0.1:0.5",
           "NAME=FROM:TO");
  analyse->add_option("--lines", a.lines, "values of --against; default 5");
  analyse->add_option("--samples", a.samples, "points of --redefine and --vary; default 21");
  CLI::App* control = app.add_subcommand(
      "control",
      "gains of a feedback that holds the model at rest, poles before and after, margins");
  add_model_options(*control, a, texts);
  add_control_options(*control, a);
  CLI::App* invert = app.add_subcommand(
      "invert", "the inputs that make the outputs follow the servo lines of the model");
  add_model_options(*invert, a, texts);
  add_table_options(*invert, a);
  invert->add_option("--method", a.method,
                     "jets, Taylor series or collocation by what the model is (default); "
                     "'collocation(order = 6)'; with a fixed step implicit_euler, "
                     "linear_implicit_euler, 'bdf(order = 4)', radau5");
  invert->add_option("--before", a.before,
                     "stable inversion: how long the inputs act before the motion [s]; default "
                     "from the zeros");
  invert->add_option("--after", a.after,
                     "stable inversion: how long they act after the motion [s]");
  add_receding(*invert, a,
               "stable inversion in real time: sample by sample from a window of preview; --step "
               "is that of its mesh");
  invert->add_option("--ends", a.ends,
                     "stable inversion: conditions at the ends, automatic (default), eigenspace, "
                     "positions");
  invert->add_option("--step", a.step, "of a method with fixed step [s]");
  invert->add_option("--formulation", a.formulation,
                     "of a method with fixed step: original (default), 'baumgarte(pole = 10)', "
                     "projection, substitution, minimal_extension; 'original(scaling = 2, residual "
                     "= 1e-8)' scales algebraic equations by step^-2 and stops Newton by them");
  invert->add_flag("--variants", a.formulations_compared,
                   "all formulations: index, condition numbers, and with --method their errors");
  invert->add_flag(
      "--formulations", a.stable_formulations,
      "stable inversion as a boundary value problem and as an optimisation, of internal "
      "dynamics and of the whole inverse model: errors and times; with --step");
  invert->add_option(
      "--verify", a.verify,
      "on (default) or off: the rows in the equations between them, and a run of the "
      "forward model with the inputs found");
  add_each(*invert, "--verify-with", texts.verify_with,
           "the inputs found in another plant as well, from its own start values: "
           "--verify-with N=10");
  add_redefine(*invert, a,
               "let  Gamma OUTPUT + (1 - Gamma) RIGID  move as OUTPUT should, with the "
               "largest weight Gamma that has no unstable zeros: --redefine tip:rigid");
  add_value(*invert, "--weight", a.weight, "NUMBER",
            "Gamma of --redefine, 0 to 1; default: the largest one, "
            "less 0.01");
  CLI::App* compare = app.add_subcommand(
      "compare",
      "formulations and methods on one model: error against cost, against Taylor series");
  add_model_options(*compare, a, texts);
  add_compare_options(*compare, a);
  add_list(*compare, "--controllers", a.controllers,
           "controllers of the model, one after the other on the same run: their figures of "
           "merit side by side");
  compare->add_option("--experiment", a.experiment,
                      "with --controllers: whose plant, start values and options are taken");
  add_plant_options(*compare, a, texts);
  add_value(*compare, "--csv", a.csv, "FILE",
            "with --controllers: write outputs and inputs of all runs to this file, - for "
            "standard output");
  CLI::App* exporting = app.add_subcommand(
      "export",
      "the real-time stepper of a model, or a controller, as one C99 file and its header");
  add_export_options(*exporting, a);
  add_model_options(*exporting, a, texts);
  CLI::App* run = app.add_subcommand("run", "run the experiments written in a file");
  add_model_options(*run, a, texts);
  run->add_option("experiments", a.names, "which ones; all otherwise");
  add_value(*run, "--csv", a.csv, "FILE",
            "write each trajectory to FILE with the experiment's name before the ending");
  add_csv_units(*run, a);
  add_value(*run, "--report", a.report, "FILE",
            "write each answer as one HTML page to FILE, with the experiment's name before "
            "the ending when there are several");
  add_plot(*run, a);
  run->add_flag("--quiet", a.quiet, "no summary, warnings only");
  CLI::App* creating =
      app.add_subcommand("new", "write NAME.daedal, a commented model to start from");
  creating->add_option("name", a.new_model, "name of the model; never overwrites a file")
      ->required();
  CLI::App* importing = app.add_subcommand("import", "print a robot description (URDF) as a model");
  importing->add_option("file", a.file, "robot description (.urdf)")->required();
  importing->add_option("--base", a.base, "fixed (default) or free: the description does not say")
      ->check(CLI::IsMember({"fixed", "free"}));
  importing->add_option("--motors", a.motors, "an input for every joint: all (default), none")
      ->check(CLI::IsMember({"all", "none"}));
  CLI::App* models = app.add_subcommand(
      "models", "list the built-in models, examples to read and copy; also: daedal examples");
  models->alias("examples");
  CLI::App* docs =
      app.add_subcommand("docs", "opens the documentation on this machine, or prints its path");
  for (CLI::App* command : {creating, importing, models, docs})
    command->add_flag("--json", a.json, "machine-readable answer");
  for (CLI::App* command :
       {check, explain, analyse, control, exporting, creating, importing, models, docs})
    command->add_flag("--quiet", a.quiet, "only warnings and the exit code");
  CLI::App* completing =
      app.add_subcommand("completion", "completion of command lines for a shell");
  completing->add_option("shell", a.shell, "bash, zsh, fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  app.add_subcommand("manual", "this program's manual page, for man");
  try {
    app.parse(argc, argv);
    refuse_empty_values(*app.get_subcommands().front());
    split_into(texts.parameters, "-p", a.overrides.parameters);
    split_into(texts.verify_with, "--verify-with", a.verify_with);
    split_into(texts.inputs, "--input", a.overrides.inputs);
    split_into(texts.plant, "--plant", a.plant);
    split_into(texts.starts, "--initial", a.starts);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const std::vector<std::string> words(argv + 1, argv + argc);
    a.json = a.json || std::find(words.begin(), words.end(), "--json") != words.end();
    return refused(a, {usage_error(app, error, words)});  // every fault of it is bad input
  }
  a.command = app.get_subcommands().front()->get_name();
  try {
    a.file = file_of(a.file);
    settle_standard_output(a);
  } catch (const ModelError& error) {
    return refused(a, error.diagnostics());
  }
  for (const CLI::Option* option : app.get_subcommands().front()->get_options())
    if (option->count() > 0) a.given.push_back(option->get_name());
  a.command_line = "daedal";
  for (int k = 1; k < argc; ++k) a.command_line += " " + in_shell(argv[k]);
  if (a.command != "completion" && a.command != "manual") return std::nullopt;
  const std::string text =
      a.command == "manual" ? manual_page(help_of(app)) : completion(help_of(app), a.shell);
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace daedal::cli
