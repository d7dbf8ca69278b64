// Outputs, their derivatives and what the inputs do to them, at one state.
#include "daedal/analyse/normal_form.hpp"

#include "daedal/pencil/numeric_rank.hpp"
#include "daedal/study/motions.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/options.hpp"
#include "daedal/task/spectrum.hpp"
#include "disturbance.hpp"
#include "matrices.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedal {
inline namespace task {

namespace {

std::vector<double> vector_of(const Eigen::VectorXd& v) { return {v.begin(), v.end()}; }

std::string row_text(const std::vector<double>& row) {
  std::string text;
  for (const double value : row) text += fmt::format("{}{:.8g}", text.empty() ? "" : ", ", value);
  return text;
}

std::string normal_form_verdict(const NormalForm& form) {
  std::string degrees;
  for (std::size_t i = 0; i < form.outputs.size(); ++i)
    degrees +=
        fmt::format("{}{} of {}", i == 0 ? "" : ", ", form.relative_degree[i], form.outputs[i]);
  return fmt::format("Normal form at the start values: relative degree {}; {} internal state{}.",
                     degrees, form.internal.size(), form.internal.size() == 1 ? "" : "s");
}

/// What a smaller rank means.
std::string rank_words(const NormalForm& form) {
  if (form.rank == static_cast<int>(form.outputs.size())) return "";
  return fmt::format(" for {} outputs: the inputs do not move them independently in these orders",
                     form.outputs.size());
}

}  // namespace

NormalForm normal_form(const Model& model, const NormalFormOptions& options) {
  const StopScope stoppable(options.watch.stop);
  NormalForm answer(model);
  const Asked asked = asked_of(model, options.redundant_constraints, options.outputs);
  answer.warnings = asked.warnings;
  if (asked.model->inputs.empty() || asked.model->outputs.empty())
    fault({}, "`normal_form`: the model has no input, or no output",
          "declare them:  input u, output y = ...");
  options.watch.check();
  const analysis::NormalForm form(*asked.dae, options.outputs, options.internal);
  const analysis::NormalFormPoint point = form.at(by_name(options.disturb));
  answer.outputs = form.outputs();
  answer.internal = options.internal;
  answer.relative_degree = form.relative_degree();
  answer.xi = point.xi;
  answer.b = vector_of(point.b);
  answer.a = matrix_of(point.a);
  answer.rank = analysis::numeric_rank(point.a);
  answer.eta = vector_of(point.eta);
  answer.q = vector_of(point.q);
  answer.p = matrix_of(point.p);
  answer.holding_input = vector_of(point.holding_input);
  answer.eta_rate = vector_of(point.eta_rate);
  answer.verdict = normal_form_verdict(answer);
  return answer;
}

std::string NormalForm::summary() const {
  std::string text = fmt::format("{}: normal form at the start values\n", title);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    text += fmt::format("  {}: relative degree {}\n", outputs[i], relative_degree[i]);
    for (std::size_t k = 0; k < xi[i].size(); ++k)
      text += fmt::format("    derivative {:<3} {:.10g}\n", k, xi[i][k]);
    text += fmt::format("    derivative {:<3} {:.10g} + ({}) u\n", relative_degree[i], b[i],
                        row_text(a[i]));
  }
  text += fmt::format("  decoupling matrix of rank {}{}\n", rank, rank_words(*this));
  for (std::size_t i = 0; i < internal.size(); ++i) {
    text += fmt::format("  {} = {:.10g}, rate {:.10g} + ({}) u", internal[i], eta[i], q[i],
                        row_text(p[i]));
    if (!eta_rate.empty()) text += fmt::format("; with the outputs held {:.10g}", eta_rate[i]);
    text += "\n";
  }
  return text;
}

Json NormalForm::json() const {
  return {{{"model", model.name()},
           {"outputs", outputs},
           {"relative_degree", relative_degree},
           {"xi", xi},
           {"b", b},
           {"A", a},
           {"rank", rank},
           {"internal", internal},
           {"eta", eta},
           {"q", q},
           {"P", p},
           {"holding_input", holding_input},
           {"eta_rate", eta_rate}}};
}

void NormalForm::illustrate(emit::Report& page) const {
  const model::Model& m = *model.written_out().model;
  std::vector<std::string> inputs;
  for (const model::InputDefault& input : m.inputs) inputs.push_back(m.symbols[input.input].name);
  emit::TextTable chains{"Outputs and their derivatives", {"", "order", "value"}, {}};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t k = 0; k < xi[i].size(); ++k)
      chains.rows.push_back({outputs[i], fmt::format("{}", k), fmt::format("{:.10g}", xi[i][k])});
    chains.rows.push_back(
        {outputs[i], fmt::format("{}", relative_degree[i]), fmt::format("{:.10g} + A u", b[i])});
  }
  page.tables.push_back(std::move(chains));
  page.tables.push_back(matrix_table("A: what inputs do to those derivatives", inputs, outputs, a));
  if (internal.empty()) return;
  emit::TextTable states{"Internal states", {"", "value", "rate"}, {}};
  if (!eta_rate.empty()) states.head.emplace_back("rate with the outputs held");
  for (std::size_t i = 0; i < internal.size(); ++i) {
    states.rows.push_back(
        {internal[i], fmt::format("{:.10g}", eta[i]), fmt::format("{:.10g} + P u", q[i])});
    if (!eta_rate.empty()) states.rows.back().push_back(fmt::format("{:.10g}", eta_rate[i]));
  }
  page.tables.push_back(std::move(states));
  page.tables.push_back(matrix_table("P: what inputs do to internal states", inputs, internal, p));
}

}  // namespace task
}  // namespace daedal
