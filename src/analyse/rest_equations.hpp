// The equations of a Dae at rest, f(q, a) = 0: all derivatives zero, q positions, a the forces (multipliers and
// inputs that are free).
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/structure/rounding.hpp"

#include <Eigen/Core>

#include <memory>
#include <vector>

namespace daedal::analysis {

class RestEquations {
 public:
  RestEquations(const derive::Dae& dae, const std::vector<expr::SymbolId>& free_inputs);

  const std::vector<expr::SymbolId>& positions() const { return positions_; }
  const std::vector<expr::SymbolId>& actions() const { return actions_; }

  struct Value {
    Eigen::VectorXd residual, size;  // size: sum of the magnitudes of its terms
    bool finite = true;
    /// Largest residual against its size.
    double defect() const;
  };
  /// `values` by symbol: parameters, unknowns, inputs, time. `usual`: a size of the largest terms elsewhere, against which residuals
  /// are nothing where all terms vanish.
  Value evaluate(const std::vector<double>& values, double usual = 0) const;
  /// d f / d (positions, actions).
  Eigen::MatrixXd jacobian(const std::vector<double>& values) const;

 private:
  std::shared_ptr<expr::Graph>
      graph_;  // the rows point into it: it stays where it is when this moves
  structure::RoundedRows rows_, slopes_;      // the equations, and their derivatives
  std::vector<expr::JacobianEntry> entries_;  // positions of the derivatives
  std::size_t equations_ = 0;
  std::vector<expr::SymbolId> positions_, actions_;
};

/// Residual over the sum of its terms' magnitudes up to which forces balance.
inline constexpr double at_balance = 1e-12;

/// Start values of all symbols, inputs as their signals say at time t.
std::vector<double> start_values(const model::Model& model, double t);

}  // namespace daedal::analysis
