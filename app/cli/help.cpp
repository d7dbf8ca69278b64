#include "help.hpp"

#include "daedal/formulate/make_formulation.hpp"
#include "daedal/integrate/method.hpp"
#include "pipeline.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace daedal::cli {

namespace {

/// What a user wants, and the commands for it.
const std::vector<std::pair<std::string, std::vector<std::string>>>& aims() {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> list{
      {"Begin", {"new", "import", "models", "docs"}},
      {"Understand a model", {"check", "explain", "analyse"}},
      {"Compute its motion", {"simulate", "run", "compare"}},
      {"Make it follow a path, hold it", {"invert", "control", "export"}},
      {"Set up the shell", {"completion", "manual"}}};
  return list;
}

using Examples = std::vector<std::pair<std::string, std::string>>;

const Examples& examples_of(const std::string& command) {
  static const std::map<std::string, Examples> examples{
      {"",
       {{"what a model is", "daedal check models/fourbar/fourbar.daedal"},
        {"how it moves", "daedal simulate models/fourbar/fourbar.daedal --csv fourbar.csv"},
        {"which inputs make it follow its path",
         "daedal invert models/cable_robot/cable_robot.daedal"},
        {"the options of a command", "daedal simulate --help"}}},
      {"check",
       {{"count coordinates and constraints", "daedal check models/fourbar/fourbar.daedal"},
        {"the same text in canonical form",
         "daedal check models/pendulum/pendulum.daedal --print"}}},
      {"explain",
       {{"equations, index, hidden constraints", "daedal explain models/pendulum/pendulum.daedal"},
        {"the inverse model", "daedal explain models/cable_robot/cable_robot.daedal --inverse"},
        {"equations for a paper", "daedal explain models/pendulum/pendulum.daedal --latex"}}},
      {"simulate",
       {{"with a tight tolerance, into a table",
         "daedal simulate models/fourbar/fourbar.daedal --until 5 --tolerance 1e-12 --csv "
         "fourbar.csv"},
        {"other lengths, another method and formulation",
         "daedal simulate models/fourbar/fourbar.daedal -p a=0.4 --method radau5 --formulation "
         "'baumgarte(pole = 5)'"},
        {"driven by a signal",
         "daedal simulate models/torsional_oscillator/torsional_oscillator.daedal --input "
         "u='0.5*sin(t)'"},
        {"a loop on a hundred disturbed plants",
         "daedal simulate models/cable_robot/cable_robot.daedal --model cable_robot_generalised "
         "--controller two_degrees --plant 'tau_T=normal(0.03, 0.003)' --runs 100"}}},
      {"control",
       {{"balance a pendulum on a cart",
         "daedal control models/cart_pendulum/cart_pendulum.daedal --state-weights "
         "'x=1,theta=10'"},
        {"the same by a computer, every 20 ms",
         "daedal control models/cart_pendulum/cart_pendulum.daedal --state-weights "
         "'x=1,theta=10' --period 0.02"}}},
      {"analyse",
       {{"poles, zeros, verdict",
         "daedal analyse models/manipulator_2link/manipulator_2link.daedal"},
        {"a frequency response",
         "daedal analyse models/manipulator_2link/manipulator_2link.daedal --response 0.1:100:200 "
         "--csv bode.csv"}}},
      {"invert",
       {{"inputs into a table",
         "daedal invert models/cable_robot/cable_robot.daedal --csv inputs.csv"},
        {"index 13",
         "daedal invert models/torsional_oscillator/torsional_oscillator.daedal -p N=6"},
        {"equal steps, as a real-time system",
         "daedal invert models/cable_robot/cable_robot.daedal --method 'bdf(order = 4)' --step "
         "0.01"}}},
      {"compare",
       {{"error against cost",
         "daedal compare models/fourbar/fourbar.daedal --methods rk45 dop853 taylor --tolerances "
         "1e-6 1e-9"},
        {"controllers, by their figures of merit",
         "daedal compare models/cable_robot/cable_robot.daedal --model cable_robot_generalised "
         "--controllers forward,two_degrees,sliding --experiment offset_lqr"}}},
      {"export",
       {{"an inverse model for a controller",
         "daedal export c models/cable_robot/cable_robot.daedal --inverse --method 'bdf(order = "
         "4)' --step 0.01"}}},
      {"run",
       {{"every experiment of a file", "daedal run models/looper/looper.daedal"},
        {"one of them, into a table",
         "daedal run models/fourbar/fourbar.daedal turn --csv turn.csv"}}},
      {"new", {{"a model to change", "daedal new my_crane"}}},
      {"import",
       {{"as a model to change",
         "daedal import models/arm7/arm7.urdf --base fixed > my_arm.daedal"}}},
      {"models", {{"the built-in library", "daedal models"}}},
      {"docs", {{"read it", "daedal docs"}}},
      {"completion",
       {{"in this shell", "source <(daedal completion bash)"},
        {"for good", "daedal completion fish > ~/.config/fish/completions/daedal.fish"}}},
      {"manual", {{"read it", "daedal manual | man -l -"}}}};
  static const Examples none;
  const auto found = examples.find(command);
  return found == examples.end() ? none : found->second;
}

/// Words that an option takes: "{on,off}" of its check, or names from other modules.
std::vector<std::string> choices_of(const CLI::Option& option, const std::string& command) {
  for (const std::string& name : option.get_lnames()) {
    if (command != "simulate" && command != "compare") break;  // others take some of them
    if (name == "method" || name == "methods") return solve::method_names();
    if (name == "formulation" || name == "formulations") return formulate::formulation_names();
  }
  const std::string type = option.get_type_name();
  const auto open = type.find('{'), close = type.rfind('}');
  if (open == type.npos || close == type.npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

/// "TEXT:{on,off}" -> "WORD", "FLOAT" -> "NUMBER", "FILE" -> "FILE"
std::string value_of(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  std::string type = option.get_type_name();  // of checked ones "TEXT:{on,off}", "INT:INT in ..."
  for (const char* checked : {":{", ":INT in "}) type = type.substr(0, type.find(checked));
  if (type == "FLOAT" || type == "INT" || type == "UINT") return "NUMBER";
  return type == "TEXT" ? "WORD" : type;
}

OptionHelp option_help(const CLI::Option& option, const std::string& command) {
  OptionHelp help;
  help.positional = option.get_positional();
  if (help.positional) help.names = {option.get_name(true, false)};
  for (const std::string& name : option.get_snames()) help.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) help.names.push_back("--" + name);
  help.value = value_of(option);
  help.text = option.get_description();
  help.choices = choices_of(option, command);
  help.required = option.get_required();
  help.repeated = option.get_expected_max() >= CLI::detail::expected_max_vector_size;
  return help;
}

CommandHelp command_help(const CLI::App& app) {
  CommandHelp help;
  help.name = app.get_parent() == nullptr ? "" : app.get_name();
  help.text = app.get_description();
  for (const CLI::Option* option : app.get_options())
    help.options.push_back(option_help(*option, help.name));
  std::stable_partition(help.options.begin(), help.options.end(),
                        [](const OptionHelp& option) { return option.positional; });
  help.examples = examples_of(help.name);
  return help;
}

/// Two columns; the right one is broken between words at 100 characters.
std::string entry(const std::string& left, const std::string& right) {
  constexpr std::size_t column = 28, width = 100;
  std::string text = "  " + left;
  text += text.size() + 2 > column ? "\n" + std::string(column, ' ')
                                   : std::string(column - text.size(), ' ');
  std::size_t at = column;
  std::istringstream words(right);
  for (std::string word; words >> word;) {
    if (at > column && at + 1 + word.size() > width) {
      text += "\n" + std::string(column, ' ');
      at = column;
    } else if (at > column) {
      text += ' ';
      ++at;
    }
    text += word;
    at += word.size();
  }
  return text + "\n";
}

std::string left_column(const OptionHelp& option) {
  std::string text = fmt::format("{}", fmt::join(option.names, ", "));
  if (!option.value.empty() && !option.positional) text += " " + option.value;
  return text + (option.repeated && option.positional ? " ..." : "");
}

/// The text, and the words it takes where the text does not name the first and the last of them.
std::string right_column(const OptionHelp& option) {
  if (option.choices.empty() || (option.text.find(option.choices.front()) != std::string::npos &&
                                 option.text.find(option.choices.back()) != std::string::npos))
    return option.text;
  return fmt::format("{}; one of {}", option.text, fmt::join(option.choices, ", "));
}

std::string usage(const CommandHelp& command) {
  if (command.name.empty()) return "daedal COMMAND [options]";
  std::string text = "daedal " + command.name;
  for (const OptionHelp& option : command.options)
    if (option.positional)
      text += (option.required ? " " : " [") + option.names.front() +
              (option.repeated ? " ..." : "") + (option.required ? "" : "]");
  return text + " [options]";
}

}  // namespace

std::vector<CommandHelp> help_of(const CLI::App& app) {
  std::vector<CommandHelp> commands{command_help(app)};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(command_help(*command));
  return commands;
}

std::string help_text(const CLI::App& app) {
  const std::vector<CommandHelp> commands = help_of(app);
  const CommandHelp& own = commands.front();
  std::string text = fmt::format("daedal{}{}: {}\n\nUsage:  {}\n", own.name.empty() ? "" : " ",
                                 own.name, own.text, usage(own));
  if (commands.size() > 1)
    for (const auto& [aim, names] : aims()) {
      text += fmt::format("\n{}:\n", aim);
      for (const CommandHelp& command : commands)
        if (std::find(names.begin(), names.end(), command.name) != names.end())
          text += entry(command.name, command.text);
    }
  text += "\nOptions:\n";
  for (const OptionHelp& option : own.options)
    text += entry(left_column(option), right_column(option));
  if (!own.examples.empty()) text += "\nExamples:\n";
  for (const auto& [what, line] : own.examples) text += fmt::format("  # {}\n  {}\n", what, line);
  return text;
}

}  // namespace daedal::cli
