#include "library.hpp"

#include <system_error>

namespace daedal::cli {

namespace fs = std::filesystem;

fs::path models_folder() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = executable.parent_path().parent_path() / "share" / "daedal" / "models";
  if (!error && fs::is_directory(installed, error)) return installed;
  return DAEDAL_MODELS_DIR;
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
  return names;
}

}  // namespace daedal::cli
