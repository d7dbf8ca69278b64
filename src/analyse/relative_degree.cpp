#include "daedal/analyse/relative_degree.hpp"

#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/pencil/numeric_rank.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::analysis {

namespace {

struct Entry {
  int degree = never;
  double coefficient = 0;
  int other_degree = never;  // where sizes of singular values alone decide
};

Entry entry_of(const LinearModel& linear, const Spectrum& of_poles, std::size_t output,
               std::size_t input) {
  const LeadingTerm& poles = of_poles.leading;
  const Spectrum zeros = invariant_zeros(linear, {output}, {input}, Wanted::count);
  if (!zeros.regular()) return {};
  const auto other = [](const Spectrum& s) {
    return s.other ? s.other->finite - s.leading.degree : 0;
  };
  const int degree = poles.degree - zeros.leading.degree;
  return {
      degree,
      poles.sign * zeros.leading.sign * std::exp(zeros.leading.log_magnitude - poles.log_magnitude),
      degree + other(of_poles) - other(zeros)};
}

}  // namespace

RelativeDegree relative_degree(const LinearModel& linear) {
  const std::size_t outputs = linear.outputs.size(), inputs = linear.inputs.size();
  RelativeDegree result;
  result.decoupling_matrix =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(outputs), static_cast<Eigen::Index>(inputs));
  const Spectrum poles = analysis::poles(linear, Wanted::count);
  if (!poles.regular()) return result;
  Eigen::MatrixXd acceleration = result.decoupling_matrix;
  int smallest = never;
  for (std::size_t i = 0; i < outputs; ++i) {
    std::vector<Entry> row;
    std::vector<int> degrees;
    for (std::size_t j = 0; j < inputs; ++j) {
      stop_point();
      row.push_back(entry_of(linear, poles, i, j));
      degrees.push_back(row.back().degree);
    }
    const int own = degrees.empty() ? never : *std::min_element(degrees.begin(), degrees.end());
    for (std::size_t j = 0; j < inputs; ++j) {
      const auto r = static_cast<Eigen::Index>(i), c = static_cast<Eigen::Index>(j);
      if (own != never && row[j].degree == own) result.decoupling_matrix(r, c) = row[j].coefficient;
      if (row[j].degree == 2) acceleration(r, c) = row[j].coefficient;
    }
    smallest = std::min(smallest, own);
    int other = never;
    for (const Entry& entry : row) other = std::min(other, entry.other_degree);
    result.other_outputs.push_back(other);
    result.outputs.push_back(own);
    result.entries.push_back(std::move(degrees));
  }
  if (result.other_outputs == result.outputs) result.other_outputs.clear();
  result.rank = numeric_rank(result.decoupling_matrix);
  if (smallest < 2) return result;
  result.acceleration_matrix = acceleration;
  result.acceleration_rank = numeric_rank(acceleration);
  return result;
}

}  // namespace daedal::analysis
