// Extended and unscented Kalman filters as C99: the operations of control/nonlinear_filter.cpp, sums in the same order.
#pragma once

#include "c_expressions.hpp"
#include "daedal/control/nonlinear_filter_numbers.hpp"

#include <memory>
#include <string>
#include <vector>

namespace daedal::emit {

/// A function of straight-line code: its expressions, whose helpers and tables come before it, and its text.
struct CStraight {
  std::string name;
  std::shared_ptr<const expr::Graph> graph;
  std::vector<expr::Expr> roots;
  std::string text;

  CFunction function() const { return {name, *graph, roots, true}; }
};

/// Members of the type NAME_estimate, and functions as in c_kalman.hpp. The text comes after matrices_text, solve_scaled_text for
/// systems of `largest`, and c_helpers of `functions`, whose texts it contains.
struct CNonlinearFilter {
  std::string members, text;
  std::size_t largest = 0;
  std::vector<CStraight> functions;
};
/// Its motion is written out.
CNonlinearFilter c_nonlinear_filter(const feedback::NonlinearFilterNumbers& numbers);

}  // namespace daedal::emit
