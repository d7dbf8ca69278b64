// Small operations on Functions that formulations are made of.
#pragma once

#include "daedal/expr/graph.hpp"

#include <functional>

namespace daedal::formulate {

/// factor * f
expr::Function scaled(const expr::Function& f, double factor);

/// f with the leaves (of global symbols) that satisfy `is_zero` replaced by 0. Instances of a family that differ in
/// which leaves vanish are parted.
expr::Function with_zeros(const expr::Function& f, const std::function<bool(expr::Leaf)>& is_zero);

/// Rows of f that satisfy `keep`, at their places; the others are empty.
expr::Function rows_where(const expr::Function& f, const std::function<bool(std::uint32_t)>& keep);

/// Leaves (of global symbols) that occur anywhere in f, sorted.
std::vector<expr::Leaf> leaves_of(const expr::Function& f);

}  // namespace daedal::formulate
