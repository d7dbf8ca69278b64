// Index and degrees of freedom of the library's inverse models, and of its families of any index. The expected ones are those
// of hand derivations and of an independent implementation of the Sigma-method (SymPy), see each model's README.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/structure/examine.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace daedal::test {
namespace {

struct Expected {
  std::string folder, model;
  std::map<std::string, std::string> parameters;
  int index = 0, degrees_of_freedom = 0;
};

std::shared_ptr<const derive::Dae> forward(const Expected& e) {
  const model::Overrides overrides{.parameters = e.parameters, .inputs = {}, .model = e.model};
  return std::make_shared<const derive::Dae>(derive::derive(std::make_shared<const model::Model>(
      model::elaborate(model::load(model_path(e.folder)), overrides))));
}

std::string name_of(const ::testing::TestParamInfo<Expected>& tested) {
  std::string name = tested.param.model;
  for (const auto& [parameter, value] : tested.param.parameters) name += "_" + parameter + value;
  return name;
}

class InverseStructure : public ::testing::TestWithParam<Expected> {};

TEST_P(InverseStructure, index_and_freedom_are_the_true_ones) {
  const structure::Structure found = structure::examine(
      std::make_shared<const derive::Dae>(derive::inverse(*forward(GetParam()))));
  EXPECT_TRUE(found.solvable()) << found.remark;
  EXPECT_EQ(found.index, GetParam().index);
  EXPECT_EQ(found.degrees_of_freedom, GetParam().degrees_of_freedom);
}

INSTANTIATE_TEST_SUITE_P(
    models, InverseStructure,
    ::testing::Values(
        Expected{"cable_robot", "cable_robot", {}, 5, 0},
        Expected{"cable_robot", "cable_robot_generalised", {}, 5, 0},
        Expected{"cable_robot_platform", "cable_robot_platform", {}, 5, 0},
        Expected{"cable_robot_platform", "cable_robot_platform_desired", {}, 5, 0},
        Expected{"cable_robot_platform", "cable_robot_platform_unknown", {}, 7, 0},
        Expected{"cable_robot_platform", "cable_robot_platform_parallel", {}, 5, 0},
        Expected{"torsional_position_drive", "torsional_position_drive", {}, 4, 3},
        Expected{"torsional_position_drive", "torsional_position_drive_drive", {}, 2, 3},
        Expected{"torsional_oscillator", "torsional_oscillator", {{"N", "20"}}, 41, 0}),
    name_of);

class PlainStructure : public ::testing::TestWithParam<Expected> {};

TEST_P(PlainStructure, index_and_freedom_are_the_true_ones) {
  const structure::Structure found = structure::examine(forward(GetParam()));
  EXPECT_TRUE(found.solvable()) << found.remark;
  EXPECT_EQ(found.index, GetParam().index);
  EXPECT_EQ(found.degrees_of_freedom, GetParam().degrees_of_freedom);
}

INSTANTIATE_TEST_SUITE_P(
    models, PlainStructure,
    ::testing::Values(Expected{"cable_robot", "cable_robot_projected", {}, 3, 0},
                      Expected{"cable_robot", "cable_robot_substituted", {}, 3, 0},
                      Expected{"linear_index3", "linear_index3", {}, 3, 0},
                      Expected{"freak_shows", "freak_input", {}, 0, 1},
                      Expected{"freak_shows", "freak_start", {}, 0, 2},
                      Expected{"freak_shows", "freak_shows", {}, 1, 1},
                      Expected{"coupled_pendula", "coupled_pendula", {{"P", "1"}}, 3, 2},
                      Expected{"coupled_pendula", "coupled_pendula", {{"P", "7"}}, 15, 14},
                      Expected{"coupled_pendula", "coupled_pendula", {{"P", "23"}}, 47, 46}),
    name_of);

}  // namespace
}  // namespace daedal::test
