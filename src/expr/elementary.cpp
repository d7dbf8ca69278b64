// Choice of SLEEF's family and vector width by processor. The array versions agree with the scalar ones because all
// widths of a family do; the family itself depends on fused multiply-add alone, never on the width.
#include "daedal/expr/elementary.hpp"

#include "expr/elementary_lanes.hpp"

#include <algorithm>

// Declared here and not by sleef.h, which shows the fused family only to files compiled for it and returns `const double`.
#define DAEDAL_SLEEF_UNARY(name)                 \
  double Sleef_cinz_##name##d1_u10purec(double); \
  double Sleef_finz_##name##d1_u10purecfma(double);
#define DAEDAL_SLEEF_BINARY(name)                        \
  double Sleef_cinz_##name##d1_u10purec(double, double); \
  double Sleef_finz_##name##d1_u10purecfma(double, double);
extern "C" {
DAEDAL_UNARY(DAEDAL_SLEEF_UNARY)
DAEDAL_BINARY(DAEDAL_SLEEF_BINARY)
daedal::expr::elementary::SinCos Sleef_cinz_sincosd1_u10purec(double);
daedal::expr::elementary::SinCos Sleef_finz_sincosd1_u10purecfma(double);
}

namespace daedal::expr::elementary {
namespace {

#if defined(__x86_64__)
// The finz widths need AVX2 besides FMA; a processor with only one of the two takes cinz for scalars as well.
bool fused() { return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"); }
bool wide() { return fused() && __builtin_cpu_supports("avx512f"); }
#define DAEDAL_CHOOSE_SCALAR(name) \
  (fused() ? Sleef_finz_##name##d1_u10purecfma : Sleef_cinz_##name##d1_u10purec)
#define DAEDAL_CHOOSE_ARRAY(name) (wide() ? avx512::name : fused() ? avx2::name : sse2::name)
#else
#define DAEDAL_CHOOSE_SCALAR(name) (Sleef_finz_##name##d1_u10purecfma)
#define DAEDAL_CHOOSE_ARRAY(name) (loops::name)
#define DAEDAL_LOOP_UNARY(name)                                        \
  void name(const double* x, double* y, std::size_t n) {               \
    for (std::size_t i = 0; i < n; ++i) y[i] = elementary::name(x[i]); \
  }
#define DAEDAL_LOOP_BINARY(name)                                             \
  void name(const double* x, const double* y, double* z, std::size_t n) {    \
    for (std::size_t i = 0; i < n; ++i) z[i] = elementary::name(x[i], y[i]); \
  }
namespace loops {
DAEDAL_LOOP_UNARY(sin)
DAEDAL_LOOP_UNARY(cos)
DAEDAL_UNARY(DAEDAL_LOOP_UNARY)
DAEDAL_BINARY(DAEDAL_LOOP_BINARY)
void sincos(const double* x, double* s, double* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const SinCos pair = elementary::sincos(x[i]);
    s[i] = pair.sin;
    c[i] = pair.cos;
  }
}
}  // namespace loops
#endif

}  // namespace

#if defined(__x86_64__)
bool has_common_bits() { return fused(); }
#else
bool has_common_bits() { return true; }
#endif

#define DAEDAL_FORWARD_UNARY(name)                                \
  double name(double x) { return DAEDAL_CHOOSE_SCALAR(name)(x); } \
  void name(const double* x, double* y, std::size_t n) { DAEDAL_CHOOSE_ARRAY(name)(x, y, n); }
#define DAEDAL_FORWARD_BINARY(name)                                            \
  double name(double x, double y) { return DAEDAL_CHOOSE_SCALAR(name)(x, y); } \
  void name(const double* x, const double* y, double* z, std::size_t n) {      \
    DAEDAL_CHOOSE_ARRAY(name)(x, y, z, n);                                     \
  }
DAEDAL_UNARY(DAEDAL_FORWARD_UNARY)
DAEDAL_BINARY(DAEDAL_FORWARD_BINARY)

SinCos sincos(double x) { return DAEDAL_CHOOSE_SCALAR(sincos)(x); }
double sin(double x) { return sincos(x).sin; }
double cos(double x) { return sincos(x).cos; }
void sincos(const double* x, double* s, double* c, std::size_t n) {
  DAEDAL_CHOOSE_ARRAY(sincos)(x, s, c, n);
}
void sin(const double* x, double* y, std::size_t n) { DAEDAL_CHOOSE_ARRAY(sin)(x, y, n); }
void cos(const double* x, double* y, std::size_t n) { DAEDAL_CHOOSE_ARRAY(cos)(x, y, n); }

#define DAEDAL_CASE_SCALAR(name) \
  case Op::name:                 \
    return DAEDAL_CHOOSE_SCALAR(name);
#define DAEDAL_CASE_ARRAY(name) \
  case Op::name:                \
    return DAEDAL_CHOOSE_ARRAY(name);

#define DAEDAL_COUNT(name) +1
static_assert(std::ranges::count(operations, Operation::Kind::elementary, &Operation::kind) ==
                  2 DAEDAL_UNARY(DAEDAL_COUNT) DAEDAL_BINARY(DAEDAL_COUNT),
              "every elementary function of the table is one of these");

Unary unary(Op op) {
  switch (op) {
    case Op::sin:
      return sin;
    case Op::cos:
      return cos;
      DAEDAL_UNARY(DAEDAL_CASE_SCALAR)
    default:
      return nullptr;
  }
}

Binary binary(Op op) {
  switch (op) {
    DAEDAL_BINARY(DAEDAL_CASE_SCALAR)
    default:
      return nullptr;
  }
}

UnaryArray unary_array(Op op) {
  switch (op) {
    DAEDAL_CASE_ARRAY(sin)
    DAEDAL_CASE_ARRAY(cos)
    DAEDAL_UNARY(DAEDAL_CASE_ARRAY)
    default:
      return nullptr;
  }
}

BinaryArray binary_array(Op op) {
  switch (op) {
    DAEDAL_BINARY(DAEDAL_CASE_ARRAY)
    default:
      return nullptr;
  }
}

Pair sincos_function() { return DAEDAL_CHOOSE_SCALAR(sincos); }
PairArray sincos_array() { return DAEDAL_CHOOSE_ARRAY(sincos); }

}  // namespace daedal::expr::elementary
