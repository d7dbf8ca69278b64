// Motions: line, circle, rest_to_rest, spline.
#include "daedal/model/functions.hpp"
#include "daedal/model/natural_spline.hpp"
#include "daedal/model/signal_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

namespace daedal::model {

using expr::Expr;
using expr::Op;

/// line(p0, pf, s) = p0 + (pf - p0) s
Value line(Algebra& algebra, const EvaluatedCall& call) {
  call.require_count(3);
  const Value& start = call.arguments[0];
  const Value way = algebra.subtract(call.arguments[1], start, call.place);
  return algebra.add(start, algebra.multiply(way, Value::scalar(call.scalar(2)), call.place),
                     call.place);
}

/// circle(center, p0, normal, s): one turn about the normal for s from 0 to 1, starting at p0. With
/// the radius r = p0 - center normal to the unit vector n it is Rodrigues' formula
/// center + r cos(2 pi s) + n x r sin(2 pi s); in the plane the normal is 1 (counter-clockwise)
/// or -1.
Value circle(Algebra& algebra, const EvaluatedCall& call) {
  call.require_count(4);
  const Value& center = call.vector(0);
  const Value radius = algebra.subtract(call.vector(1), center, call.place);
  Value turned;  // n x r
  if (center.shape.rows == 2) {
    const Value n = Value::scalar(call.scalar(2));
    const Expr across = algebra.negate(Value::scalar(radius.entries[1]), call.place).entries[0];
    turned = algebra.multiply(n, Value::vector({across, radius.entries[0]}), call.place);
  } else {
    call.vector(0, 3);
    const Value& normal = call.vector(2, 3);
    const Value length = Value::scalar(algebra.norm(normal, call.place));
    turned = algebra.cross(algebra.divide(normal, length, call.place), radius, call.place);
  }
  const Value turn = algebra.multiply(algebra.number(2 * std::numbers::pi),
                                      Value::scalar(call.scalar(3)), call.place);
  const auto part = [&](const Value& arm, Op op) {
    const Expr factor = algebra.unary(op, turn.entries[0], call.place);
    return algebra.multiply(arm, Value::scalar(factor), call.place);
  };
  const Value offset = algebra.add(part(radius, Op::cos), part(turned, Op::sin), call.place);
  return algebra.add(center, offset, call.place);
}

/// rest_to_rest(s, smoothness = m): from 0 at s = 0 to 1 at s = 1 with m continuous derivatives at
/// both ends; derivative = k is its k-th derivative with respect to s.
Value rest_to_rest(Algebra& algebra, const EvaluatedCall& call) {
  call.require_count(1);
  call.allow({"smoothness", "derivative"});
  const std::optional<int> smoothness =
      call.integer_option(algebra.graph(), "smoothness", 0, expr::max_smoothness);
  if (!smoothness) {
    fault(call.place, "rest_to_rest needs its smoothness",
          "write  rest_to_rest(t/tf, smoothness = 4)");
  }
  const int derivative =
      call.integer_option(algebra.graph(), "derivative", 0, 2 * expr::max_smoothness).value_or(0);
  return Value::scalar(algebra.graph().rest_to_rest(call.scalar(0), *smoothness, derivative));
}

/// spline(file = "path.csv", smoothness = 5) of time, or spline(x, file = ...) of x: the columns
/// after the first over the first, or the one named by column = "...".
Value spline(Algebra& algebra, const EvaluatedCall& call) {
  call.allow({"smoothness"}, {"file", "column"});
  const std::string file = call.text_option("file"), column = call.text_option("column");
  if (file.empty()) {
    fault(call.place, "spline needs a file", "write  spline(file = \"path.csv\", smoothness = 2)");
  }
  if (call.arguments.size() > 1) call.require_count(1);
  const Expr x = call.arguments.empty() ? algebra.time().entries[0] : call.scalar(0);
  const int smoothness =
      call.integer_option(algebra.graph(), "smoothness", 0, max_spline_smoothness)
          .value_or(default_spline_smoothness);
  const SignalFile signals(file.front() == '/' ? file : call.directory + file, call.place);
  algebra.charge(signals.rows() * signals.columns(), call.place);
  if (!column.empty()) {
    return Value::scalar(signals.spline(algebra.graph(), signals.find(column), x, smoothness));
  }
  std::vector<Expr> motions;
  for (std::size_t i = 0; i < signals.columns(); ++i)
    motions.push_back(signals.spline(algebra.graph(), i, x, smoothness));
  return motions.size() == 1 ? Value::scalar(motions[0]) : Value::vector(std::move(motions));
}

}  // namespace daedal::model
