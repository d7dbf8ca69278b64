// What kind of system is it? Equilibrium, poles, zeros, relative degree, controllability: its portrait.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/task/answer.hpp"

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Numbers in words, as questions take them: "k=1:5:20,d=0:2", "theta1=0.1,s'=2", "0.1:100:200".
//
// Every reader throws ModelError for a text of another form; its message calls the text `option` and shows how it is written.

namespace daedal {
inline namespace task {

/// A quantity from `first` to `last` in `count` >= 2 values.
struct Range {
  std::string name;
  double first = 0, last = 1;
  int count = 2;
  std::vector<double> values() const;  // evenly, both ends included
};
/// Ranges with commas between; `count` where none is written.
std::vector<Range> read_ranges(const std::string& option, const std::string& text, int count);
/// One of them.
Range read_range(const std::string& option, const std::string& text, int count);
/// "s4=0.1:0.3": from one value to another, without a count.
Range read_change(const std::string& option, const std::string& text);

/// Frequencies or times: `count` >= 2 of them.
struct Grid {
  double first = 0, last = 1;
  int count = 2;
};
/// "0.1:100", "0.1:100:200" [rad/s], 0 < first < last; 200 where no count is written.
Grid read_frequencies(const std::string& option, const std::string& text);
/// "0:10", "0:10:11" [s], 0 <= first < last; 11 where no count is written.
Grid read_times(const std::string& option, const std::string& text);

/// "theta1'": 2.
struct NamedNumber {
  std::string name;
  double value = 0;
};
std::vector<NamedNumber> read_values(const std::string& option,
                                     const std::vector<std::string>& items);

/// Cut at commas outside brackets.
std::vector<std::string> split_list(const std::string& text);

/// How a linear model with fewer states is found.
enum class ReductionMethod : std::uint8_t {
  balanced,  // balanced truncation
  hankel     // Hankel-norm approximation
};

struct AnalyseOptions {
  /// Inputs that take the values that hold the pose, by name; "all" for all of them. The others keep their signals' values.
  std::vector<std::string> free;
  std::vector<std::string> outputs;  // to analyse; default: the servo lines, else all outputs
  std::optional<Grid> response;      // frequency response [rad/s], evenly on a logarithmic scale
  bool nyquist = false;              // with `response`: Nyquist's curve in summary and report
  bool directions = false;           // inputs, motion and outputs at each zero
  std::optional<int> reduce;         // states of a linear model with fewer of them
  ReductionMethod reduction = ReductionMethod::balanced;
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

using Matrix = std::vector<std::vector<double>>;  // by rows

/// E x' = A x + B u, y = C x + D u.
struct LinearModel {
  Matrix e, a, b, c, d;
  std::vector<std::string> variables;  // columns of E and A: "x", "x'", "rod"
  std::vector<std::string> equations;  // rows of E and A: "motion of x", "x' = d/dt x"
  std::vector<std::string> inputs;     // columns of B and D
  std::vector<std::string> outputs;    // rows of C and D
};
/// The bytes of a MAT-file that holds its matrices and names.
std::string to_mat(const LinearModel& linear);

/// x' = A x + B u, y = C x + D_0 u + D_1 u' + ...: a linear model on its constraint manifold, with as many states as it has finite
/// poles.
struct StateSpaceModel {
  Matrix a, b, c;
  std::vector<Matrix> d;  // of u, u', ...: of u alone unless outputs contain forces of drives
  Matrix basis;           // variables of the linear model x states
  std::vector<std::string> states;  // the variable that each is nearest to
  std::vector<std::string> inputs, outputs;
};
/// Throws ModelError where the equations do not determine the motion.
StateSpaceModel state_space(const LinearModel& linear);

/// x' = A x + B u, y = C x + D u with fewer states.
struct ReducedLinearModel {
  Matrix a, b, c, d;
  double error_bound = 0;  // of the largest gain of the difference, over all frequencies
};

/// What a loop tolerates at one of its inputs while the others stay closed.
struct InputMargins {
  std::string input;
  std::optional<double> lowest_gain,
      highest_gain;                       // factors between which it stays stable; none: no bound
  std::optional<double> phase, phase_at;  // [deg] of lag, < 0 of lead: the nearer one; at [rad/s]
  std::optional<double> delay, delay_at;  // [s], the largest; at [rad/s]
  double sensitivity_peak = 0, peak_at = 0;  // largest 1/|1 + L|, at [rad/s]
};

class Analysis : public Answer {
 public:
  using Answer::Answer;

  bool found = false;                       // an equilibrium; else nothing below is set
  std::vector<NamedNumber> equilibrium;     // unknowns, then inputs
  LinearModel linear;                       // there
  std::vector<std::complex<double>> poles;  // [1/s], rightmost first
  std::vector<std::complex<double>> zeros;  // of all outputs against all inputs
  std::string stability;                    // of the poles: "stable", "marginal", "unstable"
  std::string phase;                 // of the zeros: "minimum phase", ...; "" without an inverse
  std::vector<int> relative_degree;  // by output; empty without an inverse model
  std::optional<int> controllable, observable;  // states, where there are inputs, outputs
  std::string change;                           // what would change the verdict; "" nothing
  std::vector<std::string> doubts;  // sentences: two ways to one number that do not agree
  /// Of a loop that continuous controllers close, by commanded input; empty where it is unstable.
  std::vector<InputMargins> margins;
  std::optional<ReducedLinearModel> reduced;
  Table
      response;  // frequency; gain, phase, real and imaginary part of each channel; singular values

  std::vector<Fact> facts() const override;
  const Table* table() const override { return response.width() > 0 ? &response : nullptr; }

 private:
  struct Details;
  std::shared_ptr<const Details> details_;
  friend Analysis analyse(const Model&, const AnalyseOptions&);

  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// Where there is no equilibrium near the start values the answer does not hold, and says so. Throws ModelError for faults of
/// model and options.
Analysis analyse(const Model& model, const AnalyseOptions& options = {});

// The same question over parameters: equilibria, poles and zeros, verdicts, rates of change; which weight or which parameter
// makes a model minimum phase.

// --- equilibria over a parameter, round folds

struct FollowOptions {
  Range over;                     // its count has no meaning: steps follow the branch
  std::vector<std::string> free;  // inputs that take the values that hold the pose; "all"
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

/// Where a branch begins, turns back, meets another one, ends.
struct BranchEvent {
  std::string kind;        // "start", "fold", "crossing", "end"
  std::size_t branch = 0;  // 0 the first
  double parameter = 0;
  std::string stability;  // "stable", "unstable in 1 direction", ...; "" not known
};

class Branches : public Answer {
 public:
  using Answer::Answer;

  Range over;
  Table points;  // parameter, unknowns, lowest stiffness, number of the branch from 1
  std::vector<BranchEvent> events;

  const Table* table() const override { return &points; }

 private:
  struct Details;
  std::shared_ptr<const Details> details_;
  friend Branches follow(const Model&, const FollowOptions&);

  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// A branch that ends inside the range is an answer that does not hold. Throws ModelError when there is no equilibrium at the
/// beginning.
Branches follow(const Model& model, const FollowOptions& options);

// --- poles and zeros over a parameter

struct LocusOptions {
  static constexpr int values = 50;  // of a range without a count
  Range over;
  bool at_start = false;             // at the start values, in motion; else at rest
  std::vector<std::string> free;     // at rest: inputs that hold the pose; "all"
  std::vector<std::string> outputs;  // default: the servo lines, else all outputs
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

/// One pole or zero on its way: a value for each of the parameter's, NaN where it is not there.
using Track = std::vector<std::complex<double>>;

/// Where a track crosses the imaginary axis.
struct AxisCrossing {
  bool zero = false;  // of a zero, not of a pole
  double parameter = 0;
  double frequency = 0;  // [rad/s]
  bool to_the_right = false;
  bool in_doubt = false;  // as the number of poles or zeros there or beside it is
};

/// A number of poles or zeros that rounding decides, as near a degenerate parameter value.
struct CountInDoubt {
  bool zeros = false;  // of zeros, not of poles
  int number = 0;
  std::optional<int> other;   // the other reading; none: the decision has a small gap only
  double singular_value = 0;  // that decides, over the largest; 0 without another reading
  double margin = 0;  // of the decision over its uncertainty by rounding; below 1: lost in rounding
  std::string text;   // a sentence
};

/// A loop over a parameter: from one value to the next the same.
struct StabilityRange {
  double from = 0, to = 0;
  std::string stability;  // "asymptotically stable", "marginal", "unstable", "no equilibrium"
};

class RootLocus : public Answer {
 public:
  using Answer::Answer;

  Range over;
  bool at_start = false;
  std::vector<Track> poles, zeros;   // [1/s]
  double rounding = 0;               // largest estimated error of one of them [1/s]
  std::vector<std::string> classes;  // by value: "minimum phase", "no equilibrium", ...
  std::vector<std::vector<CountInDoubt>> doubts;  // by value; of controllers with a clock empty
  std::vector<AxisCrossing> crossings;            // located to rounding between the values
  /// Of a loop that controllers close, at rest: the whole range in parts, located likewise.
  std::vector<StabilityRange> stability;
  Table rows;  // parameter, zero or pole, track, real, imaginary, whether their number is in doubt

  const Table* table() const override { return &rows; }

 private:
  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

RootLocus locus(const Model& model, const LocusOptions& options);

// --- the verdict over two parameters

struct MapOptions {
  static constexpr int values = 30;  // of a range without a count
  Range x, y;
  bool at_start = false;             // at the start values, in motion; else at rest
  std::vector<std::string> free;     // at rest: inputs that hold the pose; "all"
  std::vector<std::string> outputs;  // default: the servo lines, else all outputs
  int threads = 0;                   // 0: as many as the machine has
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

class ClassMap : public Answer {
 public:
  using Answer::Answer;

  Range x, y;
  std::vector<std::string> classes;               // of (x_0, y_0), (x_0, y_1), ...
  std::vector<std::vector<CountInDoubt>> doubts;  // likewise
  Table rows;  // x, y, number of the class, rightmost pole, rightmost zero, numbers in doubt

  const Table* table() const override { return &rows; }

 private:
  struct Details;
  std::shared_ptr<const Details> details_;
  friend ClassMap map(const Model&, const MapOptions&);

  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

ClassMap map(const Model& model, const MapOptions& options);

// --- rates of change with parameters

struct SensitivityOptions {
  std::vector<std::string> parameters{"all"};
  std::vector<std::string> free;     // inputs that take the values that hold the pose; "all"
  std::vector<std::string> outputs;  // default: the servo lines, else all outputs
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

/// Derivatives by one parameter, which others may follow from.
struct ParameterRates {
  struct Rate {
    std::string of;  // an unknown or input at rest
    double rate = 0, error = 0;
  };
  struct ComplexRate {
    std::complex<double> of, rate;  // a pole or zero
    double error = 0;
  };
  std::string parameter;
  double value = 0;
  std::vector<Rate> equilibrium;
  std::vector<ComplexRate> poles, zeros;
  std::string missing;  // why there is nothing
};

class Sensitivity : public Answer {
 public:
  using Answer::Answer;

  std::vector<ParameterRates> parameters;

 private:
  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

Sensitivity sensitivity(const Model& model, const SensitivityOptions& options = {});

// --- zeros along a path of parameters, or of the weight of another output

struct VaryOptions {
  std::vector<Range> vary;  // parameters that move together, from first to last
  /// "tip:rigid": the weight Gamma of  Gamma tip + (1 - Gamma) rigid  moves from 0 to 1; "tip:rigid,chord" compares several.
  std::string redefine;
  std::vector<Range> against;  // other parameters, from one path to the next
  int lines = 5;               // paths with `against`, 2 to 1000
  int samples = 21;            // points of a path, 2 to 10000
  double margin = 0;  // [1/s], >= 0: how far left of the axis zeros must lie; 0: also on it
  std::vector<std::string> outputs;  // default: the servo lines, else all outputs
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

struct ZeroPathPoint {
  std::vector<NamedNumber> parameters;
  bool found = false;                       // an equilibrium and an inverse model
  bool acceptable = false;                  // no zero further right than the margin allows
  std::string phase;                        // "minimum phase", ...
  std::vector<std::complex<double>> zeros;  // [1/s], rightmost first
  std::optional<CountInDoubt> doubt;        // about their number
};

/// The zeros on one path, where the answer changes, and the best point.
class ZeroPathMap : public Answer {
 public:
  using Answer::Answer;

  std::vector<ZeroPathPoint> points;
  std::vector<std::vector<NamedNumber>> changes;  // of the answer, located
  std::optional<ZeroPathPoint> best;              // acceptable, nearest to the end of the path
  Table rows;                                     // a row for each zero of each point

  const Table* table() const override { return &rows; }

 private:
  struct Details;
  std::shared_ptr<const Details> details_;
  friend ZeroPathMap vary(const Model&, const VaryOptions&);

  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// Of one path: without `against`, with one output at most to redefine. Where no point is acceptable the answer does not hold.
ZeroPathMap vary(const Model& model, const VaryOptions& options);

/// One path of a search: how far its parameters can go.
struct ZeroSearchLine {
  std::string redefine;              // "tip:rigid"; "" none
  std::vector<NamedNumber> against;  // the others on this path
  std::vector<NamedNumber> limit;    // how far the path is acceptable; empty: nowhere
  std::vector<NamedNumber> best;     // a reserve before that
  std::string phase;                 // there
  bool in_doubt = false;             // the number of zeros there, or where the limit is
};

class ZeroSearch : public Answer {
 public:
  using Answer::Answer;

  std::vector<ZeroSearchLine> lines;
  Table rows;  // candidate, other parameters, limit, best, rightmost zero

  const Table* table() const override { return &rows; }

 private:
  struct Details;
  std::shared_ptr<const Details> details_;
  friend ZeroSearch search_zeros(const Model&, const VaryOptions&);

  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// Over several paths. Where none of them has an acceptable point the answer does not hold.
ZeroSearch search_zeros(const Model& model, const VaryOptions& options);

/// The one of the two that the options ask for: a search with `against` or several outputs to redefine, else one path.
std::shared_ptr<const Answer> study_zeros(const Model& model, const VaryOptions& options);

}  // namespace task
}  // namespace daedal
