// --report of daedal analyse: the parts that the pages of its questions are made of, and the pages themselves.
#pragma once

#include "daedal/analyse/continuation.hpp"
#include "daedal/analyse/kinematics.hpp"
#include "daedal/analyse/normal_form.hpp"
#include "daedal/analyse/operating_point.hpp"
#include "daedal/analyse/stability_region.hpp"
#include "daedal/analyse/sweep.hpp"
#include "questions.hpp"
#include "ranges.hpp"
#include "report.hpp"

#include <memory>
#include <string>
#include <vector>

namespace daedal::cli {

// --- parts

/// A page with the model and a verdict; what else there is to say is added.
emit::Report question_page(const Question& question, std::string verdict);
/// Writes it where it is asked for.
void write_page(const Question& question, const emit::Report& page);

emit::Chart empty_pole_zero_map(std::string title = "Poles and zeros");
/// Points of the map and a table with damping and frequency.
void add_spectrum(emit::Report& page, emit::Chart& map, const daedal::analyse::Spectrum& spectrum,
                  const std::string& name, const char* marker);
/// Columns of a table as curves over its first column, a plot for each unit; the page keeps the table.
void add_plots(emit::Report& page, Table table, const std::string& title);
/// "crank = 0.3", "crank = 0.31", ...: poses by symbol as rows that count them, fit to be drawn.
Table rows_of(const model::Model& model, const std::vector<std::vector<double>>& poses);
/// A matrix beside the names of its rows.
emit::TextTable matrix_table(std::string title, const std::vector<std::string>& columns,
                             const std::vector<std::string>& rows, const Eigen::MatrixXd& matrix);

// --- pages over parameters (sweep_pages.cpp)

void write_branch_page(const Question& question, const Range& range,
                       const std::vector<daedal::analyse::Branch>& branches,
                       const derive::Dae& dae);
void write_locus_page(const Question& question, const Range& range,
                      const daedal::analyse::RootLocus& locus);
void write_map_page(const Question& question, const Range& x, const Range& y,
                    const std::vector<daedal::analyse::Sample>& samples);
void write_sensitivity_page(
    const Question& question,
    const std::vector<daedal::analyse::ParameterSensitivity>& sensitivities);

// --- pages of poses (pose_pages.cpp)

/// A singular pose, a turn: what it is in words, and where.
struct ToldEvent {
  std::string what;
  double along = 0;
  std::string where;
};
void write_pose_page(const Question& question, const daedal::analyse::Kinematics& kinematics,
                     const daedal::analyse::Pose& pose,
                     const std::vector<std::pair<std::string, std::string>>& facts,
                     const std::vector<daedal::analyse::Pose>& branches,
                     const std::vector<std::string>& outputs,
                     const std::vector<std::string>& motors);
void write_path_page(const Question& question, const daedal::analyse::PathOfPoses& path,
                     const std::vector<ToldEvent>& events);
void write_box_page(const Question& question, const std::vector<daedal::analyse::BoxAxis>& axes,
                    const std::vector<daedal::analyse::NamedSet>& sets,
                    const daedal::analyse::BoxOfPoses& box, const std::vector<ToldEvent>& events);

// --- pages of motions (motion_pages.cpp)

void write_at_start_page(const Question& question, const daedal::analyse::OperatingPoint& point);
void write_along_page(const Question& question,
                      const std::vector<daedal::analyse::OperatingPoint>& points,
                      const Table& table);
void write_normal_form_page(const Question& question, const daedal::analyse::NormalForm& form,
                            const daedal::analyse::NormalFormPoint& point,
                            const std::vector<std::string>& internal);
void write_zero_dynamics_page(const Question& question, const derive::Dae& zero_dynamics,
                              const solve::Trajectory& run);
void write_lyapunov_page(const Question& question, const daedal::analyse::StabilityRegion& region);
void write_linear_motion_page(const Question& question,
                              const daedal::analyse::MotionComparison& comparison);

}  // namespace daedal::cli
