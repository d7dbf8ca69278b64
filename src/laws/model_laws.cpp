// Laws that are the solution of equations of the model that the controller assumes: torques that balance gravity, inputs that
// give outputs their accelerations, angles that close the loops of a mechanism. In a continuous controller the unknowns become
// variables of the equations; with a clock they are solved at each sample.
#include "daedal/laws/laws.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::model {

using expr::Expr;
using expr::Leaf;

namespace {

std::string named(const Symbol& symbol, int order) {
  constexpr int acceleration = 2;
  return order == 0              ? symbol.name
         : order == 1            ? symbol.name + ".velocity"
         : order == acceleration ? symbol.name + ".acceleration"
                                 : fmt::format("{}.derivative{}", symbol.name, order);
}

}  // namespace

/// A quantity of the mechanism itself, whatever is measured.
Value ControllerLaws::of_mechanism(const syntax::Expression& e, const syntax::Call& call,
                                   std::size_t position, std::string_view name) {
  const bool before = controller_.measuring;
  controller_.measuring = true;
  Value result = value(e, call, position, name);
  controller_.measuring = before;
  return result;
}

/// What stands for an unknown of the assumed model.
Expr ControllerLaws::solved_for(const std::string& name, const std::string& unit, double start,
                                const Place& place) {
  expr::Graph& g = graph();
  if (clocked()) return g.leaf({around_.held_symbol(controller_, name, start, place), 0});
  const expr::SymbolId symbol = around_.new_symbol(
      {controller_.made.name + "." + name, SymbolKind::variable, unit, "", place, 0, 1});
  controller_.starts.emplace_back(symbol, g.constant(start));
  return g.leaf({symbol, 0});
}

/// Equations of the assumed model as equations of the controller. What they contain besides their unknowns is limited later to
/// what the controller knows; parameters have the values that it assumes.
ControllerLaws::Solution ControllerLaws::solution(const SolvedEquations& found,
                                                  const UnknownName& name, const Place& place,
                                                  const std::map<Leaf, Expr>& given) {
  Solution made;
  expr::Graph& g = graph();
  for (std::size_t k = 0; k < found.unknowns.size(); ++k) {
    const Leaf leaf = found.unknowns[k];
    if (given.contains(leaf)) continue;
    const Symbol& symbol = found.model->symbols[leaf.symbol];
    made.unknowns[leaf] = solved_for(name(symbol, leaf.order), leaf.order == 0 ? symbol.unit : "",
                                     found.starts[k], place);
  }
  const auto image = [&](Leaf leaf) -> std::optional<Expr> {
    if (const auto own = made.unknowns.find(leaf); own != made.unknowns.end()) return own->second;
    if (const auto set = given.find(leaf); set != given.end()) return set->second;
    if (leaf.symbol == expr::time_symbol) return g.leaf(leaf);
    const Symbol& symbol = found.model->symbols[leaf.symbol];
    const expr::SymbolId same = around_.model().find(symbol.name);
    if (symbol.kind == SymbolKind::parameter &&
        (same == 0 || around_.model().symbols[same].value != symbol.value))
      return g.constant(symbol.value);
    if (same == 0) fault(place, fmt::format("the plant has no '{}'", symbol.name));
    return g.leaf({same, leaf.order});
  };
  made.residuals = expr::copy(*found.graph, found.residuals, g, image);
  made.names = found.names;
  for (const std::vector<Expr>& output : found.outputs)
    made.outputs.push_back(expr::copy(*found.graph, output, g, image));
  return made;
}

void ControllerLaws::add(const std::string& law, const std::string& quantity,
                         const Solution& solution, const Place& place) {
  if (!clocked()) {
    for (std::size_t i = 0; i < solution.residuals.size(); ++i)
      around_.model().equations.push_back(
          {fmt::format("{}.{}: {}", controller_.made.name, quantity, solution.names[i]),
           solution.residuals[i], place});
    return;
  }
  Solved solved{law, place, {}, solution.residuals};
  for (const auto& [leaf, image] : solution.unknowns)
    solved.unknowns.push_back(graph().leaf_of(image).symbol);
  controller_.made.solved.push_back(std::move(solved));
}

