// The real-time stepper as C99: one file and one header, no dependency but math.h, no allocation, state passed by pointer.
//
// The same operations in the same order as solve::Stepper; where the equations contain no elementary function, the same bits.
#pragma once

#include "daedal/stepper/step_program.hpp"
#include "daedal/stepper/stepper.hpp"

#include <memory>
#include <string>
#include <vector>

namespace daedal::emit {

/// The results of a step: expressions in the model's symbols, of time and unknowns.
struct CResult {
  std::string name, unit;
  expr::Expr value;
};
struct CResults {
  std::shared_ptr<const expr::Graph> graph;
  std::vector<CResult> values;
};
/// The inputs of an inverse model; the outputs of a forward one, its coordinates when it has none.
CResults c_results(const derive::Dae& dae);

struct CCode {
  std::string header, source;  // of <name>.h and <name>.c
};

/// `name` is a C identifier, the prefix of everything. Throws ModelError when an equation contains what C code does not support
/// (splines), or a result what a step does not have.
CCode c_stepper(const solve::StepProgram& program, const solve::StepperOptions& options,
                const std::string& name, const CResults& results);

/// "z[1]" -> "z_1".
std::string c_identifier(const std::string& name);

}  // namespace daedal::emit
