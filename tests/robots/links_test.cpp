// Links of trees of joints: against reference numbers, and against the same mechanisms in absolute coordinates.
#include "daedal/model/model.hpp"
#include "robots/reference.hpp"
#include "support/bounds.hpp"

namespace daedal::test {
namespace {

model::Model links(const std::string& text) {
  return model::elaborate(model::load_text(text, "m.daedal"));
}

constexpr double relative =
    1e-12;  // what the reference demands; rounding stays below a tenth of it

// planar3r.urdf by hand, in the words of the language.
TEST(Links, accelerations_of_a_planar_arm_are_those_of_the_reference) {
  ModelPoint point(links(R"(model planar3r
part base = fixed_link()
part l1 = revolute_link(parent = base, position = [0, 0, 0.1], orientation = rpy(pi/2, 0, 0), axis = [0, 0, 1],
  mass = 1.5, centre = [0.25, 0.02, 0], inertia = [0.011, 0.031, 0.035])
part l2 = revolute_link(parent = l1, position = [0.5, 0, 0],
  mass = 1.1, centre = [0.2, -0.01, 0], inertia = [0.006, 0.018, 0.02])
part l3 = revolute_link(parent = l2, position = [0.4, 0, 0],
  mass = 0.6, centre = [0.12, 0, 0], inertia = [0.002, 0.004, 0.005])
input tau[1..3] [N*m]
torque tau[1] about l1.angle, tau[2] about l2.angle, tau[3] about l3.angle
)"));
  for (const RobotState& state : reference_states("planar3r")) {
    const auto expected = state.vector("acceleration");
    for (int k = 0; k < 3; ++k) {
      const std::string n = std::to_string(k + 1);
      point.set({{"l" + n + ".angle", state.at("q")[k]},
                 {"l" + n + ".angle'", state.at("v")[k]},
                 {"tau[" + n + "]", state.at("tau")[k]}});
    }
    const auto found = point.solve();
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(found.at("l" + std::to_string(k + 1) + ".angle''"), expected[k],
                  relative * expected.cwiseAbs().maxCoeff());
  }
}

}  // namespace
}  // namespace daedal::test
