#include "daedal/analyse/linearise.hpp"

#include "daedal/structure/rounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::analysis {

namespace {

using expr::Leaf;
using expr::SymbolId;

constexpr std::uint32_t none = expr::Family::no_row;

/// Which leaves are variables, derivatives of variables, and inputs.
class Columns {
 public:
  Columns(const derive::Dae& dae, const expr::Function& outputs) {
    const std::size_t symbols = dae.model->symbols.size();
    first_.assign(symbols, none);
    count_.assign(symbols, 0);
    input_.assign(symbols, none);
    differentiated_.assign(symbols, false);
    for (const expr::Occurrence& o : expr::occurrences(dae.residual)) need(o.leaf, 0);
    for (const expr::Occurrence& o : expr::occurrences(outputs)) need(o.leaf, 1);
    for (const SymbolId s : dae.unknowns) place(s, std::max(count_[s], 1));
    if (dae.inverse) return;
    for (SymbolId s = 0; s < symbols; ++s) {
      if (dae.model->symbols[s].kind != model::SymbolKind::input) continue;
      input_[s] = static_cast<std::uint32_t>(inputs_.size());
      inputs_.push_back(s);
      if (differentiated_[s]) place(s, count_[s]);
    }
  }

  std::uint32_t variables() const { return variables_; }
  const std::vector<SymbolId>& placed() const { return placed_; }
  const std::vector<SymbolId>& inputs() const { return inputs_; }
  std::uint32_t first(SymbolId s) const { return first_[s]; }
  std::uint32_t count(SymbolId s) const { return static_cast<std::uint32_t>(count_[s]); }
  bool is_input(SymbolId s) const { return input_[s] != none; }
  std::uint32_t input(SymbolId s) const { return input_[s]; }

  /// In [0, n) of A, in [n, 2n) of E, from 2n on of B.
  std::uint32_t column(Leaf leaf) const {
    if (leaf.symbol >= first_.size()) return none;
    if (first_[leaf.symbol] != none) {
      const std::uint32_t within = std::min<std::uint32_t>(leaf.order, count(leaf.symbol) - 1);
      return first_[leaf.symbol] + within + (leaf.order > within ? variables_ : 0);
    }
    return input_[leaf.symbol] == none ? none : 2 * variables_ + input_[leaf.symbol];
  }

 private:
  /// `beyond`: an output has no derivatives of variables to lean on.
  void need(Leaf leaf, int beyond) {
    if (leaf.symbol == expr::time_symbol) return;
    count_[leaf.symbol] = std::max(count_[leaf.symbol], leaf.order + beyond);
    if (leaf.order > 0) differentiated_[leaf.symbol] = true;
  }
  void place(SymbolId s, int count) {
    first_[s] = variables_;
    count_[s] = count;
    variables_ += static_cast<std::uint32_t>(count);
    placed_.push_back(s);
  }

  std::vector<std::uint32_t> first_, input_;  // by symbol
  std::vector<int> count_;
  std::vector<bool> differentiated_;
  std::vector<SymbolId> placed_, inputs_;
  std::uint32_t variables_ = 0;
};

/// Names what has no finite derivative, in the user's words.
[[noreturn]] void not_finite(const derive::Dae& dae, const std::string& row, const Place& place) {
  throw ModelError(
      {Severity::error,
       place,
       fmt::format("model '{}': '{}' has no finite derivative at this point", dae.model->name, row),
       {},
       "look for a square root at 0, or a division by 0"});
}

class Lineariser {
 public:
  Lineariser(const derive::Dae& dae, const structure::Point& point, const expr::Function& outputs,
             std::vector<std::string> output_names)
      : dae_(dae), point_(point), outputs_(outputs), columns_(dae, outputs) {
    result_.outputs = std::move(output_names);
  }

  LinearModel run() {
    name_lines();
    const Eigen::Index n = columns_.variables(),
                       m = static_cast<Eigen::Index>(result_.inputs.size());
    const auto p = static_cast<Eigen::Index>(result_.outputs.size());
    result_.e = result_.a = Eigen::MatrixXd::Zero(n, n);
    result_.b = Eigen::MatrixXd::Zero(n, m);
    result_.c = Eigen::MatrixXd::Zero(p, n);
    result_.d = Eigen::MatrixXd::Zero(p, m);
    fill_equations();
    fill_definitions();
    fill_outputs();
    return std::move(result_);
  }

 private:
  const model::Symbol& symbol(SymbolId s) const { return dae_.model->symbols[s]; }

