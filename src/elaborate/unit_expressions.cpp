// Formulas with dimensions in the place of values.
#include "daedal/language/parse.hpp"
#include "daedal/model/functions.hpp"
#include "elaborate/unit_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace daedal::model {

namespace {

using Kind = UnitValue::Kind;
using NumberKind = UnitValue::Number;

/// Numbers that formulas of mechanics are full of, as in m/2, 3*L, 1/12*m*l^2.
bool is_plain(double value) {
  constexpr double largest = 9;
  const double size = std::abs(value);
  if (size == 12 || size == 24) return true;
  return size <= largest && size * 4 == std::floor(size * 4) && size > 0;
}

UnitValue plain_scalar() {
  UnitValue value;
  value.kind = Kind::scalar;
  value.entries = {DimensionTerm()};
  return value;
}

bool is_loose(const UnitValue& value) { return value.bare || value.clock; }

/// Without a unit beside a parameter: 2, sin(t), and the 0 of  if t < 1 then 2 else 0.
bool is_factor(const UnitValue& value) {
  return value.pure || value.number == NumberKind::plain || value.now == 0.0;
}

/// The kind of number that a formula of two is.
NumberKind both(NumberKind a, NumberKind b) {
  if (a == NumberKind::no || b == NumberKind::no) return NumberKind::no;
  return a == NumberKind::plain && b == NumberKind::plain ? NumberKind::plain : NumberKind::any;
}

std::optional<double> calculate(syntax::ChainOp op, std::optional<double> a,
                                std::optional<double> b) {
  if (!a || !b) return std::nullopt;
  switch (op) {
    case syntax::ChainOp::add:
      return *a + *b;
    case syntax::ChainOp::subtract:
      return *a - *b;
    case syntax::ChainOp::multiply:
      return *a * *b;
    case syntax::ChainOp::divide:
      return *b == 0 ? std::nullopt : std::optional(*a / *b);
    case syntax::ChainOp::logical_and:
      return *a != 0 && *b != 0 ? 1.0 : 0.0;
    case syntax::ChainOp::logical_or:
      return *a != 0 || *b != 0 ? 1.0 : 0.0;
  }
  return std::nullopt;
}

bool compare(syntax::CompareOp op, double a, double b) {
  switch (op) {
    case syntax::CompareOp::less:
      return a < b;
    case syntax::CompareOp::less_equal:
      return a <= b;
    case syntax::CompareOp::greater:
      return a > b;
    case syntax::CompareOp::greater_equal:
      return a >= b;
    case syntax::CompareOp::equal:
      return a == b;
    case syntax::CompareOp::not_equal:
      return a != b;
  }
  return false;
}

}  // namespace

UnitValue UnitCheck::each_to_the(UnitValue value, Rational exponent) const {
  for (DimensionTerm& own : value.entries) own = own.to_the(exponent);
  return value;
}

