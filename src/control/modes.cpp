#include "modes.hpp"

#include "daedal/pencil/singular_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::feedback {

using Eigen::Index;
using Complex = std::complex<double>;

std::string text_of(Complex mode) {
  if (mode.imag() == 0) return fmt::format("{:.6g} 1/s", mode.real());
  return fmt::format("{:.6g} +- {:.6g}i 1/s", mode.real(), std::abs(mode.imag()));
}

std::string movers(const Eigen::MatrixXd& f, const Eigen::MatrixXd& basis,
                   const std::vector<std::string>& states, const std::vector<expr::Leaf>& leaves,
                   Complex mode) {
  const Index n = f.rows();
  const Eigen::MatrixXcd shifted = f.cast<Complex>() - mode * Eigen::MatrixXcd::Identity(n, n);
  const Eigen::VectorXcd direction = analysis::complex_svd(shifted).v.col(n - 1);
  const Eigen::VectorXd sizes = (basis.cast<Complex>() * direction).cwiseAbs();
  std::vector<std::pair<double, std::string>> largest;
  for (std::size_t k = 0; k < states.size(); ++k)
    if (leaves[k].order == 0) largest.emplace_back(sizes[static_cast<Index>(k)], states[k]);
  std::stable_sort(largest.begin(), largest.end(),
                   [](const auto& l, const auto& r) { return l.first > r.first; });
  std::vector<std::string> names;
  constexpr double beside = 0.3;  // of the largest: the others hardly move
  constexpr std::size_t most = 3;
  for (const auto& [size, name] : largest)
    if (names.size() < most && size >= beside * largest.front().first) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace daedal::feedback
