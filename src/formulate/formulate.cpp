// Dae -> Problem, whatever its index: differentiate each equation as often as its offset asks.
#include "daedal/compile/jet.hpp"
#include "daedal/formulate/descriptor_form.hpp"
#include "daedal/formulate/lifting.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/structure/analysis.hpp"
#include "daedal/structure/descriptor.hpp"
#include "daedal/structure/system_jacobian.hpp"
#include "formulate/dae_index.hpp"
#include "formulate/functions.hpp"
#include "formulate/gear_gupta_leimkuhler.hpp"
#include "formulate/layout.hpp"
#include "formulate/levels.hpp"
#include "formulate/stabilisation.hpp"
#include "formulate/watched_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace daedal::formulate {

using derive::Dae;
using expr::Family;
using expr::Function;
using expr::Leaf;
using expr::SymbolId;

namespace {

/// Of an unknown in a jet: memory and work grow with its square.
constexpr int most_derivatives = 1000;

class Formulator {
 public:
  Formulator(structure::Structure structure, const Formulation& formulation)
      : dae_(*structure.dae), model_(*dae_.model), work_(work_symbol(dae_)) {
    problem_.structure = std::move(structure);
    problem_.dae = problem_.structure.dae;
    problem_.formulation = formulation;
    varies_ = [this](SymbolId s) { return s == work_ || model_.varies(s); };
  }

  Problem run() {
    const std::vector<structure::SignatureEntry> signature = structure::signature(dae_);
    problem_.offsets =
        structure::raised(problem_.structure.offsets, signature, orders_asked_for(dae_));
    if (!model_.lifted.empty())
      problem_.offsets =
          structure::raised(problem_.offsets, signature, orders_for_the_scan(dae_, offsets().d));
    return make();
  }

  Problem run_as_descriptor() {
    problem_.offsets = problem_.structure.offsets;
    return make();
  }

 private:
  /// From the offsets on.
  Problem make() {
    collect_equations();
    if (problem_.written_out) {
      differentiate();
      assemble_residual();
    }
    problem_.watched = watched_levels(problem_, varies_);
    lay_out(problem_, derivative_);
    make_scan();
    make_matrices();
    problem_.levels = levels_of(problem_, derivative_, system_jacobian());
    if (problem_.formulation.kind == Kind::ggl) {
      add_position_multipliers(problem_);
      make_matrices();
    }
    if (problem_.formulation.kind == Kind::penalty) expand_springs(problem_);
    return std::move(problem_);
  }

  const structure::Offsets& offsets() const { return problem_.offsets; }
  int c(std::uint32_t equation) const { return offsets().c[equation]; }
  std::uint32_t size() const { return formulate::size(dae_); }

  /// f_i and their offsets; whether their derivatives are written out.
  void collect_equations() {
    const auto& of = offsets();
    problem_.written_out =
        std::all_of(of.c.begin(), of.c.end(), [](int times) { return times <= 2; });
    const Kind kind = problem_.formulation.kind;
    if (!problem_.written_out && kind != Kind::projection && kind != Kind::index1)
      throw ModelError({Severity::error,
                        model_.place,
                        fmt::format("model '{}' has index {}: {} supports index 3 and below",
                                    model_.name, problem_.structure.index, name(kind)),
                        {},
                        "the formulation projection holds its constraints on every level"});
    problem_.equations = dae_.residual;
    problem_.c = of.c;
    problem_.d = of.d;
    problem_.has_work = problem_.written_out && !dae_.mechanics.conservative && !dae_.inverse;
    if (!problem_.has_work) return;
    add_work_equation(problem_.equations);
    problem_.c.push_back(0);
    problem_.d.push_back(1);
  }

  /// derivative_[k]: the k-th derivative of every equation with c_i >= k, at its row.
  void differentiate() {
    derivative_.push_back(dae_.residual);
    const int highest =
        offsets().c.empty() ? 0 : *std::max_element(offsets().c.begin(), offsets().c.end());
    for (int k = 1; k <= highest; ++k)
      derivative_.push_back(expr::time_derivative(
          rows_where(derivative_.back(), [&](std::uint32_t i) { return c(i) >= k; }), varies_));
  }

