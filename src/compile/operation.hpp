// What each step computes, once for all interpreters; the meanings are those of expr::apply.
#pragma once

#include "daedal/compile/step.hpp"
#include "daedal/expr/double_functions.hpp"

#include <cstddef>
#include <stdexcept>

namespace daedal::compile {

/// Steps that call an elementary function or read a table; all others are arithmetic.
inline bool is_function(StepOp op) {
  return op == StepOp::sincos || (is_plain(op) && expr::facts(plain(op)).is_function());
}

/// An operation as a function object, which interpreters write into their loops.
template <expr::Op op>
struct Arithmetic {
  double operator()(auto... operands) const
      requires(sizeof...(operands) == std::size_t{expr::facts(op).arity}) {
    return expr::Meaning<double>::of(expr::Is<op>(), operands...);
  }
};

/// visit(f) with f the arithmetic operation as a function object of one, two or three doubles.
template <class Visit>
auto visit_arithmetic(StepOp step, Visit&& visit) {
  if (step == StepOp::mul_add) return visit([](double x, double y, double z) { return x * y + z; });
  if (step == StepOp::mul_sub) return visit([](double x, double y, double z) { return x * y - z; });
  if (step == StepOp::sub_mul) return visit([](double x, double y, double z) { return z - x * y; });
  return expr::visit(plain(step), [&](auto op) -> decltype(visit(Arithmetic<expr::Op::add>())) {
    if constexpr (op == expr::Op::powi || expr::facts(op).is_function())
      throw std::logic_error("not an arithmetic step");  // a program has no powers
    else
      return visit(Arithmetic<op>());
  });
}

}  // namespace daedal::compile
