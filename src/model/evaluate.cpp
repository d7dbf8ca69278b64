// Expressions of the syntax tree -> values over the model's graph.
#include "daedal/base/diagnostic.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/language/parse.hpp"
#include "daedal/model/evaluator.hpp"
#include "daedal/model/functions.hpp"
#include "daedal/model/other_languages.hpp"
#include "daedal/units/dimension.hpp"
#include "model/level.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::model {

using expr::Expr;
using expr::Op;

namespace {

/// Orders of derivatives beyond this are no mechanics, and each may multiply an expression's size.
constexpr long max_order = 60;

/// Whether a node is 1 or 0 by its nature; a choice between truth values is one.
bool is_truth_value(Op op) {
  return expr::facts(op).truth || op == Op::select || op == Op::constant;
}

Expr require_condition(const expr::Graph& graph, const Value& value, const Place& place) {
  const Expr result = require_scalar(value, place, "a condition");
  if (!is_truth_value(graph.node(result).op))
    fault(place, "a condition must compare something", "write  x > 0  or  a < b and b < c");
  return result;
}

/// Ends the use of a function when its body is done.
class Use {
 public:
  Use(std::vector<ActiveFunction>& active, ActiveFunction function) : active_(active) {
    active_.push_back(function);
  }
  ~Use() { active_.pop_back(); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  std::vector<ActiveFunction>& active_;
};

}  // namespace

Evaluator::Passes::Passes(Evaluator& evaluator, long count, const Place& place)
    : passes_(evaluator.passes_), outer_(evaluator.passes_) {
  const double all = outer_ * static_cast<double>(std::max(count, 1L));
  if (all > static_cast<double>(evaluator.algebra_.limits().passes)) {
    fault(place,
          fmt::format("{:.0f} passes of {}; at most {} are accepted", all,
                      outer_ > 1 ? "nested loops" : "a loop", evaluator.algebra_.limits().passes));
  }
  passes_ = all;
}

Value Evaluator::value(const syntax::Expression& e, const Scope& scope) {
  const Level level(level_, e.place);
  algebra_.charge(1, e.place);
  return std::visit([&](const auto& node) { return evaluate(e, node, scope); }, e.node);
}

Expr Evaluator::scalar(const syntax::Expression& e, const Scope& scope, const std::string& what) {
  return require_scalar(value(e, scope), e.place, what);
}

Expr Evaluator::condition(const syntax::Expression& e, const Scope& scope) {
  return require_condition(algebra_.graph(), value(e, scope), e.place);
}

long Evaluator::integer(const Value& value, const Place& place, const std::string& what) const {
  const Expr result = require_scalar(value, place, what);
  const expr::Graph& graph = algebra_.graph();
  if (!graph.is_constant(result)) {
    fault(place, fmt::format("{} must be made of numbers and sizes", what),
          "declare what it is made of with  size  instead of  parameter");
  }
  const double number = graph.constant_value(result);
  if (!(std::abs(number) < 1e15) || number != std::floor(number))
    fault(place, fmt::format("{} must be a whole number, not {}", what, number_text(number)));
  return static_cast<long>(number);
}

double Evaluator::number(Expr e, const Place& place, const std::string& what) const {
  const Expr roots[] = {e};
  const expr::Graph& graph = algebra_.graph();
  for (const expr::Leaf& leaf : expr::leaves(graph, roots)) {
    if (symbols_[leaf.symbol].kind == SymbolKind::parameter) continue;
    fault(place, fmt::format("{} must be made of numbers, sizes and parameters, not of {}", what,
                             describe(symbols_[leaf.symbol])));
  }
  const double result =
      expr::evaluate(graph, roots, [&](expr::Leaf leaf) { return symbols_[leaf.symbol].value; })[0];
  if (!std::isfinite(result))
    fault(place, fmt::format("{} is not a finite number ({})", what, number_text(result)));
  return result;
}

std::pair<long, long> Evaluator::range(const syntax::Binder& binder, const Scope& scope) {
  const long first = integer(*binder.first, scope, "the start of a range");
  const long last = integer(*binder.last, scope, "the end of a range");
  return {first, std::max(last, first - 1)};
}

Value Evaluator::differentiate(Value value, int order, const Place& place) {
  const auto varies = [this](expr::SymbolId s) {
    return symbols_[s].kind != SymbolKind::parameter;
  };
  return algebra_.differentiate(std::move(value), order, varies, place);
}

// ---- one function for every node

Value Evaluator::evaluate(const syntax::Expression&, const syntax::Number& node, const Scope&) {
  return algebra_.number(node.value);
}

Value Evaluator::evaluate(const syntax::Expression& e, const syntax::Text&, const Scope&) {
  fault(e.place, "a text is not a value here");
}

Value Evaluator::evaluate(const syntax::Expression& e, const syntax::Range&, const Scope&) {
  fault(e.place, "a range is allowed only in the brackets of an index or a declaration");
}

Value Evaluator::evaluate(const syntax::Expression& e, const syntax::Derivative& node,
                          const Scope& scope) {
  if (node.order > max_order)
    fault(e.place, fmt::format("the order of a derivative is at most {}", max_order));
  if (scope.instance->around == nullptr)
    return differentiate(value(*node.base, scope), node.order, e.place);
  if (const Value* measured = surroundings_.measured(e, scope)) return *measured;
  const Value base = value(*node.base, scope);
  surroundings_.check_derivative(base, e.place);
  return differentiate(base, node.order, e.place);
}

Value Evaluator::evaluate(const syntax::Expression& e, const syntax::Negate& node,
                          const Scope& scope) {
  return algebra_.negate(value(*node.operand, scope), e.place);
}

Value Evaluator::evaluate(const syntax::Expression& e, const syntax::Not& node,
                          const Scope& scope) {
  return Value::scalar(algebra_.unary(Op::logical_not, condition(*node.operand, scope), e.place));
}

Value Evaluator::evaluate(const syntax::Expression& e, const syntax::Chain& node,
                          const Scope& scope) {
  const auto logical = [&](Op op, const Value& left, const syntax::Expression& right) {
    const Expr a = require_condition(algebra_.graph(), left, node.first->place);
    return Value::scalar(algebra_.binary(op, a, condition(right, scope), e.place));
  };
  Value result = value(*node.first, scope);
  for (const auto& [op, operand] : node.rest) {
    switch (op) {
      case syntax::ChainOp::add:
        result = algebra_.add(result, value(*operand, scope), e.place);
        break;
      case syntax::ChainOp::subtract:
        result = algebra_.subtract(result, value(*operand, scope), e.place);
        break;
      case syntax::ChainOp::multiply:
        result = algebra_.multiply(result, value(*operand, scope), e.place);
        break;
      case syntax::ChainOp::divide:
        result = algebra_.divide(result, value(*operand, scope), operand->place);
        break;
      case syntax::ChainOp::logical_and:
        result = logical(Op::logical_and, result, *operand);
        break;
      case syntax::ChainOp::logical_or:
        result = logical(Op::logical_or, result, *operand);
        break;
    }
  }
  return result;
}

Value Evaluator::evaluate(const syntax::Expression& e, const syntax::Power& node,
                          const Scope& scope) {
  const Value base = value(*node.base, scope);
  return algebra_.power(base, value(*node.exponent, scope), e.place);
}

/// A number becomes SI; a formula of quantities is in SI already.
Value Evaluator::evaluate(const syntax::Expression&, const syntax::Quantity& node,
                          const Scope& scope) {
  Value result = value(*node.value, scope);
  UnitFault wrong;
  const std::optional<Unit> unit = parse_unit(node.unit, &wrong);
  if (!unit) fault(node.unit_place, wrong.message, wrong.help);
  if (unit->is_si()) return result;
  expr::Graph& graph = algebra_.graph();
  for (Expr& entry : result.entries) {
    for (const expr::Leaf leaf : expr::leaves(graph, std::span(&entry, 1)))
      if (leaf.symbol != expr::time_symbol)
        fault(node.unit_place,
              fmt::format("a unit such as {} converts numbers, and this is a formula: {}",
                          node.unit, print(*node.value)),
              fmt::format("formulas are in SI units: write [{}]", unit->si));
    entry = graph.div(graph.mul(entry, graph.constant(unit->numerator)),
                      graph.constant(unit->denominator));
  }
  return result;
}

// Equality of real numbers is a <= b and b <= a.
Value Evaluator::evaluate(const syntax::Expression& e, const syntax::Compare& node,
                          const Scope& scope) {
  const Expr a = scalar(*node.left, scope, "the left side of a comparison");
  const Expr b = scalar(*node.right, scope, "the right side of a comparison");
  const auto apply = [&](Op op, Expr x, Expr y) { return algebra_.binary(op, x, y, e.place); };
  const auto equal = [&] {
    return apply(Op::logical_and, apply(Op::less_equal, a, b), apply(Op::less_equal, b, a));
  };
  switch (node.op) {
    case syntax::CompareOp::less:
      return Value::scalar(apply(Op::less, a, b));
    case syntax::CompareOp::less_equal:
      return Value::scalar(apply(Op::less_equal, a, b));
    case syntax::CompareOp::greater:
      return Value::scalar(apply(Op::less, b, a));
    case syntax::CompareOp::greater_equal:
      return Value::scalar(apply(Op::less_equal, b, a));
    case syntax::CompareOp::equal:
      return Value::scalar(equal());
    case syntax::CompareOp::not_equal:
      return Value::scalar(algebra_.unary(Op::logical_not, equal(), e.place));
  }
  return {};
}

namespace {

/// [[1, 0], [0, 1]]: rows as other languages write them.
void refuse_rows(const syntax::Matrix& node) {
  std::string rows;
  if (node.rows.size() != 1) return;
  for (const syntax::ExpressionPtr& cell : node.rows[0]) {
    const auto* row = std::get_if<syntax::Matrix>(&cell->node);
    if (row == nullptr || row->rows.size() != 1) return;
    const std::string text = print(*cell);
    rows += (rows.empty() ? "" : "; ") + text.substr(1, text.size() - 2);
  }
  fault(node.rows[0][0]->place, "the rows of a matrix are separated by ';'",
        fmt::format("write  [{}]", rows));
}

/// The zero of a sum without terms: as long as the vector that a term would be.
std::uint32_t length_of_term(const syntax::Expression& body) {
  const auto* vector = std::get_if<syntax::Matrix>(&body.node);
  return vector != nullptr && vector->rows.size() == 1
             ? static_cast<std::uint32_t>(vector->rows[0].size())
             : 0;
}

}  // namespace

Value Evaluator::evaluate(const syntax::Expression& e, const syntax::Matrix& node,
                          const Scope& scope) {
  const std::size_t columns = node.rows[0].size();
  std::vector<Expr> entries;
  for (const auto& row : node.rows) {
    if (row.size() != columns) {
      fault(e.place, fmt::format("the rows of a matrix have one length, here {} and {}", columns,
                                 row.size()));
    }
    for (const syntax::ExpressionPtr& cell : row) {
      const Value entry = value(*cell, scope);
      if (!entry.is_scalar()) {
        refuse_rows(node);
        fault(cell->place,
              fmt::format("an entry of a vector must be a number, not {}", entry.shape.text()),
              "use cat(a, b) to join vectors");
      }
      entries.push_back(entry.entries[0]);
    }
  }
  if (node.rows.size() == 1) return Value::vector(std::move(entries));
  return {Shape::matrix(static_cast<std::uint32_t>(node.rows.size()),
                        static_cast<std::uint32_t>(columns)),
          std::move(entries)};
}

Value Evaluator::evaluate(const syntax::Expression& e, const syntax::Sum& node,
                          const Scope& scope) {
  std::optional<Value> total;
  loop(node.binder, scope, [&](long, const Scope& inner) {
    Value term = value(*node.body, inner);
    total = total ? algebra_.add(*total, term, e.place) : std::move(term);
  });
  if (total) return std::move(*total);
  const Value zero = algebra_.number(0);
  const std::uint32_t length = length_of_term(*node.body);
  return length == 0 ? zero : Value::vector(std::vector<Expr>(length, zero.entries[0]));
}

// A condition made of numbers and sizes decides at once, and the other branch is ignored: it
// may then divide by zero or ask for an entry that is not there, as in `if k == 1 then 0 else
// P[k-1]`.
Value Evaluator::evaluate(const syntax::Expression& e, const syntax::If& node, const Scope& scope) {
  const Expr decides = condition(*node.condition, scope);
  const expr::Graph& graph = algebra_.graph();
  if (graph.is_constant(decides))
    return value(graph.is_constant(decides, 0) ? *node.when_false : *node.when_true, scope);
  const Value yes = value(*node.when_true, scope);
  return algebra_.select(decides, yes, value(*node.when_false, scope), e.place);
}

// ---- calls

Value Evaluator::evaluate(const syntax::Expression& e, const syntax::Call& node,
                          const Scope& scope) {
  if (node.part != nullptr) return apply_of_part(e, node, scope);
  auto& names = scope.instance->names;
  if (const auto known = names.find(node.function); known != names.end()) {
    Entry& entry = known->second;
    if (const syntax::Let* function = entry.function())
      return apply(*function, *scope.instance, e.place, node, scope);
    if (entry.kind == NameKind::parameter)
      if (const FunctionOf* given =
              surroundings_.resolve(*scope.instance, entry, e.place).function())
        return apply(*given->let, *given->home, e.place, node, scope);
    fault(node.function_place,
          fmt::format("{} '{}' is not a function", text(entry.kind), node.function));
  }
  if (node.function == "der") return derivative(e, node, scope);
  if (is_builtin(node.function)) return apply_builtin(e, node, scope);
  if (Instance* around = scope.instance->around; around != nullptr) {
    if (std::optional<Value> law = surroundings_.law(e, scope)) return *std::move(law);
    const auto outer = around->names.find(node.function);
    if (outer != around->names.end() && outer->second.function() != nullptr)
      return apply(*outer->second.function(), *around, e.place, node, scope);
  }
  std::vector<std::string> candidates = builtin_names();
  for (const auto& [name, entry] : names)
    if (entry.kind == NameKind::function) candidates.push_back(name);
  candidates.insert(candidates.end(), {"der", "sum"});
  std::sort(candidates.begin(), candidates.end());
  const std::string own = help_for_function(node);
  fault(node.function_place,
        fmt::format("unknown function '{}'{}", node.function,
                    scope.context.empty() ? "" : " in " + scope.context),
        own.empty() ? did_you_mean(nearest_name(node.function, candidates)) : own);
}

/// A function is written out where it is used: its arguments become locals around its body, whose
/// names are those of its `home`.
Value Evaluator::apply(const syntax::Let& function, Instance& home, const Place& place,
                       const syntax::Call& call, const Scope& scope) {
  const auto& active = active_functions_;
  const ActiveFunction this_one{&function, &home};
  if (std::find(active.begin(), active.end(), this_one) != active.end()) {
    fault(place, fmt::format("function '{}' calls itself", function.name),
          "functions are written out where they are used");
  }
  const std::size_t count = function.parameters.size();
  if (call.arguments.size() != count) {
    fault(place,
          fmt::format("'{}' takes {} argument{}, not {}", function.name, count,
                      count == 1 ? "" : "s", call.arguments.size()),
          fmt::format("it is defined on line {}", function.place.line));
  }
  std::vector<Local> locals(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!call.arguments[i].name.empty()) {
      fault(call.arguments[i].place, fmt::format("'{}' takes no named arguments", function.name));
    }
    locals[i] = {function.parameters[i], thing(*call.arguments[i].value, scope),
                 i == 0 ? nullptr : &locals[i - 1]};
  }
  const Use use(active_functions_, this_one);
  return value(*function.value, {&home, fmt::format("function '{}'", function.name),
                                 count == 0 ? nullptr : &locals.back()});
}

