// The peer of the grouped tape: a plain interpreter, as symbolic packages have it. Inputs, constants and outputs are
// instructions like all others, one switch per instruction, everything computed at every call.
#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.hpp"

namespace daedal::bench {

class SwitchTape {
 public:
  explicit SwitchTape(const compile::Program& program);
  void evaluate(const double* point, double* rows);

 private:
  enum class Code : std::uint8_t { input, constant, output, neg, add, sub, mul, div, sqrt, sin, cos };
  struct Instruction {
    Code code;
    std::uint32_t result, a, b;
    double value;
  };
  static Code code_of(expr::Op op);

  std::vector<Instruction> tape_;
  std::vector<double> values_;
};

}  // namespace daedal::bench
