#include "arguments.hpp"

#include "daedal/base/diagnostic.hpp"
#include "file_roles.hpp"
#include "help.hpp"
#include "json_answer.hpp"
#include "library.hpp"
#include "usage_error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
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

struct Texts {
  std::vector<std::string> parameters, inputs, verify_with;
};

void add_model_options(CLI::App& app, Arguments& a, Texts& texts) {
  app.add_option("file", a.file, "model file (.daedal), or a name that  daedal models  lists")
      ->required();
  app.add_option("-p", texts.parameters, "parameter or size: -p N=10, -p 'd[2]=0.1'")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--input", texts.inputs,
                 "input signal: --input u='0.5*sin(t)', --input u=@file.csv")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--model", a.overrides.model, "which model of the file; the last one otherwise");
  app.add_flag("--json", a.json, "machine-readable answer on standard output");
}

void add_report(CLI::App& app, Arguments& a) {
  app.add_option("--report", a.report, "write the answer as one HTML page to this file")
      ->type_name("FILE");
}

void add_plot(CLI::App& app, Arguments& a) {
  app.add_option("--plot", a.plots, "show this column in a line of text: --plot x, --plot \"phi'\"")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

/// models/fourbar stands for models/fourbar/fourbar.daedal, and fourbar, where there is no such file, for the library's.
/// Throws ModelError for a name that is neither.
std::string file_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::exists(path, error) && path.find_first_of("/.") == std::string::npos && !path.empty()) {
    if (const auto file = library_model(path)) return *file;
    const std::string nearest = nearest_name(path, library_models());
    throw ModelError(
        {Severity::error,
         {},
         fmt::format(
             "cannot read '{}': there is no such file here, nor such a model in the library", path),
         {},
         nearest.empty() ? "daedal models  lists the models of the library"
                         : fmt::format("did you mean '{}'?  daedal models  lists them", nearest)});
  }
  if (!fs::is_directory(path, error)) return path;
  const fs::path folder = fs::path(path).lexically_normal();
  const fs::path name = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
  const fs::path file = fs::path(path) / (name.string() + ".daedal");
  return fs::exists(file, error) ? file.string() : path;
}

/// As a shell would take it again: words of anything but plain characters in quotes.
std::string quoted(const std::string& word) {
  static constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string result = "'";
  for (const char c : word)
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  return result + "'";
}

void add_table_options(CLI::App& app, Arguments& a) {
  add_report(app, a);
  add_plot(app, a);
  app.add_option("--csv", a.csv, "write the trajectory to this file, - for standard output")
      ->type_name("FILE");
  app.add_option("--until", a.until, "end time [s]");
  app.add_option("--every", a.every, "time between rows [s]; default until/1000");
  app.add_option("--tolerance", a.tolerance, "relative and absolute tolerance of a step");
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
  app.add_option(
      "--method", a.method,
      "integrator, rk45 if nothing is said; options in brackets: 'radau5(tolerance = 1e-8)'");
  app.add_option(
      "--formulation", a.formulation,
      "how constraints are held, projection if nothing is said; options in brackets: "
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
                 "constraints; as_given, kept although they violate them");
  app.add_option("--step", a.step, "first and longest step of the integrator [s]");
}

void add_redefine(CLI::App& app, Arguments& a, const char* what) {
  app.add_option("--redefine", a.redefine, what)->type_name("OUTPUT:RIGID");
  app.add_option("--margin", a.margin,
                 "how far left of the axis zeros must lie [1/s]; default 0: also on it")
      ->type_name("NUMBER");
}

void add_redundant(CLI::App& app, Arguments& a) {
  app.add_option("--redundant", a.redundant,
                 "constraints that follow from others: error, least_norm");
}

void add_compare_options(CLI::App& app, Arguments& a) {
  add_report(app, a);
  add_lifting(app, a);
  a.methods = {"rk45", "dop853", "radau5", "ida", "taylor"};
  a.formulations = {"projection", "index1", "baumgarte(pole = 10)"};
  a.tolerances = {1e-6, 1e-9};
  a.steps = {1e-2, 1e-3};
  app.add_option("--methods", a.methods, "methods, with options in brackets")
      ->capture_default_str();
  app.add_option("--formulations", a.formulations, "formulations")->capture_default_str();
  app.add_option("--tolerances", a.tolerances, "of methods that control their steps")
      ->capture_default_str();
  app.add_option("--steps", a.steps, "[s] of methods with equal steps")->capture_default_str();
  app.add_option("--until", a.until, "end time [s]");
  app.add_option("--every", a.every,
                 "time between the rows that are compared [s]; default until/100");
  add_redundant(app, a);
  app.add_flag("--quiet", a.quiet, "no progress");
}

