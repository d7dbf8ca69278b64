// The laws that the controllers of a model were designed with.
#pragma once

#include "daedal/analyse/equilibrium.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/model/designer.hpp"
#include "daedal/task/model.hpp"

#include <memory>
#include <vector>

namespace daedal {
inline namespace task {

/// A state feedback, on the model that its controller assumes.
struct DesignedLaw {
  model::DesignQuestion question;
  std::shared_ptr<const derive::Dae> dae;
  analysis::Equilibrium rest;  // that it is linearised at; none along a motion
};
/// In the order of the text. Empty where no controller acts, or none has gains of that kind.
std::vector<DesignedLaw> designed_laws(const Model& model);

}  // namespace task
}  // namespace daedal
