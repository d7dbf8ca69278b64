// Which start values are stated. What a user writes is: in a declaration, after `initial`, or as an argument of an element.
// An element gives every coordinate of its own a value, most of them by arguments that have a default; such a value is
// stated when somebody gave one of the arguments it is made of:
//     part crank = planar_body(mass = 1, inertia = 0.01, angular_velocity = 10)     states crank.phi', and nothing else.
#pragma once

#include "daedal/model/instance.hpp"

#include <functional>
#include <string>

namespace daedal::model {

/// Whether the command line gives a parameter of that name, or an entry of it.
using IsOverridden = std::function<bool(const std::string& name)>;
/// By a table of what it gives.
template <class Table>
IsOverridden in_table(const Table& table) {
  return [&table](const std::string& name) {
    const auto next = table.lower_bound(name);
    return next != table.end() && (next->first == name || next->first.starts_with(name + "["));
  };
}

/// Whether `value`, written in the model of `instance`, states the start of something of that order of derivative.
bool is_stated(const Instance& instance, const syntax::ExpressionPtr& value, int order,
               const IsOverridden& is_overridden);

}  // namespace daedal::model