void add_export_options(CLI::App& app, Arguments& a) {
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
  app.add_option("--method", a.method,
                 "implicit_euler, linear_implicit_euler, 'bdf(order = 2)' (default), radau5");
  app.add_option("--step", a.step, "its length [s]; receding: of the window's mesh");
  app.add_flag("--receding", a.receding,
               "with --inverse, not minimum phase: the receding horizon of stable inversion");
  app.add_option("--period", a.period, "receding: time between samples [s]; default 0.001");
  app.add_option("--preview", a.preview,
                 "receding: length of the window [s]; default ten time constants of the slowest "
                 "unstable zero");
  app.add_option("--formulation", a.formulation,
                 "of the inverse model: original (default), 'baumgarte(pole = 10)', projection, "
                 "substitution, minimal_extension, as in invert");
  app.add_option("--to", a.directory, "folder of the files; default: here")->type_name("FOLDER");
}

void add_questions(CLI::App& app, Questions& q) {
  const auto list = [&](const char* name, std::vector<std::string>& names, const char* help,
                        const char* type = "NAMES") {
    app.add_option(name, names, help)->delimiter(',')->type_name(type)->allow_extra_args(false);
  };
  app.add_option("--mat", q.mat, "write E, A, B, C, D and their names to this MAT-file")
      ->type_name("FILE");
  app.add_option("--reduce", q.reduce, "linear model with so many states, and the error bound")
      ->check(CLI::Range(0, 100000));
  app.add_option("--reduction", q.reduction, "balanced (default), hankel")
      ->check(CLI::IsMember({"balanced", "hankel"}));
  app.add_option("--at", q.at,
                 "linearise at rest (default), or at the start values in motion: start")
      ->check(CLI::IsMember({"rest", "start"}));
  app.add_flag("--directions", q.directions,
               "inputs, motion and outputs at each zero: how it moves while the outputs stay");
  app.add_option("--along", q.along, "linearise along the simulated motion, at times in s")
      ->type_name("FIRST:LAST[:COUNT]");
  app.add_option("--continue", q.follow, "equilibria over a parameter, round folds: load=0:10")
      ->type_name("NAME=FIRST:LAST");
  app.add_option("--locus", q.locus, "poles and zeros over a parameter: alpha=0.1:1.5:50")
      ->type_name("NAME=FIRST:LAST[:COUNT]");
  app.add_option("--map", q.map, "verdict over two parameters: k=1:5:100,d=0:2:100")
      ->type_name("RANGES");
  app.add_option("--threads", q.threads, "of a map; default: as many as the machine has")
      ->check(CLI::Range(1, 1024));
  list("--sensitivity", q.sensitivity,
       "of equilibrium, poles and zeros to parameters: --sensitivity k,d, --sensitivity all");
  app.add_option("--pose", q.pose, "pose with these coordinates or outputs: 'x=0.1,q[2]=1'")
      ->type_name("VALUES");
  app.add_flag("--branches", q.branches, "with --pose: all poses that can be found");
  list("--motors", q.motors, "coordinates of the motors; default: where inputs act");
  app.add_option("--path", q.path, "singular poses on a straight line: 'a=0:1,b=0.5:0.2'")
      ->type_name("RANGES");
  app.add_flag("--limits", q.limits, "how far coordinates and outputs go, with one direction free");
  list("--hold", q.hold, "with --limits: coordinates or outputs that stay");
  app.add_option("--box", q.box, "reach and singular poses over a box: 'a=0:1:11,b=-1:1:11'")
      ->type_name("RANGES");
  list("--normal-form", q.internal,
       "Lie derivatives and decoupling at the start values; internal states by name, or none");
  app.add_option("--zero-dynamics", q.zero_dynamics,
                 "simulate what moves while the outputs stay, so many s; with --disturb");
  app.add_option("--linear-motion", q.linear_motion,
                 "motion and linearised motion side by side, so many s; with --disturb");
  list("--disturb", q.disturb, "states moved away from rest: theta1=0.1,theta1'=2", "VALUES");
  app.add_option("--lyapunov", q.lyapunov, "where it decreases: quadratic, energy")
      ->check(CLI::IsMember({"quadratic", "energy"}));
  app.add_option("--epsilon", q.epsilon, "[1/s] of the energy function; default: half its bound");
  app.add_option("--radius", q.radius, "of the samples, over the nominal values; default 0.1");
}

