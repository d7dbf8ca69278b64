// The accuracy that suites over all methods ask each of them for.
#pragma once

#include "daedal/integrate/method.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace daedal::solve::testing {

template <class Options>
concept Adaptive = requires(Options o) {
  o.tolerance;
};

/// Orders of the methods without step control.
template <class Options>
constexpr int order_of = 0;
template <>
constexpr int order_of<EulerOptions> = 1;
template <>
constexpr int order_of<Rk4Options> = 4;
template <>
constexpr int order_of<ImplicitEulerOptions> = 1;
template <>
constexpr int order_of<LinearImplicitEulerOptions> = 1;
template <>
constexpr int order_of<BdfOptions> = 2;
template <>
constexpr int order_of<GeneralizedAlphaOptions> = 2;
template <>
constexpr int order_of<RattleOptions> = 2;

/// The tolerance of a method where the others use `wanted`: low orders would take for ever.
template <class Options>
double reachable(double wanted) {
  constexpr int order = order_of<Options>;
  return std::max(wanted, order == 0 || order >= 3 ? 0 : order == 2 ? 1e-7 : 1e-4);
}

/// A method without step control reaches an error of the size of `tolerance` with steps of tolerance^(1/order).
template <class Options>
Method with_tolerance(double tolerance) {
  Options options;
  if constexpr (Adaptive<Options>)
    options.tolerance = tolerance;
  else
    options.step = std::pow(reachable<Options>(tolerance), 1.0 / order_of<Options>);
  return options;
}

/// Errors accumulate over the run: each method keeps them within this multiple of the tolerance on the problems of its suites (a
/// BDF method, whose steps are long and whose errors all have one sign, needs the most).
template <class Options>
constexpr double error_factor =
    std::is_same_v<Options, IdaOptions> || std::is_same_v<Options, BdfOptions> ? 3000 : 100;

}  // namespace daedal::solve::testing
