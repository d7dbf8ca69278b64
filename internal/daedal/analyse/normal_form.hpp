// Byrnes-Isidori normal form, evaluated numerically [Isidori1995, chapter 5].
//
//   y_i^(k) = L_f^k h_i              k < r_i     xi, the outputs and their derivatives
//   y_i^(r_i) = b_i(x) + A_i(x) u                A is the decoupling matrix
//   eta' = q(x) + P(x) u                         eta, states that complete them
//
// Lie derivatives are coefficients of the Taylor series of the outputs along the motion, from jets: any order, no symbols.
// The zero dynamics are the motion with constant outputs: the inverse Dae with outputs held, a Dae like any other, to be
// simulated and linearised.
#pragma once

#include "daedal/analyse/equilibrium.hpp"
#include "daedal/derive/dae.hpp"

#include <Eigen/Core>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace daedal::analysis {

/// States by name: "theta1", "s'". What is not named keeps its start value.
using StateValues = std::map<std::string, double>;

struct NormalFormPoint {
  std::vector<std::vector<double>> xi;  // by output: y, y', ..., y^(r-1)
  Eigen::VectorXd b;
  Eigen::MatrixXd a;
  Eigen::VectorXd eta, q;
  Eigen::MatrixXd p;
  /// u = -A^-1 b keeps the outputs' r-th derivatives at 0, and eta' with it; empty where A is singular.
  Eigen::VectorXd holding_input, eta_rate;
};

class NormalForm {
 public:
  /// `outputs` as in PortraitOptions, `internal`: names of states that serve as eta. Inputs enter the equations linearly and
  /// without derivatives (ModelError otherwise, and for names that are none).
  NormalForm(const derive::Dae& forward, const std::vector<std::string>& outputs,
             const std::vector<std::string>& internal);
  ~NormalForm();
  NormalForm(NormalForm&&) noexcept;

  const std::vector<std::string>& outputs() const;
  /// By output, determined at the start values by jets; 0 where no input occurs up to the 30th derivative.
  const std::vector<int>& relative_degree() const;
  NormalFormPoint at(const StateValues& state) const;
  /// L_f^k h_i for k = 0 ... order.
  std::vector<double> lie_derivatives(std::size_t output, int order,
                                      const StateValues& state) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The inverse Dae with every output constant at its value at `rest`; its start values are those of `rest`, moved by
/// `disturbance`, which the start keeps.
derive::Dae zero_dynamics(const derive::Dae& forward, const std::vector<std::string>& outputs,
                          const Equilibrium& rest, const StateValues& disturbance = {});

/// The model with its holonomic constraints opened: their residuals are outputs and their reactions inputs, so that the
/// constrained motion is zero dynamics, and [OlivaLooper, chapter 2] applies.
model::Model with_open_constraints(const model::Model& model);

/// eta' on the zero dynamics as a function of eta alone: the other states follow.
Eigen::VectorXd internal_rate(const derive::Dae& zero_dynamics,
                              const std::vector<std::string>& internal, const Eigen::VectorXd& eta);

}  // namespace daedal::analysis
