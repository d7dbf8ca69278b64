// Meshes with fixed nodes at the joints of the desired motion.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace daedal::boundary {

/// About `intervals` of equal length, at least `least` between two joints.
std::vector<double> even_mesh(std::span<const double> joints, std::size_t intervals,
                              std::size_t least);

/// About `intervals` such that errors, proportional to length^order within an interval, are equal in all of them;
/// `errors` are those of the given mesh. Lengths of neighbours stay comparable.
std::vector<double> equidistributed(std::span<const double> mesh, std::span<const double> errors,
                                    double order, std::span<const double> joints,
                                    std::size_t intervals, std::size_t least);

}  // namespace daedal::boundary