UnitValue UnitCheck::value(const syntax::Expression& e, const UnitScope& scope) {
  if (--work_left_ < 0) return {};
  if (const auto* literal = std::get_if<syntax::Number>(&e.node)) {
    UnitValue result = unknown_scalar();
    result.number = is_plain(literal->value) ? NumberKind::plain : NumberKind::any;
    result.now = literal->value;
    result.bare = true;
    return result;
  }
  if (std::holds_alternative<syntax::Name>(e.node) ||
      std::holds_alternative<syntax::Member>(e.node) ||
      std::holds_alternative<syntax::Index>(e.node))
    return meaning(e, scope).value;
  if (const auto* node = std::get_if<syntax::Derivative>(&e.node)) {
    UnitValue result = value(*node->base, scope);
    const DimensionTerm time{dimensions::time.to_the(node->order), {}};
    for (DimensionTerm& own : result.entries) own = own / time;
    result.anchored = false;
    return result;
  }
  if (const auto* node = std::get_if<syntax::Negate>(&e.node)) {
    UnitValue result = value(*node->operand, scope);
    if (result.now) result.now = -*result.now;
    return result;
  }
  if (const auto* node = std::get_if<syntax::Not>(&e.node)) {
    UnitValue result = value(*node->operand, scope);
    if (result.now) result.now = *result.now == 0 ? 1 : 0;
    return result;
  }
  if (const auto* node = std::get_if<syntax::Chain>(&e.node)) return evaluate(e, *node, scope);
  if (const auto* node = std::get_if<syntax::Power>(&e.node)) return evaluate(*node, scope);
  if (const auto* node = std::get_if<syntax::Matrix>(&e.node)) return evaluate(*node, scope);
  if (const auto* node = std::get_if<syntax::Call>(&e.node)) return evaluate(e, *node, scope);
  if (const auto* node = std::get_if<syntax::Compare>(&e.node)) {
    const UnitValue a = value(*node->left, scope), b = value(*node->right, scope);
    alike(a, *node->left, b, *node->right, "compared", scope);
    UnitValue result = plain_scalar();
    result.bare = is_loose(a) && is_loose(b);
    result.number = both(a.number, b.number);
    if (a.now && b.now) result.now = compare(node->op, *a.now, *b.now) ? 1 : 0;
    return result;
  }
  if (const auto* node = std::get_if<syntax::Quantity>(&e.node)) {
    UnitValue result = value(*node->value, scope);
    const UnitValue stated = of_unit(node->unit, node->unit_place);
    if (result.is_anything() || stated.is_anything()) return result;
    if (const auto wrong = equate(stated, result, node->value->place))
      fail({node->value->place,
            fmt::format("'{}' is stated in {}, its value is in {}", print(*node->value),
                        text(stated.at(0)), text(result.at(*wrong))),
            "",
            {node->value.get()}},
           scope);
    result.entries = stated.entries;
    result.number = NumberKind::no;
    result.now = std::nullopt;
    result.bare = result.pure = result.clock = false;
    return result;
  }
  if (const auto* node = std::get_if<syntax::Sum>(&e.node)) {
    std::optional<UnitValue> total;
    loop(node->binder, scope, [&](long, const UnitScope& inner) {
      UnitValue term = value(*node->body, inner);
      total =
          total ? alike(*total, *node->body, term, *node->body, "added", inner) : std::move(term);
    });
    if (!total) return unknown_scalar();
    total->now = std::nullopt;
    return *total;
  }
  if (const auto* node = std::get_if<syntax::If>(&e.node)) {
    const UnitValue condition = value(*node->condition, scope);
    if (condition.now)
      return value(*condition.now != 0 ? *node->when_true : *node->when_false, scope);
    const UnitValue yes = value(*node->when_true, scope), no = value(*node->when_false, scope);
    UnitValue result =
        alike(yes, *node->when_true, no, *node->when_false, "branches of one 'if'", scope);
    result.now = std::nullopt;
    return result;
  }
  return {};
}

/// Both have one unit; what they have together. `rule` is what cannot be done otherwise: "added".
UnitValue UnitCheck::alike(const UnitValue& a, const syntax::Expression& written_a,
                           const UnitValue& b, const syntax::Expression& written_b,
                           const std::string& rule, const UnitScope& scope) {
  if (a.is_anything()) return b;
  if (b.is_anything()) return a;
  const bool bare = is_loose(a) && is_loose(b) && (a.bare || b.bare);
  if (const auto wrong = equate(a, b, written_b.place)) {
    fail({written_b.place,
          fmt::format("'{}' in {} and '{}' in {} cannot be {}{}", print(written_a),
                      text(a.at(*wrong)), print(written_b), text(b.at(*wrong)), rule,
                      scope.context.empty() ? "" : " in " + scope.context),
          "",
          {&written_a, &written_b}},
         scope);
  }
  UnitValue result = b.bare || (!a.bare && a.entries.size() >= b.entries.size()) ? a : b;
  result.bare = bare;
  result.pure = bare && is_factor(a) && is_factor(b);
  result.clock = a.clock && b.clock;
  result.number = both(a.number, b.number);
  result.now = std::nullopt;
  result.anchored = (a.anchored || a.number != NumberKind::no) &&
                    (b.anchored || b.number != NumberKind::no) && result.number == NumberKind::no;
  return result;
}

