// See daedal/invert/shared_inputs.hpp.
#include "daedal/invert/shared_inputs.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/stepper/algebraic.hpp"
#include "least_distance.hpp"
#include "parameter_value.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace daedal::inversion {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Values = std::function<double(expr::Leaf)>;  // of time and unknowns

/// The equations that contain the inputs, linearised in them and in what adapts, and the bounds: one kernel.
class Sharing {
 public:
  Sharing(const InverseModel& inverse, const compile::Options& options)
      : m_(*inverse.dae->model), shared_(inverse.dae->shared) {
    columns_ = shared_.adapting;
    columns_.insert(columns_.end(), shared_.inputs.begin(), shared_.inputs.end());
    const derive::Dae& dae = *inverse.dae;
    std::vector<std::uint32_t> row(dae.equations.size(), expr::Family::no_row);
    for (std::uint32_t k = 0; k < shared_.rows.size(); ++k) row[shared_.rows[k]] = k;
    slopes_ = expr::jacobian(
        expr::select_rows(dae.residual, row, static_cast<std::uint32_t>(shared_.rows.size())),
        static_cast<std::uint32_t>(columns_.size()), [&](expr::Leaf leaf) {
          const auto found = std::find(columns_.begin(), columns_.end(), leaf.symbol);
          return leaf.order == 0 && found != columns_.end()
                     ? static_cast<std::uint32_t>(found - columns_.begin())
                     : expr::Family::no_row;
        });
    std::vector<expr::Term> terms;
    for (const derive::SharedInputs::Bound& bound : shared_.bounds)
      for (const expr::Expr e : {bound.low, bound.high})
        terms.push_back({e, static_cast<std::uint32_t>(terms.size())});
    const expr::Function bounds{static_cast<std::uint32_t>(terms.size()),
                                {expr::identity_family(m_.graph, terms)}};
    const expr::Function functions[] = {slopes_.values, bounds};
    lay_out(functions);
    kernel_ = compile::compile(functions, layout_, options);
    work_ = kernel_->workspace();
    kernel_->prepare(point_.data(), work_);
    rows_.resize(kernel_->rows());
  }

  const derive::SharedInputs& shared() const { return shared_; }
  std::size_t inputs() const { return shared_.inputs.size(); }
  double nominal(std::size_t input) const { return m_.symbols[shared_.inputs[input]].nominal; }
  const std::string& name(std::size_t input) const {
    return m_.symbols[shared_.inputs[input]].name;
  }
  const std::string& unit(std::size_t input) const {
    return m_.symbols[shared_.inputs[input]].unit;
  }

  /// An input or a reaction that enters nonlinearly; nullptr where none does.
  const model::Symbol* nonlinear() const {
    for (std::uint32_t p = 1; p < layout_.first_parameter; ++p)
      if (std::find(columns_.begin(), columns_.end(), layout_.leaf(p).symbol) != columns_.end())
        return &m_.symbols[layout_.leaf(p).symbol];
    return nullptr;
  }

  void look_at(double t, const Values& values) {
    point_[0] = t;
    for (std::uint32_t p = 1; p < layout_.first_parameter; ++p) point_[p] = values(layout_.leaf(p));
    kernel_->evaluate(point_.data(), rows_.data(), work_);
  }

  /// At the point looked at: orthonormal directions of the inputs, divided by their nominal sizes, without effect.
  MatrixXd free_directions() const {
    const auto rows = static_cast<Eigen::Index>(slopes_.rows);
    const auto columns = static_cast<Eigen::Index>(columns_.size());
    const auto n = static_cast<Eigen::Index>(inputs());
    MatrixXd a = MatrixXd::Zero(rows, columns);
    for (std::uint32_t i = 0; i < slopes_.rows; ++i)
      for (std::uint32_t e = slopes_.row_start[i]; e < slopes_.row_start[i + 1]; ++e)
        a(i, slopes_.column[e]) = rows_[e];
    for (Eigen::Index k = 0; k < n; ++k)
      a.col(columns - n + k) *= nominal(static_cast<std::size_t>(k));
    const MatrixXd kernel = Eigen::FullPivLU<MatrixXd>(a).kernel().bottomRows(n);
    if (columns <= rows) return MatrixXd::Zero(n, 0);
    const Eigen::HouseholderQR<MatrixXd> qr(kernel);
    return qr.householderQ() * MatrixXd::Identity(n, kernel.cols());
  }

