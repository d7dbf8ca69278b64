// Models of the library and small ones as text, ready to be analysed.
#pragma once

#include "daedal/analyse/equilibrium.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/formulate/problem.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace daedal::analysis::test {

using SharedDae = std::shared_ptr<const derive::Dae>;
using Parameters = std::map<std::string, std::string>;

inline SharedDae derived(const model::Library& library, const model::Overrides& overrides = {}) {
  return std::make_shared<const derive::Dae>(
      derive::derive(std::make_shared<const model::Model>(model::elaborate(library, overrides))));
}
inline SharedDae text_model(const std::string& text) { return derived(model::load_text(text)); }
inline SharedDae library_model(const std::string& folder, const std::string& name = {},
                               const Parameters& parameters = {}) {
  return derived(
      model::load(std::string(DAEDAL_SOURCE_DIR "/models/") + folder + "/" + folder + ".daedal"),
      {.parameters = parameters, .inputs = {}, .model = name});
}

/// Zeros by the first method: eigenvalues of the linearised inverse Dae.
inline Spectrum zeros_of_inverse(const derive::Dae& forward, const Equilibrium& at) {
  return poles(linearise(derive::inverse(forward), point_of(at)));
}
/// Zeros by the second method: the system pencil of the forward Dae, outputs as the servo lines have them.
inline Spectrum zeros_of_system(const derive::Dae& forward, const Equilibrium& at) {
  std::vector<NamedOutput> outputs;
  for (const model::Relation& servo : forward.model->servos)
    outputs.push_back({servo.name, servo.residual});
  return invariant_zeros(linearise(forward, point_of(at), outputs));
}

/// The problem's layout filled with an equilibrium.
inline std::vector<double> layout_point(const formulate::Problem& problem, const Equilibrium& at) {
  std::vector<double> point(problem.layout.size(), 0.0);
  const structure::Point values = point_of(at);
  for (std::uint32_t k = 0; k < point.size(); ++k) point[k] = values(problem.layout.leaf(k));
  return point;
}

}  // namespace daedal::analysis::test
