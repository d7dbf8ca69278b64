#include "daedal/compile/step.hpp"

#include <unordered_map>

namespace daedal::compile {
namespace {

using expr::Op;

// How often each value is used, outputs included.
std::vector<std::uint32_t> use_counts(const Program& program) {
  std::vector<std::uint32_t> uses(program.values());
  for (const Instruction& i : program.code) {
    const std::uint32_t operands[] = {i.a, i.b, i.c};
    for (int k = 0; k < arity(i.op); ++k) ++uses[operands[k]];
  }
  for (std::uint32_t output : program.outputs) ++uses[output];
  return uses;
}

class StepMaker {
 public:
  explicit StepMaker(const Program& program)
      : program_(program), uses_(use_counts(program)), absorbed_(program.code.size()) {}

  std::vector<Step> make(std::uint32_t begin, std::uint32_t end) {
    begin_ = begin;
    for (std::uint32_t i = begin; i < end; ++i) note_angle(i);
    for (std::uint32_t i = begin; i < end; ++i) absorb_product(i);
    std::vector<Step> steps;
    for (std::uint32_t i = begin; i < end; ++i) {
      if (!absorbed_[i]) steps.push_back(step(i));
    }
    return steps;
  }

 private:
  const Instruction* product(std::uint32_t value) const {
    if (value < program_.first_code() + begin_ || uses_[value] != 1) return nullptr;
    const Instruction& i = program_.code[value - program_.first_code()];
    return i.op == Op::mul ? &i : nullptr;
  }

  // The later of two instructions sin(a), cos(a) is computed with the earlier one.
  void note_angle(std::uint32_t index) {
    const Instruction& i = program_.code[index];
    if (i.op != Op::sin && i.op != Op::cos) return;
    const auto [place, is_first] = angle_.emplace(i.a, index);
    if (is_first) return;
    absorbed_[index] = true;
    partner_[place->second] = index;
  }

  void absorb_product(std::uint32_t index) {
    const Instruction& i = program_.code[index];
    if (i.op != Op::add && i.op != Op::sub) return;
    if (product(i.a)) {
      absorbed_[i.a - program_.first_code()] = true;
    } else if (product(i.b)) {
      absorbed_[i.b - program_.first_code()] = true;
    }
  }

  Step step(std::uint32_t index) const {
    const Instruction& i = program_.code[index];
    const std::uint32_t result = program_.first_code() + index;
    if (expr::facts(i.op).kind == expr::Operation::Kind::trajectory)
      return {step_op(i.op), i.aux, i.b, i.a, 0, 0, result, 0};
    if (i.op == Op::sin || i.op == Op::cos) return angle_step(index);
    if (i.op == Op::add || i.op == Op::sub) {
      const bool sum = i.op == Op::add;
      if (const Instruction* p = product(i.a))
        return {sum ? StepOp::mul_add : StepOp::mul_sub, 0, 0, p->a, p->b, i.b, result, 0};
      if (const Instruction* p = product(i.b))
        return {sum ? StepOp::mul_add : StepOp::sub_mul, 0, 0, p->a, p->b, i.a, result, 0};
    }
    return {step_op(i.op), 0, 0, i.a, i.b, i.c, result, 0};
  }

  Step angle_step(std::uint32_t index) const {
    const Instruction& i = program_.code[index];
    const std::uint32_t first = program_.first_code();
    const auto partner = partner_.find(index);
    if (partner == partner_.end()) return {step_op(i.op), 0, 0, i.a, 0, 0, first + index, 0};
    const std::uint32_t sine = i.op == Op::sin ? index : partner->second;
    const std::uint32_t cosine = i.op == Op::sin ? partner->second : index;
    return {StepOp::sincos, 0, 0, i.a, 0, 0, first + sine, first + cosine};
  }

  const Program& program_;
  std::vector<std::uint32_t> uses_;
  std::vector<bool> absorbed_;
  std::uint32_t begin_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t>
      angle_;  // value -> first instruction taking its sine or cosine
  std::unordered_map<std::uint32_t, std::uint32_t> partner_;  // that instruction -> the other one
};

}  // namespace

int operand_count(StepOp op) {
  if (is_plain(op)) return expr::arity(plain(op));
  return op == StepOp::sincos ? 1 : 3;
}

Steps steps_of(const Program& program) {
  StepMaker maker(program);
  Steps steps;
  steps.prepare = maker.make(0, program.prepared);
  steps.evaluate = maker.make(program.prepared, static_cast<std::uint32_t>(program.code.size()));
  return steps;
}

}  // namespace daedal::compile
