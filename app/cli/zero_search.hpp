// daedal analyse --vary ... --against ..., --redefine tip:rigid,chord: what makes a model minimum phase, and what that costs.
#pragma once

#include "arguments.hpp"
#include "pipeline.hpp"

namespace daedal::cli {

/// Whether several outputs or other parameters are asked for.
bool asks_for_search(const Arguments& arguments);
/// 0: something makes it minimum phase, 1: nothing does.
int report_zero_search(const Loaded& loaded, const Arguments& arguments);

}  // namespace daedal::cli
