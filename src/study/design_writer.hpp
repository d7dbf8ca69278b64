// From a regulator to the answer that shows it.
#pragma once

#include "daedal/analyse/equilibrium.hpp"
#include "daedal/analyse/linearise.hpp"
#include "daedal/control/regulator.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/study/control.hpp"

namespace daedal {
inline namespace task {

/// `design` has its period, its delay and the names of its integrals.
struct DesignWriter {
  ControlDesign& design;

  void write(const derive::Dae& dae, const analysis::LinearModel& linear,
             const analysis::Equilibrium& rest, const feedback::Regulator& found) const;
};

}  // namespace task
}  // namespace daedal