EquationQuestion ControllerLaws::equation_question(EquationQuestion::Kind kind,
                                                   const syntax::Expression& e,
                                                   const std::string& law) {
  EquationQuestion question;
  question.kind = kind;
  question.law = law;
  question.place = e.place;
  question.graph = &graph();
  question.symbols = &around_.model().symbols;
  if (kind != EquationQuestion::Kind::pose) question.inputs = controller_.commanded;
  return question;
}

ControllerLaws::UnknownName ControllerLaws::names_within(const std::string& quantity) {
  return
      [quantity](const Symbol& symbol, int order) { return quantity + "." + named(symbol, order); };
}

/// In the order of the command.
Value ControllerLaws::solved_inputs(const SolvedEquations& found, const Solution& solution) {
  std::vector<Expr> inputs;
  for (const std::string& input : controller_.commanded)
    inputs.push_back(solution.unknowns.at({found.model->find(input), 0}));
  return inputs.size() == 1 ? Value::scalar(inputs[0]) : Value::vector(std::move(inputs));
}

/// B u + H^T lambda = G(q) at the position that the controller knows [Bortoff2018, section 4.2].
Value ControllerLaws::gravity_compensation(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 0, {});
  const SolvedEquations found =
      designer(e).equations(equation_question(EquationQuestion::Kind::rest, e, call.function));
  const std::string quantity = fresh("gravity");
  const Solution made = solution(found, names_within(quantity), e.place);
  add(call.function, quantity, made, e.place);
  return solved_inputs(found, made);
}

/// The equations of motion and the outputs w, w', ... w^(r), with accelerations, reactions and inputs as unknowns.
SolvedEquations ControllerLaws::dynamics(const syntax::Expression& e, const syntax::Call& call,
                                         const Value& outputs) {
  if (outputs.entries.size() != controller_.commanded.size())
    fault(e.place,
          fmt::format("{}: {} output{} for {} input{}", call.function, outputs.entries.size(),
                      outputs.entries.size() == 1 ? "" : "s", controller_.commanded.size(),
                      controller_.commanded.size() == 1 ? "" : "s"),
          "each commanded input moves one output");
  EquationQuestion question = equation_question(EquationQuestion::Kind::dynamics, e, call.function);
  question.outputs = outputs.entries;
  return designer(e).equations(question);
}

/// The inputs for which each output meets `demand`, an equation of its derivatives.
Value ControllerLaws::decoupled(const syntax::Expression& e, const syntax::Call& call,
                                const Value& outputs, const Demand& demand) {
  const SolvedEquations found = dynamics(e, call, outputs);
  const std::string quantity = fresh("dynamics");
  Solution made = solution(found, names_within(quantity), e.place);
  for (std::size_t k = 0; k < made.outputs.size(); ++k) {
    made.residuals.push_back(demand(k, made.outputs[k]));
    made.names.push_back("output " + std::to_string(k + 1));
  }
  add(call.function, quantity, made, e.place);
  return solved_inputs(found, made);
}

/// w^(r) with these inputs.
std::vector<Expr> ControllerLaws::moved_by(const SolvedEquations& found,
                                           const std::vector<Expr>& inputs,
                                           const syntax::Expression& e, const std::string& law) {
  std::map<Leaf, Expr> given;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    given[{found.model->find(controller_.commanded[k]), 0}] = inputs[k];
  const std::string quantity = fresh("dynamics");
  const Solution made = solution(found, names_within(quantity), e.place, given);
  add(law, quantity, made, e.place);
  std::vector<Expr> highest;
  for (const std::vector<Expr>& w : made.outputs) highest.push_back(w.back());
  return highest;
}

/// What computed_torque inverts: alpha + beta u.
Value ControllerLaws::acceleration(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 2, {"output", "inputs"});
  const Value outputs = of_mechanism(e, call, 0, "output");
  const std::vector<Expr> inputs =
      broadcast(value(e, call, 1, "inputs"), outputs.shape, e.place, "'inputs' of acceleration");
  return {outputs.shape, moved_by(dynamics(e, call, outputs), inputs, e, call.function)};
}

