// The elementary functions by name, and one namespace per vector width with their array versions.
#pragma once

#include <cstddef>

// All but sin and cos, which come as a pair.
#define DAEDAL_UNARY(X) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(exp) X(log)
#define DAEDAL_BINARY(X) X(pow) X(atan2)

#define DAEDAL_DECLARE_UNARY(name) void name(const double* x, double* y, std::size_t n);
#define DAEDAL_DECLARE_BINARY(name) \
  void name(const double* x, const double* y, double* z, std::size_t n);
#define DAEDAL_DECLARE_LANES(width)                                  \
  namespace width {                                                  \
  void sincos(const double* x, double* s, double* c, std::size_t n); \
  DAEDAL_DECLARE_UNARY(sin)                                          \
  DAEDAL_DECLARE_UNARY(cos)                                          \
  DAEDAL_UNARY(DAEDAL_DECLARE_UNARY)                                 \
  DAEDAL_BINARY(DAEDAL_DECLARE_BINARY)                               \
  }

namespace daedal::expr::elementary {
#if defined(__x86_64__)
DAEDAL_DECLARE_LANES(sse2)    // 2 lanes, no fused multiply-add: cinz
DAEDAL_DECLARE_LANES(avx2)    // 4 lanes: finz
DAEDAL_DECLARE_LANES(avx512)  // 8 lanes: finz
#endif
}  // namespace daedal::expr::elementary
