// How deep an evaluation is nested, over formulas, names and functions.
#pragma once

#include "daedal/model/evaluator.hpp"

#include <fmt/format.h>

namespace daedal::model {

/// A formula nests at most 200 deep, and names are resolved before the formulas that mention them;
/// what is left are functions within functions. Deeper is a runaway. A level takes up to 10 KiB of
/// stack (functions within functions, under sanitizers), so that evaluation needs 4 MiB at most.
inline constexpr int max_levels = 400;

class Evaluator::Level {
 public:
  Level(int& level, const Place& place) : level_(level) {
    if (level_ == max_levels) {
      fault(place,
            fmt::format("formulas and functions are nested deeper than {} levels", max_levels),
            "do definitions refer to each other in a circle?");
    }
    ++level_;
  }
  ~Level() { --level_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  int& level_;
};

}  // namespace daedal::model
