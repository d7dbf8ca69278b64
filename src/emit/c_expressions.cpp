#include "c_expressions.hpp"

#include "c_elementary.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/expr/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace daedal::emit {

namespace {

using expr::Op;

/// The call or operator of a node whose operands are a, b, c in text: see expr::Meaning.
std::string operation(const CFunction& function, const expr::Node& node, const std::string& a,
                      const std::string& b, const std::string& c) {
  if (node.op == Op::spline) {
    const expr::PiecewisePolynomial& p = function.graph.spline(node.aux);
    return fmt::format("spline({0}, {1}_breaks_{2}, {1}_coefficients_{2}, {3}, {4}, {5})", a,
                       function.name, node.aux, p.breaks.size() - 1, p.degree, node.b);
  }
  if (function.own_elementary && node.op == Op::rest_to_rest)
    return fmt::format("common_rest_to_rest({}, {}, {}, {})", a, node.aux, node.b,
                       c_number(expr::rest_to_rest_value(0.5, node.aux, 1)));
  if (function.own_elementary && expr::facts(node.op).kind == expr::Operation::Kind::elementary)
    return fmt::format("{}({}{}{})", c_elementary_name(node.op), a, b.empty() ? "" : ", ", b);
  return fmt::format(fmt::runtime(expr::facts(node.op).c), a, b, c,
                     static_cast<std::int16_t>(node.aux), node.aux, node.b);
}
static_assert(std::ranges::all_of(expr::operations, [](const expr::Operation& o) {
  return o.kind == expr::Operation::Kind::leaf || o.op == Op::spline || !o.c.empty();
}));

/// Sines and cosines of the same angle, by angle, where both are own functions: one call finds both.
std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> angle_pairs(
    const CFunction& function) {
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> angles;
  if (!function.own_elementary) return angles;
  for (const expr::Expr e : expr::reachable(function.graph, function.roots)) {
    const expr::Node& node = function.graph.node(e);
    if (node.op == Op::sin) angles[node.a].first = e.id;
    if (node.op == Op::cos) angles[node.a].second = e.id;
  }
  std::erase_if(angles, [](const auto& angle) {  // no function is the first node, a constant
    return angle.second.first == 0 || angle.second.second == 0;
  });
  return angles;
}

constexpr const char* integer_power_text = R"(
static double integer_power(double base, int exponent) {
  double power = 1.0;
  int left = exponent < 0 ? -exponent : exponent;
  for (; left > 0; left /= 2) {
    if (left % 2 == 1) power *= base;
    base *= base;
  }
  return exponent < 0 ? 1.0/power : power;
}
)";

constexpr const char* rest_to_rest_text = R"(
/* derivative n of the polynomial from 0 to 1 with m vanishing derivatives at both ends */
static double rest_to_rest(double s, int m, int n) {
  double value = 1.0, before = 0.0, scale = 2.0*m + 1.0;
  const double b = 4.0*s*(1.0 - s), y = 2.0*s - 1.0;
  int k;
  if (s < 0.0 || s > 1.0) return n == 0 && s > 1.0 ? 1.0 : 0.0;
  if (n == 0) {
    const double x = s > 0.5 ? 1.0 - s : s;
    double term = 1.0, sum = 1.0;
    for (k = 1; k <= m; ++k) {
      term *= (1.0 - x)*(m + k)/k;
      sum += term;
    }
    for (k = 0; k <= m; ++k) sum *= x;
    return s > 0.5 ? 1.0 - sum : sum;
  }
  for (k = 1; k <= m; ++k) scale *= (2.0*k - 1.0)/(2.0*k);
  --n;
  for (k = 0; k < n; ++k) scale *= 2.0;
  if (n <= m) {
    for (k = 0; k < n; ++k) {
      const double next = 2.0*(k - m)*y*value + k*(k - 1.0 - 2.0*m)*b*before;
      before = value;
      value = next;
    }
    for (k = n; k < m; ++k) value *= b;
    return scale*value;
  }
  for (k = 1; k <= m; ++k) scale *= -2.0*k;
  for (k = 1; k <= n - m; ++k) scale *= 2.0*k - 1.0;
  for (k = 1; k <= 2*m - n; ++k) {
    const double lambda = n - m + 0.5;
    const double next = (2.0*(k + lambda - 1.0)*y*value - (k + 2.0*lambda - 2.0)*before)/k;
    before = value;
    value = next;
  }
  return n > 2*m ? 0.0 : scale*value;
}
)";

/// The operations of expr/rest_to_rest.cpp; the peak of the first derivative is the constant of all of them.
constexpr const char* common_rest_to_rest_text = R"(
/* mantissa*2^exponent times a factor */
static void scale_by(double* mantissa, int* exponent, double factor) {
  int shift = 0;
  *mantissa = frexp(*mantissa*factor, &shift);
  *exponent += shift;
}

