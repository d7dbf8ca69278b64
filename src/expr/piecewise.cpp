// Piecewise polynomials in local powers, evaluated by Horner's scheme.
#include "daedal/expr/graph.hpp"

#include <algorithm>

namespace daedal::expr {
namespace {

// d^n/dh^n of sum_j c_j h^j: the factor j (j-1) ... (j-n+1) of each power is applied on the way.
double horner(const double* coefficients, int degree, double h, int derivative) {
  double sum = 0;
  for (int j = degree; j >= derivative; --j) {
    double factor = 1;
    for (int k = 0; k < derivative; ++k) factor *= j - k;
    sum = sum * h + factor * coefficients[j];
  }
  return sum;
}

}  // namespace

double PiecewisePolynomial::value(double x, int derivative) const {
  if (breaks.size() < 2) return derivative == 0 && !coefficients.empty() ? coefficients[0] : 0;
  const bool outside = x < breaks.front() || x > breaks.back();
  if (outside && derivative > 0) return 0;
  const double inside = std::min(std::max(x, breaks.front()), breaks.back());
  const auto above = std::upper_bound(breaks.begin() + 1, breaks.end() - 1, inside);
  const auto piece = static_cast<std::size_t>(above - breaks.begin()) - 1;
  const std::size_t powers = static_cast<std::size_t>(degree) + 1;
  return horner(coefficients.data() + piece * powers, degree, inside - breaks[piece], derivative);
}

}  // namespace daedal::expr
