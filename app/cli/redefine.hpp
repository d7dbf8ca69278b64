// --redefine OUTPUT:RIGID: another output in the place of the one that the servo lines ask for.
#pragma once

#include "arguments.hpp"
#include "daedal/base/table.hpp"
#include "pipeline.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace daedal::cli {

/// The model with its output redefined, by the weight asked for or by the largest one without unstable zeros, a reserve below
/// the critical one. Throws ModelError where no weight does.
Loaded redefine(Loaded loaded, const Arguments& arguments);

/// How far an output stays away from what it was asked to do.
struct Following {
  std::string output, unit;
  double largest = 0, at = 0;  // [unit], [s]
  double after = 0;            // [unit], the largest once the desired motion has ended, `end` [s]
  double end = 0;
};
std::vector<Following> following(const Loaded& loaded, const Table& rows, double end);

/// Lines of the summary.
std::string text_of(const Redefined& redefined, const std::vector<Following>& following);
nlohmann::ordered_json redefined_json(const Redefined& redefined,
                                      const std::vector<Following>& following);

}  // namespace daedal::cli
