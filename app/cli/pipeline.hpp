// The model that a command asks about.
#pragma once

#include "arguments.hpp"
#include "daedal/task/model.hpp"

#include <map>
#include <string>
#include <vector>

namespace daedal::cli {

/// The model of the command line; its warnings go to standard error. Throws ModelError where a file to be written is one that is
/// read.
task::Model load(const Arguments& arguments);

using Values = std::map<std::string, std::string>;  // by name
/// Those of --plant and --initial that are distributions, or those that are not.
Values only(Values values, bool drawn);

/// To standard error, each once, and for --json to be repeated there.
void print_warnings(const Arguments& arguments, const std::vector<Diagnostic>& warnings);

}  // namespace daedal::cli
