#include "readable.hpp"

#include "daedal/expr/graph.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace daedal::emit {

using expr::Expr;
using expr::Node;
using expr::Op;

namespace {

// Longer equations are not read by anybody. Work: terms added and multiplied, 0.3 us each.
constexpr std::size_t most_terms_read = 150, most_work = 10'000;
// Work in vain after which expressions as large as one that has failed are not tried any more.
constexpr std::size_t most_wasted = 20'000;

/// An operation of polynomials, for those that have one; all others are rebuilt from simplified operands.
class Reading {
 public:
  Reading(const expr::Graph& from, expr::Graph& to, PolynomialAlgebra& algebra)
      : from_(from), to_(to), algebra_(algebra) {}

  std::optional<Polynomial> of(Expr root, Readable::Effort& effort) {
    const Expr roots[] = {root};
    const std::vector<Expr> nodes = expr::reachable(from_, roots);
    if (effort.wasted > most_wasted && nodes.size() >= effort.smallest_failed) return std::nullopt;
    const std::size_t before = algebra_.work();
    for (const Expr e : nodes) {
      const Polynomial& here = known_[e] = read(e);
      if (here.size() <= most_terms_read && algebra_.work() <= before + most_work) continue;
      effort.wasted += algebra_.work() - before;
      effort.smallest_failed = std::min(effort.smallest_failed, nodes.size());
      return std::nullopt;
    }
    return known_.at(root);
  }

 private:
  Polynomial read(Expr e) {
    const Node& n = from_.node(e);
    if (n.op == Op::leaf) return PolynomialAlgebra::atom(to_.leaf(from_.leaf_of(e)));
    if (n.op == Op::constant) {
      const double value = from_.constant_value(e);
      return std::isfinite(value) ? PolynomialAlgebra::number(value)
                                  : PolynomialAlgebra::atom(to_.constant(value));
    }
    const auto operand = [&](std::uint32_t id) -> const Polynomial& { return known_.at(Expr{id}); };
    constexpr Ratio minus{-1, 1};
    if (n.op == Op::neg) return PolynomialAlgebra::scaled(operand(n.a), minus);
    if (n.op == Op::add) return algebra_.sum(operand(n.a), operand(n.b));
    if (n.op == Op::sub)
      return algebra_.sum(operand(n.a), PolynomialAlgebra::scaled(operand(n.b), minus));
    if (n.op == Op::mul) return algebra_.product(operand(n.a), operand(n.b));
    if (n.op == Op::div && !operand(n.b).empty())
      return algebra_.product(operand(n.a), algebra_.power(operand(n.b), -1));
    if (n.op == Op::powi && !operand(n.a).empty())
      return algebra_.power(operand(n.a), static_cast<std::int16_t>(n.aux));
    if (expr::arity(n.op) == 1) return algebra_.function(n, operand(n.a));
    const auto written = [&](std::uint32_t id) { return algebra_.write(operand(id)); };
    const int operands = expr::arity(n.op);
    const Expr rebuilt = to_.rebuild(n, written(n.a), operands > 1 ? written(n.b) : Expr{},
                                     operands > 2 ? written(n.c) : Expr{});
    return to_.is_constant(rebuilt) && std::isfinite(to_.constant_value(rebuilt))
               ? PolynomialAlgebra::number(to_.constant_value(rebuilt))
               : PolynomialAlgebra::atom(rebuilt);
  }

  const expr::Graph& from_;
  expr::Graph& to_;
  PolynomialAlgebra& algebra_;
  std::map<Expr, Polynomial> known_;
};

}  // namespace

Readable::Readable(const expr::Graph& from, LeafRank rank)
    : from_(from),
      rank_(std::move(rank)),
      kept_(graph_, rank_, false),
      expanded_(graph_, rank_, true) {
  for (std::uint16_t i = 0; i < from.spline_count(); ++i) graph_.add_spline(from.spline(i));
}

std::size_t Readable::length(Expr e) const {
  constexpr std::size_t most = 20'000;
  return expr::to_text(
             graph_, e,
             [](expr::Leaf leaf) { return std::string(2 + std::size_t{leaf.order}, 'x'); }, most)
      .size();
}

