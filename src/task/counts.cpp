#include "daedal/task/counts.hpp"

#include <fmt/format.h>

namespace daedal {
inline namespace task {

Counts count(const derive::Dae& dae) {
  const model::Model& m = *dae.model;
  Counts counts;
  counts.lifted = m.lifted.size();
  counts.coordinates = dae.mechanics.coordinates.size() - counts.lifted;
  counts.driven = m.drives.size();
  for (const model::Symbol& symbol : m.symbols) {
    counts.variables += symbol.kind == model::SymbolKind::variable;
    counts.inputs += symbol.kind == model::SymbolKind::input;
  }
  counts.constraints = m.constraints.size();
  counts.redundant = dae.left_out.constraints.size();
  counts.outputs = m.outputs.size();
  counts.servos = m.servos.size();
  counts.events = m.events.size();
  counts.equations = dae.equations.size();
  return counts;
}

std::string text_of(const Counts& c, int index, int degrees_of_freedom) {
  std::string text;
  const auto add = [&](std::size_t n, const char* what) {
    if (n > 0) text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", n, what, plural(n));
  };
  add(c.coordinates, "coordinate");
  if (c.driven > 0) text += fmt::format(" ({} driven)", c.driven);
  add(c.lifted, "lifted position");
  add(c.variables, "variable");
  add(c.constraints, "constraint");
  if (c.redundant > 0) text += fmt::format(" ({} redundant)", c.redundant);
  add(c.inputs, "input");
  add(c.outputs, "output");
  text += fmt::format("; index {}, {} free initial value{}", index, degrees_of_freedom,
                      degrees_of_freedom == 1 ? "" : "s");
  return text;
}

}  // namespace task
}  // namespace daedal
