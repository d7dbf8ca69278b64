#include "daedal/compile/elimination.hpp"

#include "daedal/base/progress.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace daedal::compile {
namespace {

using expr::Expr;
using expr::Graph;

// A pivot may be this much smaller than the largest entry of its column (rows scaled to 1): 10 is the usual price for
// the freedom to choose sparse pivots [DuffErismanReid2017].
constexpr double pivot_threshold = 0.1;
// Below this (rows scaled to 1) a pivot at the sample is rounding error.
constexpr double singular_pivot = 1e-13;

// The power of two next to 1/x, so that scaling by it is exact.
double scale_for(double x) {
  return x > 0 && std::isfinite(x) ? std::ldexp(1.0, -std::ilogb(x)) : 1.0;
}

class Eliminator {
 public:
  Eliminator(Graph& graph, const SymbolicSystem& system, const std::function<bool(Expr)>& fixed)
      : graph_(graph),
        fixed_(fixed),
        size_(system.size),
        rows_(system.size),
        columns_(system.size),
        scale_(system.size),
        right_hand_side_(system.right_hand_side.begin(), system.right_hand_side.end()),
        column_done_(system.size) {
    for (std::uint32_t i = 0; i < size_; ++i) {
      double largest = 0;
      for (std::uint32_t k = system.row_start[i]; k < system.row_start[i + 1]; ++k) {
        set(i, system.column[k], {system.matrix[k], system.sample[k]});
        largest = std::max(largest, std::abs(system.sample[k]));
      }
      scale_[i] = scale_for(largest);
    }
  }

  std::optional<Elimination> run(std::uint32_t limit) {
    const std::uint32_t first = graph_.size();
    for (std::uint32_t k = 0; k < size_; ++k) {
      stop_point();
      const std::optional<Place> pivot = choose_pivot();
      if (!pivot) return std::nullopt;
      eliminate_with(*pivot);
      if (graph_.size() - first > limit) return std::nullopt;
    }
    substitute_backwards();
    if (graph_.size() - first > limit) return std::nullopt;
    result_.monitor = balanced_sum(watched_);
    return std::move(result_);
  }

 private:
  struct Entry {
    Expr value;
    double sample = 0;
  };
  struct Place {
    std::uint32_t row = 0, column = 0;
  };

  void set(std::uint32_t row, std::uint32_t column, const Entry& entry) {
    if (graph_.is_constant(entry.value, 0)) {
      rows_[row].erase(column);
      columns_[column].erase(row);
    } else {
      rows_[row][column] = entry;
      columns_[column][row] = true;
    }
  }

  double scaled(std::uint32_t row, const Entry& entry) const {
    return std::abs(entry.sample) * scale_[row];
  }

  // Smallest cost, then constants before fixed before others, then the largest.
  std::optional<Place> choose_pivot() const {
    std::optional<Place> best;
    std::uint64_t best_cost = 0;
    int best_kind = 0;
    double best_size = 0;
    for (std::uint32_t column = 0; column < size_; ++column) {
      if (column_done_[column]) continue;
      double largest = 0;
      for (const auto& [row, present] : columns_[column])
        largest = std::max(largest, scaled(row, rows_[row].at(column)));
      if (!(largest > singular_pivot)) continue;
      for (const auto& [row, present] : columns_[column]) {
        const Entry& entry = rows_[row].at(column);
        const double magnitude = scaled(row, entry);
        if (!(magnitude >= pivot_threshold * largest)) continue;
        const std::uint64_t cost =
            std::uint64_t{rows_[row].size() - 1} * (columns_[column].size() - 1);
        const int kind = graph_.is_constant(entry.value) ? 0 : fixed_(entry.value) ? 1 : 2;
        const bool better = !best || cost < best_cost || (cost == best_cost && kind < best_kind) ||
                            (cost == best_cost && kind == best_kind && magnitude > best_size);
        if (!better) continue;
        best = Place{row, column};
        best_cost = cost;
        best_kind = kind;
        best_size = magnitude;
      }
    }
    return best;
  }

  std::uint32_t keep(Expr factor) {
    result_.factors.push_back(factor);
    return static_cast<std::uint32_t>(result_.factors.size() - 1);
  }

  void watch(Expr value, double weight) {
    if (graph_.is_constant(value)) return;
    const Expr weighted = graph_.mul(value, graph_.constant(weight));
    watched_.push_back(graph_.mul(weighted, weighted));
  }

  // As a tree: a chain of additions would be the longest path through the kernel.
  Expr balanced_sum(std::vector<Expr> terms) {
    if (terms.empty()) return graph_.constant(0);
    while (terms.size() > 1) {
      std::size_t half = 0;
      for (std::size_t i = 0; i < terms.size(); i += 2)
        terms[half++] = i + 1 < terms.size() ? graph_.add(terms[i], terms[i + 1]) : terms[i];
      terms.resize(half);
    }
    return terms.front();
  }

