#include "polynomial.hpp"

#include "daedal/expr/graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <tuple>

namespace daedal::emit {

using expr::Expr;
using expr::Op;

namespace {

constexpr std::size_t most_terms = 400;  // of a product that is written out

bool is_number(const Polynomial& p) { return p.size() == 1 && p[0].factors.empty(); }

Monomial times(const Monomial& a, const Monomial& b, int sign = 1) {
  Monomial result;
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->base < j->base)) {
      result.push_back(*i++);
    } else if (i == a.end() || j->base < i->base) {
      result.push_back({j->base, sign * j->exponent});
      ++j;
    } else {
      const int exponent = i->exponent + sign * j->exponent;
      if (exponent != 0) result.push_back({i->base, exponent});
      ++i;
      ++j;
    }
  }
  return result;
}

/// Factors that two products share, with their lower powers.
Monomial shared(const Monomial& a, const Monomial& b) {
  Monomial result;
  for (const Factor f : a)
    for (const Factor g : b)
      if (f.base == g.base && (f.exponent > 0) == (g.exponent > 0))
        result.push_back(
            {f.base, std::abs(f.exponent) < std::abs(g.exponent) ? f.exponent : g.exponent});
  return result;
}

/// What all terms have in common.
Term content(const Polynomial& p) {
  Term result{p[0].coefficient, p[0].factors};
  for (const Term& term : p) {
    result.coefficient = common(result.coefficient, term.coefficient);
    result.factors = shared(result.factors, term.factors);
  }
  return result;
}

Polynomial divided(Polynomial p, const Term& by) {
  for (Term& term : p) {
    term.coefficient = term.coefficient * inverse(by.coefficient);
    term.factors = times(term.factors, by.factors, -1);
  }
  return p;
}

Polynomial collected(const Polynomial& p) {
  std::map<Monomial, std::size_t> place;
  Polynomial result;
  for (const Term& term : p) {
    const auto [known, is_new] = place.emplace(term.factors, result.size());
    if (is_new)
      result.push_back(term);
    else
      result[known->second].coefficient = result[known->second].coefficient + term.coefficient;
  }
  std::erase_if(result, [](const Term& term) { return term.coefficient.numerator == 0; });
  return result;
}

bool is_odd(Op op) {
  return op == Op::sin || op == Op::tan || op == Op::asin || op == Op::atan || op == Op::sinh ||
         op == Op::tanh;
}
bool is_even(Op op) { return op == Op::cos || op == Op::cosh || op == Op::abs; }

}  // namespace

PolynomialAlgebra::PolynomialAlgebra(expr::Graph& graph, const LeafRank& rank, bool expanding)
    : graph_(graph), rank_(rank), expanding_(expanding) {}

Polynomial PolynomialAlgebra::number(double value) {
  return value == 0 ? Polynomial{} : Polynomial{{Ratio::of(value), {}}};
}

Polynomial PolynomialAlgebra::sum(const Polynomial& a, const Polynomial& b) {
  Polynomial both = a;
  both.insert(both.end(), b.begin(), b.end());
  work_ += both.size();
  return collected(both);
}

Polynomial PolynomialAlgebra::scaled(Polynomial a, Ratio factor) {
  for (Term& term : a) term.coefficient = term.coefficient * factor;
  return a;
}

Polynomial PolynomialAlgebra::product(const Polynomial& a, const Polynomial& b) {
  if (a.empty() || b.empty()) return {};
  const bool distribute =
      expanding_ ? a.size() * b.size() <= most_terms : is_number(a) || is_number(b);
  if (!distribute && (a.size() > 1 || b.size() > 1)) return product(bracketed(a), bracketed(b));
  Polynomial result;
  for (const Term& s : a)
    for (const Term& t : b)
      result.push_back({s.coefficient * t.coefficient, times(s.factors, t.factors)});
  work_ += result.size();
  return collected(result);
}

