// The command line, read into plain data.
#pragma once

#include "daedal/model/model.hpp"

#include <optional>
#include <string>
#include <vector>

namespace daedal::cli {

struct Arguments {
  std::string command;
  std::string file;
  std::vector<std::string> names;  // experiments to run
  model::Overrides overrides;
  bool json = false, print = false, latex = false, quiet = false;
  bool inverse = false;                    // explain the inverse model
  std::vector<std::string> free, outputs;  // analyse: inputs that hold the pose, outputs asked for
  std::string csv;                         // file to write, "-" standard output, "" none
  std::string method, formulation;
  std::vector<std::string> methods, formulations;  // compare
  std::vector<double> tolerances, steps;
  std::string redundant;  // redundant constraints: error, least_norm
  std::optional<double> until, step, every, tolerance;
  std::string backend = "automatic";  // tape, native, automatic
  std::string lifting = "automatic";  // never, automatic, always
};

/// Reads the command line; returns an exit code instead when there is nothing to do (help, version, faults).
std::optional<int> read_arguments(int argc, char** argv, Arguments& arguments);

}  // namespace daedal::cli
