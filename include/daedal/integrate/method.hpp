// The integrators by name, and their options: plain data, checked before use.
//
// A local error of 1 is accepted, measured as the root mean square of (error of s_i) / (tolerance
// (|s_i| + nominal_i)).
#pragma once

#include "daedal/base/diagnostic.hpp"

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace daedal::solve {

/// Explicit Euler, order 1, to compare with; docs/methods/euler.md.
struct EulerOptions {
  static constexpr std::string_view name = "euler";
  double step = 1e-3;                     // [s], > 0
  std::uint64_t max_steps = 100'000'000;  // >= 1: the run stops beyond
};

/// The classical Runge-Kutta method, order 4, with equal steps; docs/methods/rk4.md.
struct Rk4Options {
  static constexpr std::string_view name = "rk4";
  double step = 1e-3;                     // [s], > 0
  std::uint64_t max_steps = 100'000'000;  // >= 1: the run stops beyond
};

/// Explicit Runge-Kutta of Bogacki and Shampine, order 3(2): for coarse tolerances; docs/methods/rk23.md.
struct Rk23Options {
  static constexpr std::string_view name = "rk23";
  double tolerance = 1e-6;                // in [1e-15, 0.1]
  double step = 0;                        // [s], >= 0: first and longest step; 0: chosen
  bool adaptive = true;                   // false: all steps have length `step`
  std::uint64_t max_steps = 100'000'000;  // >= 1: the run stops beyond
};

/// Explicit Runge-Kutta of Dormand and Prince, order 5(4): the default; docs/methods/rk45.md.
struct Rk45Options {
  static constexpr std::string_view name = "rk45";
  double tolerance = 1e-9;                // in [1e-15, 0.1]
  double step = 0;                        // [s], >= 0: first and longest step; 0: chosen
  bool adaptive = true;                   // false: all steps have length `step`
  std::uint64_t max_steps = 100'000'000;  // >= 1: the run stops beyond
};

/// Explicit Runge-Kutta of Dormand and Prince, order 8(5,3): for tight tolerances; docs/methods/dop853.md.
struct Dop853Options {
  static constexpr std::string_view name = "dop853";
  double tolerance = 1e-9;                // in [1e-15, 0.1]
  double step = 0;                        // [s], >= 0: first and longest step; 0: chosen
  bool adaptive = true;                   // false: all steps have length `step`
  std::uint64_t max_steps = 100'000'000;  // >= 1: the run stops beyond
};

/// Where the matrix of Newton's method comes from.
enum class JacobianKind : std::uint8_t { exact, difference, broyden };

/// Implicit Runge-Kutta Radau IIA, order 5, for stiff problems; docs/methods/radau5.md.
struct Radau5Options {
  static constexpr std::string_view name = "radau5";
  double tolerance = 1e-9;                      // in [1e-14, 0.1]
  double step = 0;                              // [s], >= 0: first and longest step; 0: chosen
  bool adaptive = true;                         // false: all steps have length `step`
  int newton_iterations = 7;                    // in [3, 50]; a step that needs more is shortened
  JacobianKind jacobian = JacobianKind::exact;  // others in real-time steppers only
  int renew = 10;                               // in [1, 1e6]: steps one of Broyden's serves
  std::uint64_t max_steps = 100'000'000;        // >= 1: the run stops beyond
};

/// SUNDIALS IDA, BDF of variable order 1 to 5: the trusted reference; docs/methods/ida.md.
struct IdaOptions {
  static constexpr std::string_view name = "ida";
  double tolerance = 1e-9;                // in [1e-14, 0.1]
  double step = 0;                        // [s], >= 0: first and longest step; 0: chosen
  int max_order = 5;                      // in [1, 5]
  std::uint64_t max_steps = 100'000'000;  // >= 1: the run stops beyond
};

/// Taylor series of any order for DAEs of any index, to rounding error; docs/methods/taylor.md.
struct TaylorOptions {
  static constexpr std::string_view name = "taylor";
  double tolerance = 1e-12;               // in [1e-18, 0.1]
  double step = 0;                        // [s], >= 0: longest step; 0: no bound
  int order = 0;                          // in [4, 60], or 0: chosen from the tolerance
  std::uint64_t max_steps = 100'000'000;  // >= 1: the run stops beyond
};

/// Of the implicit methods with equal steps; docs/methods/newton.md.
struct NewtonOptions {
  JacobianKind jacobian = JacobianKind::exact;
  int renew = 10;                   // in [1, 1e6]: steps a matrix serves at most
  int newton_iterations = 20;       // in [1, 200]: a step that needs more fails
  double newton_tolerance = 1e-14;  // in [1e-15, 1e-3]: relative to the size of each state
};

/// Implicit Euler, order 1, for index 1 to 3; docs/methods/implicit_euler.md.
struct ImplicitEulerOptions {
  static constexpr std::string_view name = "implicit_euler";
  double step = 1e-3;  // [s], > 0: none is longer, all are equal
  NewtonOptions newton;
  std::uint64_t max_steps = 100'000'000;  // >= 1: the run stops beyond
};

/// Implicit Euler with one step of Newton's method; docs/methods/implicit_euler.md.
struct LinearImplicitEulerOptions {
  static constexpr std::string_view name = "linear_implicit_euler";
  double step = 1e-3;                     // [s], > 0: none is longer, all are equal
  std::uint64_t max_steps = 100'000'000;  // >= 1: the run stops beyond
};

/// Backward differentiation of one order with equal steps, for index 1 to 3; docs/methods/bdf.md.
struct BdfOptions {
  static constexpr std::string_view name = "bdf";
  int order = 2;       // in [1, 6]
  double step = 1e-3;  // [s], > 0: none is longer, all are equal
  NewtonOptions newton;
  std::uint64_t max_steps = 100'000'000;  // >= 1: the run stops beyond
};

/// The generalised-alpha method, order 2, for mechanisms of index 1 to 3; docs/methods/generalized_alpha.md.
struct GeneralizedAlphaOptions {
  static constexpr std::string_view name = "generalized_alpha";
  double spectral_radius =
      0.8;  // in [0, 1], at infinite frequency: 1 conserves, 0 annihilates; 0.8 quiets multipliers
  double step = 1e-3;  // [s], > 0: none is longer, all are equal
  NewtonOptions newton;
  std::uint64_t max_steps = 100'000'000;  // >= 1: the run stops beyond
};

/// RATTLE, order 2 and symplectic, for mechanisms with holonomic constraints; docs/methods/rattle.md.
struct RattleOptions {
  static constexpr std::string_view name = "rattle";
  double step = 1e-3;                     // [s], > 0: none is longer, all are equal
  int newton_iterations = 50;             // in [1, 200]: a step that needs more fails
  std::uint64_t max_steps = 100'000'000;  // >= 1: the run stops beyond
};

using Method =
    std::variant<Rk45Options, Dop853Options, Rk23Options, Rk4Options, EulerOptions, Radau5Options,
                 ImplicitEulerOptions, LinearImplicitEulerOptions, BdfOptions,
                 GeneralizedAlphaOptions, RattleOptions, IdaOptions, TaylorOptions>;

/// "rk45", "radau5", "ida", "taylor", ...
std::string_view name(const Method& method);
const std::vector<std::string>& method_names();
/// Of a step; 0 for methods with fixed steps only.
double tolerance(const Method& method);
/// [s]; 0 when steps are controlled.
double fixed_step(const Method& method);

/// Every option out of its range, each with its value and the range.
std::vector<Diagnostic> check(const Method& method);

/// The value of an option: a number or a word.
struct OptionValue {
  template <class T>
  requires std::is_arithmetic_v<T> OptionValue(T value) : number(static_cast<double>(value)) {}
  template <std::convertible_to<std::string_view> T>
  OptionValue(const T& value) : word(std::string_view(value)) {}
  double number = 0;
  std::string word;  // "" for a number
};

/// The method called `name` with options by name ("tolerance", "step", ...; booleans as 0 or 1),
/// checked. Throws ModelError that suggests the nearest name for an unknown one; its diagnostics
/// point at `place`.
Method make_method(std::string_view name, const std::map<std::string, OptionValue>& options,
                   const Place& place = {});

}  // namespace daedal::solve
