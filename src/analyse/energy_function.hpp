// V = E - E_0 - work of constant inputs + epsilon (q - q_0)^T p, and V' along the motion.
#pragma once

#include "daedal/analyse/equilibrium.hpp"
#include "daedal/derive/dae.hpp"

#include <memory>
#include <vector>

namespace daedal::analysis {

class EnergyFunction {
 public:
  /// Throws ModelError for models without coordinates or with drives: there is no energy to fall.
  EnergyFunction(const derive::Dae& dae, const Equilibrium& rest);

  struct Value {
    double energy = 0, energy_rate = 0;  // with the work of inputs
    double cross = 0, cross_rate = 0;    // (q - q_0)^T p
  };
  Value at(const structure::Point& point) const;

 private:
  Value raw(const structure::Point& point) const;
  std::shared_ptr<expr::Graph> graph_;
  std::vector<expr::Expr> roots_;  // energy, its rate, cross, its rate
  double rest_ = 0;
};

}  // namespace daedal::analysis
