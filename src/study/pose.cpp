// One pose: coordinates, outputs, what moves what, what holds it.
#include "daedal/emit/report.hpp"
#include "daedal/task/spectrum.hpp"
#include "kinematic_words.hpp"
#include "matrices.hpp"
#include "pose_rows.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

struct Pose::Details {
  std::shared_ptr<const model::Model> model;
  std::vector<double> values;  // by symbol
  analysis::Compensation compensation;
};

namespace {

std::string numbers_text(const std::vector<NamedNumber>& numbers) {
  std::string text;
  for (const NamedNumber& one : numbers)
    text += fmt::format("{}{} = {:.10g}", text.empty() ? "" : ", ", one.name, one.value);
  return text;
}

std::vector<std::string> names_of(const std::vector<NamedNumber>& numbers) {
  std::vector<std::string> names;
  for (const NamedNumber& one : numbers) names.push_back(one.name);
  return names;
}

std::string pose_verdict(const Pose& p) {
  return fmt::format("A pose with {} degree{} of freedom, found in {} iteration{}{}.",
                     p.degrees_of_freedom, p.degrees_of_freedom == 1 ? "" : "s", p.iterations,
                     p.iterations == 1 ? "" : "s",
                     p.branches.size() > 1
                         ? fmt::format("; {} different poses have these values", p.branches.size())
                         : "");
}

}  // namespace

Pose pose(const Model& model, const PoseOptions& options) {
  const StopScope stoppable(options.watch.stop);
  Pose answer(model);
  const Asked asked = asked_of(model, options.redundant_constraints, options.outputs);
  answer.warnings = asked.warnings;
  const analysis::Kinematics k(asked.dae);
  const KinematicQuestion q{asked, k, options.motors, options.outputs};
  const analysis::Pose found = pose_with(q, options.given);
  answer.degrees_of_freedom = k.degrees_of_freedom(found.values);
  answer.iterations = found.iterations;
  answer.coordinates = coordinates_of(*asked.dae, found.values);
  for (const std::string& name : outputs_of(q))
    answer.outputs.push_back({name, k.value(name, found.values)});
  answer.motors = motors_of(q);
  if (!answer.outputs.empty() && !answer.motors.empty())
    answer.jacobian = matrix_of(k.jacobian(names_of(answer.outputs), answer.motors, found.values));
  for (const analysis::NamedSet& set : sets_of(q, found.values))
    answer.smallest_singular_values.push_back(
        {set.name, k.determination(set.quantities, found.values).smallest_singular_value});
  Pose::Details details{asked.model, found.values, k.gravity_compensation(found.values)};
  answer.held = details.compensation.holds;
  for (const auto& [name, value] : details.compensation.inputs)
    answer.inputs.push_back({name, value});
  options.watch.check();
  if (options.branches) {
    std::vector<analysis::Given> given;
    for (const NamedNumber& one : options.given) given.push_back({one.name, one.value});
    for (const analysis::Pose& other : k.branches(given, k.start()))
      answer.branches.push_back(coordinates_of(*asked.dae, other.values));
  }
  answer.verdict = pose_verdict(answer);
  answer.details_ = std::make_shared<const Pose::Details>(std::move(details));
  return answer;
}

std::vector<Fact> Pose::facts() const {
  std::vector<Fact> facts{{"pose", coordinates_text(coordinates)}};
  if (!outputs.empty()) facts.push_back({"outputs", numbers_text(outputs)});
  facts.push_back({"found", fmt::format("in {} iteration{} from the start values", iterations,
                                        iterations == 1 ? "" : "s")});
  for (const auto& [set, value] : smallest_singular_values)
    facts.push_back({"distance",
                     fmt::format("from a singular pose of the {}: smallest singular value {:.4g}",
                                 kind_of(set), value),
                     value, "", set});
  if (inputs.empty()) return facts;
  const analysis::Compensation& c = details_->compensation;
  facts.push_back(
      held ? Fact{"held by", numbers_text(inputs)}
           : Fact{"not held",
                  fmt::format("by any inputs: '{}' is left with {:.6g}", c.worst, c.residual),
                  c.residual, "", c.worst});
  return facts;
}

std::string Pose::summary() const {
  std::string text = fmt::format("{}: {} degree{} of freedom\n", title, degrees_of_freedom,
                                 degrees_of_freedom == 1 ? "" : "s");
  for (const Fact& fact : facts()) text += fmt::format("  {:<10} {}\n", fact.name, fact.text);
  if (!jacobian.empty())
    text += fmt::format("  jacobian   of {} by {}\n", fmt::join(names_of(outputs), ", "),
                        fmt::join(motors, ", "));
  for (const std::vector<double>& row : jacobian) {
    std::string line;
    for (const double value : row) line += fmt::format(" {:>14.8g}", value);
    text += fmt::format("            {}\n", line);
  }
  for (std::size_t b = 0; b < branches.size(); ++b)
    text += fmt::format("  branch {:<3} {}\n", b + 1, coordinates_text(branches[b]));
  return text;
}

Json Pose::json() const {
  ordered_json json{
      {"model", model.name()}, {"iterations", iterations}, {"coordinates", to_json(coordinates)}};
  for (const NamedNumber& one : outputs) json["outputs"][one.name] = one.value;
  if (!jacobian.empty())
    json["jacobian"] = {{"of", names_of(outputs)}, {"by", motors}, {"value", jacobian}};
  for (const NamedNumber& one : smallest_singular_values)
    json["smallest_singular_value"][one.name] = one.value;
  json["held"] = held;
  for (const NamedNumber& one : inputs) json["inputs"][one.name] = one.value;
  for (const std::vector<NamedNumber>& branch : branches)
    json["branches"].push_back(to_json(branch));
  return {std::move(json)};
}

void Pose::illustrate(emit::Report& page) const {
  page.drawing = emit::draw(*details_->model, pose_rows(*details_->model, {details_->values}));
  if (!jacobian.empty())
    page.tables.push_back(
        matrix_table("Jacobian of the outputs by the motors", motors, names_of(outputs), jacobian));
  if (branches.empty()) return;
  emit::TextTable table{"Poses with these values", {"pose"}, {}};
  for (const NamedNumber& one : coordinates) table.head.push_back(one.name);
  for (std::size_t b = 0; b < branches.size(); ++b) {
    table.rows.push_back({fmt::format("{}", b + 1)});
    for (const NamedNumber& one : branches[b])
      table.rows.back().push_back(fmt::format("{:.8g}", one.value));
  }
  page.tables.push_back(std::move(table));
}

}  // namespace task
}  // namespace daedal
