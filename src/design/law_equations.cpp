// Three sets of equations of one model, each square in its unknowns:
//   rest      B u + H^T lambda = G(q): the equations of motion with velocities and accelerations 0, unknowns u, lambda;
//   dynamics  equations of motion, constraints and outputs, differentiated as the offsets of the inverse model say
//             [Pryce2001], unknowns all that position and velocity do not determine: accelerations, lambda, u;
//   pose      c(q) = 0, and H q' = 0 for rates, unknowns the coordinates that are not known.
// Reactions are never eliminated: M^-1 alone would not do where constraints act [Bortoff2018, section 4.4].
#include "daedal/design/law_equations.hpp"

#include "daedal/structure/analysis.hpp"
#include "daedal/structure/regularity.hpp"
#include "fault.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace daedal::design {

namespace {

using expr::Expr;
using expr::Leaf;
using model::EquationQuestion;
using model::SolvedEquations;

std::string counted(std::size_t n, const std::string& what) {
  if (n == 1) return "1 " + what;
  const bool y = what.ends_with("y");
  return fmt::format("{} {}", n, y ? what.substr(0, what.size() - 1) + "ies" : what + "s");
}

class LawEquations {
 public:
  LawEquations(const derive::Dae& dae, const EquationQuestion& question)
      : dae_(dae),
        model_(*dae.model),
        question_(question),
        graph_(std::make_shared<expr::Graph>(model_.graph)) {
    for (const std::string& input : question.inputs) inputs_.push_back(model_.find(input));
  }

  SolvedEquations rest() {
    for (const expr::SymbolId s : dae_.unknowns)
      if (model_.symbols[s].kind != model::SymbolKind::coordinate) unknown({s, 0});
    for (const expr::SymbolId s : inputs_) unknown({s, 0});
    const std::vector<Expr> rows = copied(expr::expand(dae_.residual, *graph_), [&](Leaf leaf) {
      const bool moves = leaf.order > 0 && leaf.symbol != expr::time_symbol;
      return moves ? std::optional(graph_->constant(0)) : std::nullopt;
    });
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (dae_.equations[i].kind != derive::EquationKind::constraint)
        row(rows[i], dae_.equations[i].name);
    check_inputs();
    return finished();
  }

  SolvedEquations dynamics() {
    const std::vector<Expr> outputs = believed_outputs();
    const derive::Dae inverse = inverse_of(outputs);
    const structure::Offsets offsets = structure::analyse(inverse);
    check_regular(inverse, offsets);
    const structure::Offsets forward = structure::analyse(dae_);
    for (std::size_t j = 0; j < dae_.unknowns.size(); ++j)
      known_below_[dae_.unknowns[j]] = forward.d[j];
    const std::size_t size = dae_.equations.size();
    const std::vector<Expr> rows = copied(expr::expand(dae_.residual, *graph_), {});
    for (std::size_t i = 0; i < size; ++i) add_levels(rows[i], offsets.c[i], inverse.equations[i]);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      std::vector<Expr> levels{outputs[k]};
      for (int order = 0; order < offsets.c[size + k]; ++order)
        levels.push_back(rate(levels.back()));
      for (const Leaf& leaf : unknowns_in(levels)) unknown(leaf);
      result_.outputs.push_back(std::move(levels));
    }
    if (result_.residuals.size() + outputs.size() != result_.unknowns.size())
      fault(question_.place,
            "the inputs reach these outputs at different times: some first need to change others, "
            "so a law without states of its own cannot set their highest derivatives",
            "choose outputs of the same relative degree; `analyse()` lists it");
    return finished();
  }

  SolvedEquations pose() {
    std::vector<expr::SymbolId> coordinates;
    for (const expr::SymbolId s : dae_.unknowns)
      if (model_.symbols[s].kind == model::SymbolKind::coordinate &&
          std::ranges::find(question_.known, model_.symbols[s].name) == question_.known.end())
        coordinates.push_back(s);
    for (const expr::SymbolId s : coordinates) unknown({s, 0});
    const std::vector<Expr> rows = copied(expr::expand(dae_.residual, *graph_), {});
    std::vector<std::pair<Expr, std::string>> closed;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (dae_.equations[i].kind == derive::EquationKind::constraint && is_of_positions(rows[i]) &&
          !unknowns_in({rows[i]}).empty())
        closed.emplace_back(rows[i], dae_.equations[i].name);
    for (const auto& [residual, name] : closed) row(residual, name);
    for (const Expr output : believed_outputs()) result_.outputs.push_back({output});
    check_pose(coordinates.size());
    const SolvedEquations positions = finished();
    if (!question_.rates) return positions;
    for (const expr::SymbolId s : coordinates) unknown({s, 1});
    for (const auto& [residual, name] : closed) row(rate(residual), name + "'");
    return finished();
  }

