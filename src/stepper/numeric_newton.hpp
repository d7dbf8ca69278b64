// Newton's corrections of a step without an exact Jacobian: by differences, or Broyden's updates [Broyden1965].
//
// In scaled rows g = D f and units y = z/U the matrix J of g has entries of about 1. Its inverse is kept, so that a correction is
// a product; Broyden's update of J in the direction of the last correction s is one of the inverse,
//     H <- H + (s - H dg) s^T H / (s^T H dg).
#pragma once

#include "daedal/base/dense_lu.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/stepper/step_program.hpp"
#include "daedal/stepper/stepper.hpp"

#include <memory>
#include <vector>

namespace daedal::solve {

class NumericNewton {
 public:
  NumericNewton(std::shared_ptr<const StepProgram> program, const StepperOptions& options);

  /// A step begins; every `renew` of them, and when `anew`, Broyden's matrix is found by differences.
  void begin_step(bool anew) noexcept;
  /// rows = corrections of the tops | equations | 1, or a huge number when the matrix is singular | 0: no determinant. `point`
  /// is left as it was.
  void evaluate(double* point, double* rows) noexcept;

 private:
  bool differences(double* point) noexcept;
  double norm(const double* matrix) const noexcept;
  void update(const double* g) noexcept;

  std::shared_ptr<const StepProgram> program_;
  std::shared_ptr<const compile::Kernel> kernel_;
  compile::Workspace work_;
  JacobianKind kind_;
  int renew_ = 1, served_ = 0;
  std::size_t n_ = 0;
  bool have_inverse_ = false, have_last_ = false;
  base::DenseLu<double> lu_;
  std::vector<double> inverse_;  // by columns
  std::vector<double> f_, moved_, g_, last_g_, s_, h_dg_, s_h_, row_scale_, unit_, increment_;
};

}  // namespace daedal::solve
