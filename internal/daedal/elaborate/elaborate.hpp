// From a library of syntax trees to a Model.
#pragma once

#include "daedal/model/model.hpp"

namespace daedal::model {

/// Resolves names, checks shapes, flattens parts. Throws ModelError with all faults found.
Model elaborate(const Library& library, const Overrides& overrides = {}, const Limits& limits = {});

}  // namespace daedal::model