UnitValue UnitCheck::evaluate(const syntax::Expression&, const syntax::Chain& node,
                              const UnitScope& scope) {
  const syntax::ChainOp kind = node.rest[0].first;
  if (kind == syntax::ChainOp::multiply || kind == syntax::ChainOp::divide)
    return product(node, scope);
  UnitValue result = value(*node.first, scope);
  const syntax::Expression* before = node.first.get();
  for (const auto& [op, operand] : node.rest) {
    const UnitValue next = value(*operand, scope);
    const std::optional<double> now = calculate(op, result.now, next.now);
    if (op == syntax::ChainOp::add || op == syntax::ChainOp::subtract) {
      result = alike(result, *before, next, *operand,
                     op == syntax::ChainOp::add ? "added" : "subtracted", scope);
    } else {
      result.number = both(result.number, next.number);
    }
    result.now = now;
    if (next.number == NumberKind::no) before = operand.get();
  }
  return result;
}

/// Beside a parameter a plain number and a function of time have no unit: else m/2*x' could be an energy, with 2 in s/m.
UnitValue UnitCheck::product(const syntax::Chain& node, const UnitScope& scope) {
  std::vector<UnitValue> factors{value(*node.first, scope)};
  for (const auto& [op, operand] : node.rest) factors.push_back(value(*operand, scope));
  const bool anchored = std::any_of(factors.begin(), factors.end(),
                                    [](const UnitValue& factor) { return factor.anchored; });
  std::optional<double> now = factors[0].now;
  NumberKind number = factors[0].number;
  for (std::size_t i = 1; i < factors.size(); ++i) {
    now = calculate(node.rest[i - 1].first, now, factors[i].now);
    number = both(number, factors[i].number);
  }
  const bool bare = std::all_of(factors.begin(), factors.end(), is_loose) &&
                    std::any_of(factors.begin(), factors.end(),
                                [](const UnitValue& factor) { return factor.bare; });
  const bool pure = bare && std::all_of(factors.begin(), factors.end(), is_factor);
  for (UnitValue& factor : factors)
    if (anchored && (factor.number == NumberKind::plain || factor.pure))
      for (DimensionTerm& own : factor.entries) {
        if (!factor.pure) equations_.equate(own, DimensionTerm(), {});
        own = DimensionTerm();
      }
  UnitValue result = std::move(factors[0]);
  for (std::size_t i = 1; i < factors.size(); ++i) {
    if (node.rest[i - 1].first == syntax::ChainOp::divide)
      factors[i] = each_to_the(std::move(factors[i]), -1);
    result = multiply(result, factors[i]);
  }
  result.now = now;
  result.number = number;
  result.anchored = anchored;
  result.bare = bare;
  result.pure = pure;
  result.clock = false;
  return result;
}

UnitValue UnitCheck::multiply(const UnitValue& a, const UnitValue& b) {
  if (a.is_anything() || b.is_anything()) return {};
  if (a.kind == Kind::scalar || b.kind == Kind::scalar) {
    const UnitValue& scalar = a.kind == Kind::scalar ? a : b;
    UnitValue result = a.kind == Kind::scalar ? b : a;
    for (DimensionTerm& own : result.entries) own = own * scalar.entries[0];
    return result;
  }
  UnitValue result;
  if (a.columns != b.rows) return result;
  result.rows = a.rows;
  result.columns = b.columns;
  result.kind = b.kind == Kind::vector ? Kind::vector : Kind::matrix;
  if (a.entries.size() == 1 && b.entries.size() == 1) {
    result.entries = {a.entries[0] * b.entries[0]};
    return result;
  }
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < b.columns; ++j)
      for (std::size_t k = 0; k < a.columns; ++k) {
        DimensionTerm term = a.at(i * a.columns + k) * b.at(k * b.columns + j);
        if (k == 0)
          result.entries.push_back(std::move(term));
        else
          equations_.equate(result.entries.back(), term, {});
      }
  return result;
}

