// Complex numbers in two arrays, one of real and one of imaginary parts.
//
// Side by side in one array, products of complex numbers are what GCC 12 vectorises by fused multiply-add-subtract
// instructions, -ffp-contract=off or not: results then depend on the processor the code was compiled for. In two arrays
// all lanes of a vector do the same, each product and each sum is rounded by itself, and loops over columns vectorise
// without shuffles.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace daedal::base {

/// A complex number whose products are the textbook's: what is finite needs no rescue of infinities (C11, annex G).
struct Complex {
  double re = 0, im = 0;

  Complex() = default;
  Complex(double real, double imaginary = 0) : re(real), im(imaginary) {}

  friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend Complex operator-(Complex a) { return {-a.re, -a.im}; }
  friend Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend Complex operator*(double a, Complex b) { return {a * b.re, a * b.im}; }
  friend Complex operator*(Complex a, double b) { return b * a; }
  friend Complex operator/(Complex a, Complex b) {
    const double size = b.re * b.re + b.im * b.im;
    return {(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
  }
  friend bool operator==(Complex, Complex) = default;
};

/// |re| + |im|: as good as the modulus for choosing pivots, and cheaper.
inline double size_of(double v) { return std::abs(v); }
inline double size_of(Complex v) { return std::abs(v.re) + std::abs(v.im); }

/// One number of a planar array.
struct ComplexReference {
  double &re, &im;

  operator Complex() const { return {re, im}; }
  const ComplexReference& operator=(Complex v) const {
    re = v.re;
    im = v.im;
    return *this;
  }
  ComplexReference(double& real, double& imaginary) : re(real), im(imaginary) {}
  ComplexReference(const ComplexReference&) = default;
  const ComplexReference& operator=(const ComplexReference& other) const {
    return *this = Complex(other);
  }
  const ComplexReference& operator+=(Complex v) const { return *this = Complex(*this) + v; }
  const ComplexReference& operator-=(Complex v) const { return *this = Complex(*this) - v; }
  const ComplexReference& operator*=(Complex v) const { return *this = Complex(*this) * v; }
  friend void swap(ComplexReference a, ComplexReference b) {
    std::swap(a.re, b.re);
    std::swap(a.im, b.im);
  }
};

/// Where an array of complex numbers begins.
struct ComplexPointer {
  double *re = nullptr, *im = nullptr;

  ComplexReference operator[](std::size_t i) const { return {re[i], im[i]}; }
  friend ComplexPointer operator+(ComplexPointer p, std::size_t i) { return {p.re + i, p.im + i}; }
};

struct ConstComplexPointer {
  const double *re = nullptr, *im = nullptr;

  ConstComplexPointer(const double* real, const double* imaginary) : re(real), im(imaginary) {}
  ConstComplexPointer(ComplexPointer p) : re(p.re), im(p.im) {}
  friend ConstComplexPointer operator+(ConstComplexPointer p, std::size_t i) {
    return {p.re + i, p.im + i};
  }
};

/// Arrays of real or of complex numbers.
template <class Scalar>
class Planar;

template <>
class Planar<double> {
 public:
  using Pointer = double*;
  using ConstPointer = const double*;

  explicit Planar(std::size_t n = 0) : values_(n) {}
  std::size_t size() const { return values_.size(); }
  double* data() { return values_.data(); }
  const double* data() const { return values_.data(); }
  double& operator[](std::size_t i) { return values_[i]; }
  double operator[](std::size_t i) const { return values_[i]; }

 private:
  std::vector<double> values_;
};

template <>
class Planar<Complex> {
 public:
  using Pointer = ComplexPointer;
  using ConstPointer = ConstComplexPointer;

  explicit Planar(std::size_t n = 0) : re_(n), im_(n) {}
  std::size_t size() const { return re_.size(); }
  ComplexPointer data() { return {re_.data(), im_.data()}; }
  ConstComplexPointer data() const { return {re_.data(), im_.data()}; }
  ComplexReference operator[](std::size_t i) { return {re_[i], im_[i]}; }
  Complex operator[](std::size_t i) const { return {re_[i], im_[i]}; }

 private:
  std::vector<double> re_, im_;
};

/// to[i] -= factor * from[i], first <= i < last.
inline void subtract_multiple(double factor, const double* from, std::size_t first,
                              std::size_t last, double* to) {
  if (factor == 0) return;
#pragma GCC ivdep
  for (std::size_t i = first; i < last; ++i) to[i] -= factor * from[i];
}
inline void subtract_multiple(Complex factor, ConstComplexPointer from, std::size_t first,
                              std::size_t last, ComplexPointer to) {
  if (factor == Complex{}) return;
#pragma GCC ivdep
  for (std::size_t i = first; i < last; ++i) {
    to.re[i] -= factor.re * from.re[i] - factor.im * from.im[i];
    to.im[i] -= factor.re * from.im[i] + factor.im * from.re[i];
  }
}

}  // namespace daedal::base
