// Where a smooth function of time is still for long and then changes within a short while: exp(-((t - 5)/1e-3)^2), sin(t)^200,
// tanh((t - 5)/1e-3).
//
// A method that chooses its steps by what it sees steps over such a pulse: all its evaluations lie beside it. Bounds of the
// derivative g' (daedal/expr/enclosure.hpp) over ever shorter intervals leave no gap [Moore1966]: first the largest |g'| within a
// factor, then, for several levels, all intervals outside which |g'| stays below that part of the largest. One that is short
// against the time before it, in which nothing happens, is a pulse, and its ends are reported.
//
// A function that changes most of the time, as sin(100 t), is found to do so from a few values, and costs nothing more.
#pragma once

#include "daedal/expr/enclosure.hpp"

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace daedal::expr {

/// A node that may be still and change quickly though its operands do not.
bool may_pulse(const Graph& graph, Expr e);

struct FoundPulses {
  std::vector<double> times;  // ascending: ends of pulses, on every level
  /// Up to here all are found; before t1 where they are too many.
  double until = std::numeric_limits<double>::infinity();
};

/// In [t0, t1]; `known`: ascending times between which a pulse must be short to count, for a run stops there anyway.
FoundPulses find_pulses(TimeFunction& g, double t0, double t1, std::span<const double> known,
                        std::size_t most);

}  // namespace daedal::expr
