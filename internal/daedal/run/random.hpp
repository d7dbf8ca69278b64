// Random numbers that are functions of counters: whoever asks for number k of a stream gets the same, whatever was asked before, in
// which order and by which thread.
#pragma once

#include "daedal/expr/elementary.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace daedal::solve {

/// Bits that depend on nothing but the counter [Steele2014, splitmix64].
constexpr std::uint64_t mixed(std::uint64_t k) {
  k += 0x9e3779b97f4a7c15ull;
  k = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9ull;
  k = (k ^ (k >> 27)) * 0x94d049bb133111ebull;
  return k ^ (k >> 31);
}

/// In (0, 1).
inline double uniform_number(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 0.5) * std::ldexp(1.0, -53);
}

/// Of mean 0 and deviation 1 [BoxMuller1958].
inline double normal_number(std::uint64_t bits) {
  const double a = uniform_number(bits), b = uniform_number(mixed(~bits));
  return std::sqrt(-2 * expr::elementary::log(a)) * expr::elementary::cos(2 * std::numbers::pi * b);
}

}  // namespace daedal::solve
