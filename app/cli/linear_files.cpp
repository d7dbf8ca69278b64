// daedal analyse --mat and --reduce.
#include "daedal/analyse/model_reduction.hpp"
#include "daedal/emit/csv.hpp"
#include "daedal/emit/mat.hpp"
#include "questions.hpp"
#include "request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace daedal::cli {

namespace {

using daedal::analyse::ReducedModel;
using nlohmann::ordered_json;

emit::MatArray array(const char* name, const Eigen::MatrixXd& m) {
  return {name, static_cast<int>(m.rows()), static_cast<int>(m.cols()),
          std::vector<double>(m.data(), m.data() + m.size())};
}
emit::MatArray array(const char* name, const std::vector<std::string>& lines) {
  return {name, 0, 0, {}, lines};
}

ReducedModel reduced(const daedal::analyse::StateSpace& system, const Arguments& arguments) {
  try {
    return arguments.questions.reduction == "hankel"
               ? daedal::analyse::hankel_approximation(system, *arguments.questions.reduce)
               : daedal::analyse::balanced_truncation(system, *arguments.questions.reduce);
  } catch (const std::invalid_argument& error) {
    fault({}, fmt::format("--reduce {}: {}", *arguments.questions.reduce, error.what()),
          "all unstable and undamped states stay, and states beyond the minimal ones are none");
  }
}

}  // namespace

void write_mat(const daedal::analyse::LinearModel& l, const std::string& path) {
  std::vector<emit::MatArray> arrays{array("E", l.e), array("A", l.a), array("B", l.b),
                                     array("C", l.c), array("D", l.d)};
  for (const auto& [name, lines] :
       {std::pair<const char*, const std::vector<std::string>&>{"variables", l.variables},
        {"equations", l.equations},
        {"inputs", l.inputs},
        {"outputs", l.outputs}})
    if (!lines.empty()) arrays.push_back(array(name, lines));
  emit::write_text(emit::to_mat(arrays), path);
}

Reduction reduction_of(const daedal::analyse::LinearModel& linear, const Arguments& arguments) {
  if (linear.inputs.empty() || linear.outputs.empty())
    fault({}, "--reduce: the model has no input, or no output",
          "declare them:  input u, output y = ...");
  const daedal::analyse::StateSpace whole = daedal::analyse::state_space(linear);
  const daedal::analyse::StateSpace minimal = daedal::analyse::minimal_part(whole);
  return {static_cast<int>(whole.size()), static_cast<int>(minimal.size()),
          reduced(minimal, arguments),
          arguments.questions.reduction == "hankel" ? "Hankel-norm approximation"
                                                    : "balanced truncation"};
}

ordered_json to_json(const Reduction& reduction, const daedal::analyse::LinearModel& linear,
                     const Arguments& arguments) {
  const ReducedModel& r = reduction.reduced;
  return {{"states", reduction.states},
          {"minimal", reduction.minimal},
          {"order", r.system.size()},
          {"method", arguments.questions.reduction},
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
  const ReducedModel& r = reduction.reduced;
  std::string text = fmt::format("{} states to {} by {}: no gain changes by more than {:.4g}\n",
                                 reduction.states, r.system.size(), reduction.method, r.bound);
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

void add_reduction(emit::Report& page, const Reduction& reduction) {
  page.facts.emplace_back("reduced", reduction_text(reduction));
  emit::ChartSeries kept{"kept", {}, {}, {}, "dot", false},
      left_out{"left out", {}, {}, {}, "ring", false};
  const ReducedModel& r = reduction.reduced;
  for (Eigen::Index k = 0; k < r.hankel.size(); ++k) {
    emit::ChartSeries& series =
        k < static_cast<Eigen::Index>(r.system.size()) - r.unstable ? kept : left_out;
    series.x.push_back(static_cast<double>(k + 1));
    series.y.push_back(r.hankel[k]);
  }
  emit::Chart chart{"Hankel singular values", "number", "value", "", false, true, false, {}};
  for (emit::ChartSeries* series : {&kept, &left_out})
    if (!series->x.empty()) chart.series.push_back(std::move(*series));
  if (!chart.series.empty()) page.charts.push_back(std::move(chart));
}

}  // namespace daedal::cli
