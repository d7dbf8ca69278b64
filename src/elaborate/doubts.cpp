#include "elaborate/doubts.hpp"

#include "daedal/base/symmetric_eigen.hpp"
#include "daedal/model/fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace daedal::model {

namespace {

/// Without inertia nothing swings: coordinates that no drive moves jump to where the forces are in balance.
void tell_missing_inertia(const Model& m, Diagnostics& diagnostics) {
  std::set<expr::SymbolId> moving;
  for (expr::SymbolId s = 0; s < m.symbols.size(); ++s)
    if (m.symbols[s].kind == SymbolKind::coordinate) moving.insert(s);
  for (const Drive& drive : m.drives) moving.erase(drive.coordinate);
  if (moving.empty() || !m.kinetic.empty() || (m.potential.empty() && m.loads.empty())) return;
  if (!m.dissipation.empty()) return;  // meant so: a motion through something viscous
  diagnostics.warning(m.place,
                      fmt::format("model '{}' has forces and no kinetic energy: its coordinates "
                                  "have no inertia and stay where the forces are in balance",
                                  m.name),
                      "write  kinetic m/2*x'^2");
}

/// Velocities, all others 0.
using Velocities = std::map<expr::Leaf, double>;

/// "x' = 0.7071, y' = -0.7071", the largest of them.
std::string text_of(const Model& m, const Velocities& velocities) {
  constexpr std::size_t shown = 3;
  std::vector<std::pair<expr::Leaf, double>> list(velocities.begin(), velocities.end());
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
    return std::abs(a.second) > std::abs(b.second);
  });
  if (list.size() > shown) list.resize(shown);
  std::string text;
  for (const auto& [leaf, value] : list)
    text += fmt::format("{}{} = {:.4g}", text.empty() ? "" : ", ",
                        name_of(m.symbols[leaf.symbol], leaf.order), value);
  return text;
}

/// Terms of energies at the start values, with velocities that are chosen. No more than a budget of nodes is evaluated, so
/// that loading a large model takes no longer.
class Energies {
 public:
  Energies(const Model& m, const expr::Graph& graph) : m_(m), graph_(graph) {
    for (const StartValue& start : m.starts) starts_[start.leaf] = start.value;
    for (const InputDefault& input : m.inputs) inputs_[input.input] = input.value;
  }

  bool affords(const EnergyTerm& term, std::size_t evaluations) {
    const std::size_t nodes = expr::reachable(graph_, std::span(&term.value, 1)).size();
    if (nodes * evaluations > budget_) return false;
    budget_ -= nodes * evaluations;
    return true;
  }
  std::vector<expr::Leaf> velocities_of(const EnergyTerm& term) const {
    std::vector<expr::Leaf> list;
    for (const expr::Leaf leaf : expr::leaves(graph_, std::span(&term.value, 1)))
      if (leaf.order == 1 && m_.symbols[leaf.symbol].is_position()) list.push_back(leaf);
    return list;
  }
  /// A support that is moved dissipates at rest too.
  bool contains_time(const EnergyTerm& term) const {
    const std::vector<expr::Leaf> leaves = expr::leaves(graph_, std::span(&term.value, 1));
    return std::ranges::any_of(leaves, [&](expr::Leaf leaf) {
      return leaf.symbol == expr::time_symbol || inputs_.contains(leaf.symbol);
    });
  }
  double value(expr::Expr e, const Velocities& moving) const {
    return expr::evaluate(graph_, std::span(&e, 1), [&](expr::Leaf leaf) {
      if (leaf.order == 1 && m_.symbols[leaf.symbol].is_position()) {
        const auto found = moving.find(leaf);
        return found == moving.end() ? 0.0 : found->second;
      }
      return at_start(leaf);
    })[0];
  }

 private:
  double at_start(expr::Leaf leaf) const {
    if (const auto found = starts_.find(leaf); found != starts_.end()) return found->second;
    const Symbol& symbol = m_.symbols[leaf.symbol];
    if (symbol.kind == SymbolKind::parameter) return symbol.value;
    const auto input = inputs_.find(leaf.symbol);
    return input == inputs_.end() || leaf.order > 0 ? 0.0 : value(input->second, {});
  }

  const Model& m_;
  const expr::Graph& graph_;
  std::map<expr::Leaf, double> starts_;
  std::map<expr::SymbolId, expr::Expr> inputs_;
  std::size_t budget_ = 200'000;  // nodes, some milliseconds
};

/// The mass matrix M of T = T_0 + a v + v^T M v/2 at the start values: second differences of T, exact but for rounding.
class Inertia {
 public:
  Inertia(const Model& m, Energies& energies) {
    for (const EnergyTerm& term : m.kinetic)
      if (complete_) complete_ = add(term, energies);
  }

