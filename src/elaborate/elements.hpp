// The built-in elements: bodies, joints, springs, dampers. They are models in the language itself
// (elements/*.daedal, part of the program), so that a part made of one is a part like any other; what
// is left to say here is which text a name means, and which values make no mechanism.
#pragma once

#include "daedal/language/syntax.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace daedal::model {

class Elements {
 public:
  /// Read once and never changed.
  static const Elements& all();

  /// The element of that name in the plane (dimension 2) or in space (3), or nullptr.
  const syntax::Model* find(std::string_view name, long dimension) const;
  /// Whether there is an element of that name in some dimension.
  bool known(std::string_view name) const;
  std::vector<std::string> names() const;
  /// Whether it is a link of a tree of joints (links.daedal).
  bool is_link(const syntax::Model& model) const { return model.place.file == links_.source; }
  /// Whether `a` and `b` are bodies; those of wheels are angles and displacements.
  bool joins_bodies(std::string_view name) const;
  /// Whether a place is in the text of the elements, which no user has written.
  bool holds(const Place& place) const;
  /// Of the text that a place is in; 0 when it is none of the elements' or both.
  long dimension(const Place& place) const;

 private:
  Elements();
  syntax::File planar_, ancf_, spatial_, links_,
      lines_;  // `lines` holds elements of both dimensions
};

}  // namespace daedal::model
