// What a stepper of a model is made of, for C code and for calls.
#pragma once

#include "daedal/emit/c_code.hpp"
#include "daedal/invert/classical.hpp"
#include "daedal/stepper/step_program.hpp"
#include "daedal/task/export_c.hpp"

#include <memory>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

struct Stepping {
  std::shared_ptr<const solve::StepProgram> program;
  solve::StepperOptions options;
  emit::CResults results;
  std::vector<Diagnostic> warnings;
};
/// Inverse or forward. Throws ModelError as export_c does.
Stepping stepping_of(const Model& model, const ExportOptions& options);

std::vector<std::string> names_of_signals(const solve::StepProgram& program);
std::vector<std::string> names_of(const emit::CResults& results);

}  // namespace task
}  // namespace daedal
