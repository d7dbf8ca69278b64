#include "daedal/analyse/kinematics.hpp"

#include "daedal/base/lu.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/base/svd.hpp"
#include "daedal/system/noise.hpp"
#include "pose_rows.hpp"
#include "rest_equations.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_corrections = 40;
constexpr double residual_met = 1e-13;  // largest residual, in units of its row's length
constexpr double pose_rank_tolerance = 1e-9;

LeastNorm decomposed_pose(const MatrixXd& m) { return LeastNorm(m, pose_rank_tolerance); }

MatrixXd with_rows_of_length_one(MatrixXd m) {
  for (Index i = 0; i < m.rows(); ++i)
    if (const double length = m.row(i).norm(); length > 0) m.row(i) /= length;
  return m;
}

}  // namespace

Kinematics::Kinematics(std::shared_ptr<const derive::Dae> dae, double t)
    : rows_(std::make_unique<Rows>(std::move(dae), t)) {}
Kinematics::~Kinematics() = default;
Kinematics::Kinematics(Kinematics&&) noexcept = default;

const derive::Dae& Kinematics::dae() const { return *rows_->dae; }

int Kinematics::degrees_of_freedom(const std::vector<double>& values) const {
  const auto n = static_cast<int>(rows_->coordinates.size());
  if (rows_->constraints == 0) return n;
  return n - static_cast<int>(decomposed_pose(with_rows_of_length_one(rows_->jacobian(
                                                  rows_->constraint_rows(), values)))
                                  .rank());
}

std::vector<std::string> Kinematics::resolve(const std::vector<std::string>& names) const {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    const std::size_t before = result.size();
    for (std::size_t r = rows_->constraints; r < rows_->names.size(); ++r)
      if (rows_->names[r] == name || rows_->names[r].starts_with(name + "["))
        result.push_back(rows_->names[r]);
    if (result.size() == before) rows_->rows_of({name});  // says what is wrong
  }
  return result;
}

std::vector<double> Kinematics::start() const { return start_values(*rows_->dae->model, rows_->t); }

double Kinematics::value(const std::string& name, const std::vector<double>& values) const {
  return rows_->evaluate(rows_->rows_of({name}), values)[0];
}

Pose Kinematics::pose(const std::vector<Given>& given, const std::vector<double>& from) const {
  std::vector<std::string> names;
  for (const Given& g : given) names.push_back(g.name);
  const std::vector<std::size_t> rows = rows_->with_constraints(names);
  VectorXd target = VectorXd::Zero(static_cast<Index>(rows.size()));
  for (std::size_t k = 0; k < given.size(); ++k)
    target[static_cast<Index>(rows_->constraints + k)] = given[k].value;
  Pose p;
  p.values = from;
  double last = std::numeric_limits<double>::infinity();
  for (;; ++p.iterations) {
    stop_point();
    VectorXd f = rows_->evaluate(rows, p.values) - target;
    MatrixXd j = rows_->jacobian(rows, p.values);
    if (!f.allFinite() || !j.allFinite()) return p;
    for (std::size_t c = 0; c < rows_->scale.size(); ++c)
      j.col(static_cast<Index>(c)) *= rows_->scale[c];
    for (Index i = 0; i < j.rows(); ++i)
      if (const double length = j.row(i).norm(); length > 0) j.row(i) /= length, f[i] /= length;
    Index worst = 0;
    p.residual = f.size() == 0 ? 0 : f.cwiseAbs().maxCoeff(&worst);
    p.worst = f.size() == 0 ? "" : rows_->names[rows[static_cast<std::size_t>(worst)]];
    // rounding of large values may keep it above: it does not get smaller any more
    p.found = p.residual < residual_met || (p.residual < 1e-10 && p.residual > 0.5 * last);
    if (p.found || p.iterations == most_corrections) return p;
    last = p.residual;
    VectorXd change = decomposed_pose(j).solve(VectorXd(-f));
    if (const double size = change.norm(); size > 1) change /= size;  // far away: go slowly
    for (std::size_t c = 0; c < rows_->coordinates.size(); ++c)
      p.values[rows_->coordinates[c]] += rows_->scale[c] * change[static_cast<Index>(c)];
  }
}