  void eliminate_with(Place place) {
    const Entry pivot = rows_[place.row].at(place.column);
    const Expr reciprocal = graph_.div(graph_.constant(1), pivot.value);
    watch(reciprocal, 1 / scale_for(pivot.sample == 0 ? 1 : std::abs(pivot.sample)));
    Elimination::Pivot record{place.row, place.column, keep(reciprocal), {}, {}};

    column_done_[place.column] = true;
    for (const auto& [column, entry] : rows_[place.row]) {
      columns_[column].erase(place.row);
      if (column != place.column) record.right.push_back({column, keep(entry.value)});
    }
    const std::map<std::uint32_t, bool> below = columns_[place.column];
    for (const auto& [row, present] : below) {
      const Entry entry = rows_[row].at(place.column);
      const Expr multiplier = graph_.mul(entry.value, reciprocal);
      watch(multiplier, scale_[row] / scale_[place.row]);
      record.below.push_back({row, keep(multiplier)});
      subtract(place, row, {multiplier, entry.sample / pivot.sample});
    }
    columns_[place.column].clear();
    result_.pivots.push_back(std::move(record));
  }

  // Row `row` minus `multiplier` times the pivot row.
  void subtract(Place pivot, std::uint32_t row, const Entry& multiplier) {
    rows_[row].erase(pivot.column);
    for (const auto& [column, entry] : rows_[pivot.row]) {
      if (column == pivot.column) continue;
      const auto old = rows_[row].find(column);
      const Entry before = old == rows_[row].end() ? Entry{graph_.constant(0), 0} : old->second;
      set(row, column,
          {graph_.sub(before.value, graph_.mul(multiplier.value, entry.value)),
           before.sample - multiplier.sample * entry.sample});
    }
    right_hand_side_[row] = graph_.sub(right_hand_side_[row],
                                       graph_.mul(multiplier.value, right_hand_side_[pivot.row]));
  }

  void substitute_backwards() {
    result_.solution.resize(size_);
    for (auto pivot = result_.pivots.rbegin(); pivot != result_.pivots.rend(); ++pivot) {
      Expr sum = right_hand_side_[pivot->row];
      for (const auto& [column, factor] : pivot->right)
        sum = graph_.sub(sum, graph_.mul(result_.factors[factor], result_.solution[column]));
      result_.solution[pivot->column] = graph_.mul(sum, result_.factors[pivot->reciprocal]);
    }
  }

  Graph& graph_;
  const std::function<bool(Expr)>& fixed_;
  std::uint32_t size_;
  std::vector<std::map<std::uint32_t, Entry>> rows_;    // what is left of each row, by column
  std::vector<std::map<std::uint32_t, bool>> columns_;  // rows not yet done that have an entry
  std::vector<double> scale_;  // of each row at the sample: power of two near 1/largest
  std::vector<Expr> right_hand_side_;
  std::vector<bool> column_done_;
  std::vector<Expr> watched_;
  Elimination result_;
};

}  // namespace

std::optional<Elimination> eliminate(Graph& graph, const SymbolicSystem& system,
                                     const std::function<bool(Expr)>& fixed, std::uint32_t limit) {
  return Eliminator(graph, system, fixed).run(limit);
}

std::vector<Expr> resolve_solution(const Elimination& elimination, const Graph& from,
                                   Graph& graph) {
  const auto& factors = elimination.factors;
  std::vector<Expr> factor(factors.size());
  for (std::uint32_t k = 0; k < factors.size(); ++k) {
    factor[k] = from.is_constant(factors[k]) ? graph.constant(from.constant_value(factors[k]))
                                             : graph.leaf({k, 0});
  }
  std::vector<Expr> b, x(elimination.pivots.size());
  for (std::uint32_t i = 0; i < x.size(); ++i)
    b.push_back(graph.leaf({static_cast<std::uint32_t>(factors.size()) + i, 0}));
  for (const Elimination::Pivot& pivot : elimination.pivots) {
    for (const auto& [row, l] : pivot.below)
      b[row] = graph.sub(b[row], graph.mul(factor[l], b[pivot.row]));
  }
  for (auto pivot = elimination.pivots.rbegin(); pivot != elimination.pivots.rend(); ++pivot) {
    Expr sum = b[pivot->row];
    for (const auto& [column, u] : pivot->right)
      sum = graph.sub(sum, graph.mul(factor[u], x[column]));
    x[pivot->column] = graph.mul(sum, factor[pivot->reciprocal]);
  }
  return x;
}

}  // namespace daedal::compile
