// Options of experiments and the command line: 20, rk45, radau5(tolerance = 1e-8), [18, 80].
#pragma once

#include "daedal/base/source.hpp"
#include "daedal/model/syntax.hpp"

#include <functional>
#include <string>
#include <vector>

namespace daedal::model {

struct Option {
  std::string name;  // of a named argument
  Place name_place;
  Place place;                  // of the value
  std::string word;             // rk45, radau5, or "" when the value is made of numbers
  std::vector<Option> options;  // radau5(tolerance = ...)
  std::vector<double> numbers;  // one, or the entries of a vector
  std::string text;             // the value as written
};

/// Reads a value; `numbers` evaluates what is neither a word nor a word with options.
Option read_option(const syntax::Argument& argument,
                   const std::function<std::vector<double>(const syntax::Expression&)>& numbers,
                   const std::function<bool(const std::string&)>& is_word);

/// Reads an option given on the command line; throws ModelError that names `what`.
Option parse_option(const std::string& text, const std::string& what);

/// An expression given outside a file; throws ModelError that names `what`.
syntax::ExpressionPtr parse_expression(const std::string& text, const std::string& what);

}  // namespace daedal::model