std::vector<Pose> Kinematics::branches(const std::vector<Given>& given,
                                       const std::vector<double>& from, int attempts) const {
  std::vector<std::string> names;
  for (const Given& g : given) names.push_back(g.name);
  const std::vector<std::size_t> rows = rows_->with_constraints(names);
  std::vector<bool> turns;  // poses that differ by whole turns of these are one
  const auto distance = [&](const Pose& a, const std::vector<double>& b) {
    double largest = 0;
    for (std::size_t c = 0; c < rows_->coordinates.size(); ++c) {
      const expr::SymbolId s = rows_->coordinates[c];
      double d = a.values[s] - b[s];
      if (turns[c]) d = std::remainder(d, 2 * std::numbers::pi);
      largest = std::max(largest, std::abs(d) / rows_->scale[c]);
    }
    return largest;
  };
  std::vector<Pose> found;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    std::vector<double> guess = from;
    if (attempt > 0)
      for (std::size_t c = 0; c < rows_->coordinates.size(); ++c)
        guess[rows_->coordinates[c]] +=
            3 * rows_->scale[c] * solve::noise(7919 * static_cast<std::uint64_t>(attempt) + c);
    Pose p = pose(given, guess);
    if (p.found && turns.empty()) turns = rows_->turn_to_themselves(rows, p.values);
    const bool known = std::any_of(found.begin(), found.end(), [&](const Pose& other) {
      return distance(p, other.values) < 1e-6;
    });
    if (p.found && !known) found.push_back(std::move(p));
  }
  const std::size_t first = !found.empty() && pose(given, from).found ? 1 : 0;
  std::stable_sort(
      found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
      [&](const Pose& a, const Pose& b) { return distance(a, from) < distance(b, from); });
  return found;
}

Eigen::MatrixXd Kinematics::jacobian(const std::vector<std::string>& of,
                                     const std::vector<std::string>& by,
                                     const std::vector<double>& values) const {
  const MatrixXd outer = rows_->jacobian(rows_->rows_of(of), values);
  const MatrixXd inner = rows_->jacobian(rows_->with_constraints(by), values);
  const auto qr = decomposed_pose(inner);
  MatrixXd right = MatrixXd::Zero(inner.rows(), static_cast<Index>(by.size()));
  right.bottomRows(right.cols()).setIdentity();
  const MatrixXd change = qr.solve(right);
  MatrixXd result = outer * change;
  // not determined: a motion that `by` does not see moves the quantity, or `by` cannot move alone
  const bool impossible = (inner * change - right).norm() > 1e-8 * right.norm();
  const MatrixXd free = MatrixXd::Identity(inner.cols(), inner.cols()) - qr.solve(inner);
  for (Index i = 0; i < result.rows(); ++i)
    if (impossible || (outer.row(i) * free).norm() > 1e-7 * outer.row(i).norm())
      result.row(i).setConstant(std::numeric_limits<double>::quiet_NaN());
  return result;
}

Kinematics::Determination Kinematics::determination(const std::vector<std::string>& names,
                                                    const std::vector<double>& values) const {
  const MatrixXd j =
      with_rows_of_length_one(rows_->jacobian(rows_->with_constraints(names), values));
  if (j.rows() != j.cols())
    throw std::invalid_argument("determination: as many quantities as degrees of freedom");
  return {Lu(j).determinant(), singular_values_of(j).minCoeff()};
}

Compensation Kinematics::gravity_compensation(const std::vector<double>& values) const {
  const derive::Dae& dae = *rows_->dae;
  std::vector<expr::SymbolId> inputs;
  for (const model::InputDefault& input : dae.model->inputs) inputs.push_back(input.input);
  const RestEquations equations(dae, inputs);
  std::vector<double> at = values;
  for (const expr::SymbolId s : equations.actions()) at[s] = 0;
  const RestEquations::Value without = equations.evaluate(at);
  const auto positions = static_cast<Index>(equations.positions().size());
  const MatrixXd j = equations.jacobian(at);
  const MatrixXd by_action = j.rightCols(j.cols() - positions);
  const VectorXd action = decomposed_pose(by_action).solve(VectorXd(-without.residual));
  for (std::size_t k = 0; k < equations.actions().size(); ++k)
    at[equations.actions()[k]] = action[static_cast<Index>(k)];
  Compensation c;
  for (const expr::SymbolId s : inputs) c.inputs.emplace_back(dae.model->symbols[s].name, at[s]);
  const RestEquations::Value left = equations.evaluate(at);
  c.holds = left.finite && left.defect() < 1e-9;
  if (!c.holds && left.finite) {
    Index worst = 0;
    c.residual = left.residual.cwiseAbs().maxCoeff(&worst);
    c.worst = dae.equations[static_cast<std::size_t>(worst)].name;
  }
  return c;
}

}  // namespace daedal::analysis
