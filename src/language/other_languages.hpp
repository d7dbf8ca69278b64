// What people write first who come from another language. Consulted only about a statement that has failed to parse,
// so no valid text is affected. A suggested line is shown only if it parses.
#pragma once

#include "language/token_cursor.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal::model {

/// A statement of another language: its fault, and what to do with the lines that follow.
struct Foreign {
  enum class Skip { nothing, indented_lines, file };
  Diagnostic diagnostic;
  Skip skip = Skip::nothing;
  bool comment = false;  // of which one message is enough
};

/// `tokens` end with an `end` token; `fault` is what the parser found.
std::optional<Foreign> as_other_language(const std::shared_ptr<const SourceFile>& source,
                                         const std::vector<Token>& tokens, const Diagnostic& fault);

}  // namespace daedal::model
