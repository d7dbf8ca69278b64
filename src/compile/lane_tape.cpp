#include "compile/lane_tape.hpp"

#include "compile/operation.hpp"

#include <algorithm>
#include <type_traits>

namespace daedal::compile {
namespace {

namespace elementary = expr::elementary;

// Registers are whole strips, so a result either is an operand's register or does not touch it.
template <class F>
void arithmetic(const LaneStep& step, double* v) {
  double* const result = v + step.result;
  const double* const a = v + step.a;
  const double* const b = v + step.b;
  const double* const c = v + step.c;
#pragma GCC ivdep
  for (std::uint32_t i = 0; i < strip; ++i) {
    if constexpr (std::is_invocable_v<F, double>) {
      result[i] = F{}(a[i]);
    } else if constexpr (std::is_invocable_v<F, double, double>) {
      result[i] = F{}(a[i], b[i]);
    } else {
      result[i] = F{}(a[i], b[i], c[i]);
    }
  }
}

void lanes_many(const LaneStep& step, double* v) { step.many(v + step.a, v + step.result, strip); }
void lanes_two(const LaneStep& step, double* v) {
  step.two(v + step.a, v + step.b, v + step.result, strip);
}
void lanes_pairs(const LaneStep& step, double* v) {
  elementary::sincos(v + step.a, v + step.result, v + step.second, strip);
}
void lanes_rest_to_rest(const LaneStep& step, double* v) {
  for (std::uint32_t i = 0; i < strip; ++i)
    v[step.result + i] =
        expr::rest_to_rest_value(v[step.a + i], step.aux, static_cast<int>(step.derivative));
}
void lanes_spline(const LaneStep& step, double* v) {
  for (std::uint32_t i = 0; i < strip; ++i)
    v[step.result + i] = step.spline->value(v[step.a + i], static_cast<int>(step.derivative));
}

LaneStep lane_step(const Step& from, const Program& program) {
  LaneStep step;
  step.a = from.a * strip;
  step.b = from.b * strip;
  step.c = from.c * strip;
  step.result = from.result * strip;
  step.second = from.second * strip;
  step.derivative = from.derivative;
  step.aux = from.aux;
  if (!is_function(from.op)) {
    step.loop = visit_arithmetic(from.op, []<class F>(F) -> LaneLoop { return arithmetic<F>; });
  } else if (from.op == StepOp::sincos) {
    step.loop = lanes_pairs;
  } else if (from.op == step_op(expr::Op::rest_to_rest)) {
    step.loop = lanes_rest_to_rest;
  } else if (from.op == step_op(expr::Op::spline)) {
    step.spline = &program.splines[from.aux];
    step.loop = lanes_spline;
  } else {
    step.many = elementary::unary_array(plain(from.op));
    step.two = elementary::binary_array(plain(from.op));
    step.loop = step.two ? lanes_two : lanes_many;
  }
  return step;
}

}  // namespace

LaneTape::LaneTape(const Program& program) : program_(program) {
  const Steps steps = steps_of(program);
  for (const auto* part : {&steps.prepare, &steps.evaluate}) {
    for (const Step& step : *part) steps_.push_back(lane_step(step, program));
  }
}

std::size_t LaneTape::scratch() const { return std::size_t{program_.values()} * strip; }

void LaneTape::initialize(double* scratch) const {
  for (std::size_t k = 0; k < program_.constants.size(); ++k)
    std::fill_n(scratch + k * strip, strip, program_.constants[k]);
}

void LaneTape::compute(const double* point, const double* uniforms,
                       const std::vector<NativeRead>& loads, const std::uint32_t* strip_indices,
                       std::uint64_t strip_number, double* scratch) const {
  double* target = scratch + std::size_t{program_.first_load()} * strip;
  for (const NativeRead& load : loads) {
    if (load.from == NativeRead::From::uniform) {
      std::fill_n(target, strip, uniforms[load.index]);
    } else if (load.from == NativeRead::From::stride) {
      std::copy_n(point + load.index + strip_number * strip, strip, target);
    } else {
      const std::uint32_t* const column = strip_indices + std::size_t{load.index} * strip;
      for (std::uint32_t i = 0; i < strip; ++i) target[i] = point[column[i]];
    }
    target += strip;
  }
  for (const LaneStep& step : steps_) step.loop(step, scratch);
}

void LaneTape::scatter(const double* scratch, const std::vector<LaneOutput>& outputs,
                       const std::uint32_t* strip_indices, std::uint64_t strip_number,
                       std::uint32_t instances, double* rows) const {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const double* const added = scratch + std::size_t{program_.outputs[k]} * strip;
    if (outputs[k].stride) {
      double* const target = rows + outputs[k].index + strip_number * strip;
#pragma GCC ivdep
      for (std::uint32_t i = 0; i < strip; ++i) target[i] += added[i];
    } else {
      const std::uint32_t* const column = strip_indices + std::size_t{outputs[k].index} * strip;
      for (std::uint32_t i = 0; i < instances; ++i) {
        if (column[i] != dropped_row) rows[column[i]] += added[i];
      }
    }
  }
}

}  // namespace daedal::compile
