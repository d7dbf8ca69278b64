// The equations of a Dae, for people: text and LaTeX.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/structure/offsets.hpp"

#include <string>
#include <vector>

namespace daedal::emit {

struct WrittenEquation {
  std::string name;  // "motion of x", "rod", "rod, differentiated twice"
  std::string text;  // "m*x'' - 2*rod*x = 0"
  std::string latex;
  int derivative = 0;  // how often the equation was differentiated
};

/// Every equation of the Dae; `limit` bounds the characters of one.
std::vector<WrittenEquation> written_equations(const derive::Dae& dae, std::size_t limit = 4000);
/// The derivatives of equations that the structure asks for (hidden constraints), by equation. Those of high order or of
/// many operations have a name, but no text.
std::vector<WrittenEquation> written_derivatives(const derive::Dae& dae,
                                                 const structure::Offsets& offsets,
                                                 std::size_t limit = 4000);

}  // namespace daedal::emit
