// What the parts of a formulation look up in a Dae.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/expr/graph.hpp"

#include <cstdint>
#include <vector>

namespace daedal::formulate {

/// Numbers of the unknowns by symbol; no_row for all others, including "work", which follows the model's symbols.
inline std::vector<std::uint32_t> unknown_index(const derive::Dae& dae) {
  std::vector<std::uint32_t> index(dae.model->symbols.size() + 1, expr::Family::no_row);
  for (std::uint32_t j = 0; j < dae.unknowns.size(); ++j) index[dae.unknowns[j]] = j;
  return index;
}

inline expr::SymbolId work_symbol(const derive::Dae& dae) {
  return static_cast<expr::SymbolId>(dae.model->symbols.size());
}

inline std::uint32_t size(const derive::Dae& dae) {
  return static_cast<std::uint32_t>(dae.equations.size());
}

/// Of a lifted position. False for rows that a formulation adds after those of the Dae.
inline bool is_definition(const derive::Dae& dae, std::uint32_t equation) {
  return equation < size(dae) && dae.equations[equation].kind == derive::EquationKind::definition;
}

}  // namespace daedal::formulate