  double low(std::size_t bound) const { return rows_[slopes_.entries() + 2 * bound]; }
  double high(std::size_t bound) const { return rows_[slopes_.entries() + 2 * bound + 1]; }
  /// The input that a bound is for.
  std::size_t input_of(std::size_t bound) const {
    return static_cast<std::size_t>(
        std::find(shared_.inputs.begin(), shared_.inputs.end(), shared_.bounds[bound].input) -
        shared_.inputs.begin());
  }

 private:
  void lay_out(std::span<const expr::Function> functions) {
    layout_.add({expr::time_symbol, 0});
    std::vector<expr::Leaf> parameters;
    for (const expr::Function& f : functions)
      for (const expr::Occurrence& o : expr::occurrences(f)) {
        if (m_.varies(o.leaf.symbol) && layout_.find(o.leaf) == compile::absent)
          layout_.add(o.leaf);
        else if (!m_.varies(o.leaf.symbol))
          parameters.push_back(o.leaf);
      }
    layout_.first_parameter = layout_.size();
    for (const expr::Leaf leaf : parameters)
      if (layout_.find(leaf) == compile::absent) layout_.add(leaf);
    point_.resize(layout_.size());
    for (std::uint32_t p = layout_.first_parameter; p < layout_.size(); ++p)
      point_[p] = parameter_value(m_, layout_.leaf(p));
  }

  const model::Model& m_;
  const derive::SharedInputs& shared_;
  std::vector<expr::SymbolId> columns_;
  expr::SparseFunction slopes_;
  compile::Layout layout_;
  std::shared_ptr<const compile::Kernel> kernel_;
  compile::Workspace work_;
  std::vector<double> point_, rows_;
};

/// Which bounds hold inputs: -1 the lower end, 1 the upper one, 0 neither.
struct AtLimits {
  std::vector<int> ends;      // by bound
  std::string contradiction;  // why there are none; "" where there are
  bool operator==(const AtLimits& other) const {
    return ends == other.ends && contradiction.empty() == other.contradiction.empty();
  }
};

class ChoiceInTime {
 public:
  ChoiceInTime(const InverseModel& inverse, const solve::ConsistentPoint& start, double until,
               const compile::Options& options)
      : problem_(inverse.problem),
        sharing_(inverse, options),
        solution_(inverse.problem, start, {.until = until, .compile = options}) {
    if (const model::Symbol* symbol = sharing_.nonlinear())
      throw ModelError({Severity::error,
                        symbol->place,
                        fmt::format("model '{}': '{}' enters the equations of motion nonlinearly, "
                                    "and limits of inputs that share the work need linear ones",
                                    problem_.dae->model->name, symbol->name),
                        {},
                        "leave the limits of the inputs out"});
  }

  const Sharing& sharing() const { return sharing_; }

  AtLimits at(double t) {
    const solve::AlgebraicSolution::Value value = solution_.at(t);
    AtLimits result{std::vector<int>(sharing_.shared().bounds.size(), 0), {}};
    if (value.failure != solve::Failure::none) return result;  // the run states why
    const Values values = [&](expr::Leaf leaf) {
      const std::uint32_t p = problem_.layout.find(leaf);
      if (p == compile::absent || p == 0 || p > problem_.states + problem_.tops) return 0.0;
      return p <= problem_.states ? value.states[p - 1] : value.tops[p - 1 - problem_.states];
    };
    sharing_.look_at(t, values);
    const MatrixXd free = sharing_.free_directions();
    const std::size_t bounds = result.ends.size();
    MatrixXd g(2 * static_cast<Eigen::Index>(bounds), free.cols());
    VectorXd h(g.rows());
    for (std::size_t b = 0; b < bounds; ++b) {
      const std::size_t i = sharing_.input_of(b);
      const double u = values({sharing_.shared().inputs[i], 0}), n = sharing_.nominal(i);
      const auto row = 2 * static_cast<Eigen::Index>(b);
      g.row(row) = free.row(static_cast<Eigen::Index>(i));
      g.row(row + 1) = -g.row(row);
      h(row) = (sharing_.low(b) - u) / n;
      h(row + 1) = (u - sharing_.high(b)) / n;
    }
    const LeastDistance nearest = least_distance(g, h);
    if (!nearest.feasible) {
      result.contradiction = contradiction(nearest.weights, h);
      return result;
    }
    for (std::size_t b = 0; b < bounds; ++b)
      for (const int end : {0, 1})
        if (nearest.weights(2 * static_cast<Eigen::Index>(b) + end) > 0)
          result.ends[b] = end == 0 ? -1 : 1;
    return result;
  }

