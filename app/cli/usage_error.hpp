// Faults of a command line.
#pragma once

#include "daedal/base/diagnostic.hpp"

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): that of CLI11
class App;
class ParseError;
}  // namespace CLI

namespace daedal::cli {

/// The fault in words; `words` are those of the command line after the program's name.
Diagnostic usage_error(const CLI::App& app, const CLI::ParseError& error,
                       const std::vector<std::string>& words);

}  // namespace daedal::cli
