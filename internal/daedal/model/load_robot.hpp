// A robot description on disk as model text.
#pragma once

#include "daedal/robots/import.hpp"

#include <string>

namespace daedal::model {

/// The text of the file at `path` as a model, in canonical form, and what became of the rest of it. Throws ModelError.
robots::ImportedRobot load_robot(const std::string& path, const robots::ImportOptions& options);

}  // namespace daedal::model
