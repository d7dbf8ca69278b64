// dr/ds and dr/dz by forward differences, in the layout of System::jacobians.
//
// Columns that share no row are disturbed together: a banded Jacobian costs as many evaluations as its bands
// [CurtisPowellReid1974].
#pragma once

#include "daedal/system/system.hpp"

#include <cstdint>
#include <vector>

namespace daedal::solve {

class DifferenceJacobians {
 public:
  explicit DifferenceJacobians(System& system);
  /// Returns the number of evaluations of r.
  std::size_t evaluate(double t, const double* s, const double* z, double* values);

 private:
  struct Entry {
    std::uint32_t row = 0, column = 0, target = 0;  // states, then tops; place in `values`
  };
  struct Group {
    std::vector<std::uint32_t> columns;
    std::vector<Entry> entries;
  };
  double scale(std::uint32_t column) const;

  System& system_;
  std::vector<Group> groups_;
  std::vector<double> point_, increment_, rows_, disturbed_;
};

}  // namespace daedal::solve
