// Kalman's filter about a state of rest: x = x_0 + T z, u = u_0 + v, y = y_0 + H z + J v.
//
//   z <- A z + B v,  P <- A P A^T + T^T Q T            from sample to sample, exactly for held inputs
//   z <- z + K (y - y_0 - H z - J v),  P <- P - K S K^T
#include "linear_filter.hpp"

#include "daedal/control/linear_filter_numbers.hpp"
#include "daedal/control/sampled.hpp"

#include <utility>

namespace daedal::feedback {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

SmallMatrix small(const MatrixXd& m) {
  SmallMatrix result(static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols()));
  for (std::size_t i = 0; i < result.rows(); ++i)
    for (std::size_t j = 0; j < result.columns(); ++j)
      result(i, j) = m(static_cast<Index>(i), static_cast<Index>(j));
  return result;
}

SmallMatrix column(std::span<const double> values) {
  SmallMatrix result(values.size(), 1);
  for (std::size_t i = 0; i < values.size(); ++i) result(i, 0) = values[i];
  return result;
}

std::vector<double> entries(const SmallMatrix& m) {
  return m.rows() == 0 ? std::vector<double>()
                       : std::vector<double>(m.row(0), m.row(0) + m.rows() * m.columns());
}

/// Where z and its covariance begin, and what a period adds to it.
struct LinearStart {
  SmallMatrix z, covariance, process;
};
LinearStart start_of(const LinearFilterModel& model) {
  const SmallMatrix to_z = model.basis.transposed();
  SmallMatrix away(model.rest.size(), 1);
  for (std::size_t i = 0; i < model.rest.size(); ++i) away(i, 0) = model.begin[i] - model.rest[i];
  return {to_z * away, to_z * (SmallMatrix::squares(model.start) * model.basis),
          to_z * (SmallMatrix::squares(model.process) * model.basis)};
}

class LinearFilter final : public model::Estimator {
 public:
  explicit LinearFilter(const LinearFilterModel& model) : model_(model) {
    LinearStart start = start_of(model_);
    z_ = std::move(start.z);
    covariance_ = std::move(start.covariance);
    process_ = std::move(start.process);
    show();
  }

  std::string sample(double, std::span<const double> inputs, std::span<const double> measured,
                     std::span<const std::uint8_t> fresh) override {
    SmallMatrix v = column(inputs);
    for (std::size_t k = 0; k < inputs.size(); ++k) v(k, 0) -= model_.rest_inputs[k];
    z_ = model_.a * z_ + model_.b * v;
    covariance_ = model_.a * (covariance_ * model_.a.transposed()) + process_;
    make_symmetric(covariance_);
    Correction correction;
    correction.rows = fresh_rows(fresh);
    if (!correction.rows.empty() && !correct_with(measured, v, correction))
      return "its covariance is no longer positive definite";
    show();
    return {};
  }

  std::span<const double> estimates() const override { return estimates_; }

  model::EstimationError error_of(std::span<const double> states) override {
    std::vector<double> error(z_.rows());
    for (std::size_t j = 0; j < error.size(); ++j) {
      error[j] = -z_(j, 0);
      for (std::size_t i = 0; i < states.size(); ++i)
        error[j] += model_.basis(i, j) * (states[i] - model_.rest[i]);
    }
    return normalised_error(covariance_, std::move(error));
  }

 private:
  bool correct_with(std::span<const double> measured, const SmallMatrix& v,
                    Correction& correction) {
    const SmallMatrix expected = model_.h * z_ + model_.j * v;
    SmallMatrix h(correction.rows.size(), z_.rows());
    for (std::size_t i = 0; i < h.rows(); ++i) {
      const std::size_t row = correction.rows[i];
      for (std::size_t j = 0; j < h.columns(); ++j) h(i, j) = model_.h(row, j);
      correction.innovation.push_back(measured[row] - model_.rest_outputs[row] - expected(row, 0));
    }
    const SmallMatrix cross = covariance_ * h.transposed();
    SmallMatrix own = h * cross;
    for (std::size_t i = 0; i < h.rows(); ++i) {
      const double deviation = model_.noise[correction.rows[i]];
      own(i, i) += deviation * deviation;
    }
    if (!correct(correction, own, cross)) return false;
    z_ = z_ + correction.gain * column(correction.innovation);
    reduce(covariance_, correction);
    normalised_ = correction.normalised;
    return true;
  }

