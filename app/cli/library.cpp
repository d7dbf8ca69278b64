#include "library.hpp"

#include <algorithm>
#include <system_error>

namespace daedal::cli {

namespace fs = std::filesystem;

namespace {

fs::path folder_of_program() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace

fs::path models_folder() {
  std::error_code error;
  const fs::path installed = folder_of_program().parent_path() / "share" / "daedal" / "models";
  return fs::is_directory(installed, error) ? installed : fs::path(DAEDAL_MODELS_DIR);
}

std::optional<fs::path> site_page() {
  const fs::path program = folder_of_program();
  for (const fs::path& site :
       {program.parent_path() / "share" / "doc" / "daedal" / "site", program / "site"}) {
    std::error_code error;
    if (fs::is_regular_file(site / "index.html", error)) return site / "index.html";
  }
  return std::nullopt;
}

std::optional<std::string> library_model(const std::string& name) {
  std::error_code error;
  const fs::path file = models_folder() / name / (name + ".daedal");
  if (name.empty() || !fs::is_regular_file(file, error)) return std::nullopt;
  return file.string();
}

std::vector<std::string> library_models() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& folder : fs::directory_iterator(models_folder(), error))
    if (std::string name = folder.path().filename().string(); library_model(name))
      names.push_back(std::move(name));
  std::ranges::sort(names);
  return names;
}

}  // namespace daedal::cli
