// Index and degrees of freedom of inverse models are the true ones, also where the plain Sigma-method fails.
//
// Offsets, index and degrees of freedom: independent recomputation with SymPy (signature matrices, canonical offsets) and
// with mpmath (degree of the determinant of the linearised pencil, numbers of its finite eigenvalues) of the models of
// [Druecker2022].
#include "daedal/structure/examine.hpp"

#include "daedal/structure/analysis.hpp"
#include "daedal/structure/regularity.hpp"
#include "inverse_models.hpp"
#include "structure/derivative_array.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>

namespace daedal::structure {
namespace {

using namespace test;

struct Case {
  const char* name;
  SharedDae dae;
  int index, degrees_of_freedom;
  Basis basis;
  std::vector<int> c, d;  // of the plain Sigma-method, right or wrong
};

std::vector<Case> cases() {
  const Basis plain = Basis::offsets, converted = Basis::conversion;
  const std::vector<int> platform_c{0, 0, 0, 2, 2, 2, 2, 2, 4, 4, 4},
      platform_d{2, 2, 2, 4, 4, 4, 2, 2, 0, 0, 0};
  const std::vector<int> implicit_c{0, 0, 0, 2, 2, 2, 2, 2, 6, 6, 4},
      implicit_d{2, 2, 2, 6, 6, 4, 2, 2, 0, 0, 0};
  const std::vector<int> lengths_c{0, 0, 0, 2}, lengths_d{2, 2, 2, 0};
  const auto car = [](const char* coordinates, double alpha, double damping) {
    return inverse_text(mass_on_car(coordinates, alpha, damping));
  };
  const auto manipulator = [](const char* which) {
    model::Overrides overrides;
    overrides.model = which;
    return std::make_shared<derive::Dae>(
        derive::inverse(forward_of(library_file("manipulator_3d"), overrides)));
  };
  const std::vector<int> arm_c{0, 0, 0, 0, 2, 2, 2}, arm_d{2, 2, 2, 2, 0, 0, 0};
  const double narrow = 0.35, wide = 0.818935;
  return {
      {"crane_generalised",
       inverse_text(crane_generalised),
       5,
       0,
       converted,
       {0, 0, 0, 2, 2},
       {2, 2, 2, 0, 0}},
      {"crane_redundant",
       inverse_text(crane_redundant),
       5,
       0,
       plain,
       {0, 0, 2, 2, 2, 4, 4},
       {2, 2, 4, 4, 2, 0, 0}},
      {"crane_substituted",
       inverse_text(crane_substituted),
       3,
       0,
       plain,
       {0, 0, 2, 2, 2},
       {2, 2, 2, 0, 0}},
      {"platform_tilt_given", inverse_text(platform_robot(wide, Tilt::given)), 5, 0, plain,
       platform_c, platform_d},
      {"platform_tilt_desired", inverse_text(platform_robot(wide, Tilt::by_desired_accelerations)),
       5, 0, plain, platform_c, platform_d},
      {"platform_tilt_unknown", inverse_text(platform_robot(wide, Tilt::by_unknown_accelerations)),
       7, 0, plain, implicit_c, implicit_d},
      {"parallel_tilt_given", inverse_text(platform_robot(narrow, Tilt::given)), 5, 0, plain,
       platform_c, platform_d},
      {"parallel_tilt_desired",
       inverse_text(platform_robot(narrow, Tilt::by_desired_accelerations)), 5, 0, plain,
       platform_c, platform_d},
      {"parallel_tilt_unknown",
       inverse_text(platform_robot(narrow, Tilt::by_unknown_accelerations)), 7, 0, plain,
       implicit_c, implicit_d},
      {"car_90_damped", car(mass_on_car_lengths, 90, 1), 4, 3, converted, {}, {}},
      {"car_90", car(mass_on_car_lengths, 90, 0), 5, 2, converted, {}, {}},
      {"car_15_damped", car(mass_on_car_lengths, 15, 1), 4, 3, converted, lengths_c, lengths_d},
      {"car_15", car(mass_on_car_lengths, 15, 0), 5, 2, converted, lengths_c, lengths_d},
      {"car_0_damped", car(mass_on_car_lengths, 0, 1), 5, 2, converted, lengths_c, lengths_d},
      {"car_0", car(mass_on_car_lengths, 0, 0), 7, 0, converted, lengths_c, lengths_d},
      {"car_90_output_damped", car(mass_on_car_output, 90, 1), 4, 3, plain, {}, {}},
      {"car_90_output", car(mass_on_car_output, 90, 0), 5, 2, plain, {}, {}},
      {"car_15_output_damped",
       car(mass_on_car_output, 15, 1),
       4,
       3,
       plain,
       {0, 1, 1, 3},
       {2, 3, 3, 0}},
      {"car_15_output", car(mass_on_car_output, 15, 0), 5, 2, plain, {0, 2, 2, 4}, {2, 4, 4, 0}},
      {"car_0_output_damped",
       car(mass_on_car_output, 0, 1),
       5,
       2,
       converted,
       {0, 1, 1, 3},
       {2, 3, 3, 0}},
      {"car_0_output", car(mass_on_car_output, 0, 0), 7, 0, converted, {0, 2, 2, 4}, {2, 4, 4, 0}},
      {"three_masses_damped",
       inverse_text(three_masses(1)),
       5,
       2,
       plain,
       {0, 1, 2, 4},
       {2, 3, 4, 0}},
      {"three_masses", inverse_text(three_masses(0)), 7, 0, plain, {0, 2, 4, 6}, {2, 4, 6, 0}},
      {"manipulator", manipulator("manipulator_3d"), 3, 2, plain, arm_c, arm_d},
      {"manipulator_printed", manipulator("manipulator_3d_printed"), 3, 2, plain, arm_c, arm_d},
      // relative degree 1, but the multiplier of the constraint needs the third derivative of the speed
      {"position_constraint",
       inverse_text(torsional_position_drive("constraint motor: phi[2] = u")),
       4,
       3,
       plain,
       {},
       {}},
      {"position_drive",
       inverse_text(torsional_position_drive("drive phi[2] by u position()")),
       2,
       3,
       plain,
       {},
       {}},
  };
}

TEST(Examine, inverse_models_have_their_true_index_and_degrees_of_freedom) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const Structure s = examine(one.dae);
    std::string story = s.remark;
    for (const Conversion& conversion : s.conversions) story += conversion.words + "\n";
    EXPECT_EQ(s.index, one.index) << story;
    EXPECT_EQ(s.degrees_of_freedom, one.degrees_of_freedom) << story;
    EXPECT_EQ(s.basis, one.basis) << story;
    if (one.c.empty()) continue;
    const Offsets plain = analyse(*one.dae);
    EXPECT_EQ(plain.c, one.c);
    EXPECT_EQ(plain.d, one.d);
  }
}