 private:
  /// G^T y = 0 with weights y >= 0, so that whatever the choice, the violations sum up to y^T h > 0.
  std::string contradiction(const VectorXd& weights, const VectorXd& h) const {
    const double least = weights.dot(h) / weights.sum();
    const double notable = 1e-9 * weights.maxCoeff();
    std::string text;
    for (Eigen::Index k = 0; k < weights.size(); ++k) {
      if (!(weights(k) > notable)) continue;
      const auto bound = static_cast<std::size_t>(k / 2);
      const std::size_t i = sharing_.input_of(bound);
      const std::string unit = sharing_.unit(i).empty() ? "" : " " + sharing_.unit(i);
      text += fmt::format("{}'{}' at {} {:g}{} (by {:.3g}{} or more)", text.empty() ? "" : ", ",
                          sharing_.name(i), k % 2 == 0 ? "least" : "most",
                          k % 2 == 0 ? sharing_.low(bound) : sharing_.high(bound), unit,
                          least * sharing_.nominal(i), unit);
    }
    return text;
  }

  const formulate::Problem& problem_;
  Sharing sharing_;
  solve::AlgebraicSolution solution_;
};

/// Where the choice first differs from `left`, its value at `a`; it does at `b`.
double first_change(ChoiceInTime& choice, const AtLimits& left, double a, double b) {
  const double close = 1e-13 * std::max(1.0, std::abs(b));
  while (b - a > close) {
    const double middle = 0.5 * (a + b);
    if (!(middle > a) || !(middle < b)) break;
    (choice.at(middle) == left ? a : b) = middle;
  }
  return b;
}

/// Bases that turn as little as possible from one to the next.
MatrixXd aligned(const MatrixXd& basis, const MatrixXd& before) {
  if (before.cols() != basis.cols()) {
    MatrixXd first = basis;
    for (Eigen::Index k = 0; k < first.cols(); ++k)
      if (first.col(k).sum() < 0) first.col(k) *= -1;
    return first;
  }
  const Eigen::JacobiSVD<MatrixXd> svd(basis.transpose() * before,
                                       Eigen::ComputeFullU | Eigen::ComputeFullV);
  return basis * svd.matrixU() * svd.matrixV().transpose();
}

}  // namespace

