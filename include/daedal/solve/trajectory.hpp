// The result of a simulation: plain data.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/base/table.hpp"
#include "daedal/solve/integrator.hpp"

#include <string>
#include <string_view>
#include <vector>

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

/// An error beyond this part of the motion leaves nothing to rely on.
inline constexpr double notable_share = 0.1;

/// Which part of a run can be relied on; docs/methods/global_error.md#verdict. Everything that judges a run reads this:
/// summary, JSON, report and exit code.
struct Trust {
  enum class Level : std::uint8_t {
    unknown,  // nothing was estimated, and nothing speaks against the run
    full,  // every row: the estimated error is small beside the motion and explains the energy balance
    partial,  // for rows after `until` there is no estimate
    none,  // rows after `until` are wrong: the error is as large as the motion, or energy is lost
  };
  Level level = Level::unknown;
  double until = 0;    // [s]: the last row that can be relied on
  std::string reason;  // in words; "" when nothing speaks against the run
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

struct Trajectory {
  Status status = Status::completed;
  std::string reason;  // "stopped at t = 0.8314 s: ..." and further lines; "" when completed
  std::string method;  // "rk45"
  Table table;         // t, unknowns, velocities, multipliers, inputs, outputs
  /// When asked for, to every row of `table`: length of the step it lies in, energies, and the largest residual on each level
  /// of the constraints; columns of history_column names, levels under theirs. What is not known is NaN.
  Table history;
  std::vector<LevelDrift> drift;  // lowest level first
  LevelDrift constraints;  // of all equations that are differentiated, themselves: "constraints"
  EnergyBalance energy;
  GlobalError global_error;
  Trust trust;
  std::vector<Extent>
      extents;  // of the first columns of the table: unknowns, velocities, multipliers
  StepStatistics statistics;
  double wall_time = 0;  // [s], of the integration; all else is the same in every run
  std::vector<Diagnostic> warnings;
  std::uint64_t branch_changes = 0;        // of branches that depend on the state
  std::vector<FiredEvent> events;          // in order; two rows of the table have the time of each
  std::vector<CoordinateSwitch> switches;  // in order, the choice at the start first
};

/// "completed", "unverified" or "wrong" where the run came to its end, by its trust; "stopped", "interrupted".
std::string_view status_name(const Trajectory& trajectory);

}  // namespace daedal::solve
