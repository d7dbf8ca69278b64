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
  bool inverse = false;                    // explain or export the inverse model
  bool forward = false;                    // export the forward model
  std::string format, directory = ".";     // export: c, and where to
  std::vector<std::string> free, outputs;  // analyse: inputs that hold the pose, outputs asked for
  std::string redefine;                    // analyse, invert: "output:rigid", "" none
  std::vector<std::string> vary;           // analyse: "name=from:to", moving together
  std::optional<double> weight, margin;    // of --redefine; [1/s] of --redefine and --vary
  std::optional<int> samples;              // analyse: of --redefine and --vary
  std::string response;                    // analyse: "first:last:count" [rad/s], "" none
  std::string csv;                         // file to write, "-" standard output, "" none
  std::string method, formulation;
  std::vector<std::string> methods, formulations;  // compare
  std::vector<double> tolerances, steps;
  std::string global_error;  // estimate it: on, off; "" as the experiment says
  std::string verify;        // invert: on, off
  std::string redundant;     // redundant constraints: error, least_norm
  std::string start;         // start values: consistent, as_given
  std::optional<double> until, step, every, tolerance;
  std::string backend = "automatic";  // tape, native, automatic
  std::string lifting = "automatic";  // never, automatic, always
};

/// Reads the command line; returns an exit code instead when there is nothing to do (help, version, faults).
std::optional<int> read_arguments(int argc, char** argv, Arguments& arguments);

}  // namespace daedal::cli
