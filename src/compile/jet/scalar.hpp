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

/// sum of factor * sum_i a[i] b[i], i < count. In eight partial sums, so that every machine adds in the same order; both
/// arrays must be readable up to the next multiple of eight, and what they hold there may be anything.
template <class T>
class InnerProducts;

template <>
class InnerProducts<double> {
 public:
  void add(const double* a, const double* b, int count) {
    each(a, b, count, [](Lanes product) { return product; });
  }
  void add(double factor, const double* a, const double* b, int count) {
    each(a, b, count, [=](Lanes product) { return factor * product; });
  }
  double value() const {
    const Half half = __builtin_shufflevector(sum_, sum_, 0, 1, 2, 3) +
                      __builtin_shufflevector(sum_, sum_, 4, 5, 6, 7);
    const Quarter quarter =
        __builtin_shufflevector(half, half, 0, 1) + __builtin_shufflevector(half, half, 2, 3);
    return quarter[0] + quarter[1];
  }

 private:
  using Lanes = double __attribute__((vector_size(64)));
  using Half = double __attribute__((vector_size(32)));
  using Quarter = double __attribute__((vector_size(16)));
  using Mask = long long __attribute__((vector_size(64)));

  static Lanes load(const double* p) {
    Lanes lanes;
    __builtin_memcpy(&lanes, p, sizeof lanes);
    return lanes;
  }

  template <class Scale>
  void each(const double* a, const double* b, int count, Scale scale) {
    int i = 0;
    for (; i + 8 <= count; i += 8) sum_ += scale(load(a + i) * load(b + i));
    if (i == count) return;
    const Mask lane{0, 1, 2, 3, 4, 5, 6, 7};
    const Lanes zero{};
    sum_ += lane < count - i ? scale(load(a + i) * load(b + i)) : zero;
  }

  Lanes sum_{};
};

template <>
class InnerProducts<Quad> {
 public:
  void add(const Quad* a, const Quad* b, int count) { add(Quad(1), a, b, count); }
  void add(Quad factor, const Quad* a, const Quad* b, int count) {
    Quad sum = 0;
    for (int i = 0; i < count; ++i) sum += a[i] * b[i];
    sum_ += factor * sum;
  }
  Quad value() const { return sum_; }

 private:
  Quad sum_ = 0;
};

/// The same with the rounding errors of products and sums added up beside them [OgitaRumpOishi2005, Dot2]: as if in twice
/// the precision, rounded once.
template <class T>
class CompensatedProducts;

template <>
class CompensatedProducts<double> {
 public:
  void add(double factor, double a) { add_exact(factor * a, std::fma(factor, a, -factor * a)); }
  void add(double factor, const double* a, const double* b, int count) {
    for (int i = 0; i < count; ++i) {
      const double product = a[i] * b[i], rest = std::fma(a[i], b[i], -product);
      const double scaled = factor * product;
      add_exact(scaled, std::fma(factor, product, -scaled) + factor * rest);
    }
  }
  double value() const { return sum_ + rest_; }

 private:
  void add_exact(double value, double rest) {
    const double sum = sum_ + value, part = sum - sum_;
    rest_ += ((sum_ - (sum - part)) + (value - part)) + rest;
    sum_ = sum;
  }
  double sum_ = 0, rest_ = 0;
};

template <>
class CompensatedProducts<Quad> : public InnerProducts<Quad> {
 public:
  using InnerProducts<Quad>::add;
  void add(Quad factor, Quad a) {
    const Quad one = 1;
    add(factor, &a, &one, 1);
  }
};

template <class T>
T inner_product(const T* a, const T* b, int count) {
  InnerProducts<T> product;
  product.add(a, b, count);
  return product.value();
}

}  // namespace daedal::compile
