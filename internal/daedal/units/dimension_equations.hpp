// Linear equations in the exponents of dimensions, solved as they come.
//
// What has no stated unit has an unknown dimension. "2*x + y" says that x and y have one dimension, "m/2*x'^2" is an energy
// says what x has: products add exponents and powers multiply them, so every rule is one linear equation over the rationals.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/units/dimension.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace daedal::model {

/// A known dimension times powers of unknown ones.
struct DimensionTerm {
  Dimension known;
  std::vector<std::pair<std::uint32_t, Rational>> unknown;  // by number, ascending

  bool is_known() const { return unknown.empty(); }
  DimensionTerm to_the(Rational exponent) const;
  friend DimensionTerm operator*(const DimensionTerm& a, const DimensionTerm& b);
  friend DimensionTerm operator/(const DimensionTerm& a, const DimensionTerm& b) {
    return a * b.to_the(-1);
  }
};

class DimensionEquations {
 public:
  DimensionTerm unknown();
  /// False when a and b cannot be equal: nothing is changed then. `place` is where the equation is written.
  bool equate(const DimensionTerm& a, const DimensionTerm& b, const Place& place);
  /// With what is known by now.
  DimensionTerm solved(const DimensionTerm& term) const;
  /// Where the dimension of a single unknown was found; unknown when it was not.
  Place origin(const DimensionTerm& term) const;

 private:
  struct Unknown {
    std::optional<DimensionTerm> solution;
    Place origin;
  };
  std::vector<Unknown> unknowns_;
};

}  // namespace daedal::model
