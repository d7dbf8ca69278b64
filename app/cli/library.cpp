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

}  // namespace daedal::cli
