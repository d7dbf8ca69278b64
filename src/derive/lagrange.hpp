// Lagrange's equations, family by family.
//
//   d/dt dT/dv - dT/dq + dV/dq + dR/dv = Q + G^T lambda
//
// Every energy is a sum of terms; a term contributes to the equations of the coordinates it contains and to nothing else,
// so each shape is differentiated once and its contributions are scattered to the rows of its coordinates.
#pragma once

#include "daedal/expr/graph.hpp"
#include "daedal/model/model.hpp"

#include <span>
#include <vector>

namespace daedal::derive {

/// What every step of the derivation needs to know about symbols.
struct Coordinates {
  const model::Model* model = nullptr;
  std::vector<std::uint32_t>
      row;  // by symbol: index among coordinates and lifted positions, or Family::no_row
  std::vector<bool> driven;  // by coordinate index
  std::uint32_t count = 0;

  bool is_coordinate(expr::SymbolId s) const { return row[s] != expr::Family::no_row; }
  bool varies(expr::SymbolId s) const { return model->varies(s); }
};

/// Left-hand side minus right-hand side, one row per coordinate, in two parts (what conserves energy, what does not),
/// and the scalar functions of the energy balance.
struct Lagrange {
  expr::Function inertial;  // d/dt dT/dv - dT/dq + dV/dq
  expr::Function forces;    // dR/dv - Q - G^T lambda
  expr::Function momenta;   // dT/dv
  expr::Function energy;    // v . dT/dv - T + V
  expr::Function kinetic;   // T
  expr::Function power;     // of forces and drives, and of what moves on its own (time, inputs)
};
/// Equations that react along their gradients: the model's constraints, the definitions of its lifted positions.
struct Reacting {
  expr::Function residual;
  std::vector<expr::SymbolId> multipliers;  // by row
};
Lagrange lagrange(const Coordinates& coordinates, std::span<const Reacting> reacting);

}  // namespace daedal::derive
