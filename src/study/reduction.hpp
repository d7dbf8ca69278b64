// A linear model with fewer states.
#pragma once

#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/model_reduction.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/study/analyse.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace daedal {
inline namespace task {

struct Reduction {
  int states = 0, minimal = 0;  // of the linear model, and of the part that matters at all
  analysis::ReducedModel reduced;
  ReductionMethod method = ReductionMethod::balanced;
};
/// Throws ModelError for a model without inputs or outputs, and for orders that are not possible.
Reduction reduction_of(const analysis::LinearModel& linear, int order, ReductionMethod method);

ReducedLinearModel plain(const analysis::ReducedModel& reduced);
std::string reduction_text(const Reduction& reduction);  // lines
nlohmann::ordered_json reduction_json(const Reduction& reduction,
                                      const analysis::LinearModel& linear);
emit::Chart hankel_chart(const analysis::ReducedModel& reduced);  // no series: nothing to show

}  // namespace task
}  // namespace daedal