/// rod.point([1, 0])
Value Evaluator::apply_of_part(const syntax::Expression& e, const syntax::Call& call,
                               const Scope& scope) {
  refuse_foreign_module(*call.part, e, call.function, scope);
  const Thing owner = thing(*call.part, scope);
  Instance* part = owner.part();
  if (part == nullptr) {
    fault(e.place, fmt::format("'{}' has no function '{}'", print(*call.part), call.function),
          "parts have functions; a product is written with '*'");
  }
  const auto known = part->names.find(call.function);
  if (known != part->names.end() && known->second.function() != nullptr)
    return apply(*known->second.function(), *part, e.place, call, scope);
  std::vector<std::string> candidates;
  for (const auto& [name, entry] : part->names)
    if (entry.kind == NameKind::function) candidates.push_back(name);
  std::sort(candidates.begin(), candidates.end());
  fault(call.function_place,
        fmt::format("model '{}' has no function '{}'", part->model->name, call.function),
        did_you_mean(nearest_name(call.function, candidates)));
}

Value Evaluator::derivative(const syntax::Expression& e, const syntax::Call& call,
                            const Scope& scope) {
  const auto& arguments = call.arguments;
  const bool named = std::any_of(arguments.begin(), arguments.end(),
                                 [](const syntax::Argument& a) { return !a.name.empty(); });
  if (arguments.empty() || arguments.size() > 2 || named)
    fault(e.place, "der takes an expression and, if it is not 1, an order", "write  der(x, 2)");
  const long order =
      arguments.size() == 2 ? integer(*arguments[1].value, scope, "the order of der") : 1;
  if (order < 0 || order > max_order) {
    fault(arguments[1].place,
          fmt::format("the order of der must lie between 0 and {}, not {}", max_order, order));
  }
  const Value base = value(*arguments[0].value, scope);
  if (scope.instance->around != nullptr) surroundings_.check_derivative(base, e.place);
  return differentiate(base, static_cast<int>(order), e.place);
}

Value Evaluator::apply_builtin(const syntax::Expression& e, const syntax::Call& call,
                               const Scope& scope) {
  EvaluatedCall evaluated{call.function,
                          e.place,
                          {},
                          {},
                          {},
                          scope.command_line ? std::string() : scope.instance->directory};
  for (const syntax::Argument& argument : call.arguments) {
    if (const auto* text = std::get_if<syntax::Text>(&argument.value->node))
      evaluated.texts.push_back({argument.name, argument.place, text->value});
    else if (argument.name.empty())
      evaluated.arguments.push_back(value(*argument.value, scope));
    else
      evaluated.named.push_back({argument.name, argument.place, value(*argument.value, scope)});
  }
  return model::apply_builtin(algebra_, evaluated);
}

}  // namespace daedal::model