  void assemble_residual() {
    Function residual;
    residual.rows = size();
    std::map<std::vector<double>, std::set<std::uint32_t>>
        groups;  // equations of one stabilisation together
    for (std::uint32_t i = 0; i < size(); ++i) groups[stabilisation(problem_, i)].insert(i);
    for (std::size_t k = 0; k < derivative_.size(); ++k)
      residual = expr::sum(residual, rows_where(derivative_[k], [&](std::uint32_t i) {
                             return c(i) == static_cast<int>(k) && !is_penalised(problem_, i);
                           }));
    residual = expr::sum(residual, penalised_multipliers(problem_));
    for (const auto& [coefficients, equations] : groups)
      for (std::size_t k = 0; k < coefficients.size(); ++k)
        if (coefficients[k] != 0)
          residual = expr::sum(
              residual,
              scaled(rows_where(derivative_[k],
                                [&, &set = equations](std::uint32_t i) { return set.contains(i); }),
                     coefficients[k]));
    if (problem_.has_work) add_work_equation(residual);
    problem_.residual = std::move(residual);
  }

  /// work' = power, one more equation: the energy balance is integrated with the motion, by the same method.
  void add_work_equation(Function& residual) {
    const std::uint32_t row = residual.rows++;
    auto graph = std::make_shared<expr::Graph>(model_.graph);
    const expr::Term rate[] = {{graph->leaf({work_, 1}), row}};
    residual.families.push_back(expr::identity_family(graph, rate));
    const std::uint32_t to[] = {row};
    residual =
        expr::sum(residual, scaled(expr::select_rows(dae_.mechanics.power, to, residual.rows), -1));
  }

  /// Lifted positions by substitution of their definitions, in order, and the derivatives of that.
  void make_scan() {
    const auto graph = std::make_shared<expr::Graph>(model_.graph);
    std::vector<expr::Expr> values;
    std::map<SymbolId, std::size_t> number;
    for (const model::LiftedLet& let : model_.lifted) {
      const auto earlier = [&](Leaf leaf) -> std::optional<expr::Expr> {
        const auto known = number.find(leaf.symbol);
        return known == number.end() ? std::nullopt : std::optional(values[known->second]);
      };
      const expr::Expr value =
          expr::copy(*model_.graph, std::span(&let.value, 1), *graph, earlier)[0];
      number.emplace(let.symbol, values.size());
      values.push_back(value);
    }
    std::vector<expr::Term> terms;
    int order = 0;
    for (std::uint32_t k = 0; k < problem_.lifted; ++k) {
      const Leaf leaf = problem_.layout.leaf(problem_.first_lifted() + k);
      for (; order < leaf.order; ++order) values = expr::time_derivative(*graph, values, varies_);
      terms.push_back({values[number.at(leaf.symbol)], k});
    }
    problem_.scan = {problem_.lifted, {}};
    if (!terms.empty()) problem_.scan.families.push_back(expr::identity_family(graph, terms));
  }

  bool is_top(Leaf leaf) const {
    const std::uint32_t position = problem_.layout.find(leaf);
    return position > problem_.states && position <= problem_.states + problem_.tops;
  }

  void make_matrices() {
    const std::uint32_t states = problem_.states, tops = problem_.tops;
    const auto position = [&](Leaf leaf) { return problem_.layout.find(leaf); };
    problem_.top_matrix =
        problem_.written_out
            ? expr::jacobian(problem_.residual, tops,
                             [&](Leaf leaf) {
                               return is_top(leaf) ? position(leaf) - states - 1 : Family::no_row;
                             })
            : structure::system_jacobian(dae_, offsets());
    const std::vector<Leaf> in_matrix = leaves_of(problem_.top_matrix.values);
    problem_.linear =
        std::none_of(in_matrix.begin(), in_matrix.end(), [&](Leaf leaf) { return is_top(leaf); });
    if (!problem_.written_out) return;
    problem_.right_hand_side = scaled(
        problem_.linear ? with_zeros(problem_.residual, [&](Leaf leaf) { return is_top(leaf); })
                        : problem_.residual,
        -1);
  }

