// A filter on the model that a controller assumes.
#pragma once

#include "daedal/model/designer.hpp"
#include "daedal/model/model.hpp"

#include <vector>

namespace daedal::design {

/// `believed`: the model as it is read, without controllers; `states`: what is estimated, in this order. Throws ModelError with the reason where there is none.
model::Observer observer_on(const model::Library& library, const model::Overrides& believed,
                            const std::vector<model::Quantity>& states,
                            const model::ObserverQuestion& question);

}  // namespace daedal::design
