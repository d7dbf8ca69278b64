// Steps: a Program's instructions as interpreters like them.
//
// Every step costs a dispatch and a trip through memory, so two instructions become one step where that changes no bit:
// a product that only feeds one sum is computed with it (and still rounded before the sum: no fused multiply-add), and
// sine and cosine of one angle come as the pair they are.
#pragma once

#include "compile/program.hpp"

#include <cstdint>
#include <vector>

namespace daedal::compile {

enum class StepOp : std::uint8_t {
  // as expr::Op
  neg,
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  abs,
  sign,
  floor,
  logical_not,
  rest_to_rest,
  spline,
  add,
  sub,
  mul,
  div,
  pow,
  atan2,
  min,
  max,
  mod,
  less,
  less_equal,
  logical_and,
  logical_or,
  select,
  // two in one
  mul_add,  // a*b + c
  mul_sub,  // a*b - c
  sub_mul,  // c - a*b
  sincos,   // result: sine, second: cosine of a
};

struct Step {
  StepOp op = StepOp::add;
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
