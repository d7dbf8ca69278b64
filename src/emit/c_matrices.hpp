// Small dense matrices as C99: the operations of control/small_matrices.cpp and of solve_scaled in base/lu.cpp, in the same order.
#pragma once

namespace daedal::emit {

/// multiply, transpose, add, factor_of, solve_with, make_symmetric
extern const char* const matrices_text;
/// null_space, trapezoidal
extern const char* const bases_text;
/// solve_scaled, for at most LARGEST unknowns
extern const char* const solve_scaled_text;

}  // namespace daedal::emit
