// See daedal/stepper/step_program.hpp.
#include "daedal/stepper/step_program.hpp"

#include "daedal/compile/elimination.hpp"
#include "daedal/integrate/bdf_formulas.hpp"
#include "daedal/structure/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

namespace daedal::solve {

using expr::Expr;
using expr::Leaf;

StepFormula bdf_formula(int order) {
  if (order < 1 || order > 6) throw std::invalid_argument("BDF has orders 1 to 6");
  const BdfFormula& f = bdf_formulas[static_cast<std::size_t>(order) - 1];
  StepFormula formula{fmt::format("bdf{}", order), {1}, {f.beta / f.divisor}, {}};
  for (int p = 0; p < order; ++p)
    formula.past.push_back(f.alpha[static_cast<std::size_t>(p)] / f.divisor);
  return formula;
}

StepFormula radau5_formula() {
  const double r = std::sqrt(6.0);
  return {"radau5",
          {(4 - r) / 10, (4 + r) / 10, 1},
          {(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225,  //
           (296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225,  //
           (16 - r) / 36, (16 + r) / 36, 1.0 / 9},
          {1}};
}

StepFormula step_formula(const Method& method) {
  if (const auto* bdf = std::get_if<BdfOptions>(&method)) return bdf_formula(bdf->order);
  if (std::holds_alternative<ImplicitEulerOptions>(method) ||
      std::holds_alternative<LinearImplicitEulerOptions>(method))
    return bdf_formula(1);
  const auto* radau = std::get_if<Radau5Options>(&method);
  if (radau != nullptr && radau->step > 0) return radau5_formula();
  throw ModelError(
      {Severity::error,
       {},
       radau != nullptr
           ? "method radau5 steps with a fixed length here, and none is given"
           : fmt::format("method {} has no implicit step of fixed length", name(method)),
       {},
       radau != nullptr ? "add  `step = 0.001`"
                        : "there are implicit_euler, linear_implicit_euler, bdf and radau5"});
}

double step_length(const Method& method) {
  const auto* radau = std::get_if<Radau5Options>(&method);
  return radau != nullptr ? radau->step : fixed_step(method);
}

structure::Point point_of(const formulate::Problem& problem, const ConsistentPoint& at) {
  return [&](Leaf leaf) {
    if (leaf.symbol == expr::time_symbol) return leaf.order == 0 ? at.t : 1.0;
    const std::uint32_t position = problem.layout.find(leaf);
    if (position >= 1 && position <= problem.states) return at.states[position - 1];
    if (position > problem.states && position <= problem.states + problem.tops)
      return at.tops[position - 1 - problem.states];
    const auto& symbols = problem.dae->model->symbols;
    return leaf.order == 0 && leaf.symbol < symbols.size() ? symbols[leaf.symbol].value : 0.0;
  };
}

double StepProgram::weight_of_top(std::uint32_t k, std::uint32_t i, std::uint32_t j) const {
  const std::uint32_t s = stages();
  std::vector<double> row(s, 0.0), times_a(s);
  row[i] = 1;
  for (std::uint32_t n = 0; n < k; ++n) {
    for (std::uint32_t c = 0; c < s; ++c) {
      times_a[c] = 0;
      for (std::uint32_t m = 0; m < s; ++m) times_a[c] += row[m] * formula.a[m * s + c];
    }
    std::swap(row, times_a);
  }
  double power = 1;
  for (std::uint32_t n = 0; n < k; ++n) power *= step;
  return power * row[j];
}

namespace {

constexpr std::uint32_t most_nodes = 400'000;  // of the elimination
/// Tops are extrapolated from so many steps at most: higher differences of the inputs of a high index are noise.
constexpr std::size_t most_predicted_from = 3;

/// Weights of values at `nodes` in the polynomial through them at x.
std::vector<double> lagrange(double x, const std::vector<double>& nodes) {
  std::vector<double> weights(nodes.size(), 1.0);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    for (std::size_t j = 0; j < nodes.size(); ++j)
      if (j != k) weights[k] *= (x - nodes[j]) / (nodes[k] - nodes[j]);
  return weights;
}

class Writer {
 public:
  Writer(const derive::Dae& dae, const StepFormula& formula, double step,
         const structure::Point& start, std::optional<int> constraint_scaling)
      : dae_(dae),
        start_(start),
        offsets_(structure::analyse(dae)),
        graph_(std::make_shared<expr::Graph>()) {
    program_.model = dae.model;
    program_.formula = formula;
    program_.step = step;
    set_scales(constraint_scaling);
  }

  StepProgram run() {
    collect_leaves();
    set_units();
    write_equations();
    eliminate();
    set_weights();
    make_tables();
    program_.graph = graph_;
    return std::move(program_);
  }

 private:
  void set_scales(std::optional<int> constraint_scaling) {
    program_.row_scale.assign(dae_.equations.size(), 1.0);
    by_offsets_ = !constraint_scaling;
    for (std::size_t i = 0; by_offsets_ && i < dae_.equations.size(); ++i)
      program_.row_scale[i] = rounded_step_to(-offsets_.c[i]);
    if (by_offsets_) return;
    std::vector<bool> algebraic(dae_.equations.size(), true);
    for (const expr::Occurrence& o : expr::occurrences(dae_.residual))
      if (o.leaf.order > 0 && std::find(dae_.unknowns.begin(), dae_.unknowns.end(),
                                        o.leaf.symbol) != dae_.unknowns.end())
        algebraic[o.row] = false;
    for (std::size_t i = 0; i < algebraic.size(); ++i)
      if (algebraic[i]) program_.row_scale[i] = std::pow(program_.step, -*constraint_scaling);
  }
  /// In which the unknowns of the elimination are counted: x_j^(d_j) in those of its top.
  void set_units() {
    for (std::size_t j = 0; j < program_.tops.size(); ++j)
      program_.unit.push_back(by_offsets_ ? rounded_step_to(offsets_.d[j] - program_.tops[j].order)
                                          : 1.0);
  }

  /// Chains of states below each top, and what comes from outside.
  void collect_leaves() {
    std::map<expr::SymbolId, int> highest;
    std::set<Leaf> signals;
    for (const expr::SymbolId unknown : dae_.unknowns) highest[unknown] = 0;
    for (const expr::Occurrence& o : expr::occurrences(dae_.residual)) {
      if (const auto unknown = highest.find(o.leaf.symbol); unknown != highest.end())
        unknown->second = std::max<int>(unknown->second, o.leaf.order);
      else if (o.leaf.symbol != expr::time_symbol && dae_.model->varies(o.leaf.symbol))
        signals.insert(o.leaf);
    }
    program_.signals.assign(signals.begin(), signals.end());
    for (const expr::Occurrence& o : expr::occurrences(dae_.residual))
      if (signals.contains(o.leaf) && offsets_.c[o.row] > 0) program_.differentiated = true;
    for (const Leaf leaf : program_.signals)
      program_.signal_nominal.push_back(dae_.model->symbols[leaf.symbol].nominal);
    for (std::uint32_t j = 0; j < dae_.unknowns.size(); ++j) {
      const expr::SymbolId symbol = dae_.unknowns[j];
      const int order = highest[symbol];
      program_.tops.push_back({symbol, static_cast<std::uint16_t>(order)});
      program_.nominal.push_back(dae_.model->symbols[symbol].nominal);
      program_.start_tops.push_back(start_(program_.tops.back()));
      for (int l = order; l-- > 0;) {
        program_.next.push_back(
            l + 1 == order ? no_state : static_cast<std::uint32_t>(program_.states.size() - 1));
        program_.top_of.push_back(j);
        program_.depth.push_back(static_cast<std::uint32_t>(order - l));
        program_.states.push_back({symbol, static_cast<std::uint16_t>(l)});
        program_.start_states.push_back(start_(program_.states.back()));
      }
    }
    for (std::size_t i = 0; i < program_.next.size(); ++i)
      if (program_.next[i] == no_state)
        program_.next[i] = static_cast<std::uint32_t>(program_.states.size()) + program_.top_of[i];
    for (std::uint32_t i = 0; i < program_.states.size(); ++i) state_[program_.states[i]] = i;
    for (std::uint32_t j = 0; j < program_.tops.size(); ++j) top_[program_.tops[j]] = j;
    for (std::uint32_t k = 0; k < program_.signals.size(); ++k) signal_[program_.signals[k]] = k;
  }

  Expr at(std::uint32_t position) { return graph_->leaf({position, 0}); }
  std::uint32_t top_position(std::uint32_t stage, std::uint32_t top) const {
    return program_.first_top() + stage * static_cast<std::uint32_t>(program_.tops.size()) + top;
  }
  std::uint32_t known_position(std::uint32_t stage, std::uint32_t state) const {
    return program_.first_known() + stage * static_cast<std::uint32_t>(program_.states.size()) +
           state;
  }

  /// A leaf of the Dae at a stage, in the point.
  Expr at_stage(std::uint32_t stage, Leaf leaf) {
    if (leaf.symbol == expr::time_symbol) return at(stage);
    if (const auto top = top_.find(leaf); top != top_.end())
      return at(top_position(stage, top->second));
    if (const auto state = state_.find(leaf); state != state_.end()) {
      const std::uint32_t i = state->second;
      Expr value = at(known_position(stage, i));
      for (std::uint32_t j = 0; j < program_.stages(); ++j)
        value = graph_->add(
            value,
            graph_->mul(graph_->constant(program_.weight_of_top(program_.depth[i], stage, j)),
                        at(top_position(j, program_.top_of[i]))));
      return value;
    }
    if (const auto signal = signal_.find(leaf); signal != signal_.end())
      return at(program_.first_signal() +
                stage * static_cast<std::uint32_t>(program_.signals.size()) + signal->second);
    return graph_->constant(dae_.model->symbols[leaf.symbol].value);
  }

  void write_equations() {
    for (std::uint32_t stage = 0; stage < program_.stages(); ++stage) {
      const std::vector<Expr> rows =
          expr::expand(dae_.residual, *graph_,
                       [&](Leaf leaf) -> std::optional<Expr> { return at_stage(stage, leaf); });
      for (std::size_t i = 0; i < rows.size(); ++i) {
        program_.residual.push_back(rows[i]);
        scaled_.push_back(graph_->mul(graph_->constant(program_.row_scale[i]), rows[i]));
      }
    }
  }

  /// The point at the start, where the stages have the values of the start themselves.
  std::vector<double> start_point() const {
    std::vector<double> point(program_.point_size(), 0.0);
    const std::uint32_t s = program_.stages();
    const auto signals = static_cast<std::uint32_t>(program_.signals.size());
    for (std::uint32_t stage = 0; stage < s; ++stage) {
      point[stage] = start_({expr::time_symbol, 0});
      for (std::uint32_t k = 0; k < signals; ++k)
        point[program_.first_signal() + stage * signals + k] = start_(program_.signals[k]);
      for (std::uint32_t j = 0; j < program_.tops.size(); ++j)
        point[top_position(stage, j)] = program_.start_tops[j];
      for (std::uint32_t i = 0; i < program_.states.size(); ++i) {
        double known = program_.start_states[i];
        for (std::uint32_t j = 0; j < s; ++j)
          known -= program_.weight_of_top(program_.depth[i], stage, j) *
                   program_.start_tops[program_.top_of[i]];
        point[known_position(stage, i)] = known;
      }
    }
    return point;
  }

  void eliminate() {
    const auto size = static_cast<std::uint32_t>(scaled_.size());
    std::vector<Leaf> unknowns;
    for (std::uint32_t k = 0; k < size; ++k) unknowns.push_back({program_.first_top() + k, 0});
    const std::vector<expr::JacobianEntry> entries = expr::jacobian(*graph_, scaled_, unknowns);
    std::vector<std::uint32_t> row_start(size + 1, 0), column;
    std::vector<Expr> matrix, right;
    for (const expr::JacobianEntry& e : entries) {
      ++row_start[e.row + 1];
      column.push_back(e.column);
      matrix.push_back(graph_->mul(graph_->constant(unit_of(e.column)), e.value));
    }
    for (std::uint32_t i = 0; i < size; ++i) row_start[i + 1] += row_start[i];
    for (const Expr row : scaled_) right.push_back(graph_->neg(row));
    const std::vector<double> point = start_point();
    const std::vector<double> sample =
        expr::evaluate(*graph_, matrix, [&](Leaf leaf) { return point[leaf.symbol]; });
    const std::optional<compile::Elimination> elimination = compile::eliminate(
        *graph_, {size, row_start, column, matrix, right, sample},
        [&](Expr e) { return graph_->is_constant(e); }, most_nodes);
    if (!elimination)
      throw ModelError(
          {Severity::error,
           dae_.model->place,
           fmt::format("model '{}': the matrix of a step of {} is singular at the "
                       "start, or too large to be written out",
                       dae_.model->name, program_.formula.name),
           {},
           "start from a regular pose; large models: the formulations of `simulate()`"});
    for (std::uint32_t k = 0; k < size; ++k)
      program_.correction.push_back(
          graph_->mul(graph_->constant(unit_of(k)), elimination->solution[k]));
    program_.monitor = elimination->monitor;
    program_.determinant = determinant_of(*elimination, point);
  }

  /// Scaled as the monitor does it, so that its terms are shared and nothing overflows on the way.
  Expr determinant_of(const compile::Elimination& elimination, const std::vector<double>& point) {
    std::vector<Expr> factors;
    for (const compile::Elimination::Pivot& pivot : elimination.pivots)
      if (const Expr inverse = elimination.factors[pivot.reciprocal]; !graph_->is_constant(inverse))
        factors.push_back(inverse);
    const std::vector<double> start =
        expr::evaluate(*graph_, factors, [&](Leaf leaf) { return point[leaf.symbol]; });
    bool negative = false;
    for (std::size_t k = 0; k < factors.size(); ++k) {
      negative = negative != (start[k] < 0);
      factors[k] =
          graph_->mul(factors[k], graph_->constant(std::ldexp(1, std::ilogb(1 / start[k]))));
    }
    if (factors.empty()) return graph_->constant(1);
    while (factors.size() > 1) {  // as a tree: a short path through the kernel
      std::size_t half = 0;
      for (std::size_t i = 0; i < factors.size(); i += 2)
        factors[half++] =
            i + 1 < factors.size() ? graph_->mul(factors[i], factors[i + 1]) : factors[i];
      factors.resize(half);
    }
    return negative ? graph_->neg(factors.front()) : factors.front();
  }

  void set_weights() {
    std::vector<double> weight;
    for (std::uint32_t j = 0; j < program_.tops.size(); ++j)
      weight.push_back(step_to(2) / (1 + std::abs(program_.start_tops[j])));
    for (std::uint32_t i = 0; i < program_.states.size(); ++i) {
      if (program_.states[i].order != 0) continue;
      const double nominal = dae_.model->symbols[program_.states[i].symbol].nominal;
      weight[program_.top_of[i]] =
          step_to(program_.depth[i]) / (nominal + std::abs(program_.start_states[i]));
    }
    program_.weight = weight;
  }

  void make_tables() {
    const StepFormula& formula = program_.formula;
    const std::uint32_t s = program_.stages();
    for (const double a : formula.a) program_.a.push_back(program_.step * a);
    for (std::uint32_t i = 0; i < program_.states.size(); ++i)
      for (std::uint32_t j = 0; j < s; ++j)
        program_.top_weight.push_back(program_.weight_of_top(program_.depth[i], s - 1, j));
    std::vector<double> nodes;
    if (s == 1)
      for (std::size_t k = 0; k < std::min(most_predicted_from, formula.past.size() + 1); ++k)
        nodes.push_back(-static_cast<double>(k));
    else
      for (const double c : formula.nodes) nodes.push_back(c - 1);
    for (const double c : formula.nodes)
      for (const double weight : lagrange(c, nodes)) program_.predictor.push_back(weight);
    program_.past =
        static_cast<std::uint32_t>(std::max(formula.past.size(), s == 1 ? nodes.size() : 1));
  }

  /// A power of the step, rounded to one of 2, with which nothing is rounded any more.
  double rounded_step_to(int power) const {
    return std::ldexp(1, static_cast<int>(std::lround(power * std::log2(program_.step))));
  }
  double unit_of(std::uint32_t k) const { return program_.unit[k % program_.tops.size()]; }
  double step_to(std::uint32_t power) const {
    return expr::integer_power(program_.step, static_cast<int>(power));
  }

  static constexpr std::uint32_t no_state = 0xffffffff;
  const derive::Dae& dae_;
  const structure::Point& start_;
  const structure::Offsets offsets_;
  std::shared_ptr<expr::Graph> graph_;
  std::map<Leaf, std::uint32_t> state_, top_, signal_;
  bool by_offsets_ = true;
  std::vector<Expr> scaled_;  // the equations, rows divided by powers of the step
  StepProgram program_;
};

}  // namespace

StepProgram make_step_program(const derive::Dae& dae, const StepFormula& formula, double step,
                              const structure::Point& start,
                              std::optional<int> constraint_scaling) {
  return Writer(dae, formula, step, start, constraint_scaling).run();
}

}  // namespace daedal::solve
