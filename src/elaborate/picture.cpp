#include "elaborate/picture.hpp"

#include "daedal/base/diagnostic.hpp"
#include "daedal/model/fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <variant>
#include <vector>

namespace daedal::model {

namespace {

struct PictureShape {
  const char* name;
  std::size_t fewest, most;  // points
  const char* points;        // in words
  std::vector<std::string> options;
};

constexpr std::size_t any_number = 1'000'000;

const std::array<PictureShape, 7>& picture_shapes() {
  static const std::array<PictureShape, 7> shapes{
      {{"line", 2, any_number, "two or more", {"label"}},
       {"arrow", 2, any_number, "two or more", {"label"}},
       {"spring", 2, 2, "two", {"label"}},
       {"disc", 1, 1, "one", {"radius", "label"}},
       {"ring", 1, 1, "one", {"radius", "label"}},
       {"box",
        1,
        2,
        "one, its centre, or two opposite corners",
        {"width", "height", "angle", "label"}},
       {"text", 1, 1, "one", {"label"}}}};
  return shapes;
}

const PictureShape& shape_of(const syntax::DrawItem& item) {
  std::vector<std::string> names;
  for (const PictureShape& shape : picture_shapes()) {
    if (item.shape == shape.name) return shape;
    names.emplace_back(shape.name);
  }
  const std::string near = nearest_name(item.shape, names);
  fault(item.place, fmt::format("there is no shape '{}' to draw", item.shape),
        near.empty() ? fmt::format("shapes: {}", fmt::join(names, ", ")) : did_you_mean(near));
}

}  // namespace

void check_shape(const syntax::DrawItem& item) {
  const PictureShape& shape = shape_of(item);
  if (item.points.size() < shape.fewest || item.points.size() > shape.most)
    fault(item.place,
          fmt::format("shape '{}' has {} point{}", shape.name, item.points.size(),
                      item.points.size() == 1 ? "" : "s"),
          fmt::format("it takes {}{}", shape.points, shape.most > 1 ? ", joined by ->" : ""));
  for (const syntax::Argument& option : item.options) {
    if (std::find(shape.options.begin(), shape.options.end(), option.name) == shape.options.end()) {
      const std::string near = nearest_name(option.name, shape.options);
      fault(option.place, fmt::format("shape '{}' has no option '{}'", shape.name, option.name),
            near.empty() ? fmt::format("options: {}", fmt::join(shape.options, ", "))
                         : did_you_mean(near));
    }
    const bool is_text = std::holds_alternative<syntax::Text>(option.value->node);
    if (is_text != (option.name == "label"))
      fault(option.value->place,
            fmt::format("'{}' is a {}", option.name, is_text ? "number" : "text in quotes"),
            fmt::format("write  {} {}", option.name, is_text ? "0.1" : "\"crank\""));
  }
}

}  // namespace daedal::model
