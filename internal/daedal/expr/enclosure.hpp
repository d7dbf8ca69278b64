// Guaranteed bounds: all values of an expression of time over an interval, and of its derivative.
//
// Interval arithmetic [Moore1966] with outward rounding over the expression graph, the derivative carried along by the chain
// rule. Where a function jumps or leaves its domain its derivative is unbounded: bounded ones say that it is continuous.
#pragma once

#include "daedal/expr/graph.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace daedal::expr {

/// All numbers from low to high; none when low > high.
struct Interval {
  double low = 0, high = 0;

  bool contains(double x) const { return low <= x && x <= high; }
  bool is_empty() const { return low > high; }
  bool is_point() const { return low == high; }
};

struct Enclosure {
  Interval value, rate;
};

/// An expression of time, parameters and constants, prepared to be evaluated often.
class TimeFunction {
 public:
  /// The quantity evaluated: a, a - b or a/b.
  enum class Form : std::uint8_t { plain, difference, quotient };

  /// Leaves other than time have the values of `parameter`.
  TimeFunction(const Graph& graph, Form form, Expr a, Expr b,
               const std::function<bool(Leaf)>& is_time,
               const std::function<double(Leaf)>& parameter);

  /// As kernels evaluate it. The sign of a difference is that of the comparison.
  double value(double t);
  /// Over [begin, end].
  Enclosure over(double begin, double end);

 private:
  struct Step {
    Node node;  // a, b, c: positions in steps_
    double constant = 0;
    bool is_time = false, is_constant = false;
  };

  const Graph* graph_;
  Form form_;
  std::vector<Step> steps_;
  std::uint32_t a_ = 0, b_ = 0;
  std::vector<double> values_;
  std::vector<Enclosure> enclosures_;
};

}  // namespace daedal::expr
