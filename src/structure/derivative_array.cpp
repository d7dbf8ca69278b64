#include "derivative_array.hpp"

#include "cancellation.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/structure/analysis.hpp"
#include "daedal/structure/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace daedal::structure {

using expr::Expr;
using expr::Leaf;

namespace {

constexpr std::size_t row_limit = 300;          // equations in the array
constexpr std::size_t operation_limit = 50000;  // in all of them
constexpr double zero_pivot = 1e-9;             // of a matrix with unit rows and columns

int rank_of(Eigen::MatrixXd m) {
  if (m.size() == 0) return 0;
  for (int turn = 0; turn < 2; ++turn) {
    for (Eigen::Index r = 0; r < m.rows(); ++r)
      if (const double n = m.row(r).norm(); n > 0) m.row(r) /= n;
    for (Eigen::Index c = 0; c < m.cols(); ++c)
      if (const double n = m.col(c).norm(); n > 0) m.col(c) /= n;
  }
  return static_cast<int>(PivotedQr(m, zero_pivot).rank());
}

class Array {
 public:
  explicit Array(const derive::Dae& dae) : dae_(dae), graph_(dae.model->graph) {
    for (std::uint32_t j = 0; j < dae.unknowns.size(); ++j) top_[dae.unknowns[j]] = 1;
    for (const SignatureEntry& e : signature(dae)) {
      int& top = top_[dae.unknowns[e.unknown]];
      top = std::max(top, e.order);
    }
    for (const auto& [symbol, top] : top_) order_ += top;
    last_ = expr::expand(dae.residual, graph_);
    rows_ = last_;
  }

  std::optional<ArrayRanks> run() {
    for (int k = 0; k <= order_ && rows_.size() <= row_limit; ++k) {
      if (expr::reachable(graph_, rows_).size() > operation_limit) return std::nullopt;
      if (const std::optional<ArrayRanks> ranks = at(k)) return ranks;
      last_ = expr::time_derivative(graph_, last_,
                                    [&](expr::SymbolId s) { return dae_.model->varies(s); });
      rows_.insert(rows_.end(), last_.begin(), last_.end());
    }
    return std::nullopt;
  }

 private:
  /// Leaves of unknowns by part: below the tops, the tops, above.
  std::vector<Leaf> leaves_where(int part) const {
    std::vector<Leaf> result;
    for (const Leaf& leaf : expr::leaves(graph_, rows_)) {
      const auto top = top_.find(leaf.symbol);
      if (top == top_.end()) continue;
      const int order = leaf.order;
      if ((order > top->second) - (order < top->second) == part) result.push_back(leaf);
    }
    return result;
  }

  std::optional<Eigen::MatrixXd> jacobian(const std::vector<Leaf>& columns, const Point& point) {
    const std::vector<expr::JacobianEntry> entries = expr::jacobian(graph_, rows_, columns);
    std::vector<Expr> values;
    for (const expr::JacobianEntry& e : entries) values.push_back(e.value);
    const std::vector<Rounded> numbers = evaluate_rounded(graph_, values, point);
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows_.size()),
                                              static_cast<Eigen::Index>(columns.size()));
    for (std::size_t e = 0; e < entries.size(); ++e) {
      if (!std::isfinite(numbers[e].value)) return std::nullopt;
      m(entries[e].row, entries[e].column) = numbers[e].cleaned();
    }
    return m;
  }

  std::optional<ArrayRanks> at(int k) {
    const std::vector<Leaf> lower = leaves_where(-1), tops = leaves_where(0),
                            above = leaves_where(1);
    if (tops.size() < dae_.unknowns.size()) return std::nullopt;
    for (const double scale : {1.0, 0.1, 0.01}) {
      const Point point = random_point(dae_, 7, scale);
      const auto a = jacobian(lower, point), t = jacobian(tops, point), r = jacobian(above, point);
      if (!a || !t || !r) continue;
      Eigen::MatrixXd upper(t->rows(), t->cols() + r->cols());
      upper << *t, *r;
      const int rank_upper = rank_of(upper);
      if (rank_upper < static_cast<int>(tops.size()) + rank_of(*r)) return std::nullopt;
      Eigen::MatrixXd whole(t->rows(), a->cols() + upper.cols());
      whole << *a, upper;
      int states = 0;
      for (const auto& [symbol, top] : top_) states += top;
      return ArrayRanks{k, states - (rank_of(whole) - rank_upper)};
    }
    return std::nullopt;
  }

  const derive::Dae& dae_;
  expr::Graph graph_;
  std::map<expr::SymbolId, int> top_;
  /// Unknowns of the equations in first-order form: the index of a regular system is not larger, since the nilpotent part
  /// of its pencil is not. Where more seems to be needed, ranks are lost in rounding, and further rows only take time.
  int order_ = 0;
  std::vector<Expr> last_, rows_;
};

}  // namespace

std::optional<ArrayRanks> derivative_array(const derive::Dae& dae) { return Array(dae).run(); }

}  // namespace daedal::structure
