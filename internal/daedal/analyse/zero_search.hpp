// A search for what makes a system minimum phase: one path of parameters after another, and on each the point that can be reached.
//
// Along a path (zero_map) a parameter moves towards its preferred value: a weight to 1, a mass to 0. Other
// parameters, which change from one path to the next, make this possible: the table of both is the trade-off.
#pragma once

#include "daedal/analyse/zero_map.hpp"

#include <vector>

namespace daedal::analysis {

struct ZeroSearchLine {
  double s = 0;  // of the other parameters, 0 to 1
  ZeroMap map;   // along the path, with those fixed
};

/// `lines` paths (1 when nothing stands against), evenly spaced. Throws ModelError as zero_map.
/// Asked to stop, the lines until then.
std::vector<ZeroSearchLine> zero_search(const derive::Dae& asked,
                                        const std::vector<VariedParameter>& path,
                                        const std::vector<VariedParameter>& against, int lines,
                                        const ZeroMapOptions& options = {});

}  // namespace daedal::analysis
