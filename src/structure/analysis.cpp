#include "daedal/structure/analysis.hpp"

#include "deficiency.hpp"
#include "words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

/// Describes a Deficiency in the user's names.
class Explanation {
 public:
  Explanation(const derive::Dae& dae, const Deficiency& deficiency)
      : dae_(dae), over_(deficiency.over_determined), under_(deficiency.under_determined) {}

  Diagnostic tell() const {
    Diagnostic d;
    const std::size_t unknowns = dae_.unknowns.size(), equations = dae_.equations.size();
    const std::string& model = dae_.model->name;
    d.message = unknowns == equations
                    ? fmt::format("model '{}': the equations do not determine all unknowns", model)
                    : fmt::format("model '{}' has {} for {}", model, counted(equations, "equation"),
                                  counted(unknowns, "unknown"));
    if (!under_.unknowns.empty()) d.details.push_back(under_determined());
    if (!over_.equations.empty()) d.details.push_back(over_determined());
    // The last of the set is what was added last: most likely the surplus, or what was forgotten.
    d.place = !under_.unknowns.empty() ? symbol(under_.unknowns.back()).place
                                       : dae_.equations[over_.equations.back()].place;
    d.help = help();
    return d;
  }

 private:
  const model::Symbol& symbol(std::uint32_t j) const {
    return dae_.model->symbols[dae_.unknowns[j]];
  }
  std::string unknown_names(const std::vector<std::uint32_t>& unknowns) const {
    return quoted_list(unknowns, [&](std::uint32_t j) { return symbol(j).name; });
  }
  std::string equation_names(const std::vector<std::uint32_t>& equations) const {
    return quoted_list(equations, [&](std::uint32_t i) { return dae_.equations[i].name; });
  }

  std::string under_determined() const {
    if (under_.equations.empty())
      return fmt::format("no equation contains {}", unknown_names(under_.unknowns));
    return fmt::format("{} ({}) occur in {} only ({})", counted(under_.unknowns.size(), "unknown"),
                       unknown_names(under_.unknowns), counted(under_.equations.size(), "equation"),
                       equation_names(under_.equations));
  }
  std::string over_determined() const {
    if (over_.unknowns.empty())
      return fmt::format("no unknown is in {}", equation_names(over_.equations));
    return fmt::format("{} ({}) contain {} only ({})", counted(over_.equations.size(), "equation"),
                       equation_names(over_.equations), counted(over_.unknowns.size(), "unknown"),
                       unknown_names(over_.unknowns));
  }

  std::string help() const {
    const bool forces_missing =
        dae_.inverse && std::any_of(under_.unknowns.begin(), under_.unknowns.end(), [&](auto j) {
          return symbol(j).kind == model::SymbolKind::input;
        });
    if (forces_missing)
      return "an input must reach the outputs of the servo-constraints: by a force, a drive or an "
             "equation";
    const bool massless = std::any_of(
        under_.unknowns.begin(), under_.unknowns.end(),
        [&](std::uint32_t j) { return symbol(j).kind == model::SymbolKind::coordinate; });
    if (massless)
      return "a coordinate needs a kinetic energy, a potential, a damper, a drive or a constraint "
             "that contains it";
    return over_.equations.empty()
               ? "add an equation, or give the unknown a value as a parameter"
               : "remove an equation, or declare what it determines as a variable";
  }

  const derive::Dae& dae_;
  const Part &over_, &under_;
};

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
  if (result.singular() || dae.unknowns.size() != dae.equations.size()) {
    const Deficiency found =
        deficiency(result, entries, static_cast<std::uint32_t>(dae.equations.size()),
                   static_cast<std::uint32_t>(dae.unknowns.size()));
    throw ModelError(Explanation(dae, found).tell());
  }
  return result;
}

Structure by_signature(std::shared_ptr<const derive::Dae> dae) {
  Structure result;
  result.offsets = analyse(*dae);
  result.differentiations = result.offsets.c;
  result.index = index_of(*dae, result.offsets.c, result.offsets.d);
  result.degrees_of_freedom = result.offsets.value();
  result.dae = std::move(dae);
  return result;
}

int index_of(const derive::Dae& dae, std::span<const int> differentiations,
             std::span<const int> d) {
  std::vector<bool> defines(dae.model->symbols.size(), false);
  for (const model::LiftedLet& let : dae.model->lifted) defines[let.multiplier] = true;
  int most = 0;
  for (std::size_t i = 0; i < dae.equations.size(); ++i)
    if (dae.equations[i].kind != derive::EquationKind::definition)
      most = std::max(most, differentiations[i]);
  for (std::size_t j = 0; j < dae.unknowns.size(); ++j)
    if (d[j] == 0 && !defines[dae.unknowns[j]]) return most + 1;
  return most;
}

}  // namespace daedal::structure
