#include "daedal/analyse/poles_zeros.hpp"

#include <numeric>
#include <stdexcept>

namespace daedal::analysis {

Spectrum poles(const LinearModel& linear, Wanted wanted) {
  return finite_eigenvalues(linear.e, linear.a, wanted);
}

Spectrum invariant_zeros(const LinearModel& linear, const std::vector<std::size_t>& outputs,
                         const std::vector<std::size_t>& inputs, Wanted wanted) {
  if (outputs.size() != inputs.size())
    throw std::invalid_argument("invariant_zeros: as many outputs as inputs are needed");
  const Eigen::Index n = linear.a.rows(), m = static_cast<Eigen::Index>(inputs.size());
  Eigen::MatrixXd e = Eigen::MatrixXd::Zero(n + m, n + m), a = e;
  e.topLeftCorner(n, n) = linear.e;
  a.topLeftCorner(n, n) = linear.a;
  for (Eigen::Index j = 0; j < m; ++j) {
    const auto input = static_cast<Eigen::Index>(inputs[static_cast<std::size_t>(j)]);
    a.col(n + j).head(n) = linear.b.col(input);
    for (Eigen::Index i = 0; i < m; ++i) {
      const auto output = static_cast<Eigen::Index>(outputs[static_cast<std::size_t>(i)]);
      a.row(n + i).head(n) = linear.c.row(output);
      a(n + i, n + j) = linear.d(output, input);
    }
  }
  return finite_eigenvalues(e, a, wanted);
}

Spectrum invariant_zeros(const LinearModel& linear, Wanted wanted) {
  std::vector<std::size_t> outputs(linear.outputs.size()), inputs(linear.inputs.size());
  std::iota(outputs.begin(), outputs.end(), std::size_t{0});
  std::iota(inputs.begin(), inputs.end(), std::size_t{0});
  return invariant_zeros(linear, outputs, inputs, wanted);
}

}  // namespace daedal::analysis
