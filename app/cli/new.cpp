// daedal new: a commented model to start from.
#include "commands.hpp"
#include "daedal/task/model.hpp"
#include "new_model_text.hpp"
#include "request.hpp"
#include "show.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

namespace daedal::cli {

int new_model(const Arguments& a) {
  std::filesystem::path path = a.new_model;
  if (path.extension() != ".daedal") path += ".daedal";
  const std::string name = path.stem().string();
  std::string text = new_model_text;
  text.replace(text.find("NAME"), 4, name);
  try {
    task::load_text(text, path.string());
  } catch (const ModelError&) {
    fault({}, fmt::format("'{}' is no name of a model", name),
          "a name has letters, digits and '_', and starts with a letter:  daedal new my_crane");
  }
  std::FILE* file = std::fopen(path.c_str(), "wx");
  if (file == nullptr)
    fault({},
          errno == EEXIST
              ? fmt::format("'{}' exists, and is not overwritten", path.string())
              : fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno)),
          errno == EEXIST ? "choose another name" : "");
  const bool written = std::fputs(text.c_str(), file) >= 0;
  if (std::fclose(file) != 0 || !written) {
    std::remove(path.c_str());
    fault({}, fmt::format("cannot write '{}'", path.string()), "");
  }
  if (a.json)
    print_json({{"model", name}, {"file", path.string()}});
  else if (!a.quiet)
    fmt::print("{0} is a pendulum to change\nnext:  daedal simulate {0},  daedal run {0}\n",
               path.string());
  return 0;
}

}  // namespace daedal::cli
