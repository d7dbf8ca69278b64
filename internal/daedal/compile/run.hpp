// A run: steps of one operation whose results lie side by side,
//     v[first + i] = v[a[i]] op v[b[i]],   i < count.
// The loop is chosen once, when the tape is made: one indirect call per run is all the dispatch there is, and loops of a
// few steps, the usual case in a small kernel, are written out (crane kernel: 44 ns instead of 52).
#pragma once

#include "daedal/compile/step.hpp"
#include "daedal/expr/elementary.hpp"

#include <cstdint>

namespace daedal::compile {

struct Run;
using RunLoop = void (*)(const Run& run, const std::uint32_t* operands, double* v);

struct Run {
  RunLoop loop = nullptr;
  std::uint32_t first = 0;     // register of the first result
  std::uint32_t count = 0;     // steps
  std::uint32_t operands = 0;  // where this run's a[], b[], c[] begin in the tape's operands
  // Of runs that call functions:
  std::uint32_t derivative = 0;
  std::uint16_t aux = 0;
  expr::elementary::Unary one = nullptr;
  expr::elementary::UnaryArray many = nullptr;
  expr::elementary::Binary two = nullptr;
  const expr::PiecewisePolynomial* spline = nullptr;
};

/// A run of `count` steps like `kind`; registers and operands are left to the caller.
Run make_run(const Step& kind, std::uint32_t count, const expr::PiecewisePolynomial* spline);

}  // namespace daedal::compile
