// From a library of syntax trees to a Model.
#include "daedal/elaborate/elaborate.hpp"

#include "daedal/expr/graph.hpp"
#include "elaborate/doubts.hpp"
#include "elaborate/elaborator.hpp"
#include "elaborate/elements.hpp"
#include "elaborate/finite.hpp"
#include "elaborate/unit_check.hpp"

#include <fmt/format.h>

namespace daedal::model {

namespace {

constexpr std::size_t max_errors = 20;  // reported at once, as by the parser
constexpr int max_part_depth = 50;      // of parts in parts: deeper is a runaway

}  // namespace

Elaborator::Elaborator(const Library& library, const Overrides& overrides, const Limits& limits)
    : library_(library),
      model_name_(overrides.model),
      lifting_(overrides.lifting),
      graph_(std::make_shared<expr::Graph>()),
      algebra_(*graph_, limits),
      evaluator_(algebra_, model_.symbols, *this) {
  model_.symbols.push_back({"t", SymbolKind::time, "s", "time", {}, 0, 1});
  strict_units_ = overrides.strict_units;
  input_option_ = overrides.input_option;
  designer_ = overrides.designer;
  asked_controllers_ = overrides.controllers;
  held_inputs_ = overrides.held_inputs;
  asked_starts_ = overrides.starts;
  start_option_ = overrides.start_option;
  for (const auto& [name, text] : overrides.parameters)
    parameters_[name] = {text, false, false, overrides.parameter_option};
  for (const auto& [name, text] : overrides.plant)
    parameters_[name] = {text, false, false, overrides.plant_option};
  for (const auto& [name, text] : overrides.experiment)
    inputs_[name] = {text, false, false, overrides.input_option};
  for (const auto& [name, text] : overrides.inputs)
    inputs_[name] = {text, true, false, overrides.input_option};
  for (const syntax::File& file : library_.files) {
    for (const Diagnostic& note : file.notes) diagnostics_.add(note);
    const std::string& path = file.source->path();
    const std::string directory = path.substr(0, path.rfind('/') + 1);  // npos + 1 is 0
    for (const syntax::Model& model : file.models) {
      models_.emplace(model.name, &model);
      directories_.emplace(&model, directory);
    }
  }
}

Model Elaborator::run() {
  const syntax::Model& chosen = choose_model();
  model_.name = chosen.name;
  model_.doc = chosen.doc;
  model_.place = chosen.place;
  top_ = instantiate(chosen, nullptr, "", chosen.place);
  choose_controllers();
  declare_symbols(*top_);
  expand(*top_);
  add_feedback();
  add_controllers();
  add_asked_starts();
  evaluate_start_formulas();
  check_drives();
  if (diagnostics_.errors() == unit_errors_) check_units();
  if (!diagnostics_.has_errors()) {
    check_overrides();
    check_finite(model_, *graph_, diagnostics_);
  }
  diagnostics_.throw_if_errors();
  tell_doubts(model_, *graph_, diagnostics_);
  lift_numbers();
  model_.warnings = diagnostics_.list();
  model_.graph = graph_;
  return std::move(model_);
}

const syntax::Model& Elaborator::choose_model() const {
  if (model_name_.empty()) {
    if (!library_.files.empty() && !library_.files.back().models.empty())
      return library_.files.back().models.back();
    Diagnostic none;
    none.message = "there is no model to run";
    none.help = "start one with a line such as  model pendulum";
    throw ModelError(std::move(none));
  }
  if (const auto it = models_.find(model_name_); it != models_.end()) return *it->second;
  std::vector<std::string> names;
  for (const auto& [name, model] : models_) names.push_back(name);
  Diagnostic unknown;
  unknown.message = fmt::format("there is no model '{}'", model_name_);
  unknown.help = did_you_mean(nearest_name(model_name_, names));
  if (unknown.help.empty()) unknown.help = fmt::format("the models are {}", fmt::join(names, ", "));
  throw ModelError(std::move(unknown));
}

std::unique_ptr<Instance> Elaborator::instantiate(const syntax::Model& model,
                                                  const Instance* parent, std::string prefix,
                                                  const Place& use) {
  for (const Instance* outer = parent; outer != nullptr; outer = outer->parent)
    if (outer->model == &model) fault(use, fmt::format("model '{}' contains itself", model.name));
  auto instance = std::make_unique<Instance>();
  instance->model = &model;
  instance->parent = parent;
  instance->use = use;
  instance->prefix = std::move(prefix);
  const auto directory = directories_.find(&model);
  if (directory != directories_.end())
    instance->directory = directory->second;  // no element has one
  instance->depth = parent == nullptr ? 0 : parent->depth + 1;
  if (instance->depth > max_part_depth)
    fault(use, fmt::format("parts are nested deeper than {} levels", max_part_depth));
  register_names(*instance);
  return instance;
}

/// Sizes, parameters, unknowns and inputs in the order they are written, parts in between: the
/// order of all tables.
void Elaborator::declare_symbols(Instance& instance) {
  for (const syntax::Statement& statement : instance.model->statements) {
    if (const auto* list = std::get_if<syntax::Declare>(&statement.node)) {
      if (list->kind == syntax::DeclarationKind::signal) continue;
      for (const syntax::Declaration& item : list->items) declare(instance, item.name, item.place);
    } else if (const auto* part = std::get_if<syntax::Part>(&statement.node)) {
      declare(instance, part->name, part->place);
    }
  }
}

void Elaborator::declare_parameters(Instance& instance) {
  for (const syntax::Statement& statement : instance.model->statements) {
    const auto* list = std::get_if<syntax::Declare>(&statement.node);
    if (list == nullptr || (list->kind != syntax::DeclarationKind::size &&
                            list->kind != syntax::DeclarationKind::parameter))
      continue;
    for (const syntax::Declaration& item : list->items) declare(instance, item.name, item.place);
  }
}

void Elaborator::declare(Instance& instance, const std::string& name, const Place& place) {
  const auto known = instance.names.find(name);
  if (known == instance.names.end()) return;  // its fault was reported
  guarded(instance, [&] { resolve(instance, known->second, place); });
}

void Elaborator::expand(Instance& instance) {
  const Scope scope{&instance, {}, nullptr};
  for (const syntax::Statement& statement : instance.model->statements)
    guarded(instance, [&] { expand(statement, scope); });
  for (const auto& part : instance.parts) expand(*part);
}

/// A place in the text of an element, which no user has written, is seen where the element is used.
Place Elaborator::seen(const Instance& instance, Place place) const {
  const Elements& elements = Elements::all();
  for (const Instance* at = &instance; at != nullptr && elements.holds(place); at = at->parent)
    place = at->use;
  return place;
}

/// What is wrong inside a part is wrong in all its instances, and reported once.
void Elaborator::report(const Fault& fault) {
  if (fault.message.empty()) return;
  if (!told_.insert(fault.place.text() + fault.message).second) return;
  diagnostics_.error(fault.place, fault.message, fault.help);
  if (diagnostics_.errors() >= max_errors) diagnostics_.throw_if_errors();
}

/// Errors, and warnings where nothing that is stated is contradicted.
void Elaborator::report_unit(Diagnostic diagnostic) {
  if (!told_.insert(diagnostic.place.text() + diagnostic.message).second) return;
  if (unit_reports_ >= max_errors) return;
  ++unit_reports_;
  if (strict_units_) diagnostic.severity = Severity::error;
  if (diagnostic.severity == Severity::error) ++unit_errors_;
  diagnostics_.add(std::move(diagnostic));
  if (diagnostics_.errors() >= max_errors) diagnostics_.throw_if_errors();
}

void Elaborator::check_units() {
  const auto report = [this](const Instance& instance, Diagnostic diagnostic) {
    diagnostic.place = seen(instance, diagnostic.place);
    report_unit(std::move(diagnostic));
  };
  std::vector<Instance*> acting;
  for (const auto& controller : controllers_)
    if (controller->instance != nullptr) acting.push_back(controller->instance.get());
  UnitCheck(model_, *graph_, *top_, acting, done_, report).run();
}

void Elaborator::check_overrides() {
  const auto check = [&](const OverrideTable& table, const char* what,
                         const std::vector<std::string>& candidates) {
    for (const auto& [name, given] : table) {
      if (given.used) continue;
      diagnostics_.error({},
                         fmt::format("{} {}: model '{}' has no {} '{}'", given.option, name,
                                     model_.name, what, name),
                         did_you_mean_or_list(name, candidates));
    }
  };
  std::vector<std::string> parameters, inputs;
  for (const Symbol& symbol : model_.symbols) {
    if (symbol.kind == SymbolKind::parameter && !symbol.held) parameters.push_back(symbol.name);
    if (symbol.kind == SymbolKind::input) inputs.push_back(symbol.name);
  }
  for (const auto& [size, value] : model_.sizes) parameters.push_back(size);
  check(parameters_, "parameter or size", parameters);
  check(inputs_, "input", inputs);
}

/// A driven coordinate moves as its drive says, whatever pulls at it.
void Elaborator::check_drives() {
  for (const auto& [coordinate, place] : forces_on_) {
    if (!drive_of_.contains(coordinate)) continue;
    const std::string& name = model_.symbols[coordinate].name;
    diagnostics_.warning(
        place, fmt::format("the force on '{}' does not move it: the coordinate is driven", name),
        fmt::format("it only changes what the drive must deliver, {}.force", name));
  }
}

/// The numbers in which terms of one shape differ, such as the k in the sum of k*x[k]^2, become
/// parameters named by their value: then the terms share a kernel.
void Elaborator::lift_numbers() {
  std::map<double, expr::SymbolId> symbols;
  const auto symbol_of = [&](double number) {
    const auto [known, is_new] = symbols.try_emplace(number, 0);
    if (is_new) {
      known->second = new_symbol(
          {number_text(number), SymbolKind::parameter, "", "a number of the model", {}, number, 1});
    }
    return known->second;
  };
  const auto lift = [&](auto& list, auto member) {
    std::vector<expr::Expr> terms;
    for (const auto& item : list) terms.push_back(item.*member);
    terms = expr::lift_numbers(
        *graph_, terms, static_cast<std::uint32_t>(model_.symbols.size()),
        [&](expr::SymbolId s) { return model_.varies(s); }, symbol_of);
    for (std::size_t i = 0; i < terms.size(); ++i) list[i].*member = terms[i];
  };
  lift(model_.kinetic, &EnergyTerm::value);
  lift(model_.potential, &EnergyTerm::value);
  lift(model_.dissipation, &EnergyTerm::value);
  lift(model_.loads, &VirtualWork::force);
  lift(model_.lifted, &LiftedLet::value);
  lift(model_.constraints, &Relation::residual);
  lift(model_.equations, &Relation::residual);
}

Model elaborate(const Library& library, const Overrides& overrides, const Limits& limits) {
  return Elaborator(library, overrides, limits).run();
}

}  // namespace daedal::model
