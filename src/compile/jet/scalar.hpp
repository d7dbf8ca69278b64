// What jets need of a number type: values of operations at the expansion point, and inner products.
#pragma once

#include "daedal/compile/jet.hpp"

#include <cmath>

namespace daedal::compile {

/// Coefficient 0 of an operation, as expr::apply.
double apply_at(const expr::Graph& graph, const expr::Node& node, double a, double b, double c);
Quad apply_at(const expr::Graph& graph, const expr::Node& node, Quad a, Quad b, Quad c);

/// Taylor coefficients in s, at s, of the rest-to-rest polynomial or spline of `node`: out[n], n < count.
void outer_coefficients(const expr::Graph& graph, const expr::Node& node, double s, int count,
                        double* out);
void outer_coefficients(const expr::Graph& graph, const expr::Node& node, Quad s, int count,
                        Quad* out);

inline double square_root(double a) { return std::sqrt(a); }
Quad square_root(Quad a);

/// sum of a[i] b[i], i < count. In eight partial sums, so that every machine adds in the same order; both arrays must be
/// readable up to the next multiple of eight.
inline double inner_product(const double* a, const double* b, int count) {
  using Lanes = double __attribute__((vector_size(64), aligned(8), may_alias));
  using Mask = long long __attribute__((vector_size(64)));
  const auto load = [](const double* p) { return *reinterpret_cast<const Lanes*>(p); };
  Lanes sum{};
  int i = 0;
  for (; i + 8 <= count; i += 8) sum += load(a + i) * load(b + i);
  if (i < count) {
    const Mask lane{0, 1, 2, 3, 4, 5, 6, 7};
    const Lanes zero{};
    const Lanes product = load(a + i) * load(b + i);
    sum += lane < count - i ? product : zero;  // what lies behind may be anything
  }
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

inline Quad inner_product(const Quad* a, const Quad* b, int count) {
  Quad sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace daedal::compile
