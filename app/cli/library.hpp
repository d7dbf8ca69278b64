// What comes with the program: the library of models, the documentation.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace daedal::cli {

/// Beside an installed executable, or in the source tree it was built from.
std::filesystem::path models_folder();

/// The file of one of its models.
std::optional<std::string> library_model(const std::string& name);

/// Their names, as folders come.
std::vector<std::string> library_models();

/// The start page of the documentation's site, installed with the program or built beside it.
std::optional<std::filesystem::path> site_page();

}  // namespace daedal::cli
