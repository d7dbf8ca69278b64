#include "daedal/model/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace daedal::model {

using expr::Expr;
using expr::Op;

// ---- arguments

void EvaluatedCall::require_count(std::size_t count) const {
  if (arguments.size() == count) return;
  fault(place, fmt::format("{} takes {} argument{}, not {}", function, count, count == 1 ? "" : "s",
                           arguments.size()));
}

void EvaluatedCall::allow(std::initializer_list<const char*> options,
                          std::initializer_list<const char*> text_options) const {
  const auto refuse_others = [&](const auto& given, std::initializer_list<const char*> known) {
    for (const auto& argument : given) {
      if (std::find(known.begin(), known.end(), argument.name) != known.end()) continue;
      if (argument.name.empty()) fault(argument.place, fmt::format("{} takes no text", function));
      std::vector<std::string> names(options.begin(), options.end());
      names.insert(names.end(), text_options.begin(), text_options.end());
      const std::string near = nearest_name(argument.name, names);
      fault(argument.place, fmt::format("{} has no option '{}'", function, argument.name),
            !near.empty()   ? fmt::format("did you mean '{}'?", near)
            : names.empty() ? ""
                            : fmt::format("its options: {}", fmt::join(names, ", ")));
    }
  };
  refuse_others(named, options);
  refuse_others(texts, text_options);
}

Expr EvaluatedCall::scalar(std::size_t index) const {
  return require_scalar(arguments[index], place,
                        fmt::format("argument {} of {}", index + 1, function));
}

const Value& EvaluatedCall::vector(std::size_t index) const {
  const Value& value = arguments[index];
  if (!value.is_vector()) {
    fault(place, fmt::format("argument {} of {} must be a vector, not {}", index + 1, function,
                             value.shape.text()));
  }
  return value;
}

const Value& EvaluatedCall::vector(std::size_t index, std::uint32_t length) const {
  const Value& value = arguments[index];
  if (value.shape != Shape::vector(length)) {
    fault(place, fmt::format("argument {} of {} must be {}, not {}", index + 1, function,
                             Shape::vector(length).text(), value.shape.text()));
  }
  return value;
}

std::optional<int> EvaluatedCall::integer_option(const expr::Graph& graph, const std::string& name,
                                                 int low, int high) const {
  const auto given = std::find_if(named.begin(), named.end(),
                                  [&](const NamedArgument& a) { return a.name == name; });
  if (given == named.end()) return std::nullopt;
  const Expr e = require_scalar(given->value, given->place, name);
  const double value = graph.is_constant(e) ? graph.constant_value(e) : std::nan("");
  if (!(value >= low && value <= high && value == std::floor(value))) {
    fault(given->place, fmt::format("{} must be a whole number from {} to {}, made of numbers and "
                                    "sizes",
                                    name, low, high));
  }
  return static_cast<int>(value);
}

std::string EvaluatedCall::text_option(const std::string& name) const {
  const auto given = std::find_if(texts.begin(), texts.end(),
                                  [&](const TextArgument& a) { return a.name == name; });
  return given == texts.end() ? std::string() : given->text;
}

namespace {

// ---- functions of numbers

template <Op op>
Value one(Algebra& algebra, const EvaluatedCall& call) {
  call.require_count(1);
  return Value::scalar(algebra.unary(op, call.scalar(0), call.place));
}

template <Op op>
Value two(Algebra& algebra, const EvaluatedCall& call) {
  call.require_count(2);
  return Value::scalar(algebra.binary(op, call.scalar(0), call.scalar(1), call.place));
}

/// min and max take any number of arguments.
template <Op op>
Value many(Algebra& algebra, const EvaluatedCall& call) {
  if (call.arguments.empty()) fault(call.place, call.function + " needs arguments");
  Expr result = call.scalar(0);
  for (std::size_t i = 1; i < call.arguments.size(); ++i)
    result = algebra.binary(op, result, call.scalar(i), call.place);
  return Value::scalar(result);
}

// ---- functions of vectors and matrices

template <int axis>
Value rotate(Algebra& algebra, const EvaluatedCall& call) {
  call.require_count(1);
  return algebra.rotation(call.scalar(0), axis, call.place);
}

/// Roll, pitch and yaw about fixed axes x, y, z in turn, as robot descriptions give them.
Value rpy(Algebra& algebra, const EvaluatedCall& call) {
  call.require_count(3);
  const auto turn = [&](std::size_t i) {
    return algebra.rotation(call.scalar(i), static_cast<int>(i), call.place);
  };
  return algebra.multiply(algebra.multiply(turn(2), turn(1), call.place), turn(0), call.place);
}

Value dot(Algebra& algebra, const EvaluatedCall& call) {
  call.require_count(2);
  return Value::scalar(algebra.dot(call.arguments[0], call.arguments[1], call.place));
}

Value cross(Algebra& algebra, const EvaluatedCall& call) {
  call.require_count(2);
  const Value& a = call.vector(0, 3);
  return algebra.cross(a, call.vector(1, 3), call.place);
}

Value norm(Algebra& algebra, const EvaluatedCall& call) {
  call.require_count(1);
  return Value::scalar(algebra.norm(call.vector(0), call.place));
}

Value transpose(Algebra& algebra, const EvaluatedCall& call) {
  call.require_count(1);
  return algebra.transpose(call.arguments[0], call.place);
}

/// A vector on the diagonal; a matrix stays what it is.
Value diagonal(Algebra& algebra, const EvaluatedCall& call) {
  call.require_count(1);
  return algebra.diagonal(call.arguments[0], call.place);
}

Value cat(Algebra& algebra, const EvaluatedCall& call) {
  if (call.arguments.empty()) fault(call.place, "cat needs arguments");
  return algebra.cat(call.arguments, call.place);
}

using Function = Value (*)(Algebra&, const EvaluatedCall&);

const std::map<std::string, Function>& table() {
  static const std::map<std::string, Function> functions{
      {"sin", one<Op::sin>},
      {"cos", one<Op::cos>},
      {"tan", one<Op::tan>},
      {"asin", one<Op::asin>},
      {"acos", one<Op::acos>},
      {"atan", one<Op::atan>},
      {"sinh", one<Op::sinh>},
      {"cosh", one<Op::cosh>},
      {"tanh", one<Op::tanh>},
      {"exp", one<Op::exp>},
      {"log", one<Op::log>},
      {"sqrt", one<Op::sqrt>},
      {"abs", one<Op::abs>},
      {"sign", one<Op::sign>},
      {"floor", one<Op::floor>},
      {"atan2", two<Op::atan2>},
      {"mod", two<Op::mod>},
      {"min", many<Op::min>},
      {"max", many<Op::max>},
      {"rotx", rotate<0>},
      {"roty", rotate<1>},
      {"rotz", rotate<2>},
      {"rpy", rpy},
      {"dot", dot},
      {"cross", cross},
      {"norm", norm},
      {"transpose", transpose},
      {"cat", cat},
      {"diagonal", diagonal},
      {"line", line},
      {"circle", circle},
      {"rest_to_rest", rest_to_rest},
      {"spline", spline},
  };
  return functions;
}

}  // namespace

bool is_builtin(const std::string& function) { return table().contains(function); }

const std::vector<std::string>& builtin_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& [name, function] : table()) list.push_back(name);
    return list;
  }();
  return names;
}

Value apply_builtin(Algebra& algebra, const EvaluatedCall& call) {
  if (call.function != "rest_to_rest" && call.function != "spline") call.allow({});
  return table().at(call.function)(algebra, call);
}

}  // namespace daedal::model
