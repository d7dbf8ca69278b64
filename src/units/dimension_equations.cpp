#include "daedal/units/dimension_equations.hpp"

#include <algorithm>

namespace daedal::model {

DimensionTerm DimensionTerm::to_the(Rational exponent) const {
  DimensionTerm result{known.to_the(exponent), unknown};
  if (exponent.is_zero()) result.unknown.clear();
  for (auto& [number, own] : result.unknown) own = own * exponent;
  return result;
}

DimensionTerm operator*(const DimensionTerm& a, const DimensionTerm& b) {
  DimensionTerm result{a.known * b.known, {}};
  result.unknown.reserve(a.unknown.size() + b.unknown.size());
  auto i = a.unknown.begin();
  auto j = b.unknown.begin();
  while (i != a.unknown.end() || j != b.unknown.end()) {
    if (j == b.unknown.end() || (i != a.unknown.end() && i->first < j->first)) {
      result.unknown.push_back(*i++);
    } else if (i == a.unknown.end() || j->first < i->first) {
      result.unknown.push_back(*j++);
    } else {
      if (const Rational sum = i->second + j->second; !sum.is_zero())
        result.unknown.emplace_back(i->first, sum);
      ++i, ++j;
    }
  }
  return result;
}

namespace {

bool is_absurd(const DimensionTerm& term) {
  const auto absurd = [](const Rational& exponent) { return exponent.is_absurd(); };
  return std::any_of(term.known.exponents.begin(), term.known.exponents.end(), absurd) ||
         std::any_of(term.unknown.begin(), term.unknown.end(),
                     [&](const auto& entry) { return absurd(entry.second); });
}

}  // namespace

DimensionTerm DimensionEquations::unknown() {
  const auto number = static_cast<std::uint32_t>(unknowns_.size());
  unknowns_.emplace_back();
  return {Dimension(), {{number, 1}}};
}

DimensionTerm DimensionEquations::solved(const DimensionTerm& term) const {
  DimensionTerm result = term;
  for (;;) {
    const auto next =
        std::find_if(result.unknown.begin(), result.unknown.end(),
                     [&](const auto& entry) { return unknowns_[entry.first].solution; });
    if (next == result.unknown.end() || is_absurd(result)) return result;
    const auto [number, exponent] = *next;
    result.unknown.erase(next);
    result = result * unknowns_[number].solution->to_the(exponent);
  }
}

bool DimensionEquations::equate(const DimensionTerm& a, const DimensionTerm& b,
                                const Place& place) {
  DimensionTerm difference = solved(a / b);
  if (difference.is_known()) return difference.known.is_none();
  if (is_absurd(difference)) return true;
  const auto [number, exponent] =
      difference.unknown.back();  // the last made: a number before a name
  difference.unknown.pop_back();
  DimensionTerm solution = difference.to_the(Rational(-1) / exponent);
  if (is_absurd(solution)) return true;
  unknowns_[number] = {std::move(solution), place};
  return true;
}

Place DimensionEquations::origin(const DimensionTerm& term) const {
  if (term.unknown.size() != 1 || !term.known.is_none()) return {};
  const Unknown* unknown = &unknowns_[term.unknown[0].first];
  return unknown->origin;
}

}  // namespace daedal::model
