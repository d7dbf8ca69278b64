// Names that other languages have for what this one calls otherwise: help for unknown names, functions, members and
// elements. Each is "" where nothing better is known than the nearest name.
#pragma once

#include "daedal/language/syntax.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace daedal::model {

/// "the derivative of 'x' is written  x'" for ddt(x), diff(x, t).
std::string help_for_function(const syntax::Call& call);

/// "write  exp(x)" for e, "write  t" for time.
std::string help_for_name(std::string_view name);

/// "the derivative of 'x' is written  x'" for x.dot.
std::string help_for_member(const std::string& base, std::string_view member);

/// np of np.sin(x): a module of another language, whose functions have no prefix here.
bool is_foreign_module(const syntax::Expression& e);

/// ground, world: what a joint is attached to unless a body is named.
bool is_foreign_ground(const syntax::Expression& e);

/// "did you mean 'planar_body' or 'spatial_body'?" for rigid_body.
std::string help_for_element(std::string_view name);

}  // namespace daedal::model