TEST(Examine, forward_mechanisms_have_the_index_of_their_constraints) {
  const std::string point = "model m\ncoordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\n";
  EXPECT_EQ(examine(forward_text(point)).index, 0);
  EXPECT_EQ(examine(forward_text(point + "constraint rod: x^2 + y^2 = 1\n")).index, 3);
  EXPECT_EQ(examine(forward_text(point + "constraint skate: x*y' - y*x' = 0\n")).index, 2);
  for (const char* folder : {"pendulum", "pendulum3d", "fourbar", "looper", "delta_robot",
                             "delta_gros", "chain", "elevator_cable"})
    EXPECT_EQ(examine(std::make_shared<derive::Dae>(forward_of(library_file(folder)))).index, 3)
        << folder;
  for (const char* folder :
       {"spring_mass", "cart_pendulum", "torsional_oscillator", "mass_on_car", "manipulator_3d"})
    EXPECT_EQ(examine(std::make_shared<derive::Dae>(forward_of(library_file(folder)))).index, 0)
        << folder;
  // The equilibrium must be differentiated once, its reaction rate once more.
  const Structure tank = examine(std::make_shared<derive::Dae>(forward_of(library_file("cstr"))));
  EXPECT_EQ(tank.index, 2);
  EXPECT_EQ(tank.degrees_of_freedom, 3);
}

