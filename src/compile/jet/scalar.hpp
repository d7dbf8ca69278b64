// What jets need of a number type: values of operations at the expansion point, and inner products.
#pragma once

#include "daedal/base/lanes.hpp"
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

/// sum of factor * sum_i a[i] b[i] over a window i < count. In eight partial sums, so that every machine adds in the same
/// order; both arrays must be readable up to the next multiple of eight, and what they hold there may be anything.
template <class T>
class InnerProducts;
/// How many entries, count >= 1: the same for all products of a run, so prepared once.
template <class T>
class Window;

template <>
class Window<double> {
 public:
  explicit Window(int count) : whole_((count - 1) / 8) {
    const auto left = static_cast<std::size_t>(count - 8 * whole_);
    for (std::size_t lane = 0; lane < left; ++lane)
      last_[lane / Lanes::width][lane % Lanes::width] = -1;
  }

 private:
  friend class InnerProducts<double>;
  using Lanes = daedal::Lanes<8>;
  int whole_ = 0;                         // blocks of eight before the last one
  Lanes::Mask last_[Lanes::registers]{};  // which lanes of the last block count
};

template <>
class InnerProducts<double> {
 public:
  explicit InnerProducts(const Window<double>& window) : window_(window) {}
  void add(const double* a, const double* b) {
    Lanes products;
    multiply(a, b, products);
    for (std::size_t k = 0; k < Lanes::registers; ++k) sum_.part[k] += products.part[k];
  }
  void add(double factor, const double* a, const double* b) {
    Lanes products;
    multiply(a, b, products);
    for (std::size_t k = 0; k < Lanes::registers; ++k) sum_.part[k] += factor * products.part[k];
  }
  double value() const {
    double x[8];
    sum_.store(x);
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
  }

 private:
  using Lanes = Window<double>::Lanes;
  void multiply(const double* a, const double* b, Lanes& sum) const {
    int i = 0;
    for (int block = 0; block < window_.whole_; ++block, i += 8)
      for (std::size_t k = 0; k < Lanes::registers; ++k)
        sum.part[k] += Lanes::load(a + i, k) * Lanes::load(b + i, k);
    for (std::size_t k = 0; k < Lanes::registers; ++k) {
      const Lanes::Register last = Lanes::load(a + i, k) * Lanes::load(b + i, k);
      sum.part[k] +=
          reinterpret_cast<Lanes::Register>(reinterpret_cast<Lanes::Mask>(last) & window_.last_[k]);
    }
  }

  const Window<double>& window_;
  Lanes sum_;
};

template <>
class Window<Quad> {
 public:
  explicit Window(int count) : count_(count) {}

 private:
  friend class InnerProducts<Quad>;
  int count_ = 0;
};

template <>
class InnerProducts<Quad> {
 public:
  explicit InnerProducts(const Window<Quad>& window) : window_(window) {}
  void add(const Quad* a, const Quad* b) { add(Quad(1), a, b); }
  void add(Quad factor, const Quad* a, const Quad* b) {
    Quad sum = 0;
    for (int i = 0; i < window_.count_; ++i) sum += a[i] * b[i];
    sum_ += factor * sum;
  }
  Quad value() const { return sum_; }

 private:
  const Window<Quad>& window_;
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
class CompensatedProducts<Quad> {
 public:
  void add(Quad factor, Quad a) { sum_ += factor * a; }
  void add(Quad factor, const Quad* a, const Quad* b, int count) {
    const Window<Quad> window(count);
    InnerProducts<Quad> products(window);
    products.add(factor, a, b);
    sum_ += products.value();
  }
  Quad value() const { return sum_; }

 private:
  Quad sum_ = 0;
};

template <class T>
T inner_product(const Window<T>& window, const T* a, const T* b) {
  InnerProducts<T> product(window);
  product.add(a, b);
  return product.value();
}

}  // namespace daedal::compile
