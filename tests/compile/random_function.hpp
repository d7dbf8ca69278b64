// Random straight-line functions over every operation, reproducible from a seed.
#pragma once

#include "daedal/compile/kernel.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace daedal::compile::testing {

/// All NaNs are one value: its payload is not part of the promise.
inline std::uint64_t bits(double v) {
  return std::isnan(v) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(v);
}

inline constexpr expr::Op unary_ops[] = {
    expr::Op::neg,   expr::Op::sqrt,       expr::Op::exp,  expr::Op::log,  expr::Op::sin,
    expr::Op::cos,   expr::Op::tan,        expr::Op::asin, expr::Op::acos, expr::Op::atan,
    expr::Op::sinh,  expr::Op::cosh,       expr::Op::tanh, expr::Op::abs,  expr::Op::sign,
    expr::Op::floor, expr::Op::logical_not};
inline constexpr expr::Op binary_ops[] = {
    expr::Op::add,        expr::Op::sub,         expr::Op::mul,       expr::Op::div, expr::Op::pow,
    expr::Op::atan2,      expr::Op::min,         expr::Op::max,       expr::Op::mod, expr::Op::less,
    expr::Op::less_equal, expr::Op::logical_and, expr::Op::logical_or};

struct RandomFunction {
  std::shared_ptr<expr::Graph> graph = std::make_shared<expr::Graph>();
  expr::Function function;
  std::vector<expr::Expr> outputs;
  Layout layout;
  std::vector<double> point;
};

/// `operations` nodes over `leaves` leaves, the last third of which are parameters.
inline RandomFunction random_function(std::uint64_t seed, std::uint32_t leaves,
                                      std::uint32_t operations, std::uint32_t rows) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::uniform_real_distribution<double> value(-2, 2);
  RandomFunction result;
  expr::Graph& g = *result.graph;
  std::vector<expr::Expr> pool;
  for (std::uint32_t i = 0; i < leaves; ++i) {
    const expr::Leaf leaf{i / 2 + 1, static_cast<std::uint16_t>(i % 2)};
    result.layout.add(leaf);
    result.point.push_back(value(random));
    pool.push_back(g.leaf(leaf));
  }
  result.layout.first_parameter = leaves - leaves / 3;
  const std::uint16_t spline =
      g.add_spline({{-1, 0, 0.5, 2}, {1, 2, 3, -1, 0.5, 0.25, 2, 2, 2, 0, -1, 1}, 3, 0});
  const auto any = [&] { return pool[below(pool.size())]; };
  const auto recent = [&] {
    return pool[pool.size() - 1 - below(std::min<std::size_t>(pool.size(), 12))];
  };
  for (std::uint32_t i = 0; i < operations; ++i) {
    const expr::Expr a = recent(), b = any();
    switch (below(12)) {
      case 0:
        pool.push_back(g.unary(unary_ops[below(std::size(unary_ops))], a));
        break;
      case 1:
        pool.push_back(g.binary(binary_ops[below(std::size(binary_ops))], a, b));
        break;
      case 2:
        pool.push_back(g.powi(a, static_cast<int>(below(13)) - 4));
        break;
      case 3:
        pool.push_back(g.select(g.binary(expr::Op::less, a, b), any(), any()));
        break;
      case 4:
        pool.push_back(below(2) ? g.rest_to_rest(a, 3, static_cast<int>(below(3)))
                                : g.spline(spline, a, static_cast<int>(below(3))));
        break;
      case 5:
        pool.push_back(g.add(g.unary(expr::Op::sin, b), g.unary(expr::Op::cos, b)));
        break;
      case 6:
        pool.push_back(g.unary(expr::Op::tanh, g.mul(a, g.constant(value(random)))));
        break;
      case 7:
        pool.push_back(g.div(a, g.add(g.constant(1.5), g.mul(b, b))));
        break;
      case 8:
        pool.push_back(g.sub(g.mul(a, b), any()));
        break;
      case 9:
        pool.push_back(g.sub(any(), g.mul(a, b)));
        break;
      case 10:
        pool.push_back(g.add(g.mul(a, b), g.mul(any(), any())));
        break;
      default:
        pool.push_back(g.mul(a, b));
        break;
    }
  }
  std::vector<expr::Term> terms;
  for (std::uint32_t row = 0; row < rows; ++row) {
    result.outputs.push_back(row < 3 ? pool[row] : recent());  // some outputs are plain leaves
    terms.push_back({result.outputs.back(), row});
  }
  result.function.rows = rows;
  result.function.families.push_back(expr::identity_family(result.graph, terms));
  return result;
}

inline std::vector<double> evaluate(const Kernel& kernel, const std::vector<double>& point) {
  Workspace work = kernel.workspace();
  kernel.prepare(point.data(), work);
  std::vector<double> rows(kernel.rows());
  kernel.evaluate(point.data(), rows.data(), work);
  return rows;
}

}  // namespace daedal::compile::testing
