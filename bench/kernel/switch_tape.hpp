// The peers of the grouped tape: plain interpreters with one switch per instruction. `everything`: inputs, constants and
// outputs are instructions like all others, and all is computed at every call. `lean` is given what the grouped tape has
// too: constants in place, what depends on parameters alone prepared, inputs and outputs copied by loops.
#pragma once

#include "daedal/compile/program.hpp"

#include <cstdint>
#include <vector>

namespace daedal::bench {

class SwitchTape {
 public:
  enum class Kind { everything, lean };
  SwitchTape(const compile::Program& program, Kind kind, const double* point);
  void evaluate(const double* point, double* rows);

 private:
  enum class Code : std::uint8_t {
    input,
    constant,
    output,
    neg,
    add,
    sub,
    mul,
    div,
    sqrt,
    sin,
    cos
  };
  struct Instruction {
    Code code;
    std::uint32_t result, a, b;
    double value;
  };
  struct Copy {
    std::uint32_t from, to;
  };
  static Code code_of(expr::Op op);
  void run(const std::vector<Instruction>& tape, const double* point, double* rows);

  std::vector<Instruction> tape_;
  std::vector<Copy> inputs_, outputs_;  // lean
  std::vector<double> values_;
};

}  // namespace daedal::bench