Polynomial PolynomialAlgebra::power(const Polynomial& a, int exponent) {
  if (exponent == 0) return number(1);
  if (a.empty()) return exponent > 0 ? a : atom(graph_.constant(INFINITY));
  if (a.size() > 1 && expanding_ && exponent > 1 &&
      std::pow(static_cast<double>(a.size()), exponent) <= static_cast<double>(most_terms))
    return product(a, power(a, exponent - 1));
  const Polynomial one_term = bracketed(a);
  Term result;
  for (int k = 0; k < std::abs(exponent); ++k)
    result.coefficient = result.coefficient * one_term[0].coefficient;
  if (exponent < 0) result.coefficient = inverse(result.coefficient);
  result.factors = one_term[0].factors;
  for (Factor& f : result.factors) f.exponent *= exponent;
  return {result};
}

/// A sum as one factor; sums that differ by a number, a common factor or the sign are the same factor.
Polynomial PolynomialAlgebra::bracketed(const Polynomial& p) {
  if (p.size() < 2) return p;
  Term outside = content(p);
  const Polynomial inside = sorted(divided(p, outside));
  const Expr opposite = write(scaled(inside, {-1, 1}));
  const bool turned = brackets_.contains(opposite);
  const Expr base = turned ? opposite : write(inside);
  brackets_.emplace(base, turned ? scaled(inside, {-1, 1}) : inside);
  if (turned) outside.coefficient = -outside.coefficient;
  outside.factors = times(outside.factors, {{base, 1}});
  return {outside};
}

Polynomial PolynomialAlgebra::opened(const Polynomial& p) const {
  const bool factor = p.size() == 1 && p[0].factors.size() == 1 && p[0].factors[0].exponent == 1;
  const auto bracket = factor ? brackets_.find(p[0].factors[0].base) : brackets_.end();
  return bracket == brackets_.end() ? p : scaled(bracket->second, p[0].coefficient);
}

Polynomial PolynomialAlgebra::function(const expr::Node& node, Polynomial argument) {
  argument = sorted(std::move(argument));
  Ratio sign;
  if ((is_odd(node.op) || is_even(node.op)) && !argument.empty() &&
      argument[0].coefficient.numerator < 0) {
    argument = sorted(scaled(std::move(argument), {-1, 1}));
    if (is_odd(node.op)) sign = {-1, 1};
  }
  const Expr e = graph_.rebuild(node, write(argument), {}, {});
  if (graph_.is_constant(e)) return number(sign.value() * graph_.constant_value(e));
  if (node.op == Op::sin || node.op == Op::cos) angles_.emplace(e, Angle{node.op, argument});
  return {{sign, {{e, 1}}}};
}

// ---- sines and cosines

const PolynomialAlgebra::Angle* PolynomialAlgebra::angle(Expr base) const {
  const auto known = angles_.find(base);
  return known == angles_.end() ? nullptr : &known->second;
}

/// cos(x) of sin(x) and the reverse.
Expr PolynomialAlgebra::partner_of(Expr base) {
  const auto [known, is_new] = partner_.emplace(base, base);
  if (!is_new) return known->second;
  const Angle& of = angles_.at(base);
  const Op op = of.op == Op::sin ? Op::cos : Op::sin;
  const Polynomial other = function({.op = op}, of.argument);  // no constant: the argument is none
  return known->second = other[0].factors[0].base;
}

