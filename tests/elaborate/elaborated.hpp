// A model made from text, and its expressions at a point.
#pragma once

#include "daedal/elaborate/elaborate.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/model/model.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace daedal::model {

class Elaborated {
 public:
  using Values = std::map<std::string, double>;  // by the user's names: "x", "x'", "rod"

  explicit Elaborated(const std::string& text, const Overrides& overrides = {},
                      const Limits& limits = {})
      : model_(elaborate(load_text(text, "model.daedal"), overrides, limits)) {}

  const Model& operator*() const { return model_; }
  const Model* operator->() const { return &model_; }

  double value(expr::Expr e, const Values& at = {}) const {
    return expr::evaluate(*model_.graph, std::span(&e, 1),
                          [&](expr::Leaf leaf) { return value_of(leaf, at); })[0];
  }
  /// The output called `name`.
  double operator()(const std::string& name, const Values& at = {}) const {
    for (const NamedValue& output : model_.outputs)
      if (output.name == name) return value(output.value, at);
    throw std::invalid_argument("no output " + name);
  }
  double sum(const std::vector<EnergyTerm>& terms, const Values& at = {}) const {
    double total = 0;
    for (const EnergyTerm& term : terms) total += value(term.value, at);
    return total;
  }
  const Symbol& symbol(const std::string& name) const {
    const expr::SymbolId found = model_.find(name);
    if (found == expr::time_symbol) throw std::invalid_argument("no symbol " + name);
    return model_.symbols[found];
  }
  double start(const std::string& name) const {
    for (const StartValue& start : model_.starts)
      if (name_of(model_.symbols[start.leaf.symbol], start.leaf.order) == name) return start.value;
    throw std::invalid_argument("no start value of " + name);
  }
  std::vector<std::string> names(SymbolKind kind) const {
    std::vector<std::string> list;
    for (const Symbol& symbol : model_.symbols)
      if (symbol.kind == kind) list.push_back(symbol.name);
    return list;
  }

 private:
  double value_of(expr::Leaf leaf, const Values& at) const {
    const Symbol& symbol = model_.symbols[leaf.symbol];
    if (const auto given = at.find(name_of(symbol, leaf.order)); given != at.end())
      return given->second;
    if (symbol.kind == SymbolKind::parameter) return symbol.value;
    if (symbol.kind == SymbolKind::input && leaf.order == 0) {
      for (const InputDefault& input : model_.inputs)
        if (input.input == leaf.symbol) return value(input.value, at);
    }
    throw std::invalid_argument("no value of " + name_of(symbol, leaf.order));
  }

  Model model_;
};

/// Everything that is wrong with a text, as the user reads it.
inline std::string faults_of(const std::string& text, const Overrides& overrides = {},
                             const Limits& limits = {}) {
  try {
    elaborate(load_text(text, "model.daedal"), overrides, limits);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no fault";
}

}  // namespace daedal::model