/// beta: column by column what an input of 1 adds, for inputs that act linearly.
Value ControllerLaws::decoupling_matrix(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 1, {"output"});
  const Value outputs = of_mechanism(e, call, 0, "output");
  const SolvedEquations found = dynamics(e, call, outputs);
  expr::Graph& g = graph();
  const std::size_t size = outputs.entries.size();
  std::vector<Expr> inputs(size, g.constant(0));
  const std::vector<Expr> alpha = moved_by(found, inputs, e, call.function);
  const auto n = static_cast<std::uint32_t>(size);
  Value beta{size == 1 ? Shape::scalar() : Shape::matrix(n, n),
             std::vector<Expr>(size * size, g.constant(0))};
  for (std::size_t j = 0; j < size; ++j) {
    inputs[j] = g.constant(1);
    const std::vector<Expr> moved = moved_by(found, inputs, e, call.function);
    inputs[j] = g.constant(0);
    for (std::size_t i = 0; i < size; ++i) beta.entries[i * size + j] = g.sub(moved[i], alpha[i]);
  }
  return beta;
}

/// Of all coordinates as they are declared, or of those asked for.
Value ControllerLaws::mass_matrix(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 1, {"coordinates"});
  const SolvedEquations found =
      designer(e).equations(equation_question(EquationQuestion::Kind::inertia, e, call.function));
  const Solution made = solution(found, names_within(call.function), e.place);
  std::vector<std::string> wanted = found.names;
  if (const syntax::Argument* const given = argument(call, 0, "coordinates")) {
    wanted.clear();
    for (const Expr entry : of_mechanism(e, call, 0, "coordinates").entries) {
      const bool leaf =
          graph().node(entry).op == expr::Op::leaf && graph().leaf_of(entry).order == 0;
      wanted.push_back(leaf ? around_.model().symbols[graph().leaf_of(entry).symbol].name : "");
      if (std::ranges::find(found.names, wanted.back()) == found.names.end())
        fault(given->place, "the arguments of mass_matrix are coordinates",
              did_you_mean_or_list(wanted.back(), found.names));
    }
  }
  const auto n = static_cast<std::uint32_t>(wanted.size());
  Value mass{n == 1 ? Shape::scalar() : Shape::matrix(n, n), {}};
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(found.names, name) - found.names.begin());
  };
  for (const std::string& row : wanted)
    for (const std::string& column : wanted)
      mass.entries.push_back(made.outputs[index(row)][index(column)]);
  return mass;
}

/// w^(r) = what is asked.
Value ControllerLaws::computed_torque(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 2, {"output", "acceleration"});
  const Value outputs = of_mechanism(e, call, 0, "output");
  const std::vector<Expr> asked = broadcast(value(e, call, 1, "acceleration"), outputs.shape,
                                            e.place, "'acceleration' of computed_torque");
  return decoupled(e, call, outputs, [&](std::size_t k, const std::vector<Expr>& w) {
    return graph().sub(w.back(), asked[k]);
  });
}

/// (w - r)^(n) + k_n (w - r)^(n-1) + ... + k_1 (w - r) = 0
Value ControllerLaws::feedback_linearisation(const syntax::Expression& e,
                                             const syntax::Call& call) {
  allow(e, call, 1, {"output", "reference", "gains"});
  const Value outputs = of_mechanism(e, call, 0, "output"), gains = value(e, call, 9, "gains");
  const std::vector<Expr> reference = broadcast(value(e, call, 9, "reference"), outputs.shape,
                                                e.place, "'reference' of feedback_linearisation");
  return decoupled(e, call, outputs, [&](std::size_t k, const std::vector<Expr>& w) {
    if (gains.entries.size() + 1 != w.size())
      fault(e.place,
            fmt::format("'gains' of feedback_linearisation has {} entr{}, and the relative degree "
                        "of output {} is {}",
                        gains.entries.size(), gains.entries.size() == 1 ? "y" : "ies", k + 1,
                        w.size() - 1),
            "one gain for the error, one for each of its derivatives below that degree");
    expr::Graph& g = graph();
    Expr desired = reference[k], sum = g.constant(0);
    for (std::size_t order = 0; order < w.size(); ++order) {
      const Expr error = g.sub(w[order], desired);
      sum = g.add(sum, order < gains.entries.size() ? g.mul(gains.entries[order], error) : error);
      desired = rate_of(desired);
    }
    return sum;
  });
}

