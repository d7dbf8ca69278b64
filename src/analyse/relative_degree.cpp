#include "daedal/analyse/relative_degree.hpp"

#include "daedal/analyse/poles_zeros.hpp"
#include "numeric_rank.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::analyse {

namespace {

struct Entry {
  int degree = never;
  double coefficient = 0;
};

Entry entry_of(const LinearModel& linear, const LeadingTerm& poles, std::size_t output,
               std::size_t input) {
  const Spectrum zeros = invariant_zeros(linear, {output}, {input});
  if (!zeros.regular()) return {};
  return {poles.degree - zeros.leading.degree,
          poles.sign * zeros.leading.sign *
              std::exp(zeros.leading.log_magnitude - poles.log_magnitude)};
}

}  // namespace

RelativeDegree relative_degree(const LinearModel& linear) {
  const std::size_t outputs = linear.outputs.size(), inputs = linear.inputs.size();
  RelativeDegree result;
  result.decoupling_matrix =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(outputs), static_cast<Eigen::Index>(inputs));
  const Spectrum poles = analyse::poles(linear);
  if (!poles.regular()) return result;
  Eigen::MatrixXd acceleration = result.decoupling_matrix;
  int smallest = never;
  for (std::size_t i = 0; i < outputs; ++i) {
    std::vector<Entry> row;
    std::vector<int> degrees;
    for (std::size_t j = 0; j < inputs; ++j) {
      row.push_back(entry_of(linear, poles.leading, i, j));
      degrees.push_back(row.back().degree);
    }
    const int own = degrees.empty() ? never : *std::min_element(degrees.begin(), degrees.end());
    for (std::size_t j = 0; j < inputs; ++j) {
      const auto r = static_cast<Eigen::Index>(i), c = static_cast<Eigen::Index>(j);
      if (own != never && row[j].degree == own) result.decoupling_matrix(r, c) = row[j].coefficient;
      if (row[j].degree == 2) acceleration(r, c) = row[j].coefficient;
    }
    smallest = std::min(smallest, own);
    result.outputs.push_back(own);
    result.entries.push_back(std::move(degrees));
  }
  result.rank = numeric_rank(result.decoupling_matrix);
  if (smallest < 2) return result;
  result.acceleration_matrix = acceleration;
  result.acceleration_rank = numeric_rank(acceleration);
  return result;
}

}  // namespace daedal::analyse
