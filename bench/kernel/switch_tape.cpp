#include "switch_tape.hpp"

#include <cmath>
#include <stdexcept>

#include "daedal/expr/elementary.hpp"

namespace daedal::bench {

using expr::Op;
namespace elementary = expr::elementary;

SwitchTape::Code SwitchTape::code_of(Op op) {
  switch (op) {
    case Op::neg: return Code::neg;
    case Op::add: return Code::add;
    case Op::sub: return Code::sub;
    case Op::mul: return Code::mul;
    case Op::div: return Code::div;
    case Op::sqrt: return Code::sqrt;
    case Op::sin: return Code::sin;
    case Op::cos: return Code::cos;
    default: throw std::logic_error("the benchmark's problems do not use this operation");
  }
}

SwitchTape::SwitchTape(const compile::Program& program) : values_(program.values()) {
  std::uint32_t value = 0;
  for (const double constant : program.constants) tape_.push_back({Code::constant, value++, 0, 0, constant});
  for (const std::uint32_t position : program.loads) tape_.push_back({Code::input, value++, position, 0, 0});
  for (const compile::Instruction& i : program.code) tape_.push_back({code_of(i.op), value++, i.a, i.b, 0});
  for (std::uint32_t k = 0; k < program.outputs.size(); ++k) tape_.push_back({Code::output, k, program.outputs[k], 0, 0});
}

void SwitchTape::evaluate(const double* point, double* rows) {
  double* const v = values_.data();
  for (const Instruction& i : tape_) {
    switch (i.code) {
      case Code::constant: v[i.result] = i.value; break;
      case Code::input: v[i.result] = point[i.a]; break;
      case Code::output: rows[i.result] = v[i.a]; break;
      case Code::neg: v[i.result] = -v[i.a]; break;
      case Code::add: v[i.result] = v[i.a] + v[i.b]; break;
      case Code::sub: v[i.result] = v[i.a] - v[i.b]; break;
      case Code::mul: v[i.result] = v[i.a] * v[i.b]; break;
      case Code::div: v[i.result] = v[i.a] / v[i.b]; break;
      case Code::sqrt: v[i.result] = std::sqrt(v[i.a]); break;
      case Code::sin: v[i.result] = elementary::sin(v[i.a]); break;
      case Code::cos: v[i.result] = elementary::cos(v[i.a]); break;
    }
  }
}

}  // namespace daedal::bench
