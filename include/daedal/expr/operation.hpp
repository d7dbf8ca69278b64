// The operations of expressions, and all that is known about each of them: one row a piece.
//
// To add an operation, add an enumerator and its row. What follows from the facts (arity, names, C text, which operands a
// derivative passes) is then known everywhere. What needs code of its own does not compile until that code exists:
// - `visit` calls an overload for the compile-time type Is<Op::...>: values, native code, printing, derivatives, bounds,
//   switches;
// - a switch over Op has no `default`, and -Werror=switch (src/CMakeLists.txt) names the missing case: jets.
// tests/emit/operation_test.cpp goes through the table and compares all back ends for every row.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace daedal::expr {

enum class Op : std::uint8_t {
  constant,  // a and b are the low and high halves of the value's bits, so equal bits are one node
  leaf,      // a = symbol, aux = order
  // one operand
  neg,
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  abs,
  sign,
  floor,
  logical_not,
  powi,  // operand^aux, aux a signed 16-bit integer
  rest_to_rest,  // b-th derivative (with respect to its argument) of the rest-to-rest polynomial of smoothness aux
  spline,  // b-th derivative of the piecewise polynomial number aux of the graph's table
  // two operands
  add,
  sub,
  mul,
  div,
  pow,
  atan2,
  min,
  max,
  mod,
  less,
  less_equal,
  logical_and,
  logical_or,  // 1 or 0
  // three operands: a ? b : c
  select,  // stays the last one
};

struct Operation {
  enum class Kind : std::uint8_t {
    leaf,        // no operation
    arithmetic,  // a few instructions of the processor
    elementary,  // a function of daedal/expr/elementary.hpp
    trajectory,  // a function with a table (aux) and an order of derivative (b)
  };
  enum class Smoothness : std::uint8_t {
    smooth,
    cut,     // smooth but for the jump of an angle by a turn
    kink,    // continuous
    jump,    // not even that
    chosen,  // jumps where its condition does
    joined,  // as smooth as the table says
  };
  enum class Notation : std::uint8_t { own, call, infix };

  Op op = Op::constant;
  std::uint8_t arity = 0;  // how many of a, b, c are child nodes
  Kind kind = Kind::arithmetic;
  Smoothness smoothness = Smoothness::smooth;
  bool truth = false;       // the value is 1 or 0
  unsigned derivative = 0;  // bit i: the derivative passes operand i
  Notation notation = Notation::own;
  std::string_view text, latex;  // name of the function, or the operator, where `notation` says so
  bool latex_exponent = false;   // sin^2(x) is read as sin(x)^2
  std::string_view c;  // C99 for operands {0}, {1}, {2}; {3}: exponent, {4}: aux, {5}: order

  constexpr bool passes(int operand) const { return (derivative >> operand & 1u) != 0; }
  constexpr bool is_function() const { return kind > Kind::arithmetic; }
};

