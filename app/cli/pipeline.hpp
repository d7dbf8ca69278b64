// From a file to a formulated problem, as every command needs it.
#pragma once

#include "arguments.hpp"
#include "daedal/analyse/redefine.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/model/model.hpp"

#include <memory>
#include <optional>

namespace daedal::cli {

/// --redefine: which outputs, and how much of the first.
struct Redefined {
  daedal::analyse::Redefinition outputs;
  double weight = 1;
  std::optional<double> critical;  // where unstable zeros begin, when it was looked for
};

struct Loaded {
  model::Library library;
  std::shared_ptr<const model::Model> model;
  std::shared_ptr<const derive::Dae> dae;
  std::optional<Redefined> redefined;
};
/// Loads, resolves and derives; warnings go to standard error. Simulation understands lifted positions, analysis and
/// inversion do not.
Loaded load_model(const Arguments& arguments, model::Lifting lifting = model::Lifting::never);

/// "projection", "index1", ...
const std::vector<std::string>& formulation_names();

/// "projection", "baumgarte(pole = 5)", ... Throws ModelError for unknown ones, for those of later versions, and for
/// constraints that do not exist.
formulate::Formulation read_formulation(const model::Option& option, const derive::Dae& dae);
/// "baumgarte, poles 5", for summaries.
std::string describe(const formulate::Formulation& formulation);

/// To standard error, and for --json to be repeated there.
void print_warnings(const Arguments& arguments, const std::vector<Diagnostic>& warnings);

/// 9 coordinates, 8 multipliers, ...; index; degrees of freedom.
struct Counts {
  std::size_t coordinates = 0, lifted = 0, driven = 0, variables = 0, constraints = 0, inputs = 0,
              outputs = 0, servos = 0, events = 0;
  std::size_t equations = 0, redundant = 0;  // constraints left out
};
Counts count(const derive::Dae& dae);
std::string summary(const Counts& counts, const structure::Offsets& offsets);

}  // namespace daedal::cli
