// Loops over arrays by vector functions; the including file defines which:
//   DAEDAL_WIDTH (namespace), DAEDAL_LANES, DAEDAL_LOAD, DAEDAL_STORE, DAEDAL_VECTOR(name).
// Each including file is compiled for its own instruction set, so nothing but these loops may live there: an inline
// library function instantiated with wider instructions could be the copy the linker keeps for everyone.
// A rest shorter than a vector is padded with its own first element, so that padding cannot take a slow path of its own.
#pragma once

#include "expr/elementary_lanes.hpp"

#include <sleef.h>

#define DAEDAL_DEFINE_UNARY(name)                                                      \
  void name(const double* x, double* y, std::size_t n) {                               \
    std::size_t i = 0;                                                                 \
    for (; i + DAEDAL_LANES <= n; i += DAEDAL_LANES)                                   \
      DAEDAL_STORE(y + i, vector_##name(DAEDAL_LOAD(x + i)));                          \
    if (i == n) return;                                                                \
    double rest[DAEDAL_LANES];                                                         \
    for (std::size_t k = 0; k < DAEDAL_LANES; ++k) rest[k] = x[i + k < n ? i + k : i]; \
    DAEDAL_STORE(rest, vector_##name(DAEDAL_LOAD(rest)));                              \
    for (std::size_t k = 0; i + k < n; ++k) y[i + k] = rest[k];                        \
  }
#define DAEDAL_DEFINE_BINARY(name)                                                       \
  void name(const double* x, const double* y, double* z, std::size_t n) {                \
    std::size_t i = 0;                                                                   \
    for (; i + DAEDAL_LANES <= n; i += DAEDAL_LANES)                                     \
      DAEDAL_STORE(z + i, DAEDAL_VECTOR(name)(DAEDAL_LOAD(x + i), DAEDAL_LOAD(y + i)));  \
    if (i == n) return;                                                                  \
    double rest_x[DAEDAL_LANES], rest_y[DAEDAL_LANES];                                   \
    for (std::size_t k = 0; k < DAEDAL_LANES; ++k) {                                     \
      rest_x[k] = x[i + k < n ? i + k : i];                                              \
      rest_y[k] = y[i + k < n ? i + k : i];                                              \
    }                                                                                    \
    DAEDAL_STORE(rest_x, DAEDAL_VECTOR(name)(DAEDAL_LOAD(rest_x), DAEDAL_LOAD(rest_y))); \
    for (std::size_t k = 0; i + k < n; ++k) z[i + k] = rest_x[k];                        \
  }
#define DAEDAL_NAME_VECTOR(name) \
  static inline Vector vector_##name(Vector x) { return DAEDAL_VECTOR(name)(x); }

namespace daedal::expr::elementary::DAEDAL_WIDTH {

using Vector = decltype(DAEDAL_LOAD(static_cast<const double*>(nullptr)));
DAEDAL_UNARY(DAEDAL_NAME_VECTOR)
static inline Vector vector_sin(Vector x) { return DAEDAL_VECTOR(sincos)(x).x; }
static inline Vector vector_cos(Vector x) { return DAEDAL_VECTOR(sincos)(x).y; }

DAEDAL_DEFINE_UNARY(sin)
DAEDAL_DEFINE_UNARY(cos)
DAEDAL_UNARY(DAEDAL_DEFINE_UNARY)
DAEDAL_BINARY(DAEDAL_DEFINE_BINARY)

void sincos(const double* x, double* s, double* c, std::size_t n) {
  std::size_t i = 0;
  for (; i + DAEDAL_LANES <= n; i += DAEDAL_LANES) {
    const auto pair = DAEDAL_VECTOR(sincos)(DAEDAL_LOAD(x + i));
    DAEDAL_STORE(s + i, pair.x);
    DAEDAL_STORE(c + i, pair.y);
  }
  if (i == n) return;
  double rest_s[DAEDAL_LANES], rest_c[DAEDAL_LANES];
  for (std::size_t k = 0; k < DAEDAL_LANES; ++k) rest_s[k] = x[i + k < n ? i + k : i];
  const auto pair = DAEDAL_VECTOR(sincos)(DAEDAL_LOAD(rest_s));
  DAEDAL_STORE(rest_s, pair.x);
  DAEDAL_STORE(rest_c, pair.y);
  for (std::size_t k = 0; i + k < n; ++k) {
    s[i + k] = rest_s[k];
    c[i + k] = rest_c[k];
  }
}

}  // namespace daedal::expr::elementary::DAEDAL_WIDTH
