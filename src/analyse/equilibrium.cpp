// Newton's method for  f(q, a) = 0,  q positions, a multipliers and free inputs. Each step is the smallest change of
// the positions for which the forces can balance; a follows:
//   N^T (f + f_q dq) = 0 with N^T f_a = 0,  |dq| smallest;      f_a da = -(f + f_q dq).
#include "daedal/analyse/equilibrium.hpp"

#include "daedal/base/product.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/structure/rounding.hpp"
#include "daedal/system/noise.hpp"
#include "rest_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using expr::SymbolId;

constexpr int iterations = 60;           // quadratic in the end; guesses far away take their time
constexpr double rank_tolerance = 1e-9;  // of scaled Jacobians

struct Solution {
  VectorXd x;
  Index rank = 0;
};
/// The smallest x among those that leave the least of  m x = b.
Solution smallest_solution(const MatrixXd& m, const VectorXd& b) {
  if (m.size() == 0) return {VectorXd::Zero(m.cols()), 0};
  const LeastNorm factors(m, rank_tolerance);
  return {factors.solve(b), factors.rank()};
}

/// 1 where there is none.
VectorXd lengths_of_rows(const MatrixXd& m) {
  VectorXd squares = VectorXd::Zero(m.rows());
  for (Index c = 0; c < m.cols(); ++c) squares += m.col(c).cwiseAbs2();
  return squares.unaryExpr([](double square) { return square > 0 ? std::sqrt(square) : 1.0; });
}

/// An orthonormal basis of the y with y^T m = 0; columns of m may have any length.
MatrixXd left_null_space(MatrixXd m) {
  for (Index c = 0; c < m.cols(); ++c)
    if (const double length = m.col(c).norm(); length > 0) m.col(c) /= length;
  return null_space_of(m.transpose(), rank_tolerance);
}

class Search {
 public:
  Search(const derive::Dae& dae, const EquilibriumOptions& options)
      : dae_(dae),
        model_(*dae.model),
        options_(options),
        equations_(dae, options.free_inputs),
        positions_(equations_.positions()),
        actions_(equations_.actions()),
        guess_(start_values(model_, options.t)) {
    for (const auto& [symbol, value] : options_.fixed) guess_[symbol] = value;
    if (const Value first = evaluate(guess_); first.finite && first.size.size() > 0)
      usual_ = first.size.maxCoeff();
  }

  /// From perturbed guesses several may be found: the one of lowest energy is where a disturbed mechanism comes to rest.
  Equilibrium run() {
    Equilibrium best = descend(perturbed(0));
    for (int attempt = 1; attempt < options_.attempts && !settled(best); ++attempt) {
      Equilibrium found = descend(perturbed(attempt));
      found.from_perturbed_guess = true;
      if (better(found, best)) best = std::move(found);
    }
    for (const SymbolId s : positions_) note_move(best, s);
    return best;
  }

 private:
  using Value = RestEquations::Value;

  static bool settled(const Equilibrium& e) { return e.found && !e.from_perturbed_guess; }
  bool better(const Equilibrium& a, const Equilibrium& b) const {
    if (a.found != b.found) return a.found;
    return a.found ? energy(a) < energy(b) : a.residual < b.residual;
  }
  double energy(const Equilibrium& e) const {
    double sum = 0;
    for (const structure::Rounded& r :
         structure::evaluate_rounded(dae_, dae_.mechanics.energy, point_of(e)))
      sum += r.value;
    return sum;
  }

  /// By how much a position may change, roughly: not at all where it is fixed.
  double scale(SymbolId s) const {
    if (options_.fixed.contains(s)) return 0;
    const double nominal = model_.symbols[s].nominal;
    return std::max(std::abs(guess_[s]), nominal > 0 ? nominal : 1.0);
  }

  std::vector<double> perturbed(int attempt) const {
    std::vector<double> values = guess_;
    if (attempt == 0) return values;
    const double size = 0.01 * std::pow(3.0, attempt - 1);
    for (const auto* symbols : {&positions_, &actions_})
      for (const SymbolId s : *symbols)
        values[s] +=
            size * scale(s) * solve::noise(1000003 * static_cast<std::uint64_t>(attempt) + s);
    return values;
  }

  Value evaluate(const std::vector<double>& values) const {
    return equations_.evaluate(values, usual_);
  }

  /// Columns of positions in units of their scales.
  MatrixXd jacobian(const std::vector<double>& values) const {
    MatrixXd j = equations_.jacobian(values);
    for (std::size_t k = 0; k < positions_.size(); ++k) {
      stop_point();
      j.col(static_cast<Index>(k)) *= scale(positions_[k]);
    }
    return j;
  }

