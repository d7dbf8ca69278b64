#include "daedal/model/value.hpp"

#include "daedal/base/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::model {

std::string number_text(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

std::string did_you_mean(const std::string& near) {
  return near.empty() ? std::string() : fmt::format("did you mean '{}'?", near);
}

std::string did_you_mean_or_list(const std::string& wrong, std::vector<std::string> names) {
  constexpr std::size_t shown = 12;
  std::sort(names.begin(), names.end());
  const std::string near = nearest_name(wrong, names);
  if (!near.empty() || names.empty()) return did_you_mean(near);
  const std::size_t more = names.size() - std::min(shown, names.size());
  names.resize(names.size() - more);
  return fmt::format("it has {}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string Shape::text() const {
  switch (kind) {
    case Kind::scalar:
      return "a number";
    case Kind::vector:
      return fmt::format("a vector of {}", rows);
    case Kind::matrix:
      return fmt::format("a {} x {} matrix", rows, columns);
  }
  return {};
}

std::string Shape::suffix(std::size_t i) const {
  switch (kind) {
    case Kind::scalar:
      return {};
    case Kind::vector:
      return fmt::format("[{}]", i + 1);
    case Kind::matrix:
      return fmt::format("[{},{}]", i / columns + 1, i % columns + 1);
  }
  return {};
}

expr::Expr require_scalar(const Value& value, const Place& place, const std::string& what) {
  if (!value.is_scalar())
    fault(place, fmt::format("{} must be a number, not {}", what, value.shape.text()));
  return value.entries[0];
}

std::vector<expr::Expr> broadcast(const Value& value, const Shape& shape, const Place& place,
                                  const std::string& what) {
  if (value.shape == shape) return value.entries;
  if (value.is_scalar()) return std::vector<expr::Expr>(shape.size(), value.entries[0]);
  fault(place, fmt::format("{} is {}, its value {}", what, shape.text(), value.shape.text()));
}

}  // namespace daedal::model
