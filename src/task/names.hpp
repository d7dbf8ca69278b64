// Lists of names, for JSON and text.
#pragma once

#include "daedal/derive/dae.hpp"

#include <string>
#include <vector>

namespace daedal {
inline namespace task {

inline std::vector<std::string> names_of(const model::Model& model,
                                         const std::vector<expr::SymbolId>& symbols) {
  std::vector<std::string> names;
  for (const expr::SymbolId s : symbols) names.push_back(model.symbols[s].name);
  return names;
}

/// The redundant constraints.
inline std::vector<std::string> names_of_left_out(const derive::Dae& dae) {
  std::vector<std::string> names;
  for (const std::uint32_t i : dae.left_out.constraints)
    names.push_back(dae.model->constraints[i].name);
  return names;
}

}  // namespace task
}  // namespace daedal