/* derivative n of the polynomial from 0 to 1 with m vanishing derivatives at both ends */
static double common_rest_to_rest(double s, int m, int n, double peak) {
  const double b = 4.0*s*(1.0 - s), y = 2.0*s - 1.0;
  double before = 0.0, value = 1.0;
  int exponent = 0, shift = 0, k;
  if (n == 0) {
    const double x = s <= 0.5 ? s : 1.0 - s;
    double term = 1.0, sum = 1.0;
    if (s <= 0.0) return 0.0;
    if (s >= 1.0) return 1.0;
    for (k = 1; k <= m; ++k) {
      term *= (1.0 - x)*(m + k)/k;
      sum += term;
    }
    sum = integer_power(x, m + 1)*sum;
    return s <= 0.5 ? sum : 1.0 - sum;
  }
  --n;
  if (s < 0.0 || s > 1.0 || n > 2*m) return 0.0;
  if (n <= m) {
    double base;
    for (k = 0; k < n; ++k) {
      const double next = 4.0*(k - m)*y*value + 4.0*k*(k - 1 - 2*m)*b*before;
      before = value;
      value = next;
      if (fabs(value) > 0x1p400 || fabs(before) > 0x1p400) {
        value /= 0x1p400;
        before /= 0x1p400;
        exponent += 400;
      }
    }
    base = frexp(b, &shift);
    scale_by(&value, &exponent, integer_power(base, m - n));
    exponent += shift*(m - n);
  } else {
    const int j = n - m;
    const double alpha = j + 0.5;
    for (k = 1; k <= m - j; ++k) {
      const double next = (2.0*y*(k + alpha - 1.0)*value - (k + 2.0*alpha - 2.0)*before)/k;
      before = value;
      value = next;
    }
    for (k = 1; k <= m; ++k) scale_by(&value, &exponent, -4.0*k);
    for (k = 1; k <= j; ++k) scale_by(&value, &exponent, 2.0*(2*k - 1));
  }
  scale_by(&value, &exponent, peak);
  return ldexp(value, exponent);
}
)";

constexpr const char* spline_text = R"(
/* derivative n of a piecewise polynomial, constant beyond its ends */
static double spline(double x, const double* breaks, const double* coefficients, int pieces,
                     int degree, int n) {
  double value = 0.0;
  int low = 0, high = pieces, i, j;
  if (n > 0 && (x < breaks[0] || x > breaks[pieces])) return 0.0;
  if (x < breaks[0]) x = breaks[0];
  if (x > breaks[pieces]) x = breaks[pieces];
  while (high - low > 1) {
    const int middle = (low + high)/2;
    if (breaks[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  coefficients += low*(degree + 1);
  for (i = degree; i >= n; --i) {
    double factor = coefficients[i];
    for (j = 0; j < n; ++j) factor *= i - j;
    value = value*(x - breaks[low]) + factor;
  }
  return value;
}
)";

std::string numbers(const std::string& name, const std::vector<double>& values) {
  std::string text = fmt::format("static const double {}[] = {{", name);
  for (std::size_t i = 0; i < values.size(); ++i)
    text += (i == 0 ? "" : i % 6 == 0 ? ",\n  " : ", ") + c_number(values[i]);
  return text + "};\n";
}

}  // namespace

std::string c_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0 ? "(" + text + ")" : text;
}

std::string c_statements(const CFunction& function,
                         const std::function<std::string(expr::Leaf)>& leaf,
                         const std::function<std::string(std::size_t)>& target) {
  const expr::Graph& graph = function.graph;
  const auto text_of = [&](std::uint32_t id) {
    const expr::Expr e{id};
    const Op op = graph.node(e).op;
    if (op == Op::constant) return c_number(graph.constant_value(e));
    if (op == Op::leaf) return leaf(graph.leaf_of(e));
    return fmt::format("v{}", id);
  };
  const auto angles = angle_pairs(function);
  std::string text;
  for (const expr::Expr e : expr::reachable(graph, function.roots)) {
    const expr::Node& node = graph.node(e);
    if (node.op == Op::constant || node.op == Op::leaf) continue;
    stop_point();
    const bool is_angle = node.op == Op::sin || node.op == Op::cos;
    if (const auto angle = angles.find(node.a); is_angle && angle != angles.end()) {
      const auto [sine, cosine] = angle->second;
      if (e.id == std::min(sine, cosine))
        text += fmt::format("  double v{0}, v{1};\n  sine_and_cosine({2}, &v{0}, &v{1});\n", sine,
                            cosine, text_of(node.a));
      continue;
    }
    const int operands = expr::arity(node.op);
    text += fmt::format(
        "  const double v{} = {};\n", e.id,
        operation(function, node, operands > 0 ? text_of(node.a) : "",
                  operands > 1 ? text_of(node.b) : "", operands > 2 ? text_of(node.c) : ""));
  }
  for (std::size_t i = 0; i < function.roots.size(); ++i)
    text += fmt::format("  {} = {};\n", target(i), text_of(function.roots[i].id));
  return text;
}

std::string c_helpers(std::span<const CFunction> functions) {
  bool power = false, rest = false, common_rest = false, pairs = false;
  std::set<Op> elementary;
  std::string tables;
  for (const CFunction& function : functions) {
    std::set<std::uint16_t> splines;
    const auto angles = angle_pairs(function);
    pairs = pairs || !angles.empty();
    for (const expr::Expr e : expr::reachable(function.graph, function.roots)) {
      const expr::Node& node = function.graph.node(e);
      power = power || node.op == Op::powi;
      if (node.op == Op::rest_to_rest) (function.own_elementary ? common_rest : rest) = true;
      const bool paired = (node.op == Op::sin || node.op == Op::cos) && angles.contains(node.a);
      if (function.own_elementary && !paired &&
          expr::facts(node.op).kind == expr::Operation::Kind::elementary)
        elementary.insert(node.op);
      if (node.op == Op::spline) splines.insert(node.aux);
    }
    for (const std::uint16_t number : splines) {
      const expr::PiecewisePolynomial& p = function.graph.spline(number);
      tables += numbers(fmt::format("{}_breaks_{}", function.name, number), p.breaks) +
                numbers(fmt::format("{}_coefficients_{}", function.name, number), p.coefficients);
    }
  }
  return c_elementary(elementary, pairs) + (power || common_rest ? integer_power_text : "") +
         (rest ? rest_to_rest_text : "") + (common_rest ? common_rest_to_rest_text : "") +
         (tables.empty() ? "" : spline_text + std::string("\n") + tables);
}

}  // namespace daedal::emit