std::optional<Sides> Readable::written(const Polynomial& p, const PolynomialAlgebra& algebra,
                                       const std::function<bool(expr::Leaf)>& is_collected) {
  const auto collected = [&](Expr base) {
    return graph_.node(base).op == Op::leaf && is_collected(graph_.leaf_of(base));
  };
  if (!is_collected) return Sides{algebra.write_factored(p), graph_.constant(0)};
  std::map<Expr, Polynomial> coefficients;
  std::vector<Expr> order;
  Polynomial rest;
  for (const Term& term : p) {
    const auto found = std::find_if(term.factors.begin(), term.factors.end(),
                                    [&](const Factor& f) { return collected(f.base); });
    if (found == term.factors.end()) {
      for (const Factor& f : term.factors) {
        const Expr base[] = {f.base};
        for (const expr::Leaf leaf : expr::leaves(graph_, base))
          if (is_collected(leaf)) return std::nullopt;
      }
      rest.push_back({-term.coefficient, term.factors});
      continue;
    }
    if (found->exponent != 1) return std::nullopt;
    const Expr unknown = found->base;
    Term coefficient = term;
    coefficient.factors.erase(coefficient.factors.begin() + (found - term.factors.begin()));
    if (!coefficients.contains(unknown)) order.push_back(unknown);
    coefficients[unknown].push_back(coefficient);
  }
  if (order.empty()) return Sides{algebra.write_factored(p), graph_.constant(0)};
  std::sort(order.begin(), order.end(),
            [&](Expr a, Expr b) { return graph_.leaf_of(a).symbol < graph_.leaf_of(b).symbol; });
  std::stable_partition(rest.begin(), rest.end(),
                        [](const Term& term) { return term.coefficient.numerator > 0; });
  std::optional<Expr> left;
  for (const Expr unknown : order) {
    const Expr coefficient =
        algebra.write_factored(algebra.sorted(algebra.opened(coefficients.at(unknown))));
    const Expr part = graph_.mul(coefficient, unknown);
    left = left ? graph_.add(*left, part) : part;
  }
  return Sides{*left, algebra.write_factored(rest)};
}

std::optional<Sides> Readable::simplified(Expr e,
                                          const std::function<bool(expr::Leaf)>& is_collected) {
  const auto size = [&](const Sides& s) { return length(s.left) + length(s.right); };
  const std::optional<Polynomial> plain = Reading(from_, graph_, kept_).of(e, kept_effort_);
  if (!plain) return std::nullopt;
  std::optional<Sides> best = written(*plain, kept_, is_collected);
  const std::optional<Polynomial> all = Reading(from_, graph_, expanded_).of(e, expanded_effort_);
  if (all) {
    const auto other = written(expanded_.combined(*all), expanded_, is_collected);
    if (other && (!best || size(*other) < size(*best))) best = other;
  }
  return best ? best : written(*plain, kept_, {});
}

Readable::Named Readable::with_names(const Sides& sides, expr::SymbolId first_symbol,
                                     const std::function<bool(const std::string&)>& is_taken) {
  constexpr std::size_t shortest = 10;  // characters of what is worth a name
  constexpr std::size_t least_saved = 60;
  constexpr std::size_t longest = 3'000;  // of what anybody reads
  constexpr std::size_t most_names = 6;
  Named result{sides, {}};
  if (length(sides.left) + length(sides.right) > longest) return result;
  std::map<std::string, int> numbers;
  while (result.names.size() < most_names) {
    const Expr roots[] = {result.sides.left, result.sides.right};
    const std::vector<Expr> nodes = expr::reachable(graph_, roots);
    std::map<Expr, std::size_t> uses;  // as often as they are written
    for (const Expr root : roots) ++uses[root];
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      const Node& n = graph_.node(*node);
      const std::uint32_t children[] = {n.a, n.b, n.c};
      for (int k = 0; k < expr::arity(n.op); ++k) uses[Expr{children[k]}] += uses[*node];
    }
    std::optional<Expr> best;
    std::size_t saved = least_saved;
    for (const Expr e : nodes) {
      const expr::Operation& facts = expr::facts(graph_.node(e).op);
      const bool whole = facts.notation == expr::Operation::Notation::call || facts.op == Op::add ||
                         facts.op == Op::sub || facts.is_function();
      if (!whole || uses[e] < 2 || e == roots[0] || e == roots[1]) continue;
      const std::size_t characters = length(e);
      if (characters < shortest) continue;
      const std::size_t gain = (uses[e] - 1) * (characters - 2);
      if (gain <= saved) continue;
      saved = gain;
      best = e;
    }
    if (!best) break;
    const Op op = graph_.node(*best).op;
    const std::string letter = op == Op::sin    ? "s"
                               : op == Op::cos  ? "c"
                               : op == Op::sqrt ? "r"
                                                : "w";
    std::string name;
    do name = letter + std::to_string(++numbers[letter]);
    while (is_taken(name));
    const Expr symbol =
        graph_.leaf({first_symbol + static_cast<expr::SymbolId>(result.names.size()), 0});
    std::map<Expr, Expr> replaced;
    const auto of = [&](std::uint32_t id) {
      const auto known = replaced.find(Expr{id});
      return known == replaced.end() ? Expr{id} : known->second;
    };
    for (const Expr e : nodes) {
      const Node n = graph_.node(e);
      if (e == *best)
        replaced[e] = symbol;
      else if (expr::arity(n.op) > 0)
        replaced[e] = graph_.rebuild(n, of(n.a), expr::arity(n.op) > 1 ? of(n.b) : Expr{},
                                     expr::arity(n.op) > 2 ? of(n.c) : Expr{});
    }
    result.sides = {of(result.sides.left.id), of(result.sides.right.id)};
    result.names.emplace_back(name, *best);
  }
  return result;
}

}  // namespace daedal::emit
