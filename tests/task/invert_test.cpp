// One call inverts whatever the class of the model is, and says which it was.
#include "daedal/task/invert.hpp"

#include "daedal/task/compare.hpp"
#include "daedal/task/export_c.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace daedal {
inline namespace task {
namespace {

using ::testing::HasSubstr;

Model library(const std::string& name) {
  return load(std::string(DAEDAL_SOURCE_DIR "/models/") + name + "/" + name + ".daedal");
}

TEST(Invert, takes_the_method_that_the_class_of_the_model_needs) {
  const Inversion flat = invert(library("cable_robot"));
  EXPECT_EQ(flat.phase, Phase::flat);
  EXPECT_TRUE(flat.zeros.empty());
  EXPECT_TRUE(flat.holds);
  const Inversion flexible = invert(library("manipulator_2link"));
  EXPECT_EQ(flexible.phase, Phase::non_minimum);
  EXPECT_TRUE(flexible.holds);
  EXPECT_EQ(flexible.inputs.size(), 1) << "the desired motion is given, not computed";
  EXPECT_TRUE(std::any_of(flexible.zeros.begin(), flexible.zeros.end(),
                          [](const auto& zero) { return zero.real() > 0; }));
}

TEST(Invert, gives_the_same_facts_as_text_JSON_and_page) {
  const Inversion i = invert(library("cable_robot"), {.every = 0.1});
  const std::string text = summary(i);
  const auto json = nlohmann::json::parse(to_json(i));
  const emit::Report page = report(i);
  ASSERT_FALSE(i.inputs.empty());
  for (const Signal& input : i.inputs) {
    EXPECT_THAT(text, HasSubstr(input.name + ": largest"));
    EXPECT_EQ(json.at("inputs").at(input.name).at("largest").get<double>(), input.peak());
  }
  for (const Fact& fact : i.facts())
    EXPECT_TRUE(std::any_of(page.facts.begin(), page.facts.end(), [&](const auto& shown) {
      return shown.first == fact.name;
    })) << fact.name;
}

// The motion has 4 continuous derivatives, the inputs need 6. This used to hold, with a warning of impulses alone, although the
// forward run with these inputs went 2.5 times as far from the motion as the motion goes.
TEST(Invert, does_not_hold_where_the_forward_run_leaves_a_motion_that_is_not_smooth_enough) {
  const Inversion i = invert(load_text(R"(model chain
coordinate x1, x2, x3, x4, x5
kinetic 0.48*x1'^2 + 0.5*x2'^2 + 0.28*x3'^2 + 0.2*x4'^2 + 0.16*x5'^2
potential 2.9*(x2 - x1)^2 + 1.5*(x3 - x2)^2 + 8.6*(x4 - x3)^2 + 26*(x5 - x4)^2 + 8.8*x1^2
dissipation 0.006*(x2' - x1')^2 + 0.45*(x3' - x2')^2 + 1.4*(x4' - x3')^2 + 0.18*(x5' - x4')^2
input u
force u on x1
output z = x5
servo z = 2.8*rest_to_rest(t/3.9, smoothness = 4))"));
  EXPECT_GT(i.tracking, 0.1 * 2.8);
  EXPECT_FALSE(i.holds);
  EXPECT_THAT(summary(i), HasSubstr("tracking"));
  ASSERT_FALSE(i.trajectory.warnings.empty());
  EXPECT_THAT(i.trajectory.warnings.back().message, HasSubstr("the forward run leaves the motion"));
  EXPECT_THAT(i.trajectory.warnings.back().help, HasSubstr("smooth enough"));
}

TEST(Invert, refuses_with_a_page_that_says_why) {
  const Model model = load_text(R"(model m
coordinate x
kinetic x'^2
input u
force u on x
output z = x)",
                                "m");
  try {
    invert(model);
    FAIL() << "nothing to invert, and no refusal";
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.page().tone, emit::Tone::bad);
    EXPECT_FALSE(refusal.page().verdict.empty());
    EXPECT_FALSE(refusal.no());
  }
}

TEST(Invert, proposes_options_in_the_words_of_the_library) {
  try {
    invert(library("cable_robot"), {.receding = true});
    FAIL() << "a flat model needs no preview";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("leave receding out"));
  }
}

TEST(CompareInverseForms, measures_the_forms_that_exist) {
  const InverseForms forms = compare_inverse_forms(
      library("cable_robot"), {.until = 1, .method = "bdf(order = 2)", .step = 0.01});
  ASSERT_FALSE(forms.forms.empty());
  const InverseForm& original = forms.forms.front();
  EXPECT_EQ(original.name, "original");
  EXPECT_EQ(original.condition.size(), std::size(InverseForms::steps));
  ASSERT_TRUE(original.run.has_value());
  EXPECT_TRUE(original.run->completed);
}

// Without a step it used to divide by it, and ended with std::invalid_argument, 'every = nan s is no output interval'.
TEST(CompareInverseForms, requires_a_method_of_fixed_step) {
  const auto message = [](const char* method) -> std::string {
    try {
      compare_inverse_forms(library("cable_robot"), {.until = 1, .method = method});
      return "";
    } catch (const ModelError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message("radau5"),
            "error: method radau5 steps with a fixed length here, and none is given\n"
            "  help: add  step = 0.001");
  EXPECT_EQ(message("taylor"),
            "error: method taylor has no implicit step of fixed length\n"
            "  help: there are implicit_euler, linear_implicit_euler, bdf and radau5");
}

TEST(ExportC, is_data_until_it_is_written) {
  const CExport code = export_c(library("cable_robot"),
                                {.function = CFunction::inverse, .step = 0.01, .to = "nowhere"});
  EXPECT_EQ(code.path, "nowhere/cable_robot_inverse");
  EXPECT_THAT(code.source, HasSubstr("cable_robot_inverse"));
  EXPECT_EQ(code.paths().size(), 2u);
}

TEST(ExportC, requires_the_length_of_a_step) {
  try {
    export_c(library("cable_robot"), {.function = CFunction::forward});
    FAIL() << "a stepper without a step";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("add  step = 0.001  [s]"));
  }
}

}  // namespace
}  // namespace task
}  // namespace daedal
