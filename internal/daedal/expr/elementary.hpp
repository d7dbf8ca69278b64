// Elementary functions with one value per argument: the same bits from every back end.
//
// The tape, native code and vector lanes may each compute sin(x), at different times and eight at once, and must agree
// to the last bit. SLEEF's deterministic families [Shibata2020] promise exactly that, within 1.0 ulp: "finz"
// where the processor has fused multiply-add, "cinz" elsewhere; all vector widths of a family give the bits of its
// scalar functions. The processor is checked once per call by a predicted branch, so no state is kept here.
//
// Mechanics nearly always needs sine and cosine of the same angle, and SLEEF computes both for the price of one; its
// lone sin and cos differ from the pair in the last bit. So sin and cos are *defined* as the halves of the pair: whether
// a back end pairs them or not cannot be seen in the result.
#pragma once

#include "daedal/expr/graph.hpp"

#include <cstddef>

namespace daedal::expr::elementary {

struct SinCos {
  double sin, cos;
};
SinCos sincos(double x);

double sin(double x);
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double sinh(double x);
double cosh(double x);
double tanh(double x);
double exp(double x);
double log(double x);
double pow(double x, double y);
double atan2(double y, double x);

// y[i] = f(x[i]), i < n, bit for bit the scalar function; y may be x itself but must not overlap it otherwise.
void sincos(const double* x, double* s, double* c, std::size_t n);  // s or c may be x itself
void sin(const double* x, double* y, std::size_t n);
void cos(const double* x, double* y, std::size_t n);
void tan(const double* x, double* y, std::size_t n);
void asin(const double* x, double* y, std::size_t n);
void acos(const double* x, double* y, std::size_t n);
void atan(const double* x, double* y, std::size_t n);
void sinh(const double* x, double* y, std::size_t n);
void cosh(const double* x, double* y, std::size_t n);
void tanh(const double* x, double* y, std::size_t n);
void exp(const double* x, double* y, std::size_t n);
void log(const double* x, double* y, std::size_t n);
// z[i] = x[i]^y[i] and z[i] = atan2(y[i], x[i]).
void pow(const double* x, const double* y, double* z, std::size_t n);
void atan2(const double* y, const double* x, double* z, std::size_t n);

/// From so many arguments on the array version is faster than calls one by one (sincos on AVX-512: 6.7 ns a call, 20.5 ns
/// for an array of up to 8).
inline constexpr std::size_t array_pays = 4;

/// Whether values here have the bits they have on every x86-64 processor with AVX2 and FMA. An older one computes with the
/// family without fused operations: as precise, other last digits.
bool has_common_bits();

using Unary = double (*)(double);
using Binary = double (*)(double, double);
using Pair = SinCos (*)(double);
using UnaryArray = void (*)(const double*, double*, std::size_t);
using PairArray = void (*)(const double*, double*, double*, std::size_t);
using BinaryArray = void (*)(const double*, const double*, double*, std::size_t);

/// The function this processor uses for an operation, for code that calls by address; nullptr when `op` is not among
/// the functions above.
Unary unary(Op op);
Binary binary(Op op);
UnaryArray unary_array(Op op);
BinaryArray binary_array(Op op);
Pair sincos_function();
PairArray sincos_array();

}  // namespace daedal::expr::elementary