  void show() {
    const SmallMatrix away = model_.basis * z_;
    std::vector<double> mean = model_.rest;
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += away(i, 0);
    estimates_ = shown(mean, model_.basis * (covariance_ * model_.basis.transposed()), normalised_);
  }

  const LinearFilterModel& model_;
  SmallMatrix z_, covariance_, process_;
  std::vector<double> estimates_;
  double normalised_ = 1;
};

std::vector<double> entries_of(const SmallMatrix& m) {
  return {m.row(0), m.row(0) + m.rows() * m.columns()};
}

model::LinearObserver observer_of(const LinearFilterModel& m) {
  model::LinearObserver made{m.a.rows(),      entries_of(m.a), entries_of(m.b),
                             entries_of(m.h), entries_of(m.j), entries_of(m.basis)};
  made.process = entries_of(m.basis.transposed() * (SmallMatrix::squares(m.process) * m.basis));
  made.noise = entries_of(SmallMatrix::squares(m.noise));
  made.x = m.rest;
  made.v = m.rest_inputs;
  made.y = m.rest_outputs;
  made.drift.assign(made.states, 0);
  return made;
}

class LinearDesign final : public model::ObserverDesign {
 public:
  explicit LinearDesign(LinearFilterModel model)
      : model_(std::move(model)), linear_(observer_of(model_)) {}
  std::unique_ptr<model::Estimator> begin() const override {
    return std::make_unique<LinearFilter>(model_);
  }
  const model::LinearObserver* linear() const override { return &linear_; }
  model::LinearObserver linear_at(std::span<const double>, std::span<const double>) const override {
    return linear_;
  }
  const LinearFilterModel& model() const { return model_; }

 private:
  LinearFilterModel model_;
  model::LinearObserver linear_;
};

}  // namespace

std::shared_ptr<const model::ObserverDesign> linear_filter(const MatrixXd& f, const MatrixXd& g,
                                                           const MatrixXd& h, const MatrixXd& j,
                                                           const MatrixXd& basis, double period,
                                                           double between, LinearFilterModel rest) {
  const Index n = f.rows(), m = g.cols();
  MatrixXd whole = MatrixXd::Zero(n + m, n + m);  // z' = f z + g v, v' = 0
  whole.topLeftCorner(n, n) = f;
  whole.topRightCorner(n, m) = g;
  const MatrixXd over = exponential(period * whole);
  rest.a = small(over.topLeftCorner(n, n));
  if (between > 0) {
    const MatrixXd before = exponential(between * whole),
                   after = exponential((period - between) * whole);
    MatrixXd both(n, 2 * m), direct = MatrixXd::Zero(h.rows(), 2 * m);
    both << after.topRightCorner(n, m), after.topLeftCorner(n, n) * before.topRightCorner(n, m);
    direct.leftCols(m) = j;
    rest.b = small(both);
    rest.j = small(direct);
    const std::vector<double> at_rest = rest.rest_inputs;
    rest.rest_inputs.insert(rest.rest_inputs.end(), at_rest.begin(), at_rest.end());
  } else {
    rest.b = small(over.topRightCorner(n, m));
    rest.j = small(j);
  }
  rest.h = small(h);
  rest.basis = small(basis);
  return std::make_shared<LinearDesign>(std::move(rest));
}

std::optional<LinearFilterNumbers> linear_filter_numbers(const model::ObserverDesign& design) {
  const auto* const linear = dynamic_cast<const LinearDesign*>(&design);
  if (linear == nullptr) return std::nullopt;
  const LinearFilterModel& model = linear->model();
  const LinearStart start = start_of(model);
  LinearFilterNumbers numbers{model.a.rows(),
                              entries(model.a),
                              entries(model.b),
                              entries(model.h),
                              entries(model.j),
                              entries(model.basis),
                              model.rest,
                              model.rest_inputs,
                              model.rest_outputs,
                              entries(start.process),
                              {},
                              entries(start.z),
                              entries(start.covariance)};
  for (const double deviation : model.noise) numbers.variances.push_back(deviation * deviation);
  return numbers;
}

}  // namespace daedal::feedback
