// Completion of command lines, written for three shells from the help.
#include "daedal/base/diagnostic.hpp"
#include "help.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::cli {

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// In single quotes, as bash and zsh read them.
std::string shell_quoted(const std::string& text) {
  return "'" + replaced(text, "'", "'\\''") + "'";
}

/// Names of options, "-p --input --model".
std::string options_of(const CommandHelp& command) {
  std::string words;
  for (const OptionHelp& option : command.options)
    if (!option.positional) words += fmt::format("{} ", fmt::join(option.names, " "));
  return words.substr(0, words.size() - 1);
}

bool takes_file(const OptionHelp& option) {
  return option.value == "FILE" || option.value == "FOLDER";
}

/// Words in place of a file: shells, formats.
std::string words_of(const CommandHelp& command) {
  for (const OptionHelp& option : command.options)
    if (option.positional && !option.choices.empty())
      return fmt::format("{}", fmt::join(option.choices, " "));
  return "";
}

std::string bash(const std::vector<CommandHelp>& commands) {
  std::string names, options, values;
  for (const CommandHelp& command : commands) {
    if (!command.name.empty()) names += command.name + " ";
    options +=
        fmt::format("    {}) options={}; words={} ;;\n", command.name.empty() ? "''" : command.name,
                    shell_quoted(options_of(command)), shell_quoted(words_of(command)));
    for (const OptionHelp& option : command.options) {
      if (option.positional || option.value.empty()) continue;
      for (const std::string& name : option.names)
        values += fmt::format(
            "    {}:{}) {} ;;\n", command.name, name,
            !option.choices.empty()
                ? "values=" + shell_quoted(fmt::format("{}", fmt::join(option.choices, " ")))
            : takes_file(option) ? "compopt -o default; return"
                                 : "return");
    }
  }
  return fmt::format(R"(# bash completion of daedal, written by  daedal completion bash
_daedal() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local commands={} command='' options='' words='' values='' word
  COMPREPLY=()
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    if [[ " $commands " == *" $word "* ]]; then command=$word; break; fi
  done
  case $command in
{}  esac
  case $command:$before in
{}  esac
  if [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -z $command ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
  elif [[ -n $words && $before == "$command" ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -X '!*.daedal' -- "$current") $(compgen -d -- "$current"))
  fi
}}
complete -F _daedal daedal
)",
                     shell_quoted(names.substr(0, names.size() - 1)), options, values);
}

/// What zsh offers for a value: "(on off)", "_files", nothing.
std::string zsh_action(const OptionHelp& option) {
  if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
  return takes_file(option) ? "_files" : "";
}

std::string zsh(const std::vector<CommandHelp>& commands) {
  std::string names, cases;
  for (const CommandHelp& command : commands) {
    if (command.name.empty()) continue;
    names += fmt::format("    {}\n", shell_quoted(command.name + ":" + command.text));
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const OptionHelp& option : command.options) {
      if (option.positional) continue;
      const std::string text = replaced(replaced(option.text, "[", "\\["), "]", "\\]");
      for (const std::string& name : option.names)
        cases += " \\\n        " +
                 shell_quoted(fmt::format("{}{}[{}]{}", option.repeated ? "*" : "", name, text,
                                          option.value.empty() ? ""
                                                               : fmt::format(":{}:{}", option.value,
                                                                             zsh_action(option))));
    }
    const std::string words = words_of(command);
    if (!words.empty()) cases += fmt::format(" \\\n        '1:what:({})'", words);
    cases += " \\\n        '*:model:_files -g \"*.daedal\"' ;;\n";
  }
  return fmt::format(R"(#compdef daedal
# zsh completion of daedal, written by  daedal completion zsh
_daedal() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
if [[ $funcstack[1] == _daedal ]]; then _daedal "$@"; else compdef _daedal daedal; fi
)",
                     names, cases);
}

/// In single quotes, as fish reads them.
std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

/// " -s p", " -l csv"
std::string fish_name(const std::string& name) {
  return name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
}

std::string fish(const std::vector<CommandHelp>& commands) {
  std::string text = "# fish completion of daedal, written by  daedal completion fish\n";
  for (const CommandHelp& command : commands) {
    const std::string when = command.name.empty() ? "__fish_use_subcommand"
                                                  : "__fish_seen_subcommand_from " + command.name;
    if (!command.name.empty())
      text += fmt::format("complete -c daedal -f -n __fish_use_subcommand -a {} -d {}\n",
                          command.name, fish_quoted(command.text));
    if (const std::string words = words_of(command); !words.empty())
      text += fmt::format("complete -c daedal -n '{}' -a {}\n", when, fish_quoted(words));
    for (const OptionHelp& option : command.options) {
      if (option.positional) continue;
      text += fmt::format("complete -c daedal -n '{}'", when);
      for (const std::string& name : option.names) text += fish_name(name);
      if (!option.value.empty()) text += takes_file(option) ? " -r -F" : " -x";
      if (!option.choices.empty())
        text += " -a " + fish_quoted(fmt::format("{}", fmt::join(option.choices, " ")));
      text += fmt::format(" -d {}\n", fish_quoted(option.text));
    }
  }
  return text;
}

}  // namespace

std::string completion(const std::vector<CommandHelp>& commands, const std::string& shell) {
  if (shell == "bash") return bash(commands);
  return shell == "zsh" ? zsh(commands) : fish(commands);
}

}  // namespace daedal::cli