  void name_lines() {
    for (const SymbolId s : columns_.placed())
      for (std::uint32_t k = 0; k < columns_.count(s); ++k) {
        result_.leaves.push_back({s, static_cast<std::uint16_t>(k)});
        result_.variables.push_back(model::name_of(symbol(s), static_cast<int>(k)));
      }
    for (const derive::Equation& e : dae_.equations) result_.equations.push_back(e.name);
    for (const SymbolId s : columns_.inputs()) result_.inputs.push_back(symbol(s).name);
  }

  /// f_i = 0 as  E x' = A x + B u.
  void fill_equations() {
    const Eigen::Index n = columns_.variables();
    visit(
        dae_.residual, [&](std::uint32_t i) { return dae_.equations[i].name; },
        [&](std::uint32_t i) { return dae_.equations[i].place; },
        [&](Eigen::Index i, Eigen::Index column, double value) {
          if (column < n)
            result_.a(i, column) = -value;
          else if (column < 2 * n)
            result_.e(i, column - n) = value;
          else
            result_.b(i, column - 2 * n) = -value;
        });
  }

  /// Each variable's derivative is the next variable; an input that is a variable equals the input.
  void fill_definitions() {
    auto row = static_cast<Eigen::Index>(dae_.equations.size());
    for (const SymbolId s : columns_.placed()) {
      const Eigen::Index first = columns_.first(s), count = columns_.count(s);
      for (Eigen::Index k = 0; k + 1 < count; ++k, ++row) {
        result_.e(row, first + k) = 1;
        result_.a(row, first + k + 1) = 1;
        result_.equations.push_back(fmt::format("{0} = d/dt {1}",
                                                model::name_of(symbol(s), static_cast<int>(k + 1)),
                                                model::name_of(symbol(s), static_cast<int>(k))));
      }
      if (!columns_.is_input(s)) continue;
      result_.a(row, first) = -1;
      result_.b(row, columns_.input(s)) = 1;
      result_.equations.push_back(fmt::format("signal of {}", symbol(s).name));
      ++row;
    }
  }

  void fill_outputs() {
    const Eigen::Index n = columns_.variables();
    visit(
        outputs_, [&](std::uint32_t i) { return result_.outputs[i]; },
        [&](std::uint32_t) { return dae_.model->place; },
        [&](Eigen::Index i, Eigen::Index column, double value) {
          (column < n ? result_.c(i, column) : result_.d(i, column - 2 * n)) = value;
        });
  }

  template <class Name, class Where, class Put>
  void visit(const expr::Function& f, Name name, Where where, Put put) {
    const expr::SparseFunction jacobian = expr::jacobian(
        f, 2 * columns_.variables() + static_cast<std::uint32_t>(columns_.inputs().size()),
        [&](Leaf leaf) { return columns_.column(leaf); });
    const std::vector<structure::Rounded> values =
        structure::evaluate_rounded(dae_, jacobian.values, point_);
    for (std::uint32_t i = 0; i < jacobian.rows; ++i)
      for (std::uint32_t k = jacobian.row_start[i]; k < jacobian.row_start[i + 1]; ++k) {
        if (!std::isfinite(values[k].value)) not_finite(dae_, name(i), where(i));
        put(i, jacobian.column[k], values[k].cleaned());
      }
  }

  const derive::Dae& dae_;
  const structure::Point& point_;
  const expr::Function& outputs_;
  Columns columns_;
  LinearModel result_;
};

std::vector<std::string> output_names(const model::Model& m) {
  std::vector<std::string> names;
  for (const model::NamedValue& output : m.outputs) names.push_back(output.name);
  return names;
}

}  // namespace

LinearModel linearise(const derive::Dae& dae, const structure::Point& point) {
  return Lineariser(dae, point, dae.outputs, output_names(*dae.model)).run();
}

LinearModel linearise(const derive::Dae& dae, const structure::Point& point,
                      const std::vector<NamedOutput>& outputs) {
  std::vector<expr::Term> terms;
  std::vector<std::string> names;
  for (const NamedOutput& output : outputs) {
    terms.push_back({output.value, static_cast<std::uint32_t>(terms.size())});
    names.push_back(output.name);
  }
  expr::Function f;
  f.rows = static_cast<std::uint32_t>(terms.size());
  if (!terms.empty()) f.families.push_back(expr::identity_family(dae.model->graph, terms));
  return Lineariser(dae, point, f, std::move(names)).run();
}

}  // namespace daedal::analysis
