// A model and its equations in the mode in which it starts.
#pragma once

#include "daedal/task/model.hpp"

#include <memory>

namespace daedal {
inline namespace task {

/// Derived; constraints that events attach later do not act.
Mechanism started(std::shared_ptr<const model::Model> model);

}  // namespace task
}  // namespace daedal
