// The commands and options of the program as plain data read from its command line: help texts, completion and manual
// are written from it, so they cannot disagree.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): that of CLI11
class App;
}

namespace daedal::cli {

struct OptionHelp {
  std::vector<std::string> names;    // "-p"; "--redundant", "--redundant_constraints"; "file"
  std::string value;                 // "FILE", "NUMBER"; "" for a flag
  std::string text;                  // one sentence, or several
  std::vector<std::string> choices;  // words it takes; empty: anything
  bool positional = false, required = false, repeated = false;
};

struct CommandHelp {
  std::string name;  // "simulate"; "" for the program itself
  std::string text;
  std::vector<OptionHelp> options;                            // positional ones first
  std::vector<std::pair<std::string, std::string>> examples;  // what it does, what to type
};

/// The program itself first, then its commands in order.
std::vector<CommandHelp> help_of(const CLI::App& app);

/// What --help prints.
std::string help_text(const CLI::App& app);

/// Completion of command lines for "bash", "zsh" or "fish".
std::string completion(const std::vector<CommandHelp>& commands, const std::string& shell);

/// The manual page daedal(1), in the macros of man(7).
std::string manual_page(const std::vector<CommandHelp>& commands);

}  // namespace daedal::cli
