// What each step computes, once for all interpreters; the meanings are those of expr::apply.
#pragma once

#include "compile/step.hpp"
#include "daedal/expr/elementary.hpp"

#include <cmath>
#include <stdexcept>

namespace daedal::compile {

/// Steps that call an elementary function or read a table; all others are arithmetic.
inline bool is_function(StepOp op) {
  return (op >= StepOp::exp && op <= StepOp::tanh) || op == StepOp::pow || op == StepOp::atan2 ||
         op == StepOp::rest_to_rest || op == StepOp::spline || op == StepOp::sincos;
}

/// visit(f) with f the arithmetic operation as a function object of one, two or three doubles.
template <class Visit>
auto visit_arithmetic(StepOp op, Visit&& visit) {
  switch (op) {
    case StepOp::neg:
      return visit([](double x) { return -x; });
    case StepOp::sqrt:
      return visit([](double x) { return std::sqrt(x); });
    case StepOp::abs:
      return visit([](double x) { return std::fabs(x); });
    case StepOp::sign:
      return visit([](double x) { return (x > 0 ? 1.0 : 0.0) - (x < 0 ? 1.0 : 0.0); });
    case StepOp::floor:
      return visit([](double x) { return std::floor(x); });
    case StepOp::logical_not:
      return visit([](double x) { return x == 0 ? 1.0 : 0.0; });
    case StepOp::add:
      return visit([](double x, double y) { return x + y; });
    case StepOp::sub:
      return visit([](double x, double y) { return x - y; });
    case StepOp::mul:
      return visit([](double x, double y) { return x * y; });
    case StepOp::div:
      return visit([](double x, double y) { return x / y; });
    case StepOp::min:
      return visit([](double x, double y) { return y < x ? y : x; });
    case StepOp::max:
      return visit([](double x, double y) { return x < y ? y : x; });
    case StepOp::mod:
      return visit([](double x, double y) { return x - y * std::floor(x / y); });
    case StepOp::less:
      return visit([](double x, double y) { return x < y ? 1.0 : 0.0; });
    case StepOp::less_equal:
      return visit([](double x, double y) { return x <= y ? 1.0 : 0.0; });
    case StepOp::logical_and:
      return visit([](double x, double y) { return x != 0 && y != 0 ? 1.0 : 0.0; });
    case StepOp::logical_or:
      return visit([](double x, double y) { return x != 0 || y != 0 ? 1.0 : 0.0; });
    case StepOp::select:
      return visit([](double x, double y, double z) { return x != 0 ? y : z; });
    case StepOp::mul_add:
      return visit([](double x, double y, double z) { return x * y + z; });
    case StepOp::mul_sub:
      return visit([](double x, double y, double z) { return x * y - z; });
    case StepOp::sub_mul:
      return visit([](double x, double y, double z) { return z - x * y; });
    default:
      throw std::logic_error("not an arithmetic step");
  }
}

/// The expr::Op of a step that calls an elementary function of one or two arguments.
inline expr::Op elementary_op(StepOp op) {
  switch (op) {
    case StepOp::exp:
      return expr::Op::exp;
    case StepOp::log:
      return expr::Op::log;
    case StepOp::sin:
      return expr::Op::sin;
    case StepOp::cos:
      return expr::Op::cos;
    case StepOp::tan:
      return expr::Op::tan;
    case StepOp::asin:
      return expr::Op::asin;
    case StepOp::acos:
      return expr::Op::acos;
    case StepOp::atan:
      return expr::Op::atan;
    case StepOp::sinh:
      return expr::Op::sinh;
    case StepOp::cosh:
      return expr::Op::cosh;
    case StepOp::tanh:
      return expr::Op::tanh;
    case StepOp::pow:
      return expr::Op::pow;
    case StepOp::atan2:
      return expr::Op::atan2;
    default:
      throw std::logic_error("not an elementary function");
  }
}

}  // namespace daedal::compile