Expr ControllerLaws::rate_of(Expr e) {
  return expr::time_derivative(graph(), std::span(&e, 1),
                               [&](expr::SymbolId s) { return around_.model().varies(s); })[0];
}

/// kinematics(wanted, given, values): c(q) = 0, given(q) = values; then wanted(q).
Value ControllerLaws::kinematics(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 3, {"wanted", "given", "values"});
  const Value wanted = of_mechanism(e, call, 0, "wanted"),
              given = of_mechanism(e, call, 1, "given");
  const std::vector<Expr> values =
      broadcast(value(e, call, 2, "values"), given.shape, e.place, "'values' of kinematics");
  EquationQuestion question = equation_question(EquationQuestion::Kind::pose, e, call.function);
  question.outputs = given.entries;
  const SolvedEquations found = designer(e).equations(question);
  const std::string quantity = fresh("kinematics");
  Solution made = solution(found, names_within(quantity), e.place);
  for (std::size_t k = 0; k < values.size(); ++k) {
    made.residuals.push_back(graph().sub(made.outputs[k][0], values[k]));
    made.names.push_back("given " + std::to_string(k + 1));
  }
  add(call.function, quantity, made, e.place);
  std::map<Leaf, Expr> pose;  // by leaves of the plant
  for (const auto& [leaf, image] : made.unknowns)
    pose[{around_.model().find(found.model->symbols[leaf.symbol].name), leaf.order}] = image;
  const auto at_pose = [&](Leaf leaf) -> std::optional<Expr> {
    if (const auto known = pose.find(leaf); known != pose.end()) return known->second;
    if (leaf.order == 0 && !around_.model().varies(leaf.symbol)) return std::nullopt;
    fault(e.place, fmt::format("kinematics finds positions, not {}",
                               describe(around_.model().symbols[leaf.symbol])));
  };
  return {wanted.shape, expr::copy(graph(), wanted.entries, graph(), at_pose)};
}

/// observe forward_kinematics(): measured coordinates, and the constraints, give the others; measured rates those of the others.
void ControllerLaws::forward_kinematics(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 0, {});
  Designer& designs = designer(e);
  EquationQuestion question = equation_question(EquationQuestion::Kind::pose, e, call.function);
  question.rates = true;
  for (const auto& [leaf, value] : controller_.known) {
    const std::string& name = around_.model().symbols[leaf.symbol].name;
    const expr::SymbolId same = designs.model().find(name);
    if (leaf.order != 0 || same == 0 ||
        designs.model().symbols[same].kind != SymbolKind::coordinate)
      continue;
    question.known.push_back(name);
    question.rates = question.rates && controller_.known.contains({leaf.symbol, 1});
  }
  const SolvedEquations found = designs.equations(question);
  const UnknownName estimate = [](const Symbol& symbol, int order) {
    return name_of(symbol, order) + ".estimate";
  };
  const Solution made = solution(found, estimate, e.place);
  add(call.function, call.function, made, e.place);
  for (const auto& [leaf, image] : made.unknowns) {
    const expr::SymbolId symbol = around_.model().find(found.model->symbols[leaf.symbol].name);
    controller_.known[{symbol, leaf.order}] = image;
    const std::string& name = around_.model().symbols[graph().leaf_of(image).symbol].name;
    if (clocked()) around_.model().outputs.push_back({name, image, "", "", e.place});
  }
}

}  // namespace daedal::model
