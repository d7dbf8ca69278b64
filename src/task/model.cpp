#include "daedal/task/model.hpp"

#include "daedal/design/algebraic_loop.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "designer.hpp"
#include "experiment_options.hpp"
#include "mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace daedal {
inline namespace task {

Mechanism started(std::shared_ptr<const model::Model> model) {
  auto dae = std::make_shared<const derive::Dae>(derive::derive(model));
  return {std::move(model), std::move(dae)};
}

namespace {

bool is_parameter(const model::Model& model, const std::string& name) {
  const auto named = [&](const model::Symbol& symbol) {
    return symbol.kind == model::SymbolKind::parameter &&
           (symbol.name == name || symbol.name.starts_with(name + "["));
  };
  return model.sizes.contains(name) ||
         std::any_of(model.symbols.begin(), model.symbols.end(), named);
}

/// What a model keeps of its options: whoever watched its making may be gone.
LoadOptions unwatched(LoadOptions options) {
  options.watch = {};
  return options;
}

/// Numbers as they are written: 0.1, or [1, 2].
std::string text_of(const std::vector<double>& numbers) {
  return numbers.size() == 1 ? fmt::format("{}", numbers[0])
                             : fmt::format("[{}]", fmt::join(numbers, ", "));
}

}  // namespace

struct Model::Shared {
  struct Design {
    explicit Design(std::unique_ptr<model::Designer> made) : designer(std::move(made)) {}
    std::unique_ptr<model::Designer> designer;
    std::mutex mutex;
  };

  Shared(std::shared_ptr<const model::Library> text, LoadOptions asked,
         std::map<std::string, std::string> experiment_inputs = {},
         std::shared_ptr<Design> same_design = nullptr)
      : library(std::move(text)), options(std::move(asked)) {
    overrides.parameters = options.parameters;
    overrides.plant = options.plant;
    overrides.plant_option = options.plant_name;
    overrides.start_option = options.starts_name;
    overrides.starts = options.starts;
    overrides.controllers = options.controllers;
    overrides.inputs = options.inputs;
    overrides.experiment = experiment_inputs;
    overrides.model = options.model;
    overrides.strict_units = options.strict_units;
    overrides.parameter_option = options.parameters_name;
    overrides.input_option = options.inputs_name;
    if (!options.controllers.empty()) {
      design = same_design != nullptr
                   ? std::move(same_design)
                   : std::make_shared<Design>(designer_of(believed(std::move(experiment_inputs))));
      overrides.designer = design->designer.get();
    }
    lifted = mechanism(options.lifting);
  }

  /// A designer remembers what it was asked, so one model at a time may ask.
  Mechanism mechanism(model::Lifting lifting) const {
    model::Overrides asked = overrides;
    asked.lifting = lifting;
    std::unique_lock<std::mutex> alone;
    if (design != nullptr) alone = std::unique_lock(design->mutex);
    const auto model = std::make_shared<model::Model>(elaborated(asked));
    if (alone) alone.unlock();
    Mechanism made = started(model);
    for (Diagnostic& loop : design::algebraic_loops(*made.dae))
      model->warnings.push_back(std::move(loop));
    return made;
  }

  /// A fault of the model does not hide those of its experiments.
  model::Model elaborated(const model::Overrides& asked) const {
    try {
      return model::elaborate(*library, asked);
    } catch (const ModelError& error) {
      std::vector<Diagnostic> faults = error.diagnostics();
      for (Diagnostic& fault : experiment_faults(*library, asked.model))
        faults.push_back(std::move(fault));
      throw ModelError(std::move(faults));
    }
  }

  /// What controllers take the model for: without them, and whatever the plant is like.
  Model believed(std::map<std::string, std::string> experiment_inputs) const {
    LoadOptions alone = options;
    for (const std::string& controller : alone.controllers)  // -p c.k=2: their own parameters
      std::erase_if(alone.parameters,
                    [&](const auto& given) { return given.first.starts_with(controller + "."); });
    alone.controllers.clear();
    alone.plant.clear();
    alone.starts.clear();
    return Model(std::make_shared<Shared>(library, std::move(alone), std::move(experiment_inputs)));
  }

  std::shared_ptr<const model::Library> library;
  LoadOptions options;
  model::Overrides overrides;
  std::shared_ptr<Design> design;  // of the controllers that act
  Mechanism lifted;
  std::once_flag once;
  Mechanism written_out;
};

Model::Model(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

const model::Library& Model::library() const { return *shared_->library; }
const LoadOptions& Model::options() const { return shared_->options; }
const model::Overrides& Model::overrides() const { return shared_->overrides; }
const Mechanism& Model::lifted() const { return shared_->lifted; }

const Mechanism& Model::written_out() const {
  Shared& shared = *shared_;
  std::call_once(shared.once, [&] {
    shared.written_out = shared.lifted.model->lifted.empty()
                             ? shared.lifted
                             : shared.mechanism(model::Lifting::never);
  });
  return shared.written_out;
}

Model Model::with(const LoadOptions& options) const {
  const StopScope stoppable(options.watch.stop);
  return Model(std::make_shared<Shared>(shared_->library, unwatched(options)));
}

template <class Read>
Model Model::made_from(const Read& read, const LoadOptions& options) {
  const StopScope stoppable(options.watch.stop);
  options.watch.tell(0, "reading");
  auto library = std::make_shared<const model::Library>(read());
  options.watch.tell(0, "deriving equations");
  return Model(std::make_shared<Shared>(std::move(library), unwatched(options)));
}

Model Model::with_parameters(const std::map<std::string, std::string>& parameters,
                             const std::string& name) const {
  LoadOptions options = shared_->options;
  for (const auto& [parameter, value] : parameters) options.parameters[parameter] = value;
  options.parameters_name = name;
  return Model(
      std::make_shared<Shared>(shared_->library, std::move(options), overrides().experiment));
}

Model Model::with_plant(const std::map<std::string, std::string>& plant,
                        const std::map<std::string, std::string>& starts) const {
  LoadOptions options = shared_->options;
  for (const auto& [name, value] : plant) options.plant[name] = value;
  for (const auto& [name, value] : starts) options.starts[name] = value;
  return Model(std::make_shared<Shared>(shared_->library, std::move(options),
                                        overrides().experiment, shared_->design));
}

bool Model::takes_parameter(const model::Option& option) const {
  return option.word.empty() && is_parameter(*lifted().model, option.name);
}

Model Model::in(const model::Experiment& experiment) const {
  LoadOptions options = shared_->options;
  bool changed = !experiment.inputs.empty();
  for (const model::Option& option : experiment.options)
    if (takes_parameter(option))
      changed = options.parameters.emplace(option.name, text_of(option.numbers)).second || changed;
  if (options.controllers.empty() && !experiment.controllers.empty()) {
    options.controllers = experiment.controllers;
    changed = true;
  }
  for (const auto& [name, value] : experiment.plant)
    changed = options.plant.emplace(name, value).second || changed;
  for (const auto& [name, value] : experiment.starts)
    changed = options.starts.emplace(name, value).second || changed;
  if (!changed) return *this;
  return Model(std::make_shared<Shared>(shared_->library, std::move(options), experiment.inputs));
}

Model load(const std::string& path, const LoadOptions& options) {
  return Model::made_from([&] { return model::load(path); }, options);
}

Model load_text(std::string text, const std::string& name, const LoadOptions& options) {
  return Model::made_from([&] { return model::load_text(std::move(text), name); }, options);
}

}  // namespace task
}  // namespace daedal