UnitValue UnitCheck::evaluate(const syntax::Power& node, const UnitScope& scope) {
  const UnitValue base = value(*node.base, scope), exponent = value(*node.exponent, scope);
  if (base.is_anything()) return {};
  UnitValue result = base;
  const auto fraction = exponent.now ? simple_fraction(*exponent.now) : std::nullopt;
  if (exponent.number != NumberKind::no && fraction) {
    result = each_to_the(base, *fraction);
    if (base.number == NumberKind::plain && *fraction == Rational(0)) result = plain_scalar();
  } else {
    require_number(exponent, *node.exponent, "an exponent", scope);
    if (base.number == NumberKind::no && !exponent.now)
      require_number(base, *node.base, "the base of a power whose exponent may change", scope);
    result = base.number == NumberKind::no && exponent.now ? unknown_scalar() : plain_scalar();
    result.number = NumberKind::no;
  }
  result.number = both(base.number, exponent.number);
  result.bare = base.bare && is_loose(exponent);
  result.pure = result.bare && is_factor(base);
  result.clock = base.clock && is_loose(exponent);
  result.now =
      base.now && exponent.now ? std::optional(std::pow(*base.now, *exponent.now)) : std::nullopt;
  result.anchored = base.anchored;
  return result;
}

UnitValue UnitCheck::evaluate(const syntax::Matrix& node, const UnitScope& scope) {
  UnitValue result;
  result.kind = node.rows.size() == 1 ? Kind::vector : Kind::matrix;
  result.number = NumberKind::plain;
  result.bare = true;
  bool anchored = true, factors = true;
  for (const auto& row : node.rows)
    for (const auto& cell : row) {
      const UnitValue entry = value(*cell, scope);
      result.entries.push_back(entry.entries.size() == 1 ? entry.entries[0] : equations_.unknown());
      result.number = both(result.number, entry.number);
      result.bare = result.bare && entry.bare;
      factors = factors && is_factor(entry);
      anchored = anchored && (entry.anchored || entry.number != NumberKind::no);
    }
  const auto columns = static_cast<std::uint32_t>(node.rows[0].size());
  const auto rows = static_cast<std::uint32_t>(node.rows.size());
  result.rows = rows == 1 ? columns : rows;
  result.columns = rows == 1 ? 1 : columns;
  result.anchored = anchored && result.number == NumberKind::no;
  result.pure = result.bare && factors && result.number == NumberKind::no;
  return result;
}

// ---- functions

void UnitCheck::require_number(const UnitValue& value, const syntax::Expression& written,
                               const std::string& what, const UnitScope& scope) {
  if (is_loose(value)) return;
  const auto wrong = equate(value, plain_scalar(), written.place);
  if (!wrong) return;
  fail({written.place,
        fmt::format("{} has no unit, and '{}' is in {}{}", what, print(written),
                    text(value.at(*wrong)), scope.context.empty() ? "" : " in " + scope.context),
        "divide by a quantity of the same unit, as in  sin(x/L)  and  exp(-t/tau)",
        {&written}},
       scope);
}

UnitValue UnitCheck::evaluate(const syntax::Expression& e, const syntax::Call& call,
                              const UnitScope& scope) {
  if (call.part != nullptr) {
    Instance* part = meaning(*call.part, scope).part;
    if (part == nullptr) return {};
    if (const auto example = example_of_.find(part); example != example_of_.end())
      part = example->second;
    const auto known = part->names.find(call.function);
    if (known == part->names.end() || known->second.function() == nullptr) return {};
    return apply(*known->second.function(), *part, call, scope);
  }
  if (const auto known = scope.instance->names.find(call.function);
      known != scope.instance->names.end()) {
    if (const syntax::Let* function = known->second.function())
      return apply(*function, *scope.instance, call, scope);
    return {};
  }
  if (Instance* around = scope.instance->around; around != nullptr) {
    if (std::optional<UnitValue> found = law(call, scope)) return *std::move(found);
    const auto outer = around->names.find(call.function);
    if (outer != around->names.end() && outer->second.function() != nullptr)
      return apply(*outer->second.function(), *around, call, scope);
  }
  return builtin(e, call, scope);
}

