// daedal invert --formulations: the six formulations of stable inversion in one table.
#pragma once

#include "arguments.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "request.hpp"

namespace daedal::cli {

/// With --step, --before, --after. 0: done.
int report_formulations(const daedal::invert::InverseModel& inverse, const Request& request,
                        const Arguments& arguments);

}  // namespace daedal::cli
