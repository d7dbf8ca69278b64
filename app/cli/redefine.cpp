#include "redefine.hpp"

#include "daedal/analyse/zero_map.hpp"
#include "progress_line.hpp"
#include "request.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace daedal::cli {

namespace {

using daedal::analyse::ZeroMap;

/// The weight that is asked for, else the best.
Redefined chosen(const Loaded& loaded, const Arguments& a) {
  Redefined redefined{daedal::analyse::read_redefinition(a.redefine), 0, std::nullopt};
  if (a.weight) {
    if (!(*a.weight >= 0 && *a.weight <= 1))
      fault({}, fmt::format("--weight {}: not between 0 and 1", *a.weight),
            "0 is the rigid output alone, 1 the output as it was");
    redefined.weight = *a.weight;
    return redefined;
  }
  const derive::Dae half = derive::derive(std::make_shared<const model::Model>(
      daedal::analyse::redefined(*loaded.model, redefined.outputs, 0.5)));
  ProgressLine line;
  daedal::analyse::ZeroMapOptions options;
  options.margin = a.margin.value_or(0);
  if (!a.quiet) options.progress = line.sink();
  const expr::SymbolId gamma = half.model->find(weight_name(redefined.outputs));
  const ZeroMap map = zero_map(half, {{gamma, 0, 1}}, options);
  if (!map.best)
    fault(loaded.model->place,
          fmt::format(
              "model '{}': no weight between 0 and 1 makes '{}' minimum phase{}",
              loaded.model->name, a.redefine,
              options.margin > 0 ? fmt::format(" with a margin of {} 1/s", options.margin) : ""),
          "daedal analyse with --redefine shows the zeros over the weight");
  redefined.weight = map.best->s;
  for (const daedal::analyse::Crossing& crossing : map.crossings)
    if (crossing.acceptable_before && crossing.s > map.best->s) redefined.critical = crossing.s;
  return redefined;
}

}  // namespace

Loaded redefine(Loaded loaded, const Arguments& a) {
  loaded.redefined = chosen(loaded, a);
  loaded.model = std::make_shared<const model::Model>(daedal::analyse::redefined(
      *loaded.model, loaded.redefined->outputs, loaded.redefined->weight));
  loaded.dae = std::make_shared<const derive::Dae>(derive::derive(loaded.model));
  return loaded;
}

std::vector<Following> following(const Loaded& loaded, const Table& rows, double end) {
  std::vector<Following> result;
  for (const model::NamedValue& output : loaded.model->outputs) {
    const auto column = rows.find(daedal::analyse::error_name(output.name));
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

std::string text_of(const Redefined& r, const std::vector<Following>& following) {
  std::string text = fmt::format(
      "  output   {0:.6g} {1} + {2:.6g} {3} moves as {1} was asked to{4}\n", r.weight,
      r.outputs.output, 1 - r.weight, r.outputs.rigid,
      r.critical ? fmt::format("; no unstable zeros up to {:.6g} {}", *r.critical, r.outputs.output)
                 : "");
  for (const Following& f : following) {
    const std::string unit = f.unit.empty() ? "" : " " + f.unit;
    text += fmt::format(
        "  follows  {}: within {:.6g}{} (at t = {:.4g} s), behind the motion (t >= {:g} s) "
        "within {:.6g}{}\n",
        f.output, f.largest, unit, f.at, f.end, f.after, unit);
  }
  return text;
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

}  // namespace daedal::cli
