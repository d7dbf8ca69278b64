// Numerical ranks of the derivative array agree with offsets and conversions: the index in two ways.
#include "structure/derivative_array.hpp"

#include "daedal/structure/examine.hpp"
#include "inverse_models.hpp"

#include <gtest/gtest.h>

namespace daedal::structure {
namespace {

using namespace test;

TEST(DerivativeArray, agrees_with_the_sigma_method_and_its_conversions) {
  const std::string point = "model m\ncoordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\n";
  const std::vector<std::pair<const char*, SharedDae>> cases{
      {"free point", forward_text(point)},
      {"pendulum", forward_text(point + "constraint rod: x^2 + y^2 = 1\n")},
      {"skate", forward_text(point + "constraint skate: x*y' - y*x' = 0\n")},
      {"tank", std::make_shared<derive::Dae>(forward_of(library_file("cstr")))},
      {"two disks", torsional_oscillator(2)},
      {"three disks", torsional_oscillator(3)},
      {"crane in angles", inverse_text(crane_generalised)},
      {"crane in positions", inverse_text(crane_redundant)},
      {"car, 15 degrees, damped", inverse_text(mass_on_car(mass_on_car_lengths, 15, 1))},
      {"car, 15 degrees", inverse_text(mass_on_car(mass_on_car_lengths, 15, 0))},
      {"car, 90 degrees", inverse_text(mass_on_car(mass_on_car_lengths, 90, 0))},
      {"car, 0 degrees, damped", inverse_text(mass_on_car(mass_on_car_lengths, 0, 1))},
      {"car, 0 degrees", inverse_text(mass_on_car(mass_on_car_lengths, 0, 0))},
      {"position constraint",
       inverse_text(torsional_position_drive("constraint motor: phi[2] = u"))},
      {"position drive", inverse_text(torsional_position_drive("drive phi[2] by u position()"))},
  };
  for (const auto& [name, dae] : cases) {
    SCOPED_TRACE(name);
    const Structure structure = examine(dae);
    const std::optional<ArrayRanks> ranks = derivative_array(*dae);
    ASSERT_TRUE(structure.solvable());
    ASSERT_TRUE(ranks.has_value());
    EXPECT_EQ(ranks->index, structure.index);
    EXPECT_EQ(ranks->degrees_of_freedom, structure.degrees_of_freedom);
  }
}

// A mass matrix of condition 1e18 is singular to rounding. Rank after rank was tried up to 100 derivatives, and index 17 believed.
TEST(DerivativeArray, no_index_is_larger_than_the_order_of_the_equations) {
  const SharedDae dae = forward_text(
      "model m\ncoordinate x = 1, y = 1, z = 1\nkinetic (x' + y' + z')^2*1e10 + 1e-8*(x'^2 + "
      "y'^2*sin(z)^2 + z'^2*cos(x)^2)\npotential x^2 + y^2\n");
  const std::optional<ArrayRanks> ranks = derivative_array(*dae);
  EXPECT_TRUE(!ranks || ranks->index <= 6);  // three coordinates and their velocities
}

}  // namespace
}  // namespace daedal::structure
