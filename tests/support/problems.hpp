// From model text to a formulated problem, for tests.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/model/model.hpp"

#include <memory>
#include <string>

namespace daedal::solve::testing {

inline formulate::Problem problem_of(const std::string& text,
                                     const formulate::Formulation& formulation = {}) {
  auto model =
      std::make_shared<const model::Model>(model::elaborate(model::load_text(text, "test.daedal")));
  return formulate::formulate(
      structure::by_signature(std::make_shared<const derive::Dae>(derive::derive(model))),
      formulation);
}

inline formulate::Problem problem_of_file(const std::string& name,
                                          const formulate::Formulation& formulation = {}) {
  const std::string path =
      std::string(DAEDAL_SOURCE_DIR) + "/models/" + name + "/" + name + ".daedal";
  auto model = std::make_shared<const model::Model>(model::elaborate(model::load(path)));
  return formulate::formulate(
      structure::by_signature(std::make_shared<const derive::Dae>(derive::derive(model))),
      formulation);
}

inline const std::string pendulum_text = R"(model pendulum
parameter m = 1 [kg], L = 1 [m], g = 9.81 [m/s^2]
coordinate x = L [m], y = 0 [m]
kinetic    m/2 * (x'^2 + y'^2)
potential  m*g*y
constraint rod: x^2 + y^2 = L^2
output     height = y [m]
)";

}  // namespace daedal::solve::testing
