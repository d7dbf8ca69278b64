// The inverse model: the motion of the outputs is given, the inputs are unknown.
//
// Every servo-constraint becomes an equation and every input an unknown [Blajer1997]; nothing reacts to a servo-constraint,
// so no multiplier is added and the equations of motion stay as they are. Forward and inverse model are both plain Daes.
#include "daedal/derive/dae.hpp"
#include "derive/shared_inputs.hpp"

#include <fmt/format.h>

namespace daedal::derive {

namespace {

std::string counted(std::size_t n, const char* what) {
  return n == 0 ? fmt::format("no {}", what) : fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// "inputs: u_1, u_2"
template <class Items, class Name>
void list(Diagnostic& diagnostic, const char* title, const Items& items, Name name) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + name(item);
  if (!text.empty()) diagnostic.details.push_back(fmt::format("{}: {}", title, text));
}

std::string help(std::size_t servos, std::size_t inputs) {
  if (servos == 0)
    return inputs == 0 ? "declare an input and the desired motion:  input u  and  servo z = ..."
                       : "write the desired motion:  servo z = ...";
  return fmt::format("every entry of a servo is one servo-constraint: {}",
                     servos < inputs ? "prescribe one more motion, or make the input a parameter"
                                     : "drop one, or add an input");
}

/// One servo-constraint for each input, or fewer that determine the motion; anything else is no square set of equations.
void check_counts(const Dae& forward, const std::vector<expr::SymbolId>& inputs) {
  const model::Model& m = *forward.model;
  const std::size_t servos = m.servos.size();
  if (servos == inputs.size() && servos > 0) return;
  std::string undetermined;
  if (servos > 0 && servos < inputs.size()) {
    undetermined = why_not_shared(forward);
    if (undetermined.empty()) return;
  }
  Diagnostic d;
  d.place = servos > inputs.size()   ? m.servos[inputs.size()].place
            : servos < inputs.size() ? m.symbols[inputs[servos]].place
                                     : m.place;
  const std::string what = servos == 0 && inputs.empty()
                               ? "neither inputs nor servo-constraints"
                               : fmt::format("{} for {}", counted(servos, "servo-constraint"),
                                             counted(inputs.size(), "input"));
  d.message = fmt::format("model '{}' has {}, so it cannot be inverted", m.name, what);
  list(d, "servo-constraints", m.servos, [](const model::Relation& s) { return s.name; });
  list(d, "inputs", inputs, [&](expr::SymbolId s) { return m.symbols[s].name; });
  if (!undetermined.empty()) d.details.push_back(std::move(undetermined));
  d.help = help(servos, inputs.size());
  throw ModelError(std::move(d));
}

std::vector<expr::SymbolId> checked_inputs(const Dae& forward) {
  const model::Model& m = *forward.model;
  std::vector<expr::SymbolId> inputs;
  for (expr::SymbolId s = 0; s < m.symbols.size(); ++s)
    if (m.symbols[s].kind == model::SymbolKind::input) inputs.push_back(s);
  check_counts(forward, inputs);
  return inputs;
}

/// `result` is the forward Dae, its model perhaps with more symbols; `residuals` are those of the servo-constraints.
Dae with_servos(Dae result, const std::vector<expr::SymbolId>& inputs,
                const std::vector<expr::Expr>& residuals) {
  const model::Model& m = *result.model;
  result.inverse = true;
  result.unknowns.insert(result.unknowns.end(), inputs.begin(), inputs.end());
  std::vector<expr::Term> terms;
  for (std::size_t k = 0; k < m.servos.size(); ++k) {
    terms.push_back({residuals[k], static_cast<std::uint32_t>(result.equations.size())});
    result.equations.push_back({m.servos[k].name, EquationKind::servo, m.servos[k].place});
  }
  const auto rows = static_cast<std::uint32_t>(result.equations.size());
  result.residual.rows = rows;
  result.residual =
      expr::sum(result.residual,
                expr::gather(m.graph, terms, rows, static_cast<std::uint32_t>(m.symbols.size()),
                             [&](expr::SymbolId s) { return m.varies(s); }));
  return result;
}

/// What a servo line asks for, where it is an output: its signal is called "desired z[1]".
const model::NamedValue* output_of(const model::Model& m, const model::Relation& servo) {
  for (const model::NamedValue& output : m.outputs)
    if (servo.output && output.value == *servo.output) return &output;
  return nullptr;
}

}  // namespace

Dae inverse(const Dae& forward, std::span<const HeldInput> held) {
  const std::vector<expr::SymbolId> inputs = checked_inputs(forward);
  std::vector<expr::Expr> residuals;
  for (const model::Relation& servo : forward.model->servos) residuals.push_back(servo.residual);
  return inputs.size() > residuals.size()
             ? with_servos(with_shared_inputs(forward, inputs, held), inputs, residuals)
             : with_servos(forward, inputs, residuals);
}

Dae tracking(const Dae& forward, std::span<const HeldInput> held) {
  const std::vector<expr::SymbolId> inputs = checked_inputs(forward);
  auto m = std::make_shared<model::Model>(*forward.model);
  const auto graph = std::make_shared<expr::Graph>(m->graph);
  std::vector<expr::Expr> residuals;
  for (const model::Relation& servo : m->servos) {
    const auto symbol = static_cast<expr::SymbolId>(m->symbols.size());
    const model::NamedValue* const output = output_of(*m, servo);
    m->symbols.push_back({"desired " + (output != nullptr ? output->name : servo.name),
                          model::SymbolKind::input, output != nullptr ? output->unit : "", "",
                          servo.place, 0, 1});
    m->inputs.push_back({symbol, servo.desired.value_or(graph->constant(0))});
    residuals.push_back(
        graph->sub(servo.output.value_or(servo.residual), graph->leaf({symbol, 0})));
  }
  m->graph = graph;
  Dae result = forward;
  result.model = std::move(m);
  if (inputs.size() > residuals.size()) result = with_shared_inputs(result, inputs, held);
  return with_servos(std::move(result), inputs, residuals);
}

}  // namespace daedal::derive
