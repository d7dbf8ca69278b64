// The structure of a Dae, in readable form: signature matrix and order of solution.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/structure/examine.hpp"

#include <string>
#include <vector>

namespace daedal::emit {

/// Rows are equations, columns unknowns; an entry is the highest derivative, a star marks the transversal, brackets an entry
/// that does not reach the offsets. Lines of equal indentation, each with its line feed.
std::string signature_table(const derive::Dae& dae, const structure::Offsets& offsets);

/// One line for each block in the order of solution, at most `shown` of them:  "cable -> L".
std::string order_of_solution(const derive::Dae& dae, const structure::Offsets& offsets,
                              const std::vector<structure::Block>& blocks, std::size_t shown = 20);

}  // namespace daedal::emit