TEST(Examine, all_cases_of_the_library_keep_their_index_however_they_are_written) {
  const std::vector<std::pair<const char*, std::pair<int, int>>> cases{
      {"mass_on_car_1_1", {4, 3}},    {"mass_on_car_1_2", {5, 2}},     {"mass_on_car_2_1", {4, 3}},
      {"mass_on_car", {5, 2}},        {"mass_on_car_3_1", {5, 2}},     {"mass_on_car_3_2", {7, 0}},
      {"mass_on_car_output", {5, 2}}, {"mass_on_car_absolute", {7, 0}}};
  for (const auto& [which, expected] : cases) {
    model::Overrides overrides;
    overrides.model = which;
    const Structure s = examine(std::make_shared<derive::Dae>(
        derive::inverse(forward_of(library_file("mass_on_car"), overrides))));
    EXPECT_EQ(s.index, expected.first) << which;
    EXPECT_EQ(s.degrees_of_freedom, expected.second) << which;
    EXPECT_TRUE(s.solvable()) << which;
  }
}

TEST(Examine, conversions_are_told_and_give_a_plain_dae_with_regular_offsets) {
  const Structure s = examine(inverse_text(crane_generalised));
  ASSERT_EQ(s.conversions.size(), 2u);
  EXPECT_EQ(s.conversions[0].words, "in 'motion of phi' L'' cancels");
  EXPECT_EQ(s.conversions[1].words,
            "'motion of phi' is replaced by its combination with 'path[1]' differentiated twice "
            "and 'path[2]' "
            "differentiated twice, valid where cos(phi) is not 0");
  EXPECT_EQ(s.dae->equations[2].name, "motion of phi (combined)");
  // The offsets of f3 - cos(phi) s1'' + sin(phi) s2'', the projection of the load's motion across the cable.
  EXPECT_EQ(s.offsets.c, (std::vector<int>{0, 0, 2, 2, 2}));
  EXPECT_EQ(s.offsets.d, (std::vector<int>{2, 2, 2, 0, 0}));
  EXPECT_EQ(s.differentiations, (std::vector<int>{0, 0, 2, 4, 4}));
  EXPECT_TRUE(regularity(*s.dae, s.offsets).regular());
}

TEST(Examine, the_converted_equation_of_the_crane_is_the_force_balance_across_the_cable) {
  // cos(phi) x_d'' - sin(phi) (z_d'' - g) = 0, times any factor: the load hangs against its acceleration.
  const Structure s = examine(inverse_text(crane_generalised));
  expr::Graph graph(s.dae->model->graph);
  const expr::Expr row = expr::expand(s.dae->residual, graph)[2];
  const double t = 3.3, g = 9.81, tf = 10;
  const double way = expr::rest_to_rest_value(t / tf, 4, 2) / (tf * tf);
  const double phi = std::atan2(-4 * way, 3 * way - g) + std::acos(-1.0);
  const auto value = [&](double angle) {
    return expr::evaluate(graph, std::span(&row, 1), [&](expr::Leaf leaf) {
      const model::Symbol& symbol = s.dae->model->symbols[leaf.symbol];
      return symbol.name == "t"     ? t
             : symbol.name == "phi" ? angle
             : symbol.name == "L"   ? 5.0
                                    : symbol.value;
    })[0];
  };
  EXPECT_NEAR(std::cos(phi) * -4 * way - std::sin(phi) * (3 * way - g), 0,
              daedal::test::rounding(8, g));
  EXPECT_NEAR(value(phi), 0, daedal::test::rounding(200, value(phi + 0.5)));
}

