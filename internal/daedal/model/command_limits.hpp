// Between which values a controller keeps what it commands.
#pragma once

#include "daedal/model/model.hpp"

#include <utility>

namespace daedal::model {

/// Lower and upper limit of a command, infinite where there is none: those of a `saturate` or a limited `pid` that is all of the
/// command, or of all but a delay or a change of sign, and those of `limit` lines about the input alone. Limits that change
/// during a run are passed over.
std::pair<double, double> command_limits(const Model& model, const Controller& controller,
                                         const Command& command);

}  // namespace daedal::model