UnitValue UnitCheck::apply(const syntax::Let& function, Instance& home, const syntax::Call& call,
                           const UnitScope& scope) {
  constexpr int deepest = 100;
  if (depth_ > deepest || call.arguments.size() != function.parameters.size()) return {};
  std::vector<UnitLocal> locals(call.arguments.size());
  for (std::size_t i = 0; i < locals.size(); ++i) {
    locals[i] = {function.parameters[i], meaning(*call.arguments[i].value, scope),
                 i == 0 ? nullptr : &locals[i - 1]};
    if (UnitValue& own = locals[i].meaning.value; own.number != NumberKind::no && !own.now)
      own.number = NumberKind::any;
  }
  ++depth_;
  const UnitScope inner{&home, fmt::format("function '{}'", function.name),
                        locals.empty() ? nullptr : &locals.back()};
  UnitValue result = value(*function.value, inner);
  --depth_;
  const UnitValue stated = of_unit(function.unit, function.unit_place);
  if (!stated.is_anything() && equate(stated, result, function.value->place))
    fail({function.value->place,
          fmt::format("'{}' is stated in {}, its value is in {}", function.name, text(stated.at(0)),
                      text(result.at(0))),
          "",
          {function.value.get()}},
         inner);
  return result;
}

UnitValue UnitCheck::builtin(const syntax::Expression& e, const syntax::Call& call,
                             const UnitScope& scope) {
  static const std::set<std::string, std::less<>> of_numbers{"sin",  "cos",  "tan",  "asin", "acos",
                                                             "atan", "sinh", "cosh", "tanh", "exp",
                                                             "log",  "rotx", "rotz", "roty"};
  const std::string& name = call.function;
  std::vector<UnitValue> arguments;
  std::vector<const syntax::Expression*> written;
  for (const syntax::Argument& argument : call.arguments)
    if (argument.name.empty() && !std::holds_alternative<syntax::Text>(argument.value->node)) {
      arguments.push_back(value(*argument.value, scope));
      written.push_back(argument.value.get());
    }
  const std::size_t count = arguments.size();
  if (of_numbers.contains(name) && count == 1) {
    require_number(arguments[0], *written[0], fmt::format("the argument of {}", name), scope);
    if (is_loose(arguments[0]) && !name.starts_with("rot")) return loose_scalar();
    UnitValue result = plain_scalar();
    if (name.starts_with("rot")) {
      result.kind = Kind::matrix;
      result.rows = result.columns = 3;
    }
    return result;
  }
  if (name == "rpy" && count == 3) {
    for (std::size_t i = 0; i < count; ++i)
      require_number(arguments[i], *written[i], "an angle of rpy", scope);
    UnitValue result = plain_scalar();
    result.kind = Kind::matrix;
    result.rows = result.columns = 3;
    return result;
  }
  if (name == "sqrt" && count == 1) {
    UnitValue result = each_to_the(arguments[0], Rational(1, 2));
    if (result.now) result.now = std::sqrt(*result.now);
    if (result.number == NumberKind::plain) result.number = NumberKind::any;
    return result;
  }
  if ((name == "abs" || name == "floor") && count == 1) {
    UnitValue result = arguments[0];
    if (result.now) result.now = name == "abs" ? std::abs(*result.now) : std::floor(*result.now);
    return result;
  }
  if (name == "sign") return count == 1 && is_loose(arguments[0]) ? loose_scalar() : plain_scalar();
  if (name == "atan2" && count == 2) {
    alike(arguments[0], *written[0], arguments[1], *written[1], "arguments of one atan2", scope);
    return plain_scalar();
  }
  if ((name == "min" || name == "max" || name == "mod") && count > 0) {
    UnitValue result = arguments[0];
    for (std::size_t i = 1; i < count; ++i) {
      const auto a = result.now, b = arguments[i].now;
      result = alike(result, *written[0], arguments[i], *written[i],
                     fmt::format("arguments of one {}", name), scope);
      if (a && b)
        result.now = name == "min"   ? std::min(*a, *b)
                     : name == "max" ? std::max(*a, *b)
                                     : *a - *b * std::floor(*a / *b);
    }
    return result;
  }
  if ((name == "dot" && count == 2) || (name == "norm" && count == 1)) {
    const UnitValue& a = arguments[0];
    const UnitValue& b = arguments[count - 1];
    if (a.is_anything() || b.is_anything()) return {};
    UnitValue result;
    result.kind = Kind::scalar;
    const std::size_t terms = std::max(a.entries.size(), b.entries.size());
    if (terms == 0) return {};
    result.entries = {a.at(0) * b.at(0)};
    for (std::size_t i = 1; i < terms; ++i) {
      if (i >= a.entries.size() && a.entries.size() != 1) break;
      if (i >= b.entries.size() && b.entries.size() != 1) break;
      const DimensionTerm term = a.at(i) * b.at(i);
      if (!equations_.equate(result.entries[0], term, e.place)) {
        contradict(result.entries[0], term);
        fail({e.place,
              fmt::format("{} adds {} and {}{}", name, text(result.entries[0]), text(term),
                          scope.context.empty() ? "" : " in " + scope.context),
              "the entries of a vector that has a length have one unit", written},
             scope);
      }
    }
    result.number = both(a.number, b.number);
    result.anchored = a.anchored && b.anchored;
    return name == "norm" ? each_to_the(result, Rational(1, 2)) : result;
  }
  if (name == "cross" && count == 2) {
    const UnitValue &a = arguments[0], &b = arguments[1];
    if (a.entries.empty() || b.entries.empty()) return {};
    UnitValue result = a;
    if (a.entries.size() == 1 && b.entries.size() == 1) {
      result.entries = {a.entries[0] * b.entries[0]};
      return result;
    }
    result.entries.clear();
    for (const auto& [i, j] : {std::pair{1, 2}, std::pair{2, 0}, std::pair{0, 1}}) {
      result.entries.push_back(a.at(i) * b.at(j));
      equations_.equate(result.entries.back(), a.at(j) * b.at(i), e.place);
    }
    return result;
  }
  if (name == "transpose" && count == 1) {
    UnitValue result = arguments[0];
    if (result.is_anything()) return result;
    result.kind = Kind::matrix;
    std::swap(result.rows, result.columns);
    if (result.entries.size() == 1) return result;
    for (std::size_t j = 0; j < result.rows; ++j)
      for (std::size_t i = 0; i < result.columns; ++i)
        result.entries[j * result.columns + i] = arguments[0].at(i * result.rows + j);
    return result;
  }
  if (name == "diagonal" && count == 1) {
    UnitValue result = arguments[0];
    if (result.kind != Kind::vector) return result;
    result.kind = Kind::matrix;
    result.columns = result.rows;
    if (result.entries.size() == 1) return result;
    result.entries.clear();
    for (std::size_t i = 0; i < result.rows; ++i)
      for (std::size_t j = 0; j < result.rows; ++j)
        result.entries.push_back(i == j ? arguments[0].at(i) : equations_.unknown());
    return result;
  }
  if (name == "cat") {
    UnitValue result;
    result.kind = Kind::vector;
    result.rows = 0;
    result.number = NumberKind::plain;
    for (const UnitValue& part : arguments) {
      if (part.is_anything()) return {};
      result.rows += part.rows;
      for (std::size_t i = 0; i < part.size(); ++i) result.entries.push_back(part.at(i));
      result.number = both(result.number, part.number);
    }
    return result;
  }
  if (name == "der") {
    if (count == 0) return {};
    UnitValue result = arguments[0];
    const auto order =
        count == 2 && arguments[1].now ? simple_fraction(*arguments[1].now) : Rational(1);
    if (!order) return {};
    const DimensionTerm time{dimensions::time.to_the(*order), {}};
    for (DimensionTerm& own : result.entries) own = own / time;
    result.anchored = false;
    return result;
  }
  if (name == "line" && count == 3) {
    require_number(arguments[2], *written[2], "the share of a line", scope);
    return alike(arguments[0], *written[0], arguments[1], *written[1], "the ends of one line",
                 scope);
  }
  if (name == "circle" && count == 4) {
    require_number(arguments[3], *written[3], "the share of a circle", scope);
    return alike(arguments[0], *written[0], arguments[1], *written[1],
                 "the centre and a point of one circle", scope);
  }
  if (name == "rest_to_rest" && count == 1) {
    require_number(arguments[0], *written[0], "the argument of rest_to_rest", scope);
    return loose_scalar();  // 0 to 1, of whatever moves
  }
  return {};  // splines: a file states no units
}

}  // namespace daedal::model
