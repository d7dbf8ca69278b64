#include "redefine.hpp"

#include "daedal/analyse/zero_map.hpp"
#include "daedal/task/options.hpp"
#include "mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

Mechanism with_weight(const model::Model& m, const analysis::Redefinition& outputs, double weight) {
  return started(std::make_shared<const model::Model>(analysis::redefined(m, outputs, weight)));
}

/// The given weight, else the best.
void choose_weight(Redefined& redefined, const model::Model& m, const RedefineOptions& asked) {
  if (asked.weight) {
    if (!(*asked.weight >= 0 && *asked.weight <= 1))
      fault({}, fmt::format("`weight = {}`: not between 0 and 1", *asked.weight),
            "0 is the rigid output alone, 1 the output as it was");
    redefined.weight = *asked.weight;
    return;
  }
  const Mechanism half = with_weight(m, redefined.outputs, 0.5);
  analysis::ZeroMapOptions options;
  options.margin = asked.margin;
  options.watch = asked.watch;
  const expr::SymbolId gamma = half.model->find(weight_name(redefined.outputs));
  const analysis::ZeroMap map = zero_map(*half.dae, {{gamma, 0, 1}}, options);
  if (!map.best)
    fault(m.place,
          fmt::format(
              "model '{}': no weight between 0 and 1 makes '{}' minimum phase{}", m.name,
              asked.redefine,
              options.margin > 0 ? fmt::format(" with a margin of {} 1/s", options.margin) : ""),
          "analyse with `redefine` shows the zeros over the weight");
  redefined.weight = map.best->s;
  for (const analysis::Crossing& crossing : map.crossings)
    if (crossing.acceptable_before && crossing.s > map.best->s) redefined.critical = crossing.s;
}

}  // namespace

Redefined redefine(const Mechanism& mechanism, const RedefineOptions& options) {
  Redefined redefined{{}, analysis::read_redefinition(options.redefine), 1, std::nullopt};
  choose_weight(redefined, *mechanism.model, options);
  redefined.mechanism = with_weight(*mechanism.model, redefined.outputs, redefined.weight);
  return redefined;
}

std::vector<Following> following(const model::Model& redefined, const Table& rows, double end) {
  std::vector<Following> result;
  for (const model::NamedValue& output : redefined.outputs) {
    const auto column = rows.find(analysis::error_name(output.name));
    if (!column) continue;
    Following f{.output = output.name, .unit = output.unit, .end = end};
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      const double t = rows.at(r, 0), error = std::abs(rows.at(r, *column));
      if (error > f.largest) f.largest = error, f.at = t;
      if (t >= end) f.after = std::max(f.after, error);
    }
    result.push_back(std::move(f));
  }
  return result;
}

void add_redefined(std::vector<Fact>& facts, const Redefined& r,
                   const std::vector<Following>& following) {
  facts.push_back({"output",
                   fmt::format("{0:.6g} {1} + {2:.6g} {3} moves as prescribed for {1}{4}", r.weight,
                               r.outputs.output, 1 - r.weight, r.outputs.rigid,
                               r.critical ? fmt::format("; no unstable zeros up to {:.6g} {}",
                                                        *r.critical, r.outputs.output)
                                          : ""),
                   r.weight, "", r.outputs.output});
  for (const Following& f : following) {
    const std::string unit = f.unit.empty() ? "" : " " + f.unit;
    facts.push_back({"follows",
                     fmt::format("{}: within {:.6g}{} (at t = {:.4g} s), after the motion (t >= "
                                 "{:g} s) within {:.6g}{}",
                                 f.output, f.largest, unit, f.at, f.end, f.after, unit),
                     f.largest, f.unit, f.output});
  }
}

nlohmann::ordered_json redefined_json(const Redefined& r, const std::vector<Following>& following) {
  nlohmann::ordered_json json{
      {"output", r.outputs.output}, {"rigid", r.outputs.rigid}, {"weight", r.weight}};
  if (r.critical) json["critical_weight"] = *r.critical;
  json["follows"] = nlohmann::ordered_json::object();
  for (const Following& f : following)
    json["follows"][f.output] = {
        {"largest", f.largest}, {"at", f.at}, {"after", f.after}, {"end", f.end}};
  return json;
}

}  // namespace task
}  // namespace daedal
