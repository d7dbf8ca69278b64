// daedal models: the built-in library.
#include "commands.hpp"
#include "daedal/language/syntax.hpp"
#include "daedal/model/model.hpp"
#include "library.hpp"
#include "show.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace daedal::cli {

int list_models(const Arguments& arguments) {
  nlohmann::ordered_json models = nlohmann::ordered_json::array();
  for (const std::string& name : library_models()) {
    const std::string file = library_model(name).value();
    const model::Library library = model::load(file);
    const std::vector<model::syntax::Model>& own = library.files.back().models;
    if (own.empty()) continue;
    std::vector<std::string> variants;
    for (const model::syntax::Model& m : own) variants.push_back(m.name);
    models.push_back(
        {{"name", name}, {"doc", own.back().doc}, {"file", file}, {"models", variants}});
  }
  if (arguments.json) {
    print_json({{"models", std::move(models)}});
    return 0;
  }
  if (models.empty()) fmt::print("no models found in {}\n", models_folder().string());
  for (const auto& item : models) {
    fmt::print("{:<22} {}\n", item["name"].get<std::string>(), item["doc"].get<std::string>());
    if (const auto variants = item["models"].get<std::vector<std::string>>(); variants.size() > 1)
      fmt::print("{:<22}   models: {}\n", "", fmt::join(variants, ", "));
  }
  if (!models.empty())
    fmt::print("\nfiles: {}/<name>/<name>.daedal; the name alone does: daedal simulate pendulum\n",
               models_folder().string());
  return 0;
}

}  // namespace daedal::cli
