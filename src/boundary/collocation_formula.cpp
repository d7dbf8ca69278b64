#include "daedal/boundary/collocation_formula.hpp"

#include <cmath>
#include <stdexcept>

namespace daedal::boundary {

namespace {

/// Coefficients of the Lagrange polynomial that is 1 at nodes[j].
std::vector<double> lagrange_coefficients(const std::vector<double>& nodes, std::size_t j) {
  std::vector<double> p{1};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i == j) continue;
    const double scale = 1 / (nodes[j] - nodes[i]);
    std::vector<double> q(p.size() + 1, 0.0);
    for (std::size_t k = 0; k < p.size(); ++k) {
      q[k + 1] += scale * p[k];
      q[k] -= scale * nodes[i] * p[k];
    }
    p = std::move(q);
  }
  return p;
}

double value(const std::vector<double>& p, double c) {
  double sum = 0;
  for (std::size_t k = p.size(); k-- > 0;) sum = sum * c + p[k];
  return sum;
}

std::vector<double> integral(const std::vector<double>& p) {
  std::vector<double> q(p.size() + 1, 0.0);
  for (std::size_t k = 0; k < p.size(); ++k) q[k + 1] = p[k] / static_cast<double>(k + 1);
  return q;
}

std::vector<double> gauss_nodes(int stages) {
  const double a = std::sqrt(3) / 6, b = std::sqrt(15) / 10;
  const double inner = std::sqrt(3.0 / 7 - 2.0 / 7 * std::sqrt(1.2)) / 2,
               outer = std::sqrt(3.0 / 7 + 2.0 / 7 * std::sqrt(1.2)) / 2;
  switch (stages) {
    case 1:
      return {0.5};
    case 2:
      return {0.5 - a, 0.5 + a};
    case 3:
      return {0.5 - b, 0.5, 0.5 + b};
    case 4:
      return {0.5 - outer, 0.5 - inner, 0.5 + inner, 0.5 + outer};
    default:
      throw std::invalid_argument("Gauss nodes: 1 to 4 stages are supported");
  }
}

}  // namespace

CollocationFormula::CollocationFormula(std::vector<double> nodes, int depth, int order)
    : nodes_(std::move(nodes)), order_(order) {
  const std::size_t s = stages();
  weights_.resize(static_cast<std::size_t>(depth) * (s + 1) * s);
  for (std::size_t j = 0; j < s; ++j) {
    std::vector<double> p = lagrange_coefficients(nodes_, j);
    for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k) {
      p = integral(p);
      for (std::size_t i = 0; i <= s; ++i)
        weights_[(k * (s + 1) + i) * s + j] = value(p, i < s ? nodes_[i] : 1.0);
    }
  }
}

CollocationFormula CollocationFormula::gauss(int stages, int depth) {
  return {gauss_nodes(stages), depth, 2 * stages};
}

double CollocationFormula::lagrange(std::size_t j, double c) const {
  double product = 1;
  for (std::size_t i = 0; i < stages(); ++i)
    if (i != j) product *= (c - nodes_[i]) / (nodes_[j] - nodes_[i]);
  return product;
}

}  // namespace daedal::boundary
