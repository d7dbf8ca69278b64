// Operations in quadruple precision, by GCC's libquadmath. Its header is GCC's own; these declarations also serve Clang.

#include "compile/jet/scalar.hpp"
#include "daedal/expr/meaning.hpp"

#include <algorithm>

using daedal::compile::Quad;
extern "C" {
Quad sqrtq(Quad);
Quad expq(Quad);
Quad logq(Quad);
Quad sinq(Quad);
Quad cosq(Quad);
Quad tanq(Quad);
Quad asinq(Quad);
Quad acosq(Quad);
Quad atanq(Quad);
Quad sinhq(Quad);
Quad coshq(Quad);
Quad tanhq(Quad);
Quad floorq(Quad);
Quad powq(Quad, Quad);
Quad atan2q(Quad, Quad);
}

namespace daedal::compile {

namespace {

Quad integer_power(Quad base, int exponent) {
  Quad result = 1;
  for (int k = 0; k < (exponent < 0 ? -exponent : exponent); ++k) result *= base;
  return exponent < 0 ? 1 / result : result;
}

/// s_m(s) for 0 <= s <= 1/2, see expr/rest_to_rest.cpp.
Quad lower_half(Quad s, int m) {
  Quad term = 1, sum = 1;
  for (int k = 1; k <= m; ++k) {
    term *= (1 - s) * (m + k) / k;
    sum += term;
  }
  return integer_power(s, m + 1) * sum;
}

/// c_m = (2m+1) prod (2j-1)/(2j)
Quad peak(int m) {
  Quad product = 2 * m + 1;
  for (int j = 1; j <= m; ++j) product *= Quad(2 * j - 1) / (2 * j);
  return product;
}

/// The n-th derivative of (1-y^2)^m times 2^n, as in expr/rest_to_rest.cpp; a quad's range needs no scaling.
Quad differentiated_power(Quad s, int m, int n) {
  const Quad y = 2 * s - 1, b = 4 * s * (1 - s);
  if (n <= m) {
    Quad previous = 0, current = 1;
    for (int k = 0; k < n; ++k) {
      const Quad next =
          Quad(4 * (k - m)) * y * current + Quad(4 * k * (k - 1 - 2 * m)) * b * previous;
      previous = current;
      current = next;
    }
    return current * integer_power(b, m - n);
  }
  const int j = n - m;
  const Quad alpha = j + Quad(0.5);
  Quad previous = 0, current = 1;
  for (int k = 1; k <= m - j; ++k) {
    const Quad next = (2 * y * (k + alpha - 1) * current - (k + 2 * alpha - 2) * previous) / k;
    previous = current;
    current = next;
  }
  for (int k = 1; k <= m; ++k) current *= -4 * k;
  for (int k = 1; k <= j; ++k) current *= 2 * (2 * k - 1);
  return current;
}

Quad rest_to_rest(Quad s, int m, int derivative) {
  if (derivative == 0) {
    if (s <= 0) return 0;
    if (s >= 1) return 1;
    return s <= Quad(0.5) ? lower_half(s, m) : 1 - lower_half(1 - s, m);
  }
  const int n = derivative - 1;
  return s < 0 || s > 1 || n > 2 * m ? Quad(0) : peak(m) * differentiated_power(s, m, n);
}

Quad spline(const expr::PiecewisePolynomial& p, Quad x, int derivative) {
  if (p.breaks.size() < 2)
    return derivative == 0 && !p.coefficients.empty() ? p.coefficients[0] : 0.0;
  const bool outside = x < p.breaks.front() || x > p.breaks.back();
  if (outside && derivative > 0) return 0;
  const Quad inside = std::min(std::max(x, Quad(p.breaks.front())), Quad(p.breaks.back()));
  std::size_t piece = 0;
  while (piece + 2 < p.breaks.size() && inside >= p.breaks[piece + 1]) ++piece;
  const double* const c = p.coefficients.data() + piece * (static_cast<std::size_t>(p.degree) + 1);
  Quad sum = 0;
  for (int j = p.degree; j >= derivative; --j) {
    Quad factor = 1;
    for (int k = 0; k < derivative; ++k) factor *= j - k;
    sum = sum * (inside - p.breaks[piece]) + factor * c[j];
  }
  return sum;
}

}  // namespace

}  // namespace daedal::compile

template <>
struct daedal::expr::Functions<Quad> {
  static Quad sqrt(Quad a) { return sqrtq(a); }
  static Quad abs(Quad a) { return a < 0 ? -a : a; }
  static Quad floor(Quad a) { return floorq(a); }
  static Quad exp(Quad a) { return expq(a); }
  static Quad log(Quad a) { return logq(a); }
  static Quad sin(Quad a) { return sinq(a); }
  static Quad cos(Quad a) { return cosq(a); }
  static Quad tan(Quad a) { return tanq(a); }
  static Quad asin(Quad a) { return asinq(a); }
  static Quad acos(Quad a) { return acosq(a); }
  static Quad atan(Quad a) { return atanq(a); }
  static Quad sinh(Quad a) { return sinhq(a); }
  static Quad cosh(Quad a) { return coshq(a); }
  static Quad tanh(Quad a) { return tanhq(a); }
  static Quad pow(Quad a, Quad b) { return powq(a, b); }
  static Quad atan2(Quad a, Quad b) { return atan2q(a, b); }
  static Quad integer_power(Quad a, int n) { return compile::integer_power(a, n); }
  static Quad rest_to_rest(Quad s, int m, int n) { return compile::rest_to_rest(s, m, n); }
  static Quad spline(const PiecewisePolynomial& p, Quad x, int n) {
    return compile::spline(p, x, n);
  }
};

namespace daedal::compile {

Quad square_root(Quad a) { return sqrtq(a); }

Quad apply_at(const expr::Graph& graph, const expr::Node& node, Quad a, Quad b, Quad c) {
  return expr::value_of<Quad>(graph, node, a, b, c);
}

void outer_coefficients(const expr::Graph& graph, const expr::Node& node, Quad s, int count,
                        Quad* out) {
  Quad factorial = 1;
  for (int n = 0; n < count; ++n) {
    if (n > 1) factorial *= n;
    const int order = static_cast<int>(node.b) + n;
    out[n] = (node.op == expr::Op::rest_to_rest ? rest_to_rest(s, node.aux, order)
                                                : spline(graph.spline(node.aux), s, order)) /
             factorial;
  }
}

}  // namespace daedal::compile
