// Reproducible disturbances of guesses from which Newton's method does not converge.
#pragma once

#include <cmath>
#include <cstdint>

namespace daedal::solve {

/// A number in [-1, 1) that depends on nothing but k [Steele2014, splitmix64].
inline double noise(std::uint64_t k) {
  k += 0x9e3779b97f4a7c15ull;
  k = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9ull;
  k = (k ^ (k >> 27)) * 0x94d049bb133111ebull;
  return std::ldexp(static_cast<double>((k ^ (k >> 31)) >> 11), -52) - 1;
}

}  // namespace daedal::solve
