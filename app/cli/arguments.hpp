// The command line, read into plain data.
#pragma once

#include "daedal/model/model.hpp"
#include "daedal/task/compare.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace daedal::cli {

/// analyse: what is requested instead of the portrait, or in addition; empty: not requested.
struct Questions {
  std::string follow, locus, map;        // over parameters
  std::vector<std::string> sensitivity;  // to these parameters
  std::string pose, path, box;           // kinematics
  bool limits = false, branches = false;
  bool directions = false, nyquist = false;  // of zeros; beside the response
  std::vector<std::string> motors, hold;
  std::string at, along;                               // where to linearise; at: rest, start
  std::vector<std::string> internal;                   // states of the normal form
  std::optional<double> zero_dynamics, linear_motion;  // [s], how long
  std::vector<std::string> disturb;                    // state=change
  std::string lyapunov;                                // quadratic, energy
  std::optional<double> epsilon;                       // [1/s]
  std::optional<double> radius;
  std::optional<int> reduce;   // states to keep
  std::string reduction;       // balanced, hankel
  std::string mat;             // file
  std::optional<int> threads;  // of a map
};

struct Arguments {
  std::string command;
  std::vector<std::string> given;  // its options on the command line: "--locus"
  std::string shell;               // completion: for which one
  std::string file;
  std::vector<std::string> names;  // experiments to run
  model::Overrides overrides;
  bool json = false, print = false, latex = false, quiet = false;
  bool inverse = false;                    // explain or export the inverse model
  bool forward = false;                    // export the forward model
  bool of_plant = false;                   // export the plant of a controller
  bool accelerations = false;              // export accelerations at a state
  std::string format, directory = ".";     // export: c, and where to
  std::vector<std::string> free, outputs;  // analyse: inputs that hold the pose, selected outputs
  std::string redefine;                    // analyse, invert: "output:rigid", "" none
  std::vector<std::string> vary;           // analyse: "name=from:to", moving together
  std::vector<std::string> against;        // analyse: the same, from one path of --vary to the next
  std::optional<int> lines;                // analyse: paths of --against
  std::optional<double> weight, margin;    // of --redefine; [1/s] of --redefine and --vary
  std::optional<int> samples;              // analyse: of --redefine and --vary
  std::string response;                    // analyse: "first:last:count" [rad/s], "" none
  Questions questions;
  std::vector<std::string> commanded;        // control: inputs of the feedback
  std::string state_weights, input_weights;  // control: "1,phi=100"
  bool units = false;                        // check: list them
  bool csv_units = false;                    // in the header of --csv
  std::string csv;                           // file to write, "-" standard output, "" none
  std::string report;                        // page to write, "" none
  std::vector<std::string> plots;            // columns to show in a line of text
  std::string command_line;                  // all of it, as a shell would take it
  std::shared_ptr<std::vector<Diagnostic>> warnings =
      std::make_shared<std::vector<Diagnostic>>();  // printed, and not yet part of a JSON answer
  std::shared_ptr<std::set<std::string>> shown =
      std::make_shared<std::set<std::string>>();  // warnings that were printed, as text
  std::string method, formulation;
  task::CompareOptions compared;
  std::string global_error;  // estimate it: on, off; "" as the experiment says
  std::string verify;        // invert: on, off
  std::map<std::string, std::string> verify_with;  // invert: parameters and sizes of another plant
  std::vector<std::string> controllers;            // that act
  std::map<std::string, std::string> plant;   // parameters and sizes that controllers do not know
  std::map<std::string, std::string> starts;  // start values of the plant
  std::string reference;                      // of the figures of merit: servo, end
  std::optional<std::uint64_t> seed;          // of what controllers draw
  std::optional<std::size_t> runs;            // simulate: Monte Carlo
  std::string experiment;                     // compare --controllers: whose plant and options
  bool formulations_compared = false;         // invert: --variants
  bool stable_formulations = false;           // invert: --formulations
  std::optional<double> before, after;        // invert: actuation around the motion [s]
  bool receding = false;                      // invert: sample by sample, with preview
  std::optional<double> period, preview, delay;  // [s]
  std::string ends;                              // invert: conditions at the ends of the window
  std::string redundant;                         // redundant constraints: error, least_norm
  std::string base, motors = "all";              // import: fixed, free; all, none
  std::string new_model;                         // name of the one to write
  std::string start;                             // start values: consistent, as_given
  std::optional<double> until, step, every, tolerance;
  std::string backend = "automatic";  // tape, native, automatic
  std::string lifting = "automatic";  // never, automatic, always
};

/// Reads the command line; returns an exit code instead when there is nothing more to do (help, completion, faults).
std::optional<int> read_arguments(int argc, char** argv, Arguments& arguments);

}  // namespace daedal::cli
