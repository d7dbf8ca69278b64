// Index and degrees of freedom of inverse models are the true ones, also where the plain Sigma-method fails.
//
// Offsets, index and degrees of freedom: independent recomputation with SymPy (signature matrices, canonical offsets) and
// with mpmath (degree of the determinant of the linearised pencil, numbers of its finite eigenvalues) of the models of
// [Druecker2022].
#include "daedal/structure/examine.hpp"

#include "daedal/structure/analysis.hpp"
#include "inverse_models.hpp"

#include <gtest/gtest.h>

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
    std::printf("%s\n  %s\n", one.name, story.c_str());
    if (one.c.empty()) continue;
    const Offsets plain = analyse(*one.dae);
    EXPECT_EQ(plain.c, one.c);
    EXPECT_EQ(plain.d, one.d);
  }
}

}  // namespace
}  // namespace daedal::structure
