// The built-in functions of the model language.
#pragma once

#include "daedal/model/algebra.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace daedal::model {

struct NamedArgument {
  std::string name;
  Place place;
  Value value;
};
struct TextArgument {  // file = "path.csv"; `name` is empty when it was given without one
  std::string name;
  Place place;
  std::string text;
};

/// A call with its arguments evaluated, and the questions that functions ask of it. What is wrong
/// is reported as a fault.
struct EvaluatedCall {
  std::string function;
  Place place;
  std::vector<Value> arguments;
  std::vector<NamedArgument> named;
  std::vector<TextArgument> texts;
  std::string directory;  // where relative file names start

  void require_count(std::size_t count) const;
  /// Refuses named arguments and texts other than these.
  void allow(std::initializer_list<const char*> options,
             std::initializer_list<const char*> text_options = {}) const;
  expr::Expr scalar(std::size_t index) const;
  const Value& vector(std::size_t index) const;
  const Value& vector(std::size_t index, std::uint32_t length) const;
  /// A whole number from `low` to `high`, when it is given.
  std::optional<int> integer_option(const expr::Graph& graph, const std::string& name, int low,
                                    int high) const;
  /// "" when it is not given.
  std::string text_option(const std::string& name) const;
};

bool is_builtin(const std::string& function);
const std::vector<std::string>& builtin_names();
Value apply_builtin(Algebra& algebra, const EvaluatedCall& call);

// Motions, see trajectories.cpp.
Value line(Algebra& algebra, const EvaluatedCall& call);
Value circle(Algebra& algebra, const EvaluatedCall& call);
Value rest_to_rest(Algebra& algebra, const EvaluatedCall& call);
Value spline(Algebra& algebra, const EvaluatedCall& call);

}  // namespace daedal::model
