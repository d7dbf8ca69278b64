// What a model is: its contents, index and degrees of freedom; its equations, their derivatives and the order of solution.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/structure/examine.hpp"
#include "daedal/task/answer.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

struct CheckOptions {
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  bool units = false;  // list the unit of every name
  Watch watch;
};

class Check : public Answer {
 public:
  using Answer::Answer;

  std::shared_ptr<const derive::Dae> dae;  // without the constraints left out
  structure::Structure structure;
  /// Of the inverse model, where there are as many servo-constraints as inputs and the model is not too large to examine.
  std::optional<structure::Structure> inverse;
  /// Of every name that may have one, when asked for.
  std::optional<std::vector<model::UnitOfName>> units;

 private:
  std::string summary() const override;
  Json json() const override;
};

/// Throws ModelError for models that have no solution, or more than one.
Check check(const Model& model, const CheckOptions& options = {});

// Explain a model: its equations.

struct ExplainOptions {
  bool inverse = false;  // of the inverse model: servo-constraints are equations, inputs unknowns
  bool latex = false;    // equations of the summary as LaTeX
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

class Explanation : public Answer {
 public:
  using Answer::Answer;

  bool latex = false;
  std::shared_ptr<const derive::Dae> dae;  // as given, without the constraints left out
  structure::Structure structure;          // checked; its Dae may be converted
  std::vector<structure::Block> blocks;    // of the checked Dae
  std::vector<emit::WrittenEquation> equations, converted, hidden;

 private:
  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

Explanation explain(const Model& model, const ExplainOptions& options = {});

}  // namespace task
}  // namespace daedal