  /// d f^(c) / d z: the top matrix, unless springs replace constraints.
  expr::SparseFunction system_jacobian() const {
    return problem_.formulation.kind == Kind::penalty ? structure::system_jacobian(dae_, offsets())
                                                      : problem_.top_matrix;
  }

  const Dae& dae_;
  const model::Model& model_;
  const SymbolId work_;
  expr::VariesInTime varies_;
  std::vector<Function> derivative_;
  Problem problem_;
};

}  // namespace

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::index1:
      return "index1";
    case Kind::baumgarte:
      return "baumgarte";
    case Kind::projection:
      return "projection";
    case Kind::index2:
      return "index2";
    case Kind::index3:
      return "index3";
    case Kind::penalty:
      return "penalty";
    case Kind::augmented_lagrangian:
      return "augmented_lagrangian";
    case Kind::nonlinear_stabiliser:
      return "nonlinear_stabiliser";
    case Kind::ggl:
      return "ggl";
    case Kind::null_space:
      return "null_space";
    case Kind::minimal:
      return "minimal";
    case Kind::hamilton:
      return "hamilton";
  }
  return {};
}

std::span<const Kind> kinds_without_lifting() {
  using enum Kind;
  static constexpr Kind kinds[] = {
      augmented_lagrangian, nonlinear_stabiliser, ggl, null_space, minimal, hamilton};
  return kinds;
}

Problem formulate(structure::Structure structure, const Formulation& formulation) {
  const model::Model& model = *structure.dae->model;
  const std::span<const Kind> written_out = kinds_without_lifting();
  if (!model.lifted.empty() &&
      std::find(written_out.begin(), written_out.end(), formulation.kind) != written_out.end())
    throw ModelError(
        {Severity::error,
         model.place,
         fmt::format("model '{}': the formulation {} does not support lifted positions", model.name,
                     name(formulation.kind)),
         {},
         "run it with  `lifting = never`, or take the formulation projection"});
  return Formulator(std::move(structure), formulation).run();
}

std::shared_ptr<const compile::JetProgram> jet_program(const Problem& problem) {
  const model::Model& model = *problem.dae->model;
  int most = 0;
  for (const int d : problem.d) most = std::max(most, d);
  if (most > most_derivatives)
    throw ModelError({Severity::error,
                      model.place,
                      fmt::format("model '{}': its equations contain derivative {} of an unknown, "
                                  "Taylor series support up to {}",
                                  model.name, most, most_derivatives),
                      {},
                      "an input nearer to the output needs fewer derivatives"});
  auto graph = std::make_shared<expr::Graph>(model.graph);
  compile::JetSpec spec;
  spec.rows = expr::expand(problem.equations, *graph);
  spec.graph = graph;
  spec.c = problem.c;
  spec.d = problem.d;
  for (std::uint32_t j = 0; j < problem.tops; ++j)
    spec.unknowns.push_back(problem.layout.leaf(problem.top_position(j)).symbol);
  for (std::uint32_t p = problem.layout.first_parameter; p < problem.layout.size(); ++p)
    spec.parameters.push_back(problem.layout.leaf(p).symbol);
  for (const model::InputDefault& input : model.inputs)
    if (std::find(spec.unknowns.begin(), spec.unknowns.end(), input.input) == spec.unknowns.end())
      spec.signals.emplace_back(input.input, input.value);
  return compile::make_jet_program(spec);
}

Problem descriptor_form(std::shared_ptr<const Dae> dae, structure::Structure structure) {
  structure.offsets = structure::descriptor_offsets(size(*dae), structure::signature(*dae));
  structure.dae = std::move(dae);
  structure.conversions.clear();
  return Formulator(std::move(structure), {.kind = Kind::index1}).run_as_descriptor();
}

}  // namespace daedal::formulate
