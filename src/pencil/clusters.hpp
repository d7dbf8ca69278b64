// Eigenvalues that cannot be distinguished within rounding error.
//
// The condition number of an eigenvalue that belongs to a Jordan block of size m grows as it is split: rounding eps moves the
// m values to a distance delta = eps^(1/m), where each has an error estimate of about delta itself. So disks of some
// error estimates around members of a cluster overlap, whatever m is, and those around separate eigenvalues do not.
#pragma once

#include "daedal/pencil/pencil.hpp"

#include <vector>

namespace daedal::analysis {

/// Reorders `values`, rightmost first, members of a cluster together.
std::vector<Cluster> clusters(std::vector<Eigenvalue>& values);

}  // namespace daedal::analysis
