// A model as the input of every task: a file or a text, with values for its parameters and signals for its inputs.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/model/model.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

struct LoadOptions {
  std::map<std::string, std::string> parameters;  // and sizes: "N" -> "10", "d[2]" -> "0.1"
  std::map<std::string, std::string> inputs;      // signals: "u" -> "0.5*sin(t)", or "@file.csv"
  std::string model;                              // which one of the file; "" the last
  /// What messages call the two tables above: "-p" and "--input" on a command line.
  std::string parameters_name = "parameters", inputs_name = "inputs";
  /// Whether a simulation takes the entries of recursive lets as unknowns (docs/methods/lifting.md).
  model::Lifting lifting = model::Lifting::automatic;
  std::vector<std::string> controllers;  // that act; each is stated in the file
  /// Parameters and sizes of the plant of which its controllers do not know, and start values: "x_T" -> "11.5".
  std::map<std::string, std::string> plant, starts;
  std::string plant_name = "plant", starts_name = "initial";
  bool strict_units = false;  // warnings about units are faults too
  Watch watch;                // of reading and deriving; the model does not keep it
};

/// A model and its equations in the mode in which it starts.
struct Mechanism {
  std::shared_ptr<const model::Model> model;
  std::shared_ptr<const derive::Dae> dae;
};

/// Immutable and cheap to copy: copies share what has been derived.
class Model {
 public:
  const std::string& name() const { return lifted().model->name; }
  const std::string& doc() const { return lifted().model->doc; }
  /// Warnings from reading the file.
  const std::vector<Diagnostic>& warnings() const { return lifted().model->warnings; }
  const std::vector<model::Experiment>& experiments() const { return lifted().model->experiments; }
  const model::Library& library() const;
  const LoadOptions& options() const;
  /// The options and the signals of an experiment, as the module `model` takes them.
  const model::Overrides& overrides() const;

  /// As simulation takes it: with lifted positions, where there are any.
  const Mechanism& lifted() const;
  /// As analysis, inversion and some formulations take it: recursive lets written out. Derived on first use.
  const Mechanism& written_out() const;

  /// The same text with other values.
  Model with(const LoadOptions& options) const;
  /// The same with further parameters and sizes, which messages call `name`.
  Model with_parameters(const std::map<std::string, std::string>& parameters,
                        const std::string& name) const;
  /// The same with further values of the plant and start values. The controllers are designed once for all such models.
  Model with_plant(const std::map<std::string, std::string>& plant,
                   const std::map<std::string, std::string>& starts) const;
  /// The same with the controllers, input signals, parameter and start values that an experiment states; those stated by
  /// `load` come first.
  Model in(const model::Experiment& experiment) const;
  /// Whether an option of an experiment is the value of a parameter or size.
  bool takes_parameter(const model::Option& option) const;

 private:
  struct Shared;
  explicit Model(std::shared_ptr<Shared> shared);
  template <class Read>
  static Model made_from(const Read& read, const LoadOptions& options);
  friend Model load(const std::string&, const LoadOptions&);
  friend Model load_text(std::string, const std::string&, const LoadOptions&);
  std::shared_ptr<Shared> shared_;
};

/// Reads, resolves and derives. Throws ModelError with every fault that could be found.
Model load(const std::string& path, const LoadOptions& options = {});
/// The same from a text, which messages call `name`.
Model load_text(std::string text, const std::string& name = "<text>",
                const LoadOptions& options = {});

}  // namespace task
}  // namespace daedal
