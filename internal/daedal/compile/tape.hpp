// The grouped tape: the interpreter that is always available.
//
// Steps that do the same operation and are ready at the same time form a run (see run.hpp): one dispatch for all of
// them, and for transcendental functions one call of the array version. Registers v live in the caller's workspace.
#pragma once

#include "daedal/compile/program.hpp"
#include "daedal/compile/run.hpp"
#include "daedal/compile/step.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace daedal::compile {

/// target[to + i] = source[from + i], i < count.
struct Segment {
  std::uint32_t from = 0, to = 0, count = 0;
};

class Tape {
 public:
  explicit Tape(const Program& program);

  std::uint32_t registers() const { return registers_; }
  std::uint32_t register_of(std::uint32_t value) const { return register_of_[value]; }
  std::size_t runs() const { return evaluate_.size(); }
  void initialize(double* registers) const;  // constants
  void prepare(const double* point, double* registers) const;
  void evaluate(const double* point, double* rows, double* registers) const;

 private:
  std::vector<Run> schedule(const std::vector<Step>& steps);
  void append_run(const std::vector<Step>& steps, const std::vector<std::uint32_t>& members,
                  std::vector<Run>& runs);
  void execute(const std::vector<Run>& runs, double* v) const;

  std::vector<double> constants_;
  std::vector<Segment> parameters_, loads_;  // point to registers
  std::vector<Run> prepare_, evaluate_;
  std::vector<std::uint32_t> operands_;
  std::vector<std::uint32_t> outputs_;      // register of each row
  std::vector<std::uint32_t> register_of_;  // by value; absent for values inside a step
  std::uint32_t registers_ = 0;
  std::vector<std::shared_ptr<const expr::PiecewisePolynomial>> splines_;
};

}  // namespace daedal::compile