  /// A velocity at which v^T M v/2 is negative; where terms are left out for their size, none.
  std::optional<Velocities> negative() const {
    if (!complete_ || velocities_.empty() || !m_.allFinite()) return std::nullopt;
    const SymmetricEigen eigen = symmetric_eigen(m_);
    const double noise = 1e-10 * largest_;  // differences of energies of this size
    if (!(eigen.values[0] < -noise)) return std::nullopt;
    Velocities direction;
    for (std::size_t i = 0; i < velocities_.size(); ++i)
      if (const double v = eigen.vectors(static_cast<Eigen::Index>(i), 0); std::abs(v) > 1e-3)
        direction[velocities_[i]] = v;
    return direction;
  }

 private:
  bool add(const EnergyTerm& term, Energies& energies) {
    constexpr std::size_t most = 100;  // velocities, so that eigenvalues are cheap
    const std::vector<expr::Leaf> own = energies.velocities_of(term);
    const std::size_t n = own.size();
    if (velocities_.size() + n > most || !energies.affords(term, 1 + 2 * n + n * n / 2))
      return false;
    std::vector<Eigen::Index> place;
    for (const expr::Leaf leaf : own) place.push_back(place_of(leaf));
    const double rest = energies.value(term.value, {});
    std::vector<double> alone(n);
    for (std::size_t i = 0; i < n; ++i) {
      alone[i] = energies.value(term.value, {{own[i], 1.0}});
      m_(place[i], place[i]) += alone[i] + energies.value(term.value, {{own[i], -1.0}}) - 2 * rest;
      largest_ = std::max(largest_, std::abs(alone[i]));
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double both = energies.value(term.value, {{own[i], 1.0}, {own[j], 1.0}});
        m_(place[i], place[j]) += both - alone[i] - alone[j] + rest;
        m_(place[j], place[i]) = m_(place[i], place[j]);
        largest_ = std::max(largest_, std::abs(both));
      }
    return true;
  }
  Eigen::Index place_of(expr::Leaf leaf) {
    const auto found = std::find(velocities_.begin(), velocities_.end(), leaf);
    const Eigen::Index place = found - velocities_.begin();
    if (found != velocities_.end()) return place;
    velocities_.push_back(leaf);
    m_.conservativeResizeLike(Eigen::MatrixXd::Zero(place + 1, place + 1));
    return place;
  }

  std::vector<expr::Leaf> velocities_;
  Eigen::MatrixXd m_;
  double largest_ = 0;
  bool complete_ = true;
};

void tell_negative_inertia(const Model& m, Energies& energies, Diagnostics& diagnostics) {
  const std::optional<Velocities> direction = Inertia(m, energies).negative();
  if (!direction) return;
  double total = 0;
  const EnergyTerm* culprit = &m.kinetic.front();  // the term that is smallest there
  double smallest = 0;
  for (const EnergyTerm& term : m.kinetic) {
    const double own = energies.value(term.value, *direction);
    total += own;
    if (own < smallest) culprit = &term;
    smallest = std::min(smallest, own);
  }
  diagnostics.warning(culprit->place,
                      fmt::format("model '{}': the kinetic energy is not positive: {:.4g} at {}",
                                  m.name, total, text_of(m, *direction)),
                      "check the signs: a mass or a moment of inertia below 0 runs away");
}

/// R is least at rest, or with respect to a support that is moved at least convex: else the forces -dR/dv feed energy in.
void tell_negative_dissipation(const Model& m, Energies& energies, Diagnostics& diagnostics) {
  for (const EnergyTerm& term : m.dissipation) {
    const std::vector<expr::Leaf> own = energies.velocities_of(term);
    if (!energies.affords(term, 1 + 2 * own.size())) return;
    const bool moved = energies.contains_time(term);
    const double rest = energies.value(term.value, {}) + 0.0;  // not -0
    for (const expr::Leaf leaf : own) {
      const double forwards = energies.value(term.value, {{leaf, 1.0}}),
                   backwards = energies.value(term.value, {{leaf, -1.0}});
      const double noise = 1e-12 * (std::abs(rest) + std::abs(forwards) + std::abs(backwards));
      const double least = moved ? (forwards + backwards) / 2 : std::min(forwards, backwards);
      if (!(least < rest - noise)) continue;
      const Velocities moving = {{leaf, forwards <= backwards ? 1.0 : -1.0}};
      const double value = std::min(forwards, backwards);
      diagnostics.warning(
          term.place,
          fmt::format("model '{}': the dissipation feeds energy in: {} at {}, {} at rest", m.name,
                      number_text(value), text_of(m, moving), number_text(rest)),
          "check its sign:  dissipation d/2*x'^2  with d > 0; what drives a motion is a force");
      break;
    }
  }
}

}  // namespace

void tell_doubts(const Model& m, const expr::Graph& graph, Diagnostics& diagnostics) {
  tell_missing_inertia(m, diagnostics);
  Energies energies(m, graph);
  tell_negative_inertia(m, energies, diagnostics);
  tell_negative_dissipation(m, energies, diagnostics);
}

}  // namespace daedal::model