// clang-format off
inline constexpr auto operations = [] {
  using enum Operation::Kind;
  using enum Operation::Smoothness;
  using enum Operation::Notation;
  return std::to_array<Operation>({
    // operation         arity  kind        smoothness truth derivative notation text   latex            exponent  C
    {Op::constant,         0, Operation::Kind::leaf, smooth, false, 0b000, own,   "",      "",                     false, ""},
    {Op::leaf,             0, Operation::Kind::leaf, smooth, false, 0b000, own,   "",      "",                     false, ""},
    {Op::neg,              1, arithmetic, smooth,  false, 0b001, own,   "",      "",                     false, "-{0}"},
    {Op::sqrt,             1, arithmetic, smooth,  false, 0b001, call,  "sqrt",  "\\sqrt",               false, "sqrt({0})"},
    {Op::exp,              1, elementary, smooth,  false, 0b001, call,  "exp",   "\\exp",                false, "exp({0})"},
    {Op::log,              1, elementary, smooth,  false, 0b001, call,  "log",   "\\ln",                 false, "log({0})"},
    {Op::sin,              1, elementary, smooth,  false, 0b001, call,  "sin",   "\\sin",                true,  "sin({0})"},
    {Op::cos,              1, elementary, smooth,  false, 0b001, call,  "cos",   "\\cos",                true,  "cos({0})"},
    {Op::tan,              1, elementary, smooth,  false, 0b001, call,  "tan",   "\\tan",                true,  "tan({0})"},
    {Op::asin,             1, elementary, smooth,  false, 0b001, call,  "asin",  "\\arcsin",             false, "asin({0})"},
    {Op::acos,             1, elementary, smooth,  false, 0b001, call,  "acos",  "\\arccos",             false, "acos({0})"},
    {Op::atan,             1, elementary, smooth,  false, 0b001, call,  "atan",  "\\arctan",             false, "atan({0})"},
    {Op::sinh,             1, elementary, smooth,  false, 0b001, call,  "sinh",  "\\sinh",               true,  "sinh({0})"},
    {Op::cosh,             1, elementary, smooth,  false, 0b001, call,  "cosh",  "\\cosh",               true,  "cosh({0})"},
    {Op::tanh,             1, elementary, smooth,  false, 0b001, call,  "tanh",  "\\tanh",               true,  "tanh({0})"},
    {Op::abs,              1, arithmetic, kink,    false, 0b001, call,  "abs",   "",                     false, "fabs({0})"},
    {Op::sign,             1, arithmetic, jump,    false, 0b000, call,  "sign",  "\\operatorname{sgn}",  false, "(double)((0.0 < {0}) - ({0} < 0.0))"},
    {Op::floor,            1, arithmetic, jump,    false, 0b000, call,  "floor", "",                     false, "floor({0})"},
    {Op::logical_not,      1, arithmetic, smooth,  true,  0b000, own,   "",      "",                     false, "(double)({0} == 0.0)"},
    {Op::powi,             1, arithmetic, smooth,  false, 0b001, own,   "",      "",                     false, "integer_power({0}, {3})"},
    {Op::rest_to_rest,     1, trajectory, joined,  false, 0b001, own,   "",      "",                     false, "rest_to_rest({0}, {4}, {5})"},
    {Op::spline,           1, trajectory, joined,  false, 0b001, own,   "",      "",                     false, ""},
    {Op::add,              2, arithmetic, smooth,  false, 0b011, own,   "",      "",                     false, "{0} + {1}"},
    {Op::sub,              2, arithmetic, smooth,  false, 0b011, own,   "",      "",                     false, "{0} - {1}"},
    {Op::mul,              2, arithmetic, smooth,  false, 0b011, own,   "",      "",                     false, "{0}*{1}"},
    {Op::div,              2, arithmetic, smooth,  false, 0b011, own,   "",      "",                     false, "{0}/{1}"},
    {Op::pow,              2, elementary, smooth,  false, 0b011, own,   "",      "",                     false, "pow({0}, {1})"},
    {Op::atan2,            2, elementary, cut,     false, 0b011, call,  "atan2", "\\operatorname{atan2}", false, "atan2({0}, {1})"},
    {Op::min,              2, arithmetic, kink,    false, 0b011, call,  "min",   "\\min",                false, "({1} < {0} ? {1} : {0})"},
    {Op::max,              2, arithmetic, kink,    false, 0b011, call,  "max",   "\\max",                false, "({0} < {1} ? {1} : {0})"},
    {Op::mod,              2, arithmetic, jump,    false, 0b011, call,  "mod",   "\\operatorname{mod}",  false, "{0} - {1}*floor({0}/{1})"},
    {Op::less,             2, arithmetic, jump,    true,  0b000, infix, " < ",   " < ",                  false, "(double)({0} < {1})"},
    {Op::less_equal,       2, arithmetic, jump,    true,  0b000, infix, " <= ",  " \\le ",               false, "(double)({0} <= {1})"},
    {Op::logical_and,      2, arithmetic, smooth,  true,  0b000, infix, " and ", " \\wedge ",            false, "(double)({0} != 0.0 && {1} != 0.0)"},
    {Op::logical_or,       2, arithmetic, smooth,  true,  0b000, infix, " or ",  " \\vee ",              false, "(double)({0} != 0.0 || {1} != 0.0)"},
    {Op::select,           3, arithmetic, chosen,  false, 0b110, own,   "",      "",                     false, "({0} != 0.0 ? {1} : {2})"},
  });
}();
// clang-format on

constexpr const Operation& facts(Op op) { return operations[static_cast<std::size_t>(op)]; }
/// How many of a, b, c are child nodes.
constexpr int arity(Op op) { return facts(op).arity; }

static_assert(operations.size() == static_cast<std::size_t>(Op::select) + 1);
static_assert(
    [] {
      for (std::size_t i = 0; i < operations.size(); ++i)
        if (operations[i].op != static_cast<Op>(i)) return false;
      return true;
    }(),
    "the row of each operation stands at its number");

/// An operation as a type, to choose an overload by.
template <Op op>
using Is = std::integral_constant<Op, op>;

/// visit(Is<op>()), for an `op` known at run time; not for constants and leaves, which are no operations.
template <class Visit>
decltype(auto) visit(Op op, Visit&& visitor) {
  using Result = decltype(visitor(Is<Op::add>()));
  using Call = Result (*)(Visit&);
  constexpr std::size_t first = static_cast<std::size_t>(Op::leaf) + 1;
  static constexpr auto calls = []<std::size_t... i>(std::index_sequence<i...>) {
    return std::array<Call, sizeof...(i)>{
        [](Visit& v) -> Result { return v(Is<static_cast<Op>(first + i)>()); }...};
  }
  (std::make_index_sequence<operations.size() - first>());
  assert(op > Op::leaf);
  return calls[static_cast<std::size_t>(op) - first](visitor);
}

}  // namespace daedal::expr