WithinLimits within_limits(const InverseModel& inverse, const solve::ConsistentPoint& start,
                           std::span<const double> times, const compile::Options& options) {
  WithinLimits result;
  if (times.empty() || inverse.dae->shared.bounds.empty()) return result;
  ChoiceInTime choice(inverse, start, times.back(), options);
  const auto& bounds = choice.sharing().shared().bounds;
  std::vector<std::size_t> open(bounds.size(), 0);  // 1 + position in `held`
  AtLimits now{std::vector<int>(bounds.size(), 0), {}};
  const auto change_at = [&](double t, const AtLimits& next) {
    for (std::size_t b = 0; b < bounds.size(); ++b) {
      if (next.ends[b] == now.ends[b]) continue;
      if (open[b] != 0) result.held[open[b] - 1].until = t;
      open[b] = 0;
      if (next.ends[b] == 0) continue;
      result.held.push_back({bounds[b].input, next.ends[b] < 0 ? bounds[b].low : bounds[b].high, t,
                             std::numeric_limits<double>::infinity()});
      open[b] = result.held.size();
    }
    now = next;
  };
  double time = times.front();
  AtLimits here = choice.at(time);
  if (here.contradiction.empty()) change_at(-std::numeric_limits<double>::infinity(), here);
  for (const double next : times) {
    stop_point();
    while (here.contradiction.empty() && time < next) {
      if (choice.at(next) == here) {
        time = next;
        continue;
      }
      const double change = first_change(choice, here, time, next);
      here = choice.at(change);
      time = change;
      if (here.contradiction.empty()) change_at(change, here);
    }
    if (here.contradiction.empty()) continue;
    result.possible_until = time > times.front() ? time : -std::numeric_limits<double>::infinity();
    const AtLimits later =
        choice.at(next);  // at the change itself the limits are missed by rounding
    const bool lasts = !later.contradiction.empty();
    result.impossible = fmt::format(
        "from t = {:.6g} s on no inputs within their limits produce the motion; at t = {:.6g} s "
        "one of "
        "these is missed: {}",
        time, lasts ? next : time, lasts ? later.contradiction : here.contradiction);
    break;
  }
  return result;
}

void show_free_directions(const InverseModel& inverse, solve::Trajectory& trajectory,
                          const compile::Options& options) {
  const Table& rows = trajectory.table;
  const model::Model& m = *inverse.dae->model;
  Sharing sharing(inverse, options);
  const std::vector<expr::SymbolId>& multipliers = inverse.dae->shared.multipliers;
  std::vector<std::size_t> kept;
  std::vector<Column> columns;
  for (std::size_t c = 0; c < rows.width(); ++c) {
    const Column& column = rows.columns()[c];
    if (std::any_of(multipliers.begin(), multipliers.end(),
                    [&](expr::SymbolId s) { return m.symbols[s].name == column.symbol; }))
      continue;
    kept.push_back(c);
    columns.push_back(column);
  }
  std::vector<std::size_t> inputs;
  bool alike = true;
  for (std::size_t i = 0; i < sharing.inputs(); ++i) {
    inputs.push_back(*rows.find(sharing.name(i), 0));
    alike = alike && sharing.nominal(i) == 1 && sharing.unit(i) == sharing.unit(0);
  }
  const std::size_t free =
      sharing.inputs() + inverse.dae->shared.adapting.size() - inverse.dae->shared.rows.size();
  for (std::size_t k = 0; k < free; ++k)
    columns.push_back(
        {fmt::format("null_space[{}]", k + 1), alike ? sharing.unit(0) : "", ColumnKind::output});
  Table result(std::move(columns));
  result.reserve(rows.rows());
  MatrixXd basis;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    sharing.look_at(rows.at(r, 0), [&](expr::Leaf leaf) {
      const auto column = rows.find(m.symbols[leaf.symbol].name, leaf.order);
      return column ? rows.columns()[*column].turned(rows.at(r, *column)) : 0.0;
    });
    basis = aligned(sharing.free_directions(), basis);
    VectorXd u(basis.rows());
    for (std::size_t i = 0; i < inputs.size(); ++i)
      u(static_cast<Eigen::Index>(i)) = rows.at(r, inputs[i]) / sharing.nominal(i);
    const std::span<double> row = result.append();
    for (std::size_t c = 0; c < kept.size(); ++c) row[c] = rows.at(r, kept[c]);
    const VectorXd coordinates = basis.transpose() * u;
    for (std::size_t k = 0; k < free && k < static_cast<std::size_t>(coordinates.size()); ++k)
      row[kept.size() + k] = coordinates(static_cast<Eigen::Index>(k));
  }
  for (std::size_t c = trajectory.extents.size(); c-- > 0;)
    if (std::find(kept.begin(), kept.end(), c) == kept.end())
      trajectory.extents.erase(trajectory.extents.begin() + static_cast<std::ptrdiff_t>(c));
  trajectory.table = std::move(result);
}

}  // namespace daedal::inversion
