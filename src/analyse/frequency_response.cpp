#include "daedal/analyse/frequency_response.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/base/svd.hpp"

#include <Eigen/Sparse>
#include <Eigen/SparseLU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace daedal::analysis {

namespace {

using Complex = std::complex<double>;
using Sparse = Eigen::SparseMatrix<Complex>;
using Eigen::Index;

/// jw E - A with one pattern for all frequencies.
class Evaluation {
 public:
  explicit Evaluation(const LinearModel& linear)
      : linear_(linear), b_(linear.b.cast<Complex>()), shifted_(linear.a.rows(), linear.a.cols()) {
    std::vector<Eigen::Triplet<Complex>> entries;
    for (Index j = 0; j < linear.a.cols(); ++j)
      for (Index i = 0; i < linear.a.rows(); ++i)
        if (linear.e(i, j) != 0 || linear.a(i, j) != 0) entries.emplace_back(i, j, Complex(1));
    shifted_.setFromTriplets(entries.begin(), entries.end());
    shifted_.makeCompressed();
    solver_.analyzePattern(shifted_);
  }

  Eigen::MatrixXcd operator()(double frequency) {
    stop_point();
    for (Index j = 0; j < shifted_.outerSize(); ++j)
      for (Sparse::InnerIterator entry(shifted_, j); entry; ++entry)
        entry.valueRef() =
            Complex(-linear_.a(entry.row(), j), frequency * linear_.e(entry.row(), j));
    const auto nothing = [&] {
      return Eigen::MatrixXcd::Constant(linear_.c.rows(), linear_.b.cols(),
                                        std::numeric_limits<double>::quiet_NaN());
    };
    solver_.factorize(shifted_);
    if (solver_.info() != Eigen::Success) return nothing();
    const Eigen::MatrixXcd x = solver_.solve(b_);
    if (!x.allFinite()) return nothing();
    return linear_.c.cast<Complex>() * x + linear_.d.cast<Complex>();
  }

 private:
  const LinearModel& linear_;
  Eigen::MatrixXcd b_;
  Sparse shifted_;
  Eigen::SparseLU<Sparse> solver_;
};

/// The frequency between a and b where f changes sign, by bisection: a gain is smooth, but near a resonance it bends.
template <class F>
double crossing(double a, double b, F&& f) {
  const bool sign = f(a) > 0;
  for (int step = 0; step < 80 && b - a > 4 * std::numeric_limits<double>::epsilon() * b; ++step) {
    const double middle = 0.5 * (a + b);
    ((f(middle) > 0) == sign ? a : b) = middle;
  }
  return 0.5 * (a + b);
}

}  // namespace

Eigen::VectorXd FrequencyResponse::singular_values(std::size_t k) const {
  return singular_values_of(value[k]);
}

std::vector<double> logarithmic_grid(double first, double last, int count) {
  if (!(first > 0) || !(last > first) || count < 2)
    throw std::invalid_argument("frequencies need 0 < first < last and at least two of them");
  std::vector<double> grid;
  for (int k = 0; k < count; ++k)
    grid.push_back(k + 1 == count ? last : first * std::pow(last / first, k / (count - 1.0)));
  return grid;
}

FrequencyResponse frequency_response(const LinearModel& linear, std::vector<double> frequencies) {
  FrequencyResponse response{std::move(frequencies), {}};
  Evaluation evaluate(linear);
  for (const double frequency : response.frequencies) response.value.push_back(evaluate(frequency));
  return response;
}

Margins margins(const LinearModel& linear, const FrequencyResponse& response, Index output,
                Index input) {
  Margins result;
  Evaluation evaluate(linear);
  const auto at = [&](double frequency) { return evaluate(frequency)(output, input); };
  const auto log_gain = [&](double frequency) { return std::log(std::abs(at(frequency))); };
  for (std::size_t k = 0; k + 1 < response.frequencies.size(); ++k) {
    const double w0 = response.frequencies[k], w1 = response.frequencies[k + 1];
    const Complex g0 = response.value[k](output, input), g1 = response.value[k + 1](output, input);
    if (std::isnan(g0.real()) || std::isnan(g1.real())) continue;
    if ((std::abs(g0) > 1) != (std::abs(g1) > 1)) {
      const double w = crossing(w0, w1, log_gain);
      const double margin = std::remainder(std::arg(at(w)) * 180 / std::numbers::pi - 180, 360);
      if (!result.phase || std::abs(margin) < std::abs(result.phase->value))
        result.phase = Margins::Margin{w, margin};
    }
    // through the negative real axis, not through the positive one
    if ((g0.imag() > 0) != (g1.imag() > 0) && g0.real() < 0 && g1.real() < 0) {
      const double w = crossing(w0, w1, [&](double frequency) { return at(frequency).imag(); });
      const double factor = 1 / std::abs(at(w));
      const auto from_one = [](double x) { return std::abs(std::log(x)); };
      if (!result.gain || from_one(factor) < from_one(result.gain->value))
        result.gain = Margins::Margin{w, factor};
    }
  }
  return result;
}

}  // namespace daedal::analysis
