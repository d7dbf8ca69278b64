#include "reduction.hpp"

#include "daedal/task/options.hpp"
#include "daedal/task/spectrum.hpp"
#include "matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

const char* words_of(ReductionMethod method) {
  return method == ReductionMethod::hankel ? "Hankel-norm approximation" : "balanced truncation";
}

analysis::ReducedModel reduced(const analysis::StateSpace& system, int order,
                               ReductionMethod method) {
  try {
    return method == ReductionMethod::hankel ? analysis::hankel_approximation(system, order)
                                             : analysis::balanced_truncation(system, order);
  } catch (const std::invalid_argument& error) {
    fault({}, fmt::format("`reduce = {}`: {}", order, error.what()),
          "all unstable and undamped states stay, and the order cannot exceed the minimal order");
  }
}

}  // namespace

Reduction reduction_of(const analysis::LinearModel& linear, int order, ReductionMethod method) {
  if (linear.inputs.empty() || linear.outputs.empty())
    fault({}, "`reduce`: the model has no input, or no output",
          "declare them:  input u, output y = ...");
  const analysis::StateSpace whole = analysis::state_space(linear);
  const analysis::StateSpace minimal = analysis::minimal_part(whole);
  return {static_cast<int>(whole.size()), static_cast<int>(minimal.size()),
          reduced(minimal, order, method), method};
}

ReducedLinearModel plain(const analysis::ReducedModel& r) {
  return {matrix_of(r.system.f), matrix_of(r.system.g), matrix_of(r.system.h),
          matrix_of(r.system.feedthrough[0]), r.bound};
}

nlohmann::ordered_json reduction_json(const Reduction& reduction,
                                      const analysis::LinearModel& linear) {
  const analysis::ReducedModel& r = reduction.reduced;
  return {{"states", reduction.states},
          {"minimal", reduction.minimal},
          {"order", r.system.size()},
          {"method", reduction.method == ReductionMethod::hankel ? "hankel" : "balanced"},
          {"unstable", r.unstable},
          {"hankel_singular_values", std::vector<double>(r.hankel.begin(), r.hankel.end())},
          {"error_bound", r.bound},
          {"A", to_json(r.system.f)},
          {"B", to_json(r.system.g)},
          {"C", to_json(r.system.h)},
          {"D", to_json(r.system.feedthrough[0])},
          {"inputs", linear.inputs},
          {"outputs", linear.outputs}};
}

std::string reduction_text(const Reduction& reduction) {
  const analysis::ReducedModel& r = reduction.reduced;
  std::string text =
      fmt::format("{} states to {} by {}: no gain changes by more than {:.4g}\n", reduction.states,
                  r.system.size(), words_of(reduction.method), r.bound);
  if (reduction.minimal < reduction.states)
    text += fmt::format("{} states that no input reaches or no output shows go without any error\n",
                        reduction.states - reduction.minimal);
  if (r.unstable > 0)
    text += fmt::format("{} unstable or undamped state{} kept\n", r.unstable,
                        r.unstable == 1 ? " is" : "s are");
  std::string values;
  for (Eigen::Index k = 0; k < std::min<Eigen::Index>(r.hankel.size(), 10); ++k)
    values += fmt::format("{}{:.4g}", k == 0 ? "" : ", ", r.hankel[k]);
  if (r.hankel.size() > 10) values += ", ...";
  if (!values.empty()) text += fmt::format("Hankel singular values {}\n", values);
  return text;
}

emit::Chart hankel_chart(const analysis::ReducedModel& r) {
  emit::ChartSeries kept{"kept", {}, {}, {}, "dot", false},
      left_out{"left out", {}, {}, {}, "ring", false};
  for (Eigen::Index k = 0; k < r.hankel.size(); ++k) {
    emit::ChartSeries& series =
        k < static_cast<Eigen::Index>(r.system.size()) - r.unstable ? kept : left_out;
    series.x.push_back(static_cast<double>(k + 1));
    series.y.push_back(r.hankel[k]);
  }
  emit::Chart chart{"Hankel singular values", "number", "value", "", false, true, false, {}};
  for (emit::ChartSeries* series : {&kept, &left_out})
    if (!series->x.empty()) chart.series.push_back(std::move(*series));
  return chart;
}

}  // namespace task
}  // namespace daedal
