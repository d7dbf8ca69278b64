// Numbers of coordinates, constraints, inputs, ... of a model.
#pragma once

#include "daedal/derive/dae.hpp"

#include <cstddef>
#include <string>

namespace daedal {
inline namespace task {

struct Counts {
  std::size_t coordinates = 0, lifted = 0, driven = 0, variables = 0, constraints = 0, inputs = 0,
              outputs = 0, servos = 0, events = 0;
  std::size_t equations = 0, redundant = 0;  // constraints left out
};
Counts count(const derive::Dae& dae);

/// "9 coordinates, 8 constraints, 1 input; index 3, 2 free initial values".
std::string text_of(const Counts& counts, int index, int degrees_of_freedom);

/// "s", unless there is one.
inline const char* plural(std::size_t n) { return n == 1 ? "" : "s"; }

}  // namespace task
}  // namespace daedal
