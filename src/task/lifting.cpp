#include "lifting.hpp"

#include "daedal/formulate/lifting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace daedal {
inline namespace task {

namespace {

/// "the formulation ggl", "the method rattle"; empty when the run supports lifted positions.
std::string without_lifting(formulate::Kind formulation, const solve::Method& method) {
  if (std::holds_alternative<solve::RattleOptions>(method)) return "the method rattle";
  const auto kinds = formulate::kinds_without_lifting();
  if (std::find(kinds.begin(), kinds.end(), formulation) == kinds.end()) return {};
  return fmt::format("the formulation {}", formulate::name(formulation));
}

}  // namespace

const Mechanism& form_for(const Model& model, formulate::Kind formulation,
                          const solve::Method& method, std::vector<Diagnostic>& warnings) {
  const Mechanism& lifted = model.lifted();
  if (model.options().lifting != model::Lifting::automatic || lifted.model->lifted.empty())
    return lifted;
  const std::string who = without_lifting(formulation, method);
  if (who.empty()) return lifted;
  warnings.push_back(
      {Severity::warning,
       lifted.model->place,
       fmt::format("model '{}' is written out, since {} does not support lifted positions: long "
                   "chains take much longer",
                   lifted.model->name, who),
       {},
       "the formulation projection supports them; `lifting = never` avoids the warning"});
  return model.written_out();
}

}  // namespace task
}  // namespace daedal
