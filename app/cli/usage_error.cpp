// Faults of the command line, in the form of all messages: the fault and a correction.
#include "usage_error.hpp"

#include "daedal/base/diagnostic.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace daedal::cli {

namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string nearest_or(const std::string& wrong, const std::vector<std::string>& names,
                       std::string otherwise) {
  const std::string near = nearest_name(wrong, names);
  return near.empty() ? std::move(otherwise) : fmt::format("did you mean '{}'?", near);
}

Diagnostic said(std::string message, std::string help) {
  return {Severity::error, {}, std::move(message), {}, std::move(help)};
}

Diagnostic no_command(const CLI::App& app, const std::vector<std::string>& words) {
  const std::vector<std::string> names = names_of_commands(app);
  const std::string all = fmt::format("commands: {}", fmt::join(names, ", "));
  if (words.empty()) return said("a command is missing", all);
  const char* what = is_option(words[0]) ? "daedal has no option" : "there is no command";
  return said(fmt::format("{} '{}'", what, words[0]), nearest_or(words[0], names, all));
}

/// Unused words of the command line: an unknown option, or a word that is
/// too many.
Diagnostic too_much(const CLI::App& command, const std::vector<std::string>& words) {
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  const std::string help = fmt::format("daedal {} --help lists the options", command.get_name());
  if (option == words.end())
    return said(fmt::format("{} takes no '{}'", command.get_name(), words[0]), help);
  const std::string name = option->substr(0, option->find('='));
  return said(fmt::format("{} has no option '{}'", command.get_name(), name),
              nearest_or(name, names_of_options(command), help));
}

/// "Could not convert: --until = 3s" -> "--until 3s: not a number"
Diagnostic no_number(const std::string& told) {
  const auto colon = told.find(": "), equals = told.find(" = ");
  if (colon == told.npos || equals == told.npos) return said(told, "");
  return said(fmt::format("{} {}: not a number", told.substr(colon + 2, equals - colon - 2),
                          told.substr(equals + 3)),
              "numbers have no unit, as in 3 or 1e-9");
}

Diagnostic missing(const CLI::App& command, const std::string& told) {
  const std::string& name = command.get_name();
  const std::string what = told.substr(0, told.find(" is required"));
  if (what == "file")
    return said("a model file is missing",
                fmt::format("write  daedal {}{} model.daedal", name, name == "export" ? " c" : ""));
  return said(fmt::format("{} is missing", what),
              fmt::format("daedal {} --help lists the options", name));
}

/// "--backend: nativ not in {automatic,tape,native}" -> "--backend can be automatic, ..., not 'nativ'"
Diagnostic not_among(const CLI::App& command, const std::string& told) {
  const std::string help = fmt::format("daedal {} --help lists the options", command.get_name());
  const auto colon = told.find(": "), among = told.find(" not in {");
  if (colon == told.npos || among == told.npos) return said(told, help);
  const std::string what = told.substr(0, colon);
  const std::string word = told.substr(colon + 2, among - colon - 2);
  if (what == "format")
    return said(fmt::format("export writes c, not '{}'", word),
                "write  daedal export c model.daedal --inverse");
  const std::vector<std::string> words =
      CLI::detail::split(told.substr(among + 9, told.rfind('}') - among - 9), ',');
  return said(fmt::format("{} can be {}, not '{}'", what, fmt::join(words, ", "), word),
              nearest_or(word, words, help));
}

}  // namespace

Diagnostic usage_error(const CLI::App& app, const CLI::ParseError& error,
                       const std::vector<std::string>& words) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  if (commands.empty()) return no_command(app, words);
  const CLI::App& command = *commands.front();
  const std::string told = error.what();
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::ExtrasError:
      return too_much(command, app.remaining(true));
    case CLI::ExitCodes::ConversionError:
      return no_number(told);
    case CLI::ExitCodes::RequiredError:
      return missing(command, told);
    case CLI::ExitCodes::ArgumentMismatch:
      return said(fmt::format("{} needs a value", told.substr(0, told.find(':'))),
                  fmt::format("daedal {} --help lists the options", command.get_name()));
    default:
      return not_among(command, told);
  }
}

}  // namespace daedal::cli
