// A Program: the straight line of operations between a point and the rows, shared by every back end.
//
// Values are numbered: constants, then loads (values read from memory), then one value per instruction. What depends on
// the parameters alone comes first among the loads and the instructions, so that it can be computed once. Integer powers
// are written out as multiplications (in the order of expr::integer_power), nothing unused remains, and equal
// instructions occur once.
#pragma once

#include "daedal/expr/graph.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace daedal::compile {

/// `op` of values a, b, c; for rest_to_rest and spline, b is the derivative and aux the smoothness or the spline.
struct Instruction {
  expr::Op op = expr::Op::add;
  std::uint16_t aux = 0;
  std::uint32_t a = 0, b = 0, c = 0;
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

struct Program {
  std::vector<double> constants;
  std::vector<std::uint32_t> loads;  // what to read: the key that `Source` gave
  std::vector<Instruction> code;
  std::vector<std::uint32_t> outputs;  // values
  std::uint32_t prepared_loads = 0;    // loads[0 .. prepared_loads) are parameters
  std::uint32_t prepared = 0;          // code[0 .. prepared) depends on parameters alone
  std::vector<expr::PiecewisePolynomial> splines;

  std::uint32_t first_load() const { return static_cast<std::uint32_t>(constants.size()); }
  std::uint32_t first_code() const {
    return first_load() + static_cast<std::uint32_t>(loads.size());
  }
  std::uint32_t values() const { return first_code() + static_cast<std::uint32_t>(code.size()); }
};

/// Where a node's value is read from instead of being computed: `key` of the load, or nothing. Every leaf must have one.
struct Load {
  std::uint32_t key = 0;
  bool parameter = false;
};
using Source = std::function<std::optional<Load>(expr::Expr)>;

Program lower(const expr::Graph& graph, std::span<const expr::Expr> outputs, const Source& source);

}  // namespace daedal::compile
