#include "daedal/structure/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::structure {

std::vector<SignatureEntry> signature(const derive::Dae& dae) {
  std::vector<std::uint32_t> index(dae.model->symbols.size(), 0xffffffff);
  for (std::uint32_t j = 0; j < dae.unknowns.size(); ++j) index[dae.unknowns[j]] = j;
  std::vector<SignatureEntry> entries;
  for (const expr::Occurrence& o :
       expr::occurrences(dae.residual)) {  // sorted by row, symbol, order
    const std::uint32_t unknown = index[o.leaf.symbol];
    if (unknown == 0xffffffff) continue;
    if (!entries.empty() && entries.back().equation == o.row && entries.back().unknown == unknown)
      entries.back().order = o.leaf.order;
    else
      entries.push_back({o.row, unknown, o.leaf.order});
  }
  return entries;
}

namespace {

/// "'a', 'b' and 3 more"
template <class Name>
std::string list(const std::vector<std::uint32_t>& items, Name name) {
  constexpr std::size_t shown = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(items.size(), shown); ++k)
    text += fmt::format("{}'{}'", k == 0 ? "" : ", ", name(items[k]));
  if (items.size() > shown) text += fmt::format(" and {} more", items.size() - shown);
  return text;
}

[[noreturn]] void explain(const derive::Dae& dae, const Offsets& o) {
  const auto unknown_name = [&](std::uint32_t j) {
    return dae.model->symbols[dae.unknowns[j]].name;
  };
  const auto equation_name = [&](std::uint32_t i) { return dae.equations[i].name; };
  const std::size_t unknowns = dae.unknowns.size(), equations = dae.equations.size();
  Diagnostic diagnostic;
  diagnostic.place = dae.model->place;
  std::vector<std::uint32_t> free, surplus;
  for (const std::uint32_t j : o.unmatched_unknowns)
    if (j < unknowns) free.push_back(j);
  for (const std::uint32_t i : o.unmatched_equations)
    if (i < equations) surplus.push_back(i);
  diagnostic.message =
      unknowns == equations
          ? fmt::format("model '{}': the equations do not determine all unknowns", dae.model->name)
          : fmt::format("model '{}' has {} equation{} for {} unknown{}", dae.model->name, equations,
                        equations == 1 ? "" : "s", unknowns, unknowns == 1 ? "" : "s");
  if (!free.empty()) {
    diagnostic.details.push_back(
        fmt::format("no equation is left to determine {}", list(free, unknown_name)));
    diagnostic.place = dae.model->symbols[dae.unknowns[free[0]]].place;
  }
  if (!surplus.empty()) {
    diagnostic.details.push_back(
        fmt::format("no unknown is left for {}", list(surplus, equation_name)));
    if (free.empty()) diagnostic.place = dae.equations[surplus[0]].place;
  }
  const bool massless = std::any_of(free.begin(), free.end(), [&](std::uint32_t j) {
    return dae.model->symbols[dae.unknowns[j]].kind == model::SymbolKind::coordinate;
  });
  diagnostic.help = massless ? "a coordinate needs a kinetic energy, a potential, a damper, a "
                               "drive or a constraint that contains it"
                    : surplus.empty()
                        ? "add an equation, or give the unknown a value as a parameter"
                        : "remove an equation, or declare what it determines as a variable";
  throw ModelError(std::move(diagnostic));
}

}  // namespace

Offsets analyse(const derive::Dae& dae) {
  if (dae.unknowns.empty())
    throw ModelError(Diagnostic{Severity::error,
                                dae.model->place,
                                fmt::format("model '{}' has no unknowns", dae.model->name),
                                {},
                                "declare what moves:  coordinate x  or  variable v"});
  const auto size = static_cast<std::uint32_t>(std::max(dae.unknowns.size(), dae.equations.size()));
  const std::vector<SignatureEntry> entries = signature(dae);
  Offsets result = offsets(size, entries);
  if (result.singular || dae.unknowns.size() != dae.equations.size()) explain(dae, result);
  return result;
}

}  // namespace daedal::structure
