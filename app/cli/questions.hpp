// daedal analyse: questions beyond the portrait. Each option is one of them; a function answers it and returns the exit code.
#pragma once

#include "arguments.hpp"
#include "daedal/analyse/model_reduction.hpp"
#include "daedal/analyse/portrait.hpp"
#include "daedal/base/table.hpp"
#include "daedal/emit/report.hpp"
#include "pipeline.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace daedal::cli {

/// What all of them need: the model, and which inputs and outputs are meant.
struct Question {
  const Arguments& arguments;
  const Loaded& loaded;
  std::vector<expr::SymbolId> free_inputs;
};

/// The one that is asked, answered; nullopt when it is the portrait. Only one is asked (applicability.hpp).
std::optional<int> answer_question(const Question& question);

// over parameters (sweeps.cpp)
int answer_continue(const Question& question);
int answer_locus(const Question& question);
int answer_map(const Question& question);
int answer_sensitivity(const Question& question);
// poses (poses.cpp)
int answer_pose(const Question& question);
int answer_path(const Question& question);
int answer_box(const Question& question);
// motions (motions.cpp)
int answer_at_start(const Question& question);
int answer_along(const Question& question);
int answer_normal_form(const Question& question);
int answer_zero_dynamics(const Question& question);
int answer_lyapunov(const Question& question);
int answer_linear_motion(const Question& question);

// beside the portrait (linear_files.cpp)
void write_mat(const daedal::analyse::LinearModel& linear, const std::string& path);
struct Reduction {
  int states = 0, minimal = 0;  // of the linear model, and of the part that matters at all
  daedal::analyse::ReducedModel reduced;
  std::string method;  // in words
};
Reduction reduction_of(const daedal::analyse::LinearModel& linear, const Arguments& arguments);
nlohmann::ordered_json to_json(const Reduction& reduction,
                               const daedal::analyse::LinearModel& linear,
                               const Arguments& arguments);
std::string reduction_text(const Reduction& reduction);  // lines
void add_reduction(emit::Report& page, const Reduction& reduction);

/// How the model moves at its zeros: printed, or returned as JSON (directions.cpp).
nlohmann::ordered_json answer_directions(const daedal::analyse::Portrait& portrait,
                                         const derive::Dae& dae, const Arguments& arguments);

// shared
daedal::analyse::Equilibrium rest_of(
    const Question& question);  // throws ModelError when there is none
nlohmann::ordered_json to_json(const Eigen::MatrixXd& matrix);
nlohmann::ordered_json to_json(const daedal::analyse::Spectrum& spectrum);
nlohmann::ordered_json to_json(const daedal::analyse::LinearModel& linear);
/// Poles or zeros, a line each.
void print_spectrum(const daedal::analyse::Spectrum& spectrum);
/// Writes --csv where it is asked for, and says so.
void write_table(const Table& table, const Arguments& arguments);

}  // namespace daedal::cli
