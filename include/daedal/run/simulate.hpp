// From a consistent start to a trajectory.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/base/table.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/integrate/integrator.hpp"
#include "daedal/integrate/method.hpp"
#include "daedal/start/prepare.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// The result of a simulation: plain data.

namespace daedal::solve {

enum class Status : std::uint8_t {
  completed,
  stopped,      // by the mathematics
  interrupted,  // by the caller
};

/// The largest violation of the constraints on one level, over the rows and (where they are part of
/// the result) the steps.
struct LevelDrift {
  /// "position", "velocity", "acceleration", "level -3"; "equations", "derivative 1" without
  /// mechanics
  std::string level;
  double largest = 0;      // max |f_i^(k)|, in the unit of the constraint
  std::string constraint;  // where it is reached; "" when there are no constraints on this level
  double at = 0;           // [s]
};

/// How well energy(t) = energy(0) + work done on the mechanism holds on the rows.
struct EnergyBalance {
  bool known = false;        // false: no mechanics in the model
  double initial = 0;        // [J]
  double final = 0;          // [J]
  double work = 0;           // [J], done until the last row
  double largest_error = 0;  // [J], max |energy(t) - energy(0) - work(t)|
  double at = 0;             // [s], of the largest error
  double scale = 0;          // [J], largest kinetic energy: what the error compares with
};

struct FiredEvent {
  std::string name;
  double t = 0;      // [s]
  std::string what;  // "rod released", "x' set to -0.5"
};

/// Coordinates that are integrated from here on (formulation minimal).
struct CoordinateSwitch {
  double t = 0;                       // [s]
  std::vector<std::string> from, to;  // names; `from` is empty at the start
};
/// How far the rows are from the exact solution of the formulated problem: the difference from a second run;
/// docs/methods/global_error.md.
struct GlobalError {
  struct Column {
    std::string name;  // of the table
    ColumnKind kind = ColumnKind::other;
    double largest =
        0;  // max |difference| over all rows, in the unit of the column; infinity where not all were compared
    double at = 0;        // [s], of the largest difference known
    double compared = 0;  // max |difference| over the rows that were compared, those up to `until`
    double motion = 0;  // size of the motion, which the difference is judged against; 0: not judged
  };
  std::string method;  // of the second run: "rk45 with tolerance 3.1e-11"; "": not estimated
  std::vector<Column> columns;  // all of the table but t
  double event_time = 0;        // [s], the largest difference between the times of an event
  double until = 0;             // [s]: rows up to here were compared
  bool whole = false;           // all rows were
  std::string remark;  // why not all rows were, why there is none, which events differ; or ""
  double share = 0;    // the largest difference of a column over the size of its motion
  std::string worst;   // that column
  double close_until =
      0;  // [s]: up to here no column is off by more than notable_share of its motion
  bool shorter_steps =
      true;  // of the second run; else they are longer, and its error is the larger one
  double energy_error = 0;    // [J], largest error of the second run's energy balance
  StepStatistics statistics;  // of the second run
  double wall_time = 0;       // [s], of the second run
  bool known() const { return !method.empty(); }
};

/// An error beyond this part of the motion makes the result unreliable.
inline constexpr double notable_share = 0.1;

/// The reliable part of a run; docs/methods/global_error.md#verdict. Everything that judges a run reads this:
/// summary, JSON, report and exit code.
struct Trust {
  enum class Level : std::uint8_t {
    unknown,  // nothing was estimated, and no check failed
    full,  // every row: the estimated error is small beside the motion and explains the energy balance
    partial,  // for rows after `until` there is no estimate
    none,  // rows after `until` are wrong: the error is as large as the motion, or energy is lost
  };
  Level level = Level::unknown;
  double until = 0;    // [s]: the last reliable row
  std::string reason;  // in words; "" when no check failed
  bool in_doubt() const { return level == Level::partial || level == Level::none; }
};
/// "unknown", "full", "partial", "none".
std::string_view name(Trust::Level level);

/// Smallest and largest value of a column, between rows too.
struct Extent {
  double smallest = 0, largest = 0;
};

namespace history_column {
inline constexpr const char* step = "step";        // [s]
inline constexpr const char* energy = "energy";    // [J]
inline constexpr const char* kinetic = "kinetic";  // [J]
inline constexpr const char* work = "work";        // [J], since the start or the last event
inline constexpr const char* balance = "balance";  // [J], |energy(t) - energy(0) - work|
}  // namespace history_column

/// What a controller with a clock commanded to an input, over all of its samples.
struct CommandRecord {
  std::string input;
  double peak = 0;     // of the absolute value, in the unit of the input
  double peak_at = 0;  // [s]
  double variation =
      0;  // sum of the absolute changes from one value to the next, the first one not included
  double low = 0, high = 0;  // limits; -infinity, infinity where there are none
  double limited = 0;        // [s], for how long the input was at one of them
};
/// A controller with a clock during a run. Its computing time is the only part that differs from run to run.
struct ControlRecord {
  std::string controller;
  double period = 0;                       // [s]
  std::uint64_t samples = 0;               // that were taken
  double mean_time = 0, largest_time = 0;  // [s], to compute one
  std::vector<CommandRecord> commands;
  /// Of its observer, at each sample: the squared error of its estimate, normalised by its own covariance (NEES), by the degrees of
  /// freedom: 1 on average if model and noise are as assumed. Kept of the first 100000 samples.
  std::vector<double> estimation_errors;
  std::size_t degrees = 0;  // of freedom
};

struct Trajectory {
  Status status = Status::completed;
  std::string reason;  // "stopped at t = 0.8314 s: ..." and further lines; "" when completed
  std::string method;  // "rk45"
  Table table;         // t, unknowns, velocities, forces, inputs, outputs
  /// If requested, for every row of `table`: length of the step it lies in, energies, and the largest residual on each level
  /// of the constraints; columns of history_column names, levels under theirs. What is not known is NaN.
  Table history;
  std::vector<LevelDrift> drift;  // lowest level first
  LevelDrift constraints;  // of all equations that are differentiated, themselves: "constraints"
  EnergyBalance energy;
  GlobalError global_error;
  Trust trust;
  std::vector<Extent> extents;  // of the first columns of the table: unknowns, velocities, forces
  StepStatistics statistics;
  double wall_time = 0;  // [s], of the integration; all else is the same in every run
  std::vector<Diagnostic> warnings;
  std::uint64_t branch_changes = 0;        // of branches that depend on the state
  std::vector<FiredEvent> events;          // in order; two rows of the table have the time of each
  std::vector<CoordinateSwitch> switches;  // in order, the choice at the start first
  std::vector<ControlRecord> controls;     // of controllers with clocks
};

/// "completed", "unverified" or "wrong" where the run came to its end, by its trust; "stopped", "interrupted".
std::string_view status_name(const Trajectory& trajectory);

struct SimulateOptions {
  double until = 10;         // [s], > start time
  double every = 0;          // [s], >= 0: rows at 0, every, 2 every, ... and `until`; 0: until/1000
  Method method;             // rk45 by default
  bool global_error = true;  // estimate it by a second run, at about twice the cost of the first
  bool halved = false;       // steps end in the middle between break points too: for second runs
  bool history = false;      // keep drift and energy of every row, not only the largest
  std::uint64_t seed = 0;    // of the random numbers that controllers with clocks draw
  compile::Options compile;
  Watch watch;  // asked to stop, the run ends after its step
};

/// Every option out of its range.
std::vector<Diagnostic> check(const SimulateOptions& options, double start = 0);

/// Integrates from `start`. A numerical failure is an outcome (status, reason), and so is an interruption: the rows up to
/// it are there. Throws std::invalid_argument when check() objects, ModelError when the table would not fit into memory,
/// Interrupted before the first row.
Trajectory simulate(const formulate::Problem& problem, const ConsistentPoint& start,
                    const SimulateOptions& options);

// Formulations and methods compared on one model: error against cost.
//
// Every case is simulated with rows at the same times and compared with a Taylor run at rounding (projection, tolerance
// 1e-15): largest differences of positions, velocities and multipliers over the rows. The reference is judged as any other run
// is, by a second one.

struct CompareCase {
  formulate::Formulation formulation;
  Method method;
};

struct CompareOptions {
  double until = 10;  // [s], > 0
  double every = 0;   // [s], >= 0: between rows that are compared; 0: until/100
  PrepareOptions prepare;
  unsigned threads = 0;  // cases at the same time; 0: as many as the machine has cores
  Watch watch;  // called from one thread at a time; asked to stop, unfinished runs are interrupted
};

struct CompareResult {
  std::string refused;  // why the combination makes no sense; else
  Status status = Status::completed;
  std::string reason;                                                   // where it stopped
  double position_error = 0, velocity_error = 0, multiplier_error = 0;  // up to where it stopped
  bool wrong = false;       // off by an error as large as the motion
  double drift = 0;         // of the constraints themselves
  double energy_error = 0;  // [J]
  StepStatistics statistics;
  double wall_time = 0;  // [s]
};

struct Comparison {
  std::vector<CompareResult> results;  // as the cases
  Status reference_status = Status::completed;
  std::string reference_reason;
  Trust reference_trust;  // errors are known up to where the reference can be trusted
};

/// Throws ModelError as prepare does, Interrupted before the reference is there.
Comparison compare(const std::shared_ptr<const derive::Dae>& dae,
                   const std::vector<CompareCase>& cases, const CompareOptions& options);

}  // namespace daedal::solve
