// Seeded random mechanisms: trees of bodies in the plane or in space with up to four closed loops, masses over six decades.
//
// Bodies are placed and turned at random, and each joint takes its points and axes from where its bodies are: the start
// satisfies all constraints whatever the tree is, and the geometry is that of no special case.
#pragma once

#include <cstdint>
#include <string>

namespace daedal::test {

/// What was drawn, and the model as text.
struct RandomMechanism {
  int dimension = 2, bodies = 0, loops = 0, freedoms = 0;
  std::string text;
};

RandomMechanism random_mechanism(std::uint64_t seed);

}  // namespace daedal::test
