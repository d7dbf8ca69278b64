// The manual page daedal(1), written from the help.
#include "help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace daedal::cli {

namespace {

/// Text as roff reads it: a minus is a minus, a line does not begin with a command.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string options(const CommandHelp& command) {
  std::string text;
  for (const OptionHelp& option : command.options)
    text += fmt::format(
        ".TP\n\\fB{}\\fR{}{}\n{}\n", roff(fmt::format("{}", fmt::join(option.names, ", "))),
        option.value.empty() || option.positional ? "" : " \\fI" + option.value + "\\fR",
        option.repeated ? " ..." : "", roff(option.text));
  return text;
}

std::string examples(const CommandHelp& command) {
  std::string text;
  for (const auto& [what, line] : command.examples)
    text += fmt::format(".PP\n{}:\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", roff(what), roff(line));
  return text;
}

}  // namespace

std::string manual_page(const std::vector<CommandHelp>& commands) {
  const CommandHelp& program = commands.front();
  std::string text = fmt::format(
      ".TH DAEDAL 1 \"\" \"daedal {0}\" \"User Commands\"\n"
      ".SH NAME\ndaedal \\- {1}\n"
      ".SH SYNOPSIS\n\\fBdaedal\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n"
      ".SH DESCRIPTION\n"
      "A model file says what a mechanism is, in the words of a mechanics textbook: energies, "
      "constraints, inputs, outputs. Daedal derives its equations, says what kind of problem they "
      "are, integrates them on the constraint manifold, and finds the inputs that make its outputs "
      "move as asked.\n"
      ".SH COMMANDS\n",
      DAEDAL_VERSION, roff(program.text));
  for (const CommandHelp& command : commands)
    if (!command.name.empty())
      text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", command.name, roff(command.text));
  text += ".SH OPTIONS\n" + options(program);
  for (const CommandHelp& command : commands)
    if (!command.name.empty())
      text += fmt::format(".SH {}\n{}\n{}{}", upper(command.name), roff(command.text),
                          options(command), examples(command));
  text +=
      ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nwhen it is set to anything, a terminal gets no "
      "colours\n"
      ".SH EXIT STATUS\n"
      ".TP\n0\ndone\n"
      ".TP\n1\nthe run stopped early, there is no equilibrium, or a file could not be written, "
      "with "
      "the reason\n"
      ".TP\n2\nbad input, with the place\n"
      ".TP\n130\ninterrupted; the rows computed so far are written\n";
  return text + ".SH EXAMPLES\n" + examples(program);
}

}  // namespace daedal::cli
