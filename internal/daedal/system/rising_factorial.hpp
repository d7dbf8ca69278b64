// (k+1) (k+2) ... (k+count): what coefficient k of derivative `count` takes from coefficient k + count of a Taylor series.
//
// Derivatives of order 200 have sizes that a double can hold, and so have their Taylor coefficients; 200! is beyond its range.
// So it is a product of two numbers; the second is 1 while the first can do alone.
#pragma once

#include <cmath>

namespace daedal::solve {

struct RisingFactorial {
  double first = 1, second = 1;

  template <class T>
  T times(T x) const {
    return x * T(first) * T(second);
  }
  template <class T>
  T below(T x) const {
    return x / T(first) / T(second);
  }
};

inline RisingFactorial rising_factorial(int k, int count) {
  constexpr int one_number = 1000;  // binary digits before the point
  double mantissa = 1;
  int exponent = 0;
  for (int m = 1; m <= count; ++m) {
    int more = 0;
    mantissa = std::frexp(mantissa * (k + m), &more);
    exponent += more;
  }
  if (exponent <= one_number) return {std::ldexp(mantissa, exponent), 1};
  return {std::ldexp(mantissa, exponent / 2), std::ldexp(1.0, exponent - exponent / 2)};
}

}  // namespace daedal::solve
