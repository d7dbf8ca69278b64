// The model as C99 for embedded targets: a fixed-step stepper, a receding horizon, its accelerations, or a controller.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/integrate/method.hpp"
#include "daedal/task/answer.hpp"
#include "daedal/task/choice.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace daedal {
inline namespace task {

enum class CFunction : std::uint8_t {
  inverse,        // a stepper: desired outputs in, inputs out
  forward,        // a stepper: inputs in, outputs out
  receding,       // the inverse of a model that is not minimum phase, from a window of preview
  accelerations,  // no steps: a state and inputs in, accelerations and multipliers out
  controller,     // the controller that acts: measurements in, commands out at each sample
  plant,          // a stepper of the mechanism around it: commands in, what it measures out
};

struct ExportOptions {
  CFunction function = CFunction::inverse;
  /// [s], > 0: of a stepper, required but of a plant, whose default is the period of the controller; of a horizon's mesh.
  std::optional<double> step;
  /// Of a stepper: implicit_euler, bdf(order = 2) (default), radau5 (default of a plant).
  Choice<solve::Method> method;
  /// Of the inverse model's equations, as in InvertOptions.
  Choice<WordsOnly> formulation;
  std::optional<double> period, preview;  // of a receding horizon [s]
  std::string to = ".";                   // folder of the files
  Watch watch;
};

class CExport : public Answer {
 public:
  using Answer::Answer;

  std::string name;            // of the function's family: crane_inverse
  std::string header, source;  // contents of the files
  std::string path;            // of the files without ".h" and ".c"
  std::vector<std::pair<std::string, std::vector<std::string>>> arguments;  // by word: names

  std::vector<std::string> paths() const { return {path + ".h", path + ".c"}; }
  std::vector<Fact> facts() const override { return facts_; }

 private:
  friend class Exporter;
  std::string summary() const override;
  Json json() const override;

  std::string headline_;
  std::vector<Fact> facts_;
  std::vector<std::pair<std::string, double>> numbers_;
  std::string method_;
};

/// Throws ModelError for models and options that have no such function.
CExport export_c(const Model& model, const ExportOptions& options);
/// Writes both files; earlier ones survive a failure. Throws std::runtime_error with the reason.
void write(const CExport& code);

}  // namespace task
}  // namespace daedal
