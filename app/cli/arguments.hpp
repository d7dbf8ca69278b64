// The command line, read into plain data.
#pragma once

#include "daedal/model/model.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal::cli {

/// analyse: what is asked instead of the portrait, or beside it; empty: not asked.
struct Questions {
  std::string follow, locus, map;        // over parameters
  std::vector<std::string> sensitivity;  // to these parameters
  std::string pose, path, box;           // kinematics
  bool limits = false, branches = false;
  bool directions = false, nyquist = false;  // of zeros; beside the response
  std::vector<std::string> motors, hold;
  std::string at = "rest", along;                      // where to linearise
  std::vector<std::string> internal;                   // states of the normal form
  std::optional<double> zero_dynamics, linear_motion;  // [s], how long
  std::vector<std::string> disturb;                    // state=change
  std::string lyapunov;                                // quadratic, energy
  std::optional<double> epsilon;                       // [1/s]
  double radius = 0.1;
  std::optional<int> reduce;           // states to keep
  std::string reduction = "balanced";  // balanced, hankel
  std::string mat;                     // file
  int threads = 0;                     // of a map; 0: as many as the machine has
};

struct Arguments {
  std::string command;
  std::string shell, text;  // completion: for which shell; completion and manual: the answer
  std::string file;
  std::vector<std::string> names;  // experiments to run
  model::Overrides overrides;
  bool json = false, print = false, latex = false, quiet = false;
  bool inverse = false;                    // explain or export the inverse model
  bool forward = false;                    // export the forward model
  bool accelerations = false;              // export accelerations at a state
  std::string format, directory = ".";     // export: c, and where to
  std::vector<std::string> free, outputs;  // analyse: inputs that hold the pose, outputs asked for
  std::string redefine;                    // analyse, invert: "output:rigid", "" none
  std::vector<std::string> vary;           // analyse: "name=from:to", moving together
  std::vector<std::string> against;        // analyse: the same, from one path of --vary to the next
  std::optional<int> lines;                // analyse: paths of --against
  std::optional<double> weight, margin;    // of --redefine; [1/s] of --redefine and --vary
  std::optional<int> samples;              // analyse: of --redefine and --vary
  std::string response;                    // analyse: "first:last:count" [rad/s], "" none
  Questions questions;
  std::string csv;                 // file to write, "-" standard output, "" none
  std::string report;              // page to write, "" none
  std::vector<std::string> plots;  // columns to show in a line of text
  std::string command_line;        // all of it, as a shell would take it
  std::shared_ptr<std::vector<Diagnostic>> warnings =
      std::make_shared<std::vector<Diagnostic>>();  // printed, and not yet part of a JSON answer
  std::string method, formulation;
  std::vector<std::string> methods, formulations;  // compare
  std::vector<double> tolerances, steps;
  std::string global_error;  // estimate it: on, off; "" as the experiment says
  std::string verify;        // invert: on, off
  std::map<std::string, std::string> verify_with;  // invert: parameters and sizes of another plant
  bool formulations_compared = false;              // invert: --variants
  bool stable_formulations = false;                // invert: --formulations
  std::optional<double> before, after;             // invert: actuation around the motion [s]
  bool receding = false;                           // invert: sample by sample, with preview
  std::optional<double> period, preview;           // [s]
  std::string ends;                                // invert: conditions at the ends of the window
  std::string redundant;                           // redundant constraints: error, least_norm
  std::string start;                               // start values: consistent, as_given
  std::optional<double> until, step, every, tolerance;
  std::string backend = "automatic";  // tape, native, automatic
  std::string lifting = "automatic";  // never, automatic, always
};

/// Reads the command line; returns an exit code instead when there is nothing to do (help, version, faults).
std::optional<int> read_arguments(int argc, char** argv, Arguments& arguments);

}  // namespace daedal::cli
