// The elementary functions of daedal/expr/elementary.hpp as C99: the same bits on every machine with IEEE arithmetic.
//
// The coefficients and the order of the operations are those of SLEEF 3.5.1, family "finz" [Shibata2020], which simulations
// use: fused multiply-adds, and sums of two numbers where one has too few digits. Angles from 1e14 on are reduced with the
// digits of 1/(2 pi) [PayneHanek1983].
#pragma once

#include "daedal/expr/graph.hpp"

#include <set>
#include <string>

namespace daedal::emit {

/// "common_sin": the name of a function, of an operation of the kind `elementary`.
std::string c_elementary_name(expr::Op op);

/// The text of these functions and of what they are made of; "" for none.
/// `pairs`: sine_and_cosine too, which finds both at once.
std::string c_elementary(const std::set<expr::Op>& operations, bool pairs = false);

}  // namespace daedal::emit
