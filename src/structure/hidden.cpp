#include "daedal/structure/hidden.hpp"

#include "cancellation.hpp"

namespace daedal::structure {

HiddenConstraints hidden_constraints(const derive::Dae& dae, const Offsets& offsets,
                                     const WritingLimits& limits) {
  std::vector<std::uint32_t> differentiated;
  for (std::uint32_t i = 0; i < dae.equations.size(); ++i)
    if (offsets.c[i] > 0) differentiated.push_back(i);
  auto graph = std::make_shared<expr::Graph>(dae.model->graph);
  const std::vector<expr::Expr> rows = written_rows(dae, differentiated, *graph);
  const expr::VariesInTime varies = [&](expr::SymbolId s) { return dae.model->varies(s); };
  HiddenConstraints result;
  for (std::size_t k = 0; k < differentiated.size(); ++k) {
    std::optional<expr::Expr> f = rows[k];
    for (int n = 1; n <= offsets.c[differentiated[k]]; ++n) {
      if (f && n <= limits.derivative) {
        f = expr::time_derivative(*graph, std::span(&*f, 1), varies)[0];
        if (expr::reachable(*graph, std::span(&*f, 1)).size() > limits.operations) f.reset();
      } else {
        f.reset();
      }
      result.list.push_back({differentiated[k], n, f});
    }
  }
  result.graph = std::move(graph);
  return result;
}

}  // namespace daedal::structure
