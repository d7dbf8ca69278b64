// The designer of the laws of a model's controllers.
#pragma once

#include "daedal/model/designer.hpp"
#include "daedal/task/model.hpp"

#include <memory>

namespace daedal {
inline namespace task {

/// Of the model that the controllers assume. What it has computed it keeps.
std::unique_ptr<model::Designer> designer_of(const Model& believed);

}  // namespace task
}  // namespace daedal
