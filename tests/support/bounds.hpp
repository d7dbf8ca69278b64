// Bounds of assertions, named after what makes the difference. Choose the origin and count before looking at the result.
#pragma once

#include <cmath>
#include <limits>

namespace daedal::test {

/// So many roundings of numbers of size `scale`, each off by half a unit in the last place: n u [Higham2002, Section 3.1].
/// Where an ill-conditioned problem amplifies them, `scale` contains its condition number.
inline double rounding(double operations, double scale = 1) {
  return operations * (std::numeric_limits<double>::epsilon() / 2) * std::abs(scale);
}

/// A reference rounded to so many decimals is off by half a unit of the last; two hundredths of it are left for us.
inline double printed(int decimals) { return 0.51 * std::pow(10.0, -decimals); }

/// Local errors of the size of the tolerance in each of so many steps, times what becomes of an error along the motion.
inline double accumulated(double tolerance, double steps, double growth = 1) {
  return tolerance * steps * growth;
}

}  // namespace daedal::test