/// The exit code of a command line that cannot be followed, after the reason.
int refused(const Arguments& a, const std::vector<Diagnostic>& why) {
  fmt::print(stderr, "{}\n", render(why));
  if (a.json) print_json(a, failure_json(2, why));
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
  CLI::App* analyse = app.add_subcommand(
      "analyse", "equilibrium, poles, zeros, relative degree; flat, minimum or non-minimum phase");
  add_model_options(*analyse, a, texts);
  add_redundant(*analyse, a);
  analyse
      ->add_option("--free", a.free,
                   "inputs that take the values that hold the pose: --free u1,u2, --free all")
      ->delimiter(',')
      ->type_name("NAMES")
      ->allow_extra_args(false);
  analyse
      ->add_option("--output", a.outputs,
                   "outputs to analyse; default: the servo lines, else all outputs")
      ->delimiter(',')
      ->type_name("NAMES")
      ->allow_extra_args(false);
  analyse
      ->add_option(
          "--response", a.response,
          "frequency response from FIRST to LAST rad/s: --response 0.1:100:200 --csv bode.csv")
      ->type_name("FIRST:LAST[:COUNT]");
  analyse->add_flag("--nyquist", a.questions.nyquist,
                    "with --response: Nyquist's curve and how often it goes round -1");
  analyse
      ->add_option("--csv", a.csv,
                   "write the response, locus, map, path, motion or zeros to this file, - for "
                   "standard output")
      ->type_name("FILE");
  add_questions(*analyse, a.questions);
  add_report(*analyse, a);
  add_redefine(
      *analyse, a,
      "zeros of  Gamma OUTPUT + (1 - Gamma) RIGID  for weights Gamma from 0 to 1: "
      "--redefine tip:rigid --csv zeros.csv; several RIGID, with commas between, are compared");
  analyse
      ->add_option("--vary", a.vary,
                   "zeros along a range of a parameter, or of several that move together: --vary "
                   "m=1:2,J=0.1:0.3")
      ->delimiter(',')
      ->type_name("NAME=FROM:TO")
      ->allow_extra_args(false);
  analyse
      ->add_option("--against", a.against,
                   "the same for several values of another parameter: what it buys, --vary mc=1:0 "
                   "--against dc=0.1:0.5")
      ->delimiter(',')
      ->type_name("NAME=FROM:TO")
      ->allow_extra_args(false);
  analyse->add_option("--lines", a.lines, "values of --against; default 5");
  analyse->add_option("--samples", a.samples, "points of --redefine and --vary; default 21");
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
  invert->add_option("--after", a.after, "the same behind the motion [s]");
  invert->add_flag(
      "--receding", a.receding,
      "stable inversion in real time: sample by sample from a window of preview; --step "
      "is that of its mesh");
  invert->add_option("--period", a.period, "receding: time between samples [s]; default 0.001");
  invert->add_option(
      "--preview", a.preview,
      "receding: length of the window [s]; default ten time constants of the slowest "
      "unstable zero");
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
  invert
      ->add_option("--verify-with", texts.verify_with,
                   "the inputs found in another plant as well, from its own start values: "
                   "--verify-with N=10")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  add_redefine(*invert, a,
               "let  Gamma OUTPUT + (1 - Gamma) RIGID  move as OUTPUT is asked to, with the "
               "largest weight Gamma that has no unstable zeros: --redefine tip:rigid");
  invert
      ->add_option("--weight", a.weight,
                   "Gamma of --redefine, 0 to 1; default: the largest one, "
                   "less 0.01")
      ->type_name("NUMBER");
  CLI::App* compare = app.add_subcommand(
      "compare",
      "formulations and methods on one model: error against cost, against Taylor series");
  add_model_options(*compare, a, texts);
  add_compare_options(*compare, a);
  CLI::App* exporting = app.add_subcommand(
      "export", "the real-time stepper of a model as one C99 file and its header");
  add_export_options(*exporting, a);
  add_model_options(*exporting, a, texts);
  CLI::App* run = app.add_subcommand("run", "run the experiments written in a file");
  add_model_options(*run, a, texts);
  run->add_option("experiments", a.names, "which ones; all otherwise");
  run->add_option("--csv", a.csv,
                  "write each trajectory to FILE with the experiment's name before the ending")
      ->type_name("FILE");
  run->add_option("--report", a.report,
                  "write each answer as one HTML page to FILE, with the experiment's name before "
                  "the ending when there are several")
      ->type_name("FILE");
  add_plot(*run, a);
  run->add_flag("--quiet", a.quiet, "no summary, warnings only");
  CLI::App* models = app.add_subcommand("models", "list the built-in models");
  models->add_flag("--json", a.json, "machine-readable answer");
  for (CLI::App* command : {check, explain, analyse, exporting, models})
    command->add_flag("--quiet", a.quiet, "nothing but warnings and the exit code");
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
  a.command_line = "daedal";
  for (int k = 1; k < argc; ++k) a.command_line += " " + quoted(argv[k]);
  if (a.command == "completion") a.text = completion(help_of(app), a.shell);
  if (a.command == "manual") a.text = manual_page(help_of(app));
  return std::nullopt;
}

}  // namespace daedal::cli
