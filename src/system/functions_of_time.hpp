// What in a problem's expressions is a function of time alone: inputs are, and are written out.
#pragma once

#include "daedal/expr/enclosure.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/system/point.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace daedal::solve {

/// Of the nodes of a graph, those that contain nothing but time, parameters and constants, and time at all.
class TimeOnly {
 public:
  template <class IsParameter, class IsTime>
  TimeOnly(const expr::Graph& graph, const std::vector<expr::Expr>& nodes, IsParameter is_parameter,
           IsTime is_time)
      : pure_(graph.size(), true), timed_(graph.size(), false) {
    for (const expr::Expr e : nodes) {
      const expr::Node& node = graph.node(e);
      if (node.op == expr::Op::leaf) {
        timed_[e.id] = is_time(graph.leaf_of(e));
        pure_[e.id] = timed_[e.id] || is_parameter(graph.leaf_of(e));
        continue;
      }
      const std::uint32_t children[] = {node.a, node.b, node.c};
      for (int c = 0; c < expr::arity(node.op); ++c) {
        pure_[e.id] = pure_[e.id] && pure_[children[c]];
        timed_[e.id] = timed_[e.id] || timed_[children[c]];
      }
    }
  }
  bool pure(expr::Expr e) const { return pure_[e.id]; }
  bool timed(expr::Expr e) const { return timed_[e.id]; }

 private:
  std::vector<bool> pure_, timed_;
};

/// Nodes of a problem's families as functions of time, in one graph and in the model's symbols.
class FunctionsOfTime {
 public:
  explicit FunctionsOfTime(const formulate::Problem& problem)
      : problem_(problem), point_(empty_point(problem)) {}

  const expr::Graph& graph() const { return graph_; }

  static bool is_time(expr::Leaf leaf) { return leaf == expr::Leaf{expr::time_symbol, 0}; }

  bool is_parameter(expr::Leaf leaf) const {
    const auto& symbols = problem_.dae->model->symbols;
    return leaf.symbol < symbols.size() &&
           symbols[leaf.symbol].kind == model::SymbolKind::parameter;
  }

  std::optional<std::uint32_t> input_row(expr::Leaf leaf) const {
    const std::uint32_t position = problem_.layout.find(leaf);
    if (position == compile::absent || position < problem_.first_input ||
        position >= problem_.first_input + problem_.inputs.rows)
      return std::nullopt;
    return position - problem_.first_input;
  }

  double parameter(expr::Leaf leaf) const {
    const std::uint32_t position = problem_.layout.find(leaf);
    return position == compile::absent ? problem_.dae->model->symbols[leaf.symbol].value
                                       : point_[position];
  }

  /// Which nodes of a family's instance, whose leaves `global` names.
  template <class Global>
  TimeOnly among(const expr::Graph& graph, const std::vector<expr::Expr>& nodes, Global global) {
    return {graph, nodes, [&](expr::Leaf leaf) { return is_parameter(global(leaf)); },
            [&](expr::Leaf leaf) {
              return is_time(global(leaf)) || input_row(global(leaf)).has_value();
            }};
  }

  /// The node with inputs written out; equal ones of different families are one.
  template <class Global>
  expr::Expr written_out(const expr::Graph& graph, expr::Expr node, Global global) {
    if (inputs_.empty()) inputs_ = expr::expand(problem_.inputs, graph_);
    const expr::Expr roots[] = {node};
    return expr::copy(graph, roots, graph_, [&](expr::Leaf leaf) -> std::optional<expr::Expr> {
      const expr::Leaf symbol = global(leaf);
      if (const auto row = input_row(symbol)) return inputs_[*row];
      return graph_.leaf(symbol);
    })[0];
  }

  /// In the model's names, shortened.
  std::string text(expr::Expr e) const {
    const auto& symbols = problem_.dae->model->symbols;
    return expr::to_text(
        graph_, e,
        [&](expr::Leaf leaf) { return model::name_of(symbols[leaf.symbol], leaf.order); }, 100);
  }

  expr::TimeFunction function(expr::TimeFunction::Form form, expr::Expr a, expr::Expr b) const {
    return {graph_, form, a, b, is_time, [this](expr::Leaf leaf) { return parameter(leaf); }};
  }

 private:
  const formulate::Problem& problem_;
  std::vector<double> point_;
  expr::Graph graph_;
  std::vector<expr::Expr> inputs_;  // by row, in graph_
};

}  // namespace daedal::solve
