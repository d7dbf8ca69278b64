#include "daedal/model/other_languages.hpp"

#include "daedal/language/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace daedal::model {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

template <std::size_t n>
std::string_view value_of_key(const std::array<Pair, n>& pairs, std::string_view key) {
  const auto found =
      std::find_if(pairs.begin(), pairs.end(), [&](const Pair& pair) { return pair.first == key; });
  return found == pairs.end() ? std::string_view() : found->second;
}

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// A formula in brackets unless it is a name.
std::string operand(const syntax::Expression& e) {
  const bool plain = std::holds_alternative<syntax::Name>(e.node) ||
                     std::holds_alternative<syntax::Number>(e.node) ||
                     std::holds_alternative<syntax::Index>(e.node) ||
                     std::holds_alternative<syntax::Member>(e.node);
  return plain ? print(e) : fmt::format("({})", print(e));
}

/// ddt(x), diff(x, t), diff(x, t, 2); of a formula der(a*b).
std::string derivative_of(const syntax::Call& call) {
  const syntax::Expression& e = *call.arguments.front().value;
  const bool twice = call.arguments.size() == 3 && print(*call.arguments[2].value) == "2";
  const std::string name = print(e);
  if (operand(e) == name)
    return fmt::format("the derivative of '{0}' is written  {0}{1}", name, twice ? "''" : "'");
  return fmt::format("a derivative is written  der({}{})", name, twice ? ", 2" : "");
}

constexpr std::array<Pair, 32> functions = {{
    {"arcsin", "asin"},     {"arccos", "acos"},    {"arctan", "atan"}, {"arctan2", "atan2"},
    {"atan2d", "atan2"},    {"ln", "log"},         {"fabs", "abs"},    {"sgn", "sign"},
    {"signum", "sign"},     {"fmod", "mod"},       {"rem", "mod"},     {"remainder", "mod"},
    {"minimum", "min"},     {"maximum", "max"},    {"Rx", "rotx"},     {"Ry", "roty"},
    {"Rz", "rotz"},         {"rot_x", "rotx"},     {"rot_y", "roty"},  {"rot_z", "rotz"},
    {"length", "norm"},     {"magnitude", "norm"}, {"inner", "dot"},   {"vdot", "dot"},
    {"trans", "transpose"}, {"diag", "diagonal"},  {"concat", "cat"},  {"concatenate", "cat"},
    {"vcat", "cat"},        {"hypot", "norm"},     {"root", "sqrt"},   {"sum_over", "sum"},
}};

constexpr std::array<Pair, 20> names = {{
    {"e", "powers of e are written  exp(x)"},
    {"true", "a condition is a comparison:  1 == 1"},
    {"false", "a condition is a comparison:  1 == 0"},
    {"True", "a condition is a comparison:  1 == 1"},
    {"False", "a condition is a comparison:  1 == 0"},
    {"time", "time is  t"},
    {"inf", "write a large number, or leave the bound out"},
    {"Inf", "write a large number, or leave the bound out"},
    {"infinity", "write a large number, or leave the bound out"},
    {"None", "leave it out"},
    {"null", "leave it out"},
    {"\xCF\x80", "the number is  pi"},
    {"M_PI", "the number is  pi"},
    {"ground", "a point of the ground has numbers:  [0, 0]"},
    {"world", "a point of the world has numbers:  [0, 0]"},
    {"lambda", "choose another letter, or declare it:  parameter lambda = ..."},
    {"der", "the derivative of 'x' is written  x'"},
    {"self", "names need no prefix"},
    {"this", "names need no prefix"},
    {"end", "the last entry has its number:  x[N]"},
}};

constexpr std::array<Pair, 36> elements = {{
    {"rigid_body", "planar_body"},
    {"rigidbody", "planar_body"},
    {"RigidBody", "planar_body"},
    {"body", "planar_body"},
    {"Body", "planar_body"},
    {"mass", "planar_body"},
    {"link", "planar_body"},
    {"point_mass", "planar_body"},
    {"rod", "planar_body"},
    {"bar", "planar_body"},
    {"hinge", "revolute"},
    {"pin", "revolute"},
    {"pivot", "revolute"},
    {"revolute_joint", "revolute"},
    {"Revolute", "revolute"},
    {"rotational", "revolute"},
    {"slider", "prismatic"},
    {"slide", "prismatic"},
    {"translational", "prismatic"},
    {"prismatic_joint", "prismatic"},
    {"ball", "spherical"},
    {"ball_joint", "spherical"},
    {"socket", "spherical"},
    {"weld", "fixed"},
    {"rigid", "fixed"},
    {"hooke", "universal"},
    {"cardan", "universal"},
    {"dashpot", "damper"},
    {"massless_rod", "distance"},
    {"torque", "couple"},
    {"moment", "couple"},
    {"chain", "serial_links"},
    {"pendulum", "serial_links"},
    {"beam", "ancf_beam"},
    {"cable", "ancf_cable"},
    {"world", "ground"},
}};

}  // namespace