  SolvedEquations inertia() {
    const expr::SparseFunction& mass = dae_.mechanics.mass_matrix;
    const std::vector<Expr> entries = copied(expr::expand(mass.values, *graph_), {});
    for (std::uint32_t i = 0; i < mass.rows; ++i) {
      std::vector<Expr> row(mass.columns, graph_->constant(0));
      for (std::uint32_t k = mass.row_start[i]; k < mass.row_start[i + 1]; ++k)
        row[mass.column[k]] = entries[k];
      result_.outputs.push_back(std::move(row));
      result_.names.push_back(model_.symbols[dae_.mechanics.coordinates[i]].name);
    }
    result_.model = &model_;
    result_.graph = graph_;
    return result_;
  }

 private:
  void unknown(Leaf leaf) {
    if (!is_unknown_.insert(leaf).second) return;
    result_.unknowns.push_back(leaf);
    double start = 0;
    for (const model::StartValue& stated : model_.starts)
      if (stated.leaf == leaf) start = stated.value;
    result_.starts.push_back(start);
  }

  void row(Expr residual, std::string name) {
    result_.residuals.push_back(residual);
    result_.names.push_back(std::move(name));
  }

  bool varies(expr::SymbolId s) const { return model_.varies(s); }

  Expr rate(Expr e) {
    return expr::time_derivative(*graph_, std::span(&e, 1),
                                 [&](expr::SymbolId s) { return varies(s); })[0];
  }

  /// Inputs that are not requested follow the signals of the model.
  std::vector<Expr> copied(const std::vector<Expr>& rows,
                           const std::function<std::optional<Expr>(Leaf)>& more) {
    return expr::copy(*graph_, rows, *graph_, [&](Leaf leaf) -> std::optional<Expr> {
      if (model_.symbols[leaf.symbol].kind == model::SymbolKind::input &&
          std::ranges::find(inputs_, leaf.symbol) == inputs_.end())
        return signal(leaf);
      return more ? more(leaf) : std::nullopt;
    });
  }

  Expr signal(Leaf leaf) {
    Expr value = graph_->constant(0);
    for (const model::InputDefault& given : model_.inputs)
      if (given.input == leaf.symbol) value = given.value;
    for (int order = 0; order < leaf.order; ++order) value = rate(value);
    return value;
  }

  /// In symbols of the model that the controller assumes.
  std::vector<Expr> believed_outputs() {
    if (question_.outputs.empty()) return {};
    const auto same = [&](Leaf leaf) -> std::optional<Expr> {
      if (leaf.symbol == expr::time_symbol) return graph_->leaf(leaf);
      const std::string& name = (*question_.symbols)[leaf.symbol].name;
      const expr::SymbolId symbol = model_.find(name);
      if (symbol == 0)
        fault(question_.place,
              fmt::format("'{}' is no quantity of the model that the controller assumes", name),
              "outputs are made of its coordinates and parameters");
      return graph_->leaf({symbol, leaf.order});
    };
    return copied(expr::copy(*question_.graph, question_.outputs, *graph_, same), {});
  }

