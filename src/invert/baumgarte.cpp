// Servo- and geometric constraints as stable oscillators: (d/dt + pole)^k c = 0 instead of c = 0 [Baumgarte1972], where k
// differentiations make the highest derivatives occur.
#include "servo_rows.hpp"

#include <fmt/format.h>

namespace daedal::inversion {

ReducedModel with_baumgarte(ServoRows& rows, double pole) {
  ReducedModel result;
  std::vector<expr::Expr> equations = rows.rows();
  expr::Graph& graph = rows.graph();
  for (std::uint32_t i = 0; i < equations.size(); ++i) {
    const derive::EquationKind kind = rows.dae().equations[i].kind;
    if (kind != derive::EquationKind::constraint && kind != derive::EquationKind::servo) continue;
    const int k = rows.missing(i);
    for (int n = 0; n < k; ++n)
      equations[i] = graph.add(rows.derivative(equations[i], 1),
                               graph.mul(graph.constant(pole), equations[i]));
    if (k > 0)
      result.words.push_back(
          fmt::format("'{}' is differentiated {}, its errors die out with {:g} 1/s",
                      rows.dae().equations[i].name,
                      k == 1   ? "once"
                      : k == 2 ? "twice"
                               : fmt::format("{} times", k),
                      pole));
  }
  result.dae = std::make_shared<const derive::Dae>(
      rows.make(equations, rows.dae().equations, rows.dae().unknowns));
  return result;
}

}  // namespace daedal::inversion
