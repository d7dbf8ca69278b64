// Text to syntax tree and back.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/language/syntax.hpp"

#include <memory>
#include <string>

namespace daedal::model {

/// Parses one file's text. All faults are added to `diagnostics`; what could be parsed is returned.
syntax::File parse(std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics);

/// Parses a single expression, such as the value of a command line option; null when it is faulty.
syntax::ExpressionPtr parse_expression(const std::shared_ptr<const SourceFile>& source,
                                       Diagnostics& diagnostics);

/// Canonical text: parses to the same tree.
std::string print(const syntax::File& file);
std::string print(const syntax::Expression& expression);  // on one line

/// Whether two trees are the same but for places.
bool same(const syntax::File& a, const syntax::File& b);

}  // namespace daedal::model