/// Term i and its partner under the theorem for the factors a and b of it:
///   cos a cos b -+ sin a sin b = cos(a +- b),   sin a cos b +- cos a sin b = sin(a +- b),
/// and for a = b, cos^2 a + sin^2 a = 1.
std::optional<Polynomial> PolynomialAlgebra::theorem(const Polynomial& p, std::size_t i, Factor a,
                                                     Factor b) {
  const Angle* const x = angle(a.base);
  const Angle* const y = angle(b.base);
  if (x == nullptr || y == nullptr) return std::nullopt;
  const Monomial here = times({{a.base, 1}}, {{b.base, 1}});
  const Monomial there = times({{partner_of(a.base), 1}}, {{partner_of(b.base), 1}});
  const Monomial rest = times(p[i].factors, here, -1);
  const Monomial wanted = times(rest, there);
  const auto partner =
      std::find_if(p.begin(), p.end(), [&](const Term& t) { return t.factors == wanted; });
  if (partner == p.end() || partner == p.begin() + static_cast<std::ptrdiff_t>(i))
    return std::nullopt;
  const Ratio k = p[i].coefficient;
  const bool same = partner->coefficient == k, opposite = partner->coefficient == -k;
  if (!same && !opposite) return std::nullopt;
  Polynomial replacement;
  if (a.base == b.base) {
    if (!same) return std::nullopt;
    replacement = number(1);
  } else {
    const bool sine = x->op != y->op;
    // k (cos a cos b + sin a sin b) = k cos(a - b); k (sin a cos b + cos a sin b) = k sin(a + b)
    const bool difference = sine ? opposite : same;
    const Polynomial& first = sine && x->op == Op::cos ? y->argument : x->argument;
    const Polynomial& second = sine && x->op == Op::cos ? x->argument : y->argument;
    const Polynomial argument = sum(first, scaled(second, {difference ? -1.0 : 1.0, 1}));
    Ratio sign = k;
    if (!sine && x->op == Op::sin && opposite) sign = -k;  // sin sin - cos cos = -cos(a + b)
    replacement = scaled(function({.op = sine ? Op::sin : Op::cos}, argument), sign * inverse(k));
  }
  Polynomial result;
  for (const Term& t : p) {
    if (&t == &*partner) continue;
    if (&t != &p[i]) {
      result.push_back(t);
      continue;
    }
    for (const Term& r : replacement) result.push_back({k * r.coefficient, times(rest, r.factors)});
  }
  return collected(result);
}

Polynomial PolynomialAlgebra::combined(Polynomial p) {
  bool changed = false;
  for (std::size_t i = 0; i < p.size();) {
    std::vector<Factor> angles;
    for (const Factor f : p[i].factors)
      if (f.exponent > 0 && angle(f.base) != nullptr) angles.push_back(f);
    std::optional<Polynomial> shorter;
    for (std::size_t a = 0; a < angles.size() && !shorter; ++a)
      for (std::size_t b = a; b < angles.size() && !shorter; ++b)
        if (a != b || angles[a].exponent > 1) shorter = theorem(p, i, angles[a], angles[b]);
    if (shorter) {
      p = std::move(*shorter);
      changed = true;
    } else if (++i == p.size() && changed) {
      i = 0;  // earlier terms may have new partners
      changed = false;
    }
  }
  return p;
}

// ---- order

/// A sum stands where the leaf of its highest rank would stand.
std::pair<int, std::uint32_t> PolynomialAlgebra::place(Expr base) const {
  const expr::Node& node = graph_.node(base);
  if (node.op == Op::leaf) return {rank_(graph_.leaf_of(base)), node.a};
  if (node.op != Op::add && node.op != Op::sub) return {function_rank, base.id};
  const auto [known, is_new] = bracket_rank_.emplace(base, 0);
  const Expr roots[] = {base};
  if (is_new)
    for (const expr::Leaf leaf : expr::leaves(graph_, roots))
      known->second = std::max(known->second, rank_(leaf));
  return {known->second, base.id};
}

bool PolynomialAlgebra::before(const Monomial& a, const Monomial& b) const {
  const auto key = [&](const Monomial& m) {
    std::vector<std::pair<std::pair<int, std::uint32_t>, int>> places;
    for (const Factor f : m) places.push_back({place(f.base), -f.exponent});
    std::sort(places.begin(), places.end());
    return places;
  };
  return key(a) < key(b);
}

Polynomial PolynomialAlgebra::sorted(Polynomial p) const {
  std::sort(p.begin(), p.end(),
            [&](const Term& a, const Term& b) { return before(a.factors, b.factors); });
  return p;
}

// ---- writing

