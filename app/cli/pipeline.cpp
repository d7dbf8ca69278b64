#include "pipeline.hpp"

#include "file_roles.hpp"
#include "request.hpp"
#include "watched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

namespace daedal::cli {

void print_warnings(const Arguments& arguments, const std::vector<Diagnostic>& warnings) {
  for (const Diagnostic& warning : warnings) {
    const std::string text = render(warning, as_option);
    if (!arguments.shown->insert(text).second) continue;
    std::fprintf(stderr, "%s\n", text.c_str());
    arguments.warnings->push_back(warning);
  }
}

namespace {

/// normal(18.9, 0.5)
bool is_drawn(const std::string& text) {
  const std::size_t word = std::min(text.find_first_not_of(' '), text.size());
  return text.compare(word, 7, "normal(") == 0 || text.compare(word, 8, "uniform(") == 0;
}

}  // namespace

Values only(Values values, bool drawn) {
  std::erase_if(values, [&](const auto& one) { return is_drawn(one.second) != drawn; });
  return values;
}

task::LoadOptions load_options(const Arguments& a) {
  if (!a.plant.empty() && a.controllers.empty() && a.command != "compare")
    fault({}, "--plant: of which controller?",
          "without --controller NAME the plant is the model: -p NAME=VALUE");
  for (const auto& [option, values] : {std::pair("--plant", &a.plant), {"--initial", &a.starts}})
    for (const auto& [name, value] : *values)
      if (is_drawn(value) && !a.runs)
        fault({}, fmt::format("{} {}={}: a distribution is of many runs", option, name, value),
              "daedal simulate draws from it with  --runs 1000");
  task::LoadOptions options;
  options.parameters = a.overrides.parameters;
  options.inputs = a.overrides.inputs;
  options.model = a.overrides.model;
  options.parameters_name = "-p";
  options.inputs_name = "--input";
  options.lifting = a.lifting == "never"    ? model::Lifting::never
                    : a.lifting == "always" ? model::Lifting::always
                                            : model::Lifting::automatic;
  if (a.command != "compare") options.controllers = a.controllers;  // else one after the other
  options.plant = only(a.plant, false);
  options.starts = only(a.starts, false);
  options.plant_name = "--plant";
  options.starts_name = "--initial";
  options.strict_units = a.units;
  return options;
}

task::Model load(const Arguments& a) {
  task::LoadOptions options = load_options(a);
  const task::Model model = watched(a, [&](const Watch& watch) {
    options.watch = watch;
    return task::load(a.file, options);
  });
  refuse_overwriting(written_files(a), model.library(), a.overrides);
  print_warnings(a, model.warnings());
  return model;
}

}  // namespace daedal::cli
