// Where functions of time have kinks and jumps: all times at which an argument passes given values, guaranteed complete.
//
// Over an interval, bounds of g and g' (daedal/expr/enclosure.hpp) decide: g keeps away from the values: no switch; g' keeps its
// sign: each value is passed once at most, and bisection finds where; else both halves are searched. An interval too short to
// be halved, on which neither holds, is reported as a switch itself: a root at which g has an extremum, a jump over
// the value. So no switch is lost between samples, and the work is proportional to their number [Moore1966].
#pragma once

#include "daedal/expr/enclosure.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace daedal::expr {

/// A node that is smooth except where its argument a, a - b or a/b passes one of `values` (ascending), or any whole number.
struct Switch {
  /// Where the value itself belongs, which a rounded argument may keep for long: sign(0) is neither of sign(0-) and sign(0+).
  enum class Equal : std::uint8_t { with_above, with_below, apart };

  Expr node, a, b;
  TimeFunction::Form form = TimeFunction::Form::plain;
  std::vector<double> values;
  bool whole_numbers = false;
  Equal equal = Equal::with_above;
};
/// Nothing when the operation is smooth.
std::optional<Switch> switch_of(const Graph& graph, Expr e);

struct FoundSwitches {
  std::vector<double> times;  // ascending
  /// A time from which on the argument cannot be separated from one of the values for longer than rounding explains.
  struct Undecided {
    double begin = 0, end = 0;
  };
  std::optional<Undecided> undecided;
  bool too_many = false;  // the search has ended at its limit
};

/// In [t0, t1]. A time is the first double at which the function, as kernels evaluate it, is on the other side.
FoundSwitches find_switches(TimeFunction& g, const Switch& values, double t0, double t1,
                            std::size_t most);

}  // namespace daedal::expr
