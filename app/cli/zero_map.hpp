// daedal analyse --redefine, --vary: zeros over a weight or over parameters.
#pragma once

#include "arguments.hpp"
#include "pipeline.hpp"

namespace daedal::cli {

/// A line for each point, where the class changes, the best point; every zero to --csv or --json. The exit code.
int report_zero_map(const Loaded& loaded, const Arguments& arguments);

}  // namespace daedal::cli
