// The part of XML that robot descriptions use: elements, attributes, comments, character references.
//
// The tree keeps the place of every element and attribute, so that a fault in what it means points at the text. What could make
// a small file large or reach beyond it (entities of a document's own, other documents) is refused.
#pragma once

#include "daedal/base/diagnostic.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::robots {

struct XmlAttribute {
  std::string name, value;
  Place place;        // of the name
  Place value_place;  // of the text between the quotes
};

struct XmlElement {
  std::string name;
  Place place;  // of the name in the opening tag
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;

  const XmlAttribute* attribute(std::string_view wanted) const;
  /// The first child of that name, or nullptr.
  const XmlElement* child(std::string_view wanted) const;
};

/// The document's element. Throws ModelError.
XmlElement read_xml(const std::shared_ptr<const SourceFile>& source);

}  // namespace daedal::robots
