// What one simulation is asked to do, from an experiment and the command line (which wins).
#pragma once

#include "arguments.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/invert/boundary_value.hpp"
#include "daedal/model/option.hpp"
#include "daedal/solve/method.hpp"
#include "daedal/solve/prepare.hpp"

#include <map>
#include <optional>
#include <string>

namespace daedal::cli {

struct Request {
  model::Option method, formulation, redundant_constraints, start, verify, ends;
  std::optional<double> until, step, every, tolerance, before, after, period, preview;
  bool receding = false;
  std::optional<bool> global_error;
  std::map<std::string, std::string> parameters;  // and sizes, with values for this run
};

Request read_experiment(const model::Experiment& experiment, const model::Model& model);
void apply_command_line(Request& request, const Arguments& arguments);

/// The method with its options. Throws ModelError for unknown ones and for those of later versions.
solve::Method read_method(const Request& request);

/// What to do with redundant constraints. Throws ModelError for unknown words.
solve::RedundantConstraints read_redundant_constraints(const Request& request);

/// What becomes of inconsistent start values. Throws ModelError for unknown words.
solve::StartValues read_start_values(const Request& request);
/// Whether an inversion is proved: `on` (default) or `off`. Throws ModelError for other words.
bool read_verify(const Request& request);
/// What is asked of the ends of a stable inversion. Throws ModelError for unknown words.
daedal::invert::EndConditions read_ends(const Request& request);

compile::Backend read_backend(const Arguments& arguments);

/// End of the run [s]: asked for, or of the file's first experiment, or the last joint of the servo
/// trajectories, or 10.
double end_time(const Request& request, const formulate::Problem& problem);
/// The same for an inversion, where the desired motion comes before the experiments.
double end_of_motion(const Request& request, const formulate::Problem& problem);

/// Throws ModelError with one message.
[[noreturn]] void fault(const Place& place, std::string message, std::string help = {});

}  // namespace daedal::cli
