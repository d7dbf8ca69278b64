// Syntax trees as text in prefix form, (add x (mul 2 y)), so that a test can state the tree it
// expects. Independent of the printer, whose brackets it checks.
#pragma once

#include "daedal/language/parse.hpp"
#include "daedal/language/syntax.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace daedal::model::test {

class TreeText {
 public:
  static std::string of(const syntax::ExpressionPtr& e) {
    if (!e) return "none";
    return std::visit([](const auto& node) { return text(node); }, e->node);
  }

  static std::string of(const syntax::Binder& b) {
    return fmt::format("{} in {}..{}", b.name, of(b.first), of(b.last));
  }

  static std::string of(const std::vector<syntax::Argument>& arguments) {
    std::string out;
    for (const syntax::Argument& a : arguments) {
      out += fmt::format(" {}{}{}", a.name, a.name.empty() ? "" : "=", of(a.value));
    }
    return out;
  }

 private:
  static std::string joined(const std::vector<syntax::ExpressionPtr>& list) {
    std::string out;
    for (const auto& e : list) out += fmt::format(" {}", of(e));
    return out;
  }

  static std::string text(const syntax::Number& n) { return fmt::format("{}", n.value); }
  static std::string text(const syntax::Text& n) { return '"' + n.value + '"'; }
  static std::string text(const syntax::Name& n) { return n.value; }
  static std::string text(const syntax::Index& n) {
    return fmt::format("(at {}{})", of(n.base), joined(n.indices));
  }
  static std::string text(const syntax::Member& n) {
    return fmt::format("(member {} {})", of(n.base), n.name);
  }
  static std::string text(const syntax::Derivative& n) {
    return fmt::format("(der {} {})", of(n.base), n.order);
  }
  static std::string text(const syntax::Range& n) {
    return fmt::format("(range {} {})", of(n.first), of(n.last));
  }
  static std::string text(const syntax::Negate& n) {
    return fmt::format("(neg {})", of(n.operand));
  }
  static std::string text(const syntax::Not& n) { return fmt::format("(not {})", of(n.operand)); }
  static std::string text(const syntax::Chain& n) {
    static constexpr const char* symbols[] = {"+", "-", "*", "/", "and", "or"};
    std::string out = fmt::format("({}", of(n.first));
    for (const auto& [op, operand] : n.rest) {
      out += fmt::format(" {} {}", symbols[static_cast<std::size_t>(op)], of(operand));
    }
    return out + ")";
  }
  static std::string text(const syntax::Power& n) {
    return fmt::format("(pow {} {})", of(n.base), of(n.exponent));
  }
  static std::string text(const syntax::Compare& n) {
    static constexpr const char* symbols[] = {"<", "<=", ">", ">=", "==", "!="};
    return fmt::format("({} {} {})", symbols[static_cast<std::size_t>(n.op)], of(n.left),
                       of(n.right));
  }
  static std::string text(const syntax::Matrix& n) {
    std::string out = "(matrix";
    for (std::size_t i = 0; i < n.rows.size(); ++i) out += (i > 0 ? " ;" : "") + joined(n.rows[i]);
    return out + ")";
  }
  static std::string text(const syntax::Call& n) {
    return fmt::format("({}!{})", n.function, of(n.arguments));
  }
  static std::string text(const syntax::Sum& n) {
    return fmt::format("(sum {}: {})", of(n.binder), of(n.body));
  }
  static std::string text(const syntax::Quantity& n) {
    return fmt::format("{} [{}]", of(n.value), n.unit);
  }
  static std::string text(const syntax::If& n) {
    return fmt::format("(if {} {} {})", of(n.condition), of(n.when_true), of(n.when_false));
  }
};

inline std::shared_ptr<const SourceFile> source(std::string text, std::string path = "a.daedal") {
  return std::make_shared<const SourceFile>(std::move(path), std::move(text));
}

/// The tree of one expression, or the faults found in it.
inline std::string tree(std::string expression) {
  Diagnostics diagnostics;
  const auto e = parse_expression(source(std::move(expression)), diagnostics);
  return diagnostics.has_errors() ? render(diagnostics.list()) : TreeText::of(e);
}

}  // namespace daedal::model::test