/// The term, its sign included; `last` is one more factor.
Expr PolynomialAlgebra::write(Term term, std::optional<Expr> last) const {
  std::sort(term.factors.begin(), term.factors.end(), [&](Factor a, Factor b) {
    const auto p = place(a.base), q = place(b.base);  // m*L^2, not L^2*m
    return std::tie(p.first, a.exponent, p.second) < std::tie(q.first, b.exponent, q.second);
  });
  std::optional<Expr> top, bottom;
  const auto multiply = [&](std::optional<Expr>& product, Expr by) {
    product = product ? graph_.mul(*product, by) : by;
  };
  for (const Factor f : term.factors)
    multiply(f.exponent > 0 ? top : bottom, graph_.powi(f.base, std::abs(f.exponent)));
  if (last) multiply(top, *last);
  const Ratio k = term.coefficient;
  if (!top && !bottom)
    return graph_.div(graph_.constant(k.numerator), graph_.constant(k.denominator));
  if (bottom) {
    const Expr above = graph_.constant(k.numerator);
    return graph_.div(top ? graph_.mul(above, *top) : above,
                      graph_.mul(graph_.constant(k.denominator), *bottom));
  }
  return graph_.div(graph_.mul(graph_.constant(k.numerator), *top), graph_.constant(k.denominator));
}

Expr PolynomialAlgebra::join(const std::vector<Signed>& parts) const {
  if (parts.empty()) return graph_.constant(0);
  const auto first =
      std::find_if(parts.begin(), parts.end(), [](const Signed& s) { return !s.negative; });
  const std::size_t start =
      first == parts.end() ? 0 : static_cast<std::size_t>(first - parts.begin());
  Expr result = parts[start].negative ? graph_.neg(parts[start].value) : parts[start].value;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == start) continue;
    result =
        parts[i].negative ? graph_.sub(result, parts[i].value) : graph_.add(result, parts[i].value);
  }
  return result;
}

Expr PolynomialAlgebra::write(const Polynomial& p) const {
  std::vector<Signed> parts;
  for (Term term : p) {
    const bool negative = term.coefficient.numerator < 0;
    if (negative) term.coefficient = -term.coefficient;
    parts.push_back({negative, write(term, std::nullopt)});
  }
  return join(parts);
}

/// The common factor before what is left.
PolynomialAlgebra::Signed PolynomialAlgebra::part(const Polynomial& p) const {
  Term outside = content(p);
  const bool negative = p[0].coefficient.numerator < 0;
  if (p.size() == 1) {
    outside = p[0];
    if (negative) outside.coefficient = -outside.coefficient;
    return {negative, write(outside, std::nullopt)};
  }
  const Polynomial inside = scaled(divided(p, outside), {negative ? -1.0 : 1.0, 1});
  return {negative, write(outside, join(parts(inside)))};
}

/// Terms, those that share the factor worth most together: F*cos(phi) + G*cos(phi) + u = cos(phi)*(F + G) + u. Parameters
/// are no such factors: I + m*L^2 + m*L*l*cos(phi) is easier to read without brackets.
std::vector<PolynomialAlgebra::Signed> PolynomialAlgebra::parts(Polynomial p) const {
  std::map<Expr, int> uses;
  for (const Term& term : p)
    for (const Factor f : term.factors)
      if (f.exponent > 0 && place(f.base).first > parameter_rank) ++uses[f.base];
  const auto gain = [&](const auto& use) {
    return (use.second - 1) * (graph_.node(use.first).op == Op::leaf ? 1 : 3);
  };
  const auto best = std::max_element(
      uses.begin(), uses.end(), [&](const auto& a, const auto& b) { return gain(a) < gain(b); });
  std::vector<Signed> result;
  constexpr int least = 2;
  if (best == uses.end() || gain(*best) < least) {
    for (const Term& term : p) result.push_back(part({term}));
    return result;
  }
  Polynomial group, rest;
  const bool leads = std::any_of(p[0].factors.begin(), p[0].factors.end(),
                                 [&](Factor f) { return f.base == best->first && f.exponent > 0; });
  for (const Term& term : p) {
    const bool member = std::any_of(term.factors.begin(), term.factors.end(), [&](Factor f) {
      return f.base == best->first && f.exponent > 0;
    });
    (member ? group : rest).push_back(term);
  }
  if (!rest.empty()) result = parts(rest);
  result.insert(leads ? result.begin() : result.end(), part(group));
  return result;
}

Expr PolynomialAlgebra::write_factored(const Polynomial& p) const {
  if (p.size() < 2) return write(p);
  const Term outside = content(p);
  const bool is_one = outside.factors.empty() && outside.coefficient == Ratio{};
  return is_one ? join(parts(p)) : join({part(p)});
}

}  // namespace daedal::emit
