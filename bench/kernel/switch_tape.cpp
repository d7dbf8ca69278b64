#include "switch_tape.hpp"

#include "daedal/expr/elementary.hpp"

#include <cmath>
#include <stdexcept>

namespace daedal::bench {

using expr::Op;
namespace elementary = expr::elementary;

SwitchTape::Code SwitchTape::code_of(Op op) {
  switch (op) {
    case Op::neg:
      return Code::neg;
    case Op::add:
      return Code::add;
    case Op::sub:
      return Code::sub;
    case Op::mul:
      return Code::mul;
    case Op::div:
      return Code::div;
    case Op::sqrt:
      return Code::sqrt;
    case Op::sin:
      return Code::sin;
    case Op::cos:
      return Code::cos;
    default:
      throw std::logic_error("the benchmark's problems do not use this operation");
  }
}

SwitchTape::SwitchTape(const compile::Program& program, Kind kind, const double* point)
    : values_(program.values()) {
  const bool lean = kind == Kind::lean;
  std::vector<Instruction> once;  // lean: constants and parameters
  std::uint32_t value = 0;
  for (const double constant : program.constants)
    (lean ? once : tape_).push_back({Code::constant, value++, 0, 0, constant});
  for (std::uint32_t k = 0; k < program.loads.size(); ++k, ++value) {
    if (lean && k >= program.prepared_loads) {
      inputs_.push_back({program.loads[k], value});
    } else {
      (lean ? once : tape_).push_back({Code::input, value, program.loads[k], 0, 0});
    }
  }
  for (std::uint32_t k = 0; k < program.code.size(); ++k, ++value) {
    const compile::Instruction& i = program.code[k];
    (lean && k < program.prepared ? once : tape_).push_back({code_of(i.op), value, i.a, i.b, 0});
  }
  for (std::uint32_t k = 0; k < program.outputs.size(); ++k) {
    if (lean) {
      outputs_.push_back({program.outputs[k], k});
    } else {
      tape_.push_back({Code::output, k, program.outputs[k], 0, 0});
    }
  }
  run(once, point, nullptr);
}

void SwitchTape::evaluate(const double* point, double* rows) {
  for (const Copy& c : inputs_) values_[c.to] = point[c.from];
  run(tape_, point, rows);
  for (const Copy& c : outputs_) rows[c.to] = values_[c.from];
}

void SwitchTape::run(const std::vector<Instruction>& tape, const double* point, double* rows) {
  double* const v = values_.data();
  for (const Instruction& i : tape) {
    switch (i.code) {
      case Code::constant:
        v[i.result] = i.value;
        break;
      case Code::input:
        v[i.result] = point[i.a];
        break;
      case Code::output:
        rows[i.result] = v[i.a];
        break;
      case Code::neg:
        v[i.result] = -v[i.a];
        break;
      case Code::add:
        v[i.result] = v[i.a] + v[i.b];
        break;
      case Code::sub:
        v[i.result] = v[i.a] - v[i.b];
        break;
      case Code::mul:
        v[i.result] = v[i.a] * v[i.b];
        break;
      case Code::div:
        v[i.result] = v[i.a] / v[i.b];
        break;
      case Code::sqrt:
        v[i.result] = std::sqrt(v[i.a]);
        break;
      case Code::sin:
        v[i.result] = elementary::sin(v[i.a]);
        break;
      case Code::cos:
        v[i.result] = elementary::cos(v[i.a]);
        break;
    }
  }
}

}  // namespace daedal::bench
