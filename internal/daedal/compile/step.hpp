// Steps: a Program's instructions in the form that interpreters use.
//
// Every step costs a dispatch and a trip through memory, so two instructions become one step where that changes no bit:
// a product that only feeds one sum is computed with it (and still rounded before the sum: no fused multiply-add), and
// sine and cosine of one angle come as the pair they are.
#pragma once

#include "daedal/compile/program.hpp"

#include <cstdint>
#include <vector>

namespace daedal::compile {

/// An operation as expr::Op, or two in one.
enum class StepOp : std::uint8_t {
  mul_add = expr::operations.size(),  // a*b + c
  mul_sub,                            // a*b - c
  sub_mul,                            // c - a*b
  sincos,                             // result: sine, second: cosine of a
};
constexpr StepOp step_op(expr::Op op) { return static_cast<StepOp>(op); }
constexpr bool is_plain(StepOp op) { return op < StepOp::mul_add; }
constexpr expr::Op plain(StepOp op) { return static_cast<expr::Op>(op); }  // op must be

struct Step {
  StepOp op = StepOp::mul_add;
  std::uint16_t aux = 0;                 // smoothness or spline
  std::uint32_t derivative = 0;          // of rest_to_rest or spline
  std::uint32_t a = 0, b = 0, c = 0;     // values
  std::uint32_t result = 0, second = 0;  // values
};

int operand_count(StepOp op);

struct Steps {
  std::vector<Step> prepare, evaluate;  // each in an order that can be executed
};
Steps steps_of(const Program& program);

}  // namespace daedal::compile
