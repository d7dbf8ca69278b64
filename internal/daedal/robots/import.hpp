// Robot descriptions (URDF) as model text.
#pragma once

#include "daedal/base/diagnostic.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::robots {

enum class Base { unstated, fixed, free };

struct ImportOptions {
  Base base = Base::unstated;  // the description does not say; unstated: fixed, and a note says so
  bool motors = true;          // an input for every joint that moves by itself
};

struct ImportedRobot {
  std::string text;               // one model, named after the robot
  std::vector<Diagnostic> notes;  // what was left out, renamed or assumed; no errors
};

/// Whether a file of this name is a robot description, by its ending.
bool is_robot_description(std::string_view path);

/// Throws ModelError with as many faults as can be found.
ImportedRobot import_robot(const std::shared_ptr<const SourceFile>& source,
                           const ImportOptions& options = {});

}  // namespace daedal::robots