  struct Step {
    VectorXd positions, actions;
    Index rank = 0;  // of what the balance of forces says about the positions
  };
  Step newton_step(const std::vector<double>& values, const VectorXd& residual) const {
    MatrixXd j = jacobian(values);
    VectorXd f = residual;
    const VectorXd length = lengths_of_rows(j);  // to 1: equations have different units
    f.array() /= length.array();
    for (Index c = 0; c < j.cols(); ++c) {
      stop_point();
      j.col(c).array() /= length.array();
    }
    const MatrixXd by_position = j.leftCols(static_cast<Index>(positions_.size()));
    const MatrixXd by_action = j.rightCols(static_cast<Index>(actions_.size()));
    const MatrixXd balance = left_null_space(by_action);  // N
    const MatrixXd balanced = product(balance.transpose(), by_position);
    const Solution q = smallest_solution(balanced, -balance.transpose() * f);
    const Solution a = smallest_solution(by_action, -(f + by_position * q.x));
    return {q.x, a.x, q.rank};
  }

  std::vector<double> moved(std::vector<double> values, const Step& step, double part) const {
    for (std::size_t k = 0; k < positions_.size(); ++k)
      values[positions_[k]] += part * scale(positions_[k]) * step.positions[static_cast<Index>(k)];
    for (std::size_t k = 0; k < actions_.size(); ++k)
      values[actions_[k]] += part * step.actions[static_cast<Index>(k)];
    return values;
  }

  /// Steps are shortened until the residual shrinks; they end where it does not any more.
  Equilibrium descend(std::vector<double> values) const {
    Value now = evaluate(values);
    for (int k = 0; k < iterations && now.finite && now.residual.norm() > 0; ++k) {
      stop_point();
      const Step step = newton_step(values, now.residual);
      bool better = false;
      for (double part = 1; part > 1e-3 && !better; part /= 2) {
        std::vector<double> next = moved(values, step, part);
        Value then = evaluate(next);
        better = then.finite && then.residual.norm() < (1 - 0.1 * part) * now.residual.norm();
        if (better) values = std::move(next), now = std::move(then);
      }
      if (!better) break;
    }
    return outcome(without_dust(std::move(values)));
  }

  /// Zeros that Newton's method left as 1e-17 are zeros: what multiplies them is structure.
  std::vector<double> without_dust(std::vector<double> values) const {
    for (const SymbolId s : positions_)
      if (std::abs(values[s]) < 1e-14 * scale(s)) values[s] = 0;
    return values;
  }

  Equilibrium outcome(std::vector<double> values) const {
    Equilibrium e;
    e.t = options_.t;
    const Value v = evaluate(values);
    e.found = v.finite && v.defect() <= at_balance;
    if (!v.finite) {
      e.residual = std::numeric_limits<double>::infinity();
    } else if (!e.found) {
      Index worst = 0;
      v.residual.cwiseAbs().maxCoeff(&worst);
      e.residual = std::abs(v.residual[worst]);
      e.worst_equation = dae_.equations[static_cast<std::size_t>(worst)].name;
    } else {
      e.neutral_directions =
          static_cast<int>(static_cast<Index>(positions_.size() - options_.fixed.size()) -
                           newton_step(values, v.residual).rank);
    }
    e.values = std::move(values);
    return e;
  }

  void note_move(Equilibrium& e, SymbolId s) const {
    if (std::abs(e.values[s] - guess_[s]) <= 1e-9 * scale(s)) return;
    e.moves.push_back({model_.symbols[s].name, model_.symbols[s].unit, guess_[s], e.values[s]});
  }

  const derive::Dae& dae_;
  const model::Model& model_;
  EquilibriumOptions options_;
  RestEquations equations_;
  const std::vector<SymbolId>&positions_, &actions_;
  std::vector<double> guess_;
  double usual_ = 0;  // size of the largest terms at the guess
};

}  // namespace

Equilibrium equilibrium(const derive::Dae& dae, const EquilibriumOptions& options) {
  return Search(dae, options).run();
}

structure::Point point_of(const Equilibrium& equilibrium) {
  return [values = equilibrium.values](expr::Leaf leaf) {
    return leaf.order == 0 && leaf.symbol < values.size() ? values[leaf.symbol] : 0.0;
  };
}

Diagnostic no_equilibrium(const derive::Dae& dae, const Equilibrium& nearest) {
  const model::Model& m = *dae.model;
  Diagnostic d{Severity::error,
               m.place,
               fmt::format("model '{}': no equilibrium near the start values", m.name),
               {},
               m.inputs.empty()
                   ? "give start values nearer to one"
                   : "give start values nearer to one, or let inputs hold the pose:  `free = all`"};
  if (nearest.worst_equation.empty()) {
    d.details.push_back("the equations have no finite value there");
    return d;
  }
  for (const derive::Equation& e : dae.equations)
    if (e.name == nearest.worst_equation) d.place = e.place;
  d.details.push_back(fmt::format("largest residual left at rest: '{}', {:.6g}",
                                  nearest.worst_equation, nearest.residual));
  return d;
}

}  // namespace daedal::analysis
