// A x = b by SuiteSparse's KLU [DavisPalamadai2010]: kernels for the values, symbolic analysis once, numeric
// refactorisation with frozen pivots as long as their growth is harmless, with fresh pivots otherwise.
#pragma once

#include "daedal/compile/kernel.hpp"

#include <memory>
#include <span>

namespace daedal::compile {

std::unique_ptr<LinearSolver> make_klu_solver(const expr::SparseFunction& matrix,
                                              const expr::Function& right_hand_side,
                                              const Layout& layout, std::span<const double> sample,
                                              const Options& options);

}  // namespace daedal::compile
