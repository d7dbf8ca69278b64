#include "daedal/structure/examine.hpp"

#include "cancellation.hpp"
#include "daedal/structure/analysis.hpp"
#include "daedal/structure/regularity.hpp"
#include "derivative_array.hpp"
#include "linear_combination.hpp"
#include "numeric_jacobian.hpp"
#include "words.hpp"

#include <algorithm>
#include <map>

namespace daedal::structure {

namespace {

constexpr std::size_t rewriting_limit = 300;  // unknowns up to which equations are rewritten

class Examination {
 public:
  explicit Examination(std::shared_ptr<const derive::Dae> dae) : given_(*dae), dae_(*dae) {
    result_.dae = std::move(dae);
    origin_.resize(dae_.equations.size());
    for (std::uint32_t i = 0; i < origin_.size(); ++i) origin_[i][i] = 0;
  }

  Structure run() {
    result_.offsets = analyse(dae_);
    Regularity found = regularity(dae_, result_.offsets);
    if (!found.regular() && dae_.unknowns.size() <= rewriting_limit) {
      if (cancel()) found = regularity(dae_, result_.offsets);
      while (found.verdict == Verdict::singular_everywhere && combine_once())
        found = regularity(dae_, result_.offsets);
    }
    if (found.regular())
      count_differentiations();
    else
      fall_back(found);
    return std::move(result_);
  }

 private:
  const std::string& name(std::uint32_t equation) const { return dae_.equations[equation].name; }

  /// Rewrites equations in which written unknowns cancel. True when something changed.
  bool cancel() {
    const std::vector<Point> points{random_point(dae_, 1, 0.1), random_point(dae_, 2, 0.1)};
    auto graph = std::make_shared<expr::Graph>(dae_.model->graph);
    std::vector<std::uint32_t> rows(dae_.equations.size());
    for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
    const std::vector<expr::Expr> written = written_rows(dae_, rows, *graph);
    std::vector<std::pair<std::uint32_t, expr::Expr>> changed;
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const Cleaned cleaned = without_cancelled_leaves(*graph, written[i], dae_, points);
      if (cleaned.removed.empty()) continue;
      changed.emplace_back(i, cleaned.value);
      std::string leaves;
      for (const expr::Leaf& leaf : cleaned.removed)
        leaves += (leaves.empty() ? "" : ", ") +
                  model::name_of(given_.model->symbols[leaf.symbol], leaf.order);
      result_.conversions.push_back({Conversion::Method::cancellation, i,
                                     fmt::format("in '{}' {} cancel{}", name(i), leaves,
                                                 cleaned.removed.size() == 1 ? "s" : "")});
    }
    for (const auto& [row, value] : changed) replace_row(dae_, row, graph, value);
    return !changed.empty() && accept(dae_);
  }

  /// Offsets of a rewritten Dae; false when it has none.
  bool accept(const derive::Dae& rewritten) {
    const Offsets o =
        offsets(static_cast<std::uint32_t>(rewritten.equations.size()), signature(rewritten));
    if (o.singular) return false;
    result_.offsets = o;
    if (&rewritten != &dae_) dae_ = rewritten;
    return true;
  }

  /// One conversion. The value of the signature (degrees of freedom) falls each time, so this ends.
  bool combine_once() {
    const int value = result_.offsets.degrees_of_freedom;
    const std::optional<Combination> combination = combine(dae_, result_.offsets, reason_);
    if (!combination) return false;
    const std::string words = words_for(*combination), set = ingredients(*combination);
    if (combination->trivial || !accept(combination->dae)) {
      dependent_ = set;
      return false;
    }
    if (result_.offsets.degrees_of_freedom >= value) {
      reason_ = fmt::format("combining {} brings no progress", set);
      return false;
    }
    record(*combination, words);
    return true;
  }

  static bool by_name(const Ingredient& a, const Ingredient& b) {
    return a.derivative != b.derivative ? a.derivative < b.derivative : a.equation < b.equation;
  }
  std::string ingredients(const Combination& combination, bool without_replaced = false) const {
    std::vector<Ingredient> list = combination.ingredients;
    std::sort(list.begin(), list.end(), by_name);
    std::string text;
    std::size_t left = list.size() - (without_replaced ? 1 : 0);
    const std::size_t count = left;
    for (const Ingredient& i : list) {
      if (without_replaced && i.equation == combination.replaced) continue;
      text += left == count ? "" : left == 1 ? " and " : ", ";
      text += fmt::format("'{}'{}", name(i.equation), differentiated(i.derivative));
      --left;
    }
    return text;
  }

  std::string words_for(const Combination& combination) const {
    std::string words = fmt::format("'{}' is replaced by its combination with {}",
                                    name(combination.replaced), ingredients(combination, true));
    if (!combination.valid_where.empty())
      words += fmt::format(", valid where {} is not 0", combination.valid_where);
    return words;
  }

  void record(const Combination& combination, std::string words) {
    std::map<std::uint32_t, int> used;
    for (const Ingredient& i : combination.ingredients)
      for (const auto& [equation, times] : origin_[i.equation])
        used[equation] = std::max(used[equation], times + i.derivative);
    origin_[combination.replaced] = std::move(used);
    result_.conversions.push_back(
        {Conversion::Method::linear_combination, combination.replaced, std::move(words)});
  }

  void count_differentiations() {
    const Offsets& o = result_.offsets;
    result_.differentiations.assign(given_.equations.size(), 0);
    for (std::uint32_t i = 0; i < origin_.size(); ++i)
      for (const auto& [equation, times] : origin_[i]) {
        int& count = result_.differentiations[equation];
        count = std::max(count, times + o.c[i]);
      }
    const bool algebraic = std::any_of(o.d.begin(), o.d.end(), [](int d) { return d == 0; });
    result_.index =
        *std::max_element(result_.differentiations.begin(), result_.differentiations.end()) +
        (algebraic ? 1 : 0);
    result_.degrees_of_freedom = o.degrees_of_freedom;
    if (result_.conversions.empty()) return;
    result_.basis = Basis::conversion;
    result_.dae = std::make_shared<derive::Dae>(dae_);
  }

  /// Nothing helped: numerical ranks of the equations as given, or only the offsets with a warning.
  void fall_back(const Regularity& found) {
    result_.conversions.clear();
    result_.offsets = analyse(given_);
    result_.index = result_.offsets.index;
    result_.degrees_of_freedom = result_.offsets.degrees_of_freedom;
    result_.basis = Basis::nothing;
    if (!dependent_.empty()) {
      result_.remark = fmt::format(
          "{} depend on each other at every state: one of them follows from the others, or "
          "contradicts them",
          dependent_);
      return;
    }
    result_.remark = describe(found, given_);
    if (!reason_.empty()) result_.remark += fmt::format("; no conversion: {}", reason_);
    if (const std::optional<ArrayRanks> ranks = derivative_array(given_)) {
      result_.index = ranks->index;
      result_.degrees_of_freedom = ranks->degrees_of_freedom;
      result_.basis = Basis::derivative_array;
    }
  }

  const derive::Dae& given_;
  derive::Dae dae_;
  std::vector<std::map<std::uint32_t, int>>
      origin_;             // per equation: derivatives of given ones in it
  std::string reason_;     // why the last conversion was not possible
  std::string dependent_;  // equations that contain nothing new together
  Structure result_;
};

}  // namespace

Structure examine(std::shared_ptr<const derive::Dae> dae) {
  return Examination(std::move(dae)).run();
}

}  // namespace daedal::structure
