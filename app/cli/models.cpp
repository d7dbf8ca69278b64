// daedal models: the built-in library.
#include "commands.hpp"
#include "daedal/language/syntax.hpp"
#include "daedal/model/model.hpp"
#include "library.hpp"
#include "show.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace daedal::cli {

namespace {

struct Listed {
  std::string name, doc, file;
  std::vector<std::string> variants;
};

}  // namespace

int list_models(const Arguments& arguments) {
  std::vector<Listed> list;
  for (const std::string& name : library_models()) {
    const std::string file = library_model(name).value();
    const model::Library library = model::load(file);
    if (library.files.back().models.empty()) continue;
    Listed item{name, library.files.back().models.back().doc, file, {}};
    for (const auto& m : library.files.back().models) item.variants.push_back(m.name);
    list.push_back(std::move(item));
  }
  std::sort(list.begin(), list.end(),
            [](const Listed& a, const Listed& b) { return a.name < b.name; });
  if (arguments.json) {
    nlohmann::ordered_json models = nlohmann::ordered_json::array();
    for (const Listed& item : list)
      models.push_back(
          {{"name", item.name}, {"doc", item.doc}, {"file", item.file}, {"models", item.variants}});
    print_json({{"models", std::move(models)}});
    return 0;
  }
  if (list.empty()) fmt::print("no models found in {}\n", models_folder().string());
  for (const Listed& item : list) {
    fmt::print("{:<22} {}\n", item.name, item.doc);
    if (item.variants.size() > 1) {
      fmt::print("{:<22}   models: {}\n", "", fmt::join(item.variants, ", "));
    }
  }
  if (!list.empty())
    fmt::print("\nfiles: {}/<name>/<name>.daedal; the name alone does: daedal simulate pendulum\n",
               models_folder().string());
  return 0;
}

}  // namespace daedal::cli