TEST(Examine, unknowns_that_enter_together_are_substituted_where_no_combination_is_possible) {
  // The example of [Tan2017]: u^T J = 0 has u = (1, exp(-x' - y*y'')), with the highest derivatives in it.
  const SharedDae dae = forward_text(
      "model m\nvariable x, y\nequation one: x + exp(-x' - y*y'') = sin(t)\n"
      "equation two: x + y*y' + y^2 = cos(t)\n");
  const Structure s = examine(dae);
  EXPECT_EQ(s.basis, Basis::conversion);
  ASSERT_EQ(s.conversions.size(), 1u);
  EXPECT_EQ(s.conversions[0].words, "aux_x = x + y*y' is introduced in 'one', 'two'");
  const std::optional<ArrayRanks> ranks = derivative_array(*dae);
  ASSERT_TRUE(ranks.has_value());
  EXPECT_EQ(s.degrees_of_freedom, ranks->degrees_of_freedom);
  EXPECT_EQ(s.index, ranks->index);
  EXPECT_EQ(s.degrees_of_freedom, 1);
  EXPECT_EQ(s.index, 2);
}

TEST(Examine, the_derivative_array_decides_where_nothing_can_be_converted) {
  // Only p = x'*y' enters, nonlinearly: p = a - x and p^2 = b - y hide the constraint (a - x)^2 = b - y. One derivative of it
  // determines x' and y' from x: index 1, one degree of freedom. Null vectors on both sides contain x' and y'.
  const Structure s =
      examine(forward_text("model m\nvariable x = 0.3, y = 0.4\nequation one: x'*y' + x = "
                           "sin(t)\nequation two: (x'*y')^2 + y = cos(t)\n"));
  EXPECT_EQ(s.basis, Basis::derivative_array);
  EXPECT_FALSE(s.solvable());
  EXPECT_EQ(s.index, 1);
  EXPECT_EQ(s.degrees_of_freedom, 1);
  EXPECT_EQ(s.remark,
            "'one', 'two' do not determine 'x', 'y' at any state (rank 1 of 2); the factors that "
            "combine 'one', 'two' contain "
            "derivatives as high as those to be eliminated; 'x', 'y' enter together with factors "
            "that contain too high "
            "derivatives");
}

TEST(Examine, an_unknown_that_cancels_everywhere_is_named) {
  std::string fault;
  try {
    examine(
        forward_text("model m\nvariable a, b\nequation one: a + (b + 1)^2 - b^2 - 2*b = "
                     "2\nequation two: a = sin(t)\n"));
  } catch (const ModelError& error) {
    fault = error.what();
  }
  EXPECT_EQ(fault,
            "<text>:2:13: error: model 'm': the equations do not determine all unknowns\n"
            "    variable a, b\n"
            "                ^\n"
            "  no equation contains 'b'\n"
            "  2 equations ('one', 'two') contain 1 unknown only ('a')\n"
            "  in 'one' b cancels\n"
            "  help: remove an equation, or declare what it determines as a variable");
}

TEST(Examine, equations_that_depend_on_each_other_are_named) {
  const Structure s =
      examine(forward_text("model m\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint one: x + "
                           "y = 1\nconstraint two: 2*x + 2*y = 2\n"));
  EXPECT_FALSE(s.solvable());
  EXPECT_EQ(s.remark,
            "'one' and 'two' depend on each other at every state: one of them follows from the "
            "others, or "
            "contradicts them");
}

TEST(Examine, effort_grows_with_the_number_of_disks_not_with_its_square) {
  // 3000 distinct offsets: sweeps over all equations for each of them would take seconds.
  const SharedDae dae = torsional_oscillator(3000);
  const auto start = std::chrono::steady_clock::now();
  const Structure s = examine(dae);
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(s.index, 6001);
  std::printf("  3000 disks examined in %.3f s\n", elapsed);
  EXPECT_LT(elapsed, 5);
}

TEST(Examine, fifty_disks_have_index_101_and_are_analysed_at_once) {
  const SharedDae dae = torsional_oscillator(50);
  const auto start = std::chrono::steady_clock::now();
  const Structure s = examine(dae);
  const double elapsed =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(s.index, 101);
  EXPECT_EQ(s.degrees_of_freedom, 0);
  EXPECT_EQ(s.basis, Basis::offsets);
  std::printf("  50 disks examined in %.2f ms\n", elapsed);
  EXPECT_LT(elapsed,
            1000);  // 50 ms are required; the bound allows for sanitizers and busy machines
}

}  // namespace
}  // namespace daedal::structure
