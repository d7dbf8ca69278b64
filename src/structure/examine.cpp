// The steps of an examination: offsets, the check of their Jacobian, conversions until it is regular, and how often
// each equation is differentiated in the end.
#include "daedal/structure/examine.hpp"

#include "cancellation.hpp"
#include "daedal/structure/analysis.hpp"
#include "daedal/structure/regularity.hpp"
#include "derivative_array.hpp"
#include "expression_substitution.hpp"
#include "linear_combination.hpp"
#include "words.hpp"

#include <algorithm>
#include <map>

namespace daedal::structure {

namespace {

constexpr std::size_t rewriting_limit = 300;  // unknowns up to which equations are rewritten

class Examination {
 public:
  Examination(std::shared_ptr<const derive::Dae> dae, const ExamineOptions& options)
      : given_(std::move(dae)), options_(options), dae_(*given_) {
    result_.dae = given_;
    origin_.resize(dae_.equations.size());
    for (std::uint32_t i = 0; i < origin_.size(); ++i) origin_[i][i] = 0;
  }

  Structure run() {
    result_.offsets = analyse(dae_);
    Regularity found = regularity(dae_, result_.offsets);
    if (!found.regular() && dae_.unknowns.size() <= rewriting_limit) {
      if (cancel()) found = regularity(dae_, result_.offsets);
      while (found.verdict == Verdict::singular_everywhere && convert_once())
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
                  model::name_of(given_->model->symbols[leaf.symbol], leaf.order);
      result_.conversions.push_back({Conversion::Method::cancellation, i,
                                     fmt::format("in '{}' {} cancel{}", name(i), leaves,
                                                 cleaned.removed.size() == 1 ? "s" : "")});
    }
    for (const auto& [row, value] : changed) replace_row(dae_, row, graph, value);
    if (!changed.empty()) analyse_rewritten();
    return !changed.empty();
  }

  /// What cancels may have been the only place of an unknown: the message then states that too.
  void analyse_rewritten() {
    try {
      result_.offsets = analyse(dae_);
    } catch (const ModelError& error) {
      Diagnostic diagnostic = error.diagnostics().front();
      for (const Conversion& c : result_.conversions) diagnostic.details.push_back(c.words);
      throw ModelError(std::move(diagnostic));
    }
  }

  /// Takes a rewritten Dae over when it has a transversal of lower value.
  enum class Outcome { taken, no_transversal, no_progress };
  Outcome take(const derive::Dae& rewritten) {
    const Offsets o =
        offsets(static_cast<std::uint32_t>(rewritten.equations.size()), signature(rewritten));
    if (o.singular()) return Outcome::no_transversal;
    if (o.value() >= result_.offsets.value()) return Outcome::no_progress;
    result_.offsets = o;
    dae_ = rewritten;
    return Outcome::taken;
  }

  /// One conversion. The value of the signature (degrees of freedom) falls each time, so this ends.
  bool convert_once() {
    const SingularJacobian jacobian(dae_, result_.offsets);
    if (jacobian.points().empty()) return false;
    if (combine_once(jacobian)) return true;
    return dependent_.empty() && substitute_once(jacobian);
  }

  bool combine_once(const SingularJacobian& jacobian) {
    const std::optional<Combination> combination =
        combine(dae_, result_.offsets, jacobian, no_combination_);
    if (!combination) return false;
    const std::string words = words_for(*combination), set = ingredients(*combination);
    const Outcome outcome = combination->trivial ? Outcome::no_transversal : take(combination->dae);
    if (outcome == Outcome::no_transversal) dependent_ = set;
    if (outcome == Outcome::no_progress)
      no_combination_ = fmt::format("combining {} brings no progress", set);
    if (outcome == Outcome::taken) record(*combination, words);
    return outcome == Outcome::taken;
  }

  bool substitute_once(const SingularJacobian& jacobian) {
    const std::optional<Substitution> substitution =
        substitute(dae_, result_.offsets, jacobian, no_substitution_);
    if (!substitution) return false;
    if (take(substitution->dae) != Outcome::taken) {
      no_substitution_ = "no substitution brings progress";
      return false;
    }
    origin_.resize(dae_.equations.size());
    std::string words;
    for (const std::string& definition : substitution->definitions)
      words += (words.empty() ? "" : " and ") + definition;
    words +=
        fmt::format(" {} introduced in {}", substitution->definitions.size() == 1 ? "is" : "are",
                    quoted_list(substitution->rewritten, [&](std::uint32_t i) { return name(i); }));
    add_condition(words, substitution->valid_where);
    result_.conversions.push_back({Conversion::Method::expression_substitution,
                                   substitution->rewritten.front(), std::move(words)});
    return true;
  }

  static void add_condition(std::string& words, const std::string& valid_where) {
    if (!valid_where.empty()) words += fmt::format(", valid where {} is not 0", valid_where);
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
    add_condition(words, combination.valid_where);
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

  /// The index is the number of differentiations that lead to every derivative the given equations contain: a conversion may
  /// need fewer, since it removes highest derivatives.
  void count_differentiations() {
    std::vector<int> written(dae_.unknowns.size(), 0);
    for (const SignatureEntry& e : signature(*given_))
      written[e.unknown] = std::max(written[e.unknown], e.order);
    const Offsets o = raised(result_.offsets, signature(dae_), written);
    result_.differentiations.assign(given_->equations.size(), 0);
    for (std::uint32_t i = 0; i < origin_.size(); ++i)
      for (const auto& [equation, times] : origin_[i]) {
        int& count = result_.differentiations[equation];
        count = std::max(count, times + o.c[i]);
      }
    // Unknowns that a conversion introduced are no part of the question.
    result_.index = index_of(*given_, result_.differentiations, o.d);
    result_.degrees_of_freedom = result_.offsets.value();
    if (result_.conversions.empty()) return;
    result_.basis = Basis::conversion;
    result_.dae = std::make_shared<derive::Dae>(dae_);
  }

  /// Nothing helped: numerical ranks of the equations as given, or only the offsets with a warning.
  void fall_back(const Regularity& found) {
    result_ = by_signature(given_);
    result_.differentiations.clear();
    result_.basis = Basis::nothing;
    if (!dependent_.empty()) {
      result_.remark = fmt::format(
          "{} depend on each other at every state: one of them follows from the others, or "
          "contradicts them",
          dependent_);
      return;
    }
    result_.remark = describe(found, dae_);  // its numbers are those of the equations as converted
    for (const std::string* reason : {&no_combination_, &no_substitution_})
      if (!reason->empty()) result_.remark += "; " + *reason;
    if (!options_.derivative_array) return;
    if (const std::optional<ArrayRanks> ranks = derivative_array(*given_)) {
      result_.index = ranks->index;
      result_.degrees_of_freedom = ranks->degrees_of_freedom;
      result_.basis = Basis::derivative_array;
    }
  }

  std::shared_ptr<const derive::Dae> given_;
  ExamineOptions options_;
  derive::Dae dae_;
  std::vector<std::map<std::uint32_t, int>>
      origin_;                                    // per equation: derivatives of given ones in it
  std::string no_combination_, no_substitution_;  // why the last conversion was not possible
  std::string dependent_;                         // equations that contain nothing new together
  Structure result_;
};

}  // namespace

Structure examine(std::shared_ptr<const derive::Dae> dae, const ExamineOptions& options) {
  return Examination(std::move(dae), options).run();
}

}  // namespace daedal::structure