std::string help_for_function(const syntax::Call& call) {
  const std::string& name = call.function;
  const bool called = !call.arguments.empty();
  const auto argument = [&](std::size_t i) { return operand(*call.arguments[i].value); };
  if (called &&
      one_of(name, {"ddt", "diff", "d", "D", "Dt", "derivative", "deriv", "dt", "gradient"}))
    return derivative_of(call);
  if (const std::string_view own = value_of_key(functions, name); !own.empty())
    return fmt::format("did you mean '{}'?", own);
  if (name == "lqg")
    return "in a controller with a clock it is an observer and a regulator:  observe "
           "kalman(process = "
           "..., start = ...)  and  command u = lqr(Q = ..., R = ...)";
  if (name == "pi") return "pi is a number: write  pi";
  if (name == "t" || name == "time") return "time is  t";
  if (one_of(name, {"pow", "power"}) && call.arguments.size() == 2)
    return fmt::format("a power is written  {}^{}", argument(0), argument(1));
  if (one_of(name, {"sq", "sqr", "square"}) && called)
    return fmt::format("a power is written  {}^2", argument(0));
  if (name == "log10" && called)
    return fmt::format("write  log({})/log(10)", print(*call.arguments[0].value));
  if (name == "log2" && called)
    return fmt::format("write  log({})/log(2)", print(*call.arguments[0].value));
  if (one_of(name, {"piecewise", "Piecewise", "ifelse", "ite", "cond", "where"})) {
    if (call.arguments.size() == 3)
      return fmt::format("write  if {} then {} else {}", print(*call.arguments[0].value),
                         print(*call.arguments[1].value), print(*call.arguments[2].value));
    return "write  if x > 0 then a else b";
  }
  if (one_of(name, {"heaviside", "Heaviside", "step", "unitstep"}) && called)
    return fmt::format("write  if {} > 0 then 1 else 0", argument(0));
  if (one_of(name, {"zeros", "ones", "eye", "vector", "matrix", "array", "Matrix"}))
    return "entries are written out: [0, 0] is a vector, [1, 0; 0, 1] a matrix";
  if (one_of(name, {"int", "integral", "integrate"}))
    return "an integral is an unknown:  variable s = 0;  equation s' = x";
  if (one_of(name, {"deg2rad", "radians"}) && called)
    return fmt::format("write  {}*pi/180", argument(0));
  if (one_of(name, {"rad2deg", "degrees"}) && called)
    return fmt::format("write  {}*180/pi", argument(0));
  if (one_of(name, {"inv", "det"}))
    return "the language has no such function of matrices: write its entries";
  return {};
}

std::string help_for_name(std::string_view name) { return std::string(value_of_key(names, name)); }

std::string help_for_member(const std::string& base, std::string_view member) {
  if (one_of(member, {"dot", "d", "der", "diff", "derivative"}))
    return fmt::format("the derivative of '{0}' is written  {0}'", base);
  if (one_of(member, {"ddot", "dotdot", "dd"}))
    return fmt::format("the second derivative of '{0}' is written  {0}''", base);
  if (member == "T") return fmt::format("write  transpose({})", base);
  if (one_of(member, {"x", "y", "z"}))
    return fmt::format("entries have numbers:  {}[{}]", base,
                       member == "x"   ? 1
                       : member == "y" ? 2
                                       : 3);
  return {};
}

bool is_foreign_module(const syntax::Expression& e) {
  const auto* name = std::get_if<syntax::Name>(&e.node);
  return name != nullptr &&
         one_of(name->value, {"np", "numpy", "math", "Math", "cmath", "sp", "scipy", "sympy", "sym",
                              "ca", "casadi", "jnp", "torch", "std", "Modelica"});
}

bool is_foreign_ground(const syntax::Expression& e) {
  const auto* name = std::get_if<syntax::Name>(&e.node);
  return name != nullptr && one_of(name->value, {"ground", "world", "fixed", "inertial", "origin",
                                                 "earth", "base_frame", "None", "null"});
}

std::string help_for_element(std::string_view name) {
  const std::string_view own = value_of_key(elements, name);
  if (own == "planar_body") return "did you mean 'planar_body' or 'spatial_body'?";
  return own.empty() ? std::string() : fmt::format("did you mean '{}'?", own);
}

}  // namespace daedal::model