  /// The outputs as equations, the inputs asked for as unknowns: derive::inverse for a part of the inputs.
  derive::Dae inverse_of(const std::vector<Expr>& outputs) {
    derive::Dae inverse = dae_;
    auto with_graph = std::make_shared<model::Model>(model_);
    with_graph->graph = graph_;
    inverse.model = with_graph;
    inverse.inverse = true;
    inverse.unknowns.insert(inverse.unknowns.end(), inputs_.begin(), inputs_.end());
    std::vector<expr::Term> terms;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      terms.push_back({outputs[k], static_cast<std::uint32_t>(inverse.equations.size())});
      inverse.equations.push_back(
          {outputs.size() == 1 ? "the output" : fmt::format("output {}", k + 1),
           derive::EquationKind::servo, question_.place});
    }
    inverse.residual.rows = static_cast<std::uint32_t>(inverse.equations.size());
    inverse.residual.families.push_back(expr::identity_family(graph_, terms));
    return inverse;
  }

  void check_regular(const derive::Dae& inverse, const structure::Offsets& offsets) const {
    const structure::Regularity found = structure::regularity(inverse, offsets);
    if (found.verdict == structure::Verdict::singular_everywhere)
      throw ModelError({Severity::error,
                        question_.place,
                        "the inputs do not move these outputs independently of each other",
                        {structure::describe(found, inverse)},
                        "choose other outputs; `analyse()` lists relative degrees and the "
                        "decoupling matrix"});
  }

  /// Those derivatives of an equation that restrict more than position and velocity.
  void add_levels(Expr residual, int times, const derive::Equation& equation) {
    for (int order = 0; order <= times; ++order) {
      if (const std::vector<Leaf> found = unknowns_in({residual}); !found.empty()) {
        for (const Leaf& leaf : found) unknown(leaf);
        row(residual, equation.name);
      }
      if (order < times) residual = rate(residual);
    }
  }

  std::vector<Leaf> unknowns_in(const std::vector<Expr>& rows) const {
    std::vector<Leaf> found;
    for (const Leaf& leaf : expr::leaves(*graph_, rows)) {
      const auto below = known_below_.find(leaf.symbol);
      const bool above = below != known_below_.end() && leaf.order >= below->second;
      const bool input = std::ranges::find(inputs_, leaf.symbol) != inputs_.end();
      if (above || input || is_unknown_.contains(leaf)) found.push_back(leaf);
    }
    return found;
  }

  bool is_of_positions(Expr residual) const {
    return std::ranges::none_of(expr::leaves(*graph_, std::span(&residual, 1)),
                                [](const Leaf& leaf) { return leaf.order > 0; });
  }

  void check_inputs() const {
    const std::size_t rows = result_.residuals.size(), all = result_.unknowns.size();
    if (rows == all) return;
    const std::size_t freedom = rows + inputs_.size() - all;
    fault(question_.place,
          fmt::format(
              "the controller commands {} for {}", counted(inputs_.size(), "input"),
              freedom == 1 ? "1 degree of freedom" : fmt::format("{} degrees of freedom", freedom)),
          "each degree of freedom needs one input that holds it; rest(...) and lqr(...) hold an "
          "equilibrium with fewer");
  }

  void check_pose(std::size_t unknown) const {
    const std::size_t closures = result_.residuals.size(), given = result_.outputs.size(),
                      rows = closures + given;
    if (rows == unknown) return;
    fault(question_.place,
          question_.outputs.empty()
              ? fmt::format("{} that {} not measured, and {} to find them from",
                            counted(unknown, "coordinate"), unknown == 1 ? "is" : "are",
                            counted(rows, "constraint"))
              : fmt::format("{} given, and {} needed: {} with {}", counted(given, "quantity"),
                            unknown < closures ? 0 : unknown - closures,
                            counted(unknown, "coordinate"), counted(closures, "constraint")),
          question_.outputs.empty() ? "measure as many coordinates as there are degrees of freedom"
                                    : "give as many quantities as there are degrees of freedom");
  }

  /// Square, and not singular by what occurs where.
  SolvedEquations finished() {
    result_.model = &model_;
    result_.graph = graph_;
    std::map<Leaf, std::uint32_t> index;
    for (const Leaf& leaf : result_.unknowns)
      index.emplace(leaf, static_cast<std::uint32_t>(index.size()));
    std::vector<structure::SignatureEntry> signature;
    std::vector<std::string> names = result_.names;
    std::vector<Expr> rows = result_.residuals;
    for (const std::vector<Expr>& output : result_.outputs) {
      rows.push_back(output.back());
      names.push_back("an output");
    }
    for (std::uint32_t i = 0; i < rows.size(); ++i)
      for (const Leaf& leaf : expr::leaves(*graph_, std::span(&rows[i], 1)))
        if (const auto at = index.find(leaf); at != index.end())
          signature.push_back({i, at->second, 0});
    const structure::Offsets found =
        structure::offsets(static_cast<std::uint32_t>(rows.size()), signature);
    if (!found.singular()) return result_;
    std::vector<std::string> equations, unknowns;
    for (const std::uint32_t i : found.unmatched_equations)
      equations.push_back("'" + names[i] + "'");
    for (const std::uint32_t j : found.unmatched_unknowns)
      unknowns.push_back(
          "'" +
          model::name_of(model_.symbols[result_.unknowns[j].symbol], result_.unknowns[j].order) +
          "'");
    fault(question_.place,
          fmt::format("the equations do not determine {}", fmt::join(unknowns, ", ")),
          fmt::format("left over: {}", fmt::join(equations, ", ")));
  }

  const derive::Dae& dae_;
  const model::Model& model_;
  const EquationQuestion& question_;
  std::shared_ptr<expr::Graph> graph_;
  std::vector<expr::SymbolId> inputs_;
  std::map<expr::SymbolId, int> known_below_;  // orders of an unknown that a state determines
  std::set<Leaf> is_unknown_;
  SolvedEquations result_;
};

}  // namespace

SolvedEquations equations_of(const derive::Dae& dae, const EquationQuestion& question) {
  LawEquations equations(dae, question);
  switch (question.kind) {
    case EquationQuestion::Kind::rest:
      return equations.rest();
    case EquationQuestion::Kind::dynamics:
      return equations.dynamics();
    case EquationQuestion::Kind::pose:
      return equations.pose();
    case EquationQuestion::Kind::inertia:
    case EquationQuestion::Kind::inverse:  // not of the forward model
      break;
  }
  return equations.inertia();
}

}  // namespace daedal::design
