// Where the states would rest if the outputs stopped at a time: what optimisations of an inverse model stay near to, so that
// nothing grows [BastosSeifriedBruls2013].
#pragma once

#include "daedal/boundary/boundary_value.hpp"
#include "daedal/boundary/rest.hpp"

#include <vector>

namespace daedal::boundary {

class RestPath {
 public:
  /// At nodes and in the middles between them, followed from `left`, the rest at the first node.
  RestPath(ReducedSystem& system, const std::vector<double>& nodes, const Desired& desired,
           const Rest& left);
  /// Linear between nodes and middles. Writes states().
  void at(double t, double* states) const;
  std::size_t states() const { return n_; }

 private:
  std::vector<double> times_, states_;
  std::size_t n_;
};

}  // namespace daedal::boundary
