// Faults found while a model is being resolved. A fault ends the definition or statement it is
// found in; the others continue, so that one run reports all faults.
#pragma once

#include "daedal/base/diagnostic.hpp"

#include <string>
#include <utility>
#include <vector>

namespace daedal::model {

struct Fault {
  Place place;
  std::string message;  // empty: follows from a fault already reported
  std::string help;
};

[[noreturn]] inline void fault(const Place& place, std::string message, std::string help = {}) {
  throw Fault{place, std::move(message), std::move(help)};
}

/// Ends a definition that needs another one, whose fault was already reported.
[[noreturn]] inline void follow_up_fault() { throw Fault{}; }

/// A number as messages show it: the fewest digits that identify it, "nan" whatever its sign.
std::string number_text(double value);

/// "did you mean 'x'?", or "" when no candidate is near.
std::string did_you_mean(const std::string& near);

/// The nearest of the names there are, else the names themselves: "it has a, b and 4 more".
std::string did_you_mean_or_list(const std::string& wrong, std::vector<std::string> names);

}  // namespace daedal::model
