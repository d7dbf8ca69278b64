// The shape of a family, computed a strip of instances at a time: gather, compute, scatter-add.
//
// Every register holds a strip. A strip reads each value either from consecutive places of the point or through a column
// of the index table, and adds each output to consecutive rows or to those a column names. A last strip that is not full
// repeats its last instance and drops the rows of the repetitions.
// Order of additions: strip by strip, output by output, instance by instance, whichever back end computed.
#pragma once

#include "daedal/compile/native_interface.hpp"
#include "daedal/compile/program.hpp"
#include "daedal/compile/step.hpp"

#include <cstdint>
#include <vector>

namespace daedal::compile {

/// In an index table: this instance has no row for this output.
inline constexpr std::uint32_t dropped_row = 0xffffffff;

/// Where an output is added: to row index + instance, or to the row in column `index` of the index table.
struct LaneOutput {
  bool stride = false;
  std::uint32_t index = 0;
};

struct LaneStep;
using LaneLoop = void (*)(const LaneStep& step, double* v);

struct LaneStep {
  LaneLoop loop = nullptr;
  std::uint32_t a = 0, b = 0, c = 0, result = 0, second = 0;  // offsets of registers
  // Of steps that call functions:
  std::uint32_t derivative = 0;
  std::uint16_t aux = 0;
  expr::elementary::UnaryArray many = nullptr;
  expr::elementary::BinaryArray two = nullptr;
  const expr::PiecewisePolynomial* spline = nullptr;
};

class LaneTape {
 public:
  /// The program must outlive the tape.
  explicit LaneTape(const Program& program);

  std::size_t scratch() const;             // doubles
  void initialize(double* scratch) const;  // constants
  void compute(const double* point, const double* uniforms, const std::vector<NativeRead>& loads,
               const std::uint32_t* strip_indices, std::uint64_t strip_number,
               double* scratch) const;
  void scatter(const double* scratch, const std::vector<LaneOutput>& outputs,
               const std::uint32_t* strip_indices, std::uint64_t strip_number,
               std::uint32_t instances, double* rows) const;

 private:
  const Program& program_;
  std::vector<LaneStep> steps_;
};

}  // namespace daedal::compile
