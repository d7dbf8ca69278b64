// Questions of analysis as calls: plain values that are known in closed form, and the texts made of them.
#include "daedal/study/analyse.hpp"

#include "daedal/study/motions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace daedal {
inline namespace task {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double rounding = 1e-12;  // of values of size 1 to 10 after a few dozen operations

// x'' + x' + 4 x = u
Model oscillator(const LoadOptions& options = {}) {
  return load_text(
      "model oscillator\nparameter k = 4, d = 1\ncoordinate x\nkinetic x'^2/2\n"
      "potential k/2*x^2\ndissipation d/2*x'^2\ninput u\nforce u on x\noutput z = x\n",
      "<text>", options);
}

TEST(Analyse, poles_and_relative_degree_are_plain_values) {
  const Analysis a = analyse(oscillator());
  ASSERT_TRUE(a.found);
  EXPECT_TRUE(a.holds);
  ASSERT_EQ(a.poles.size(), 2u);
  EXPECT_NEAR(a.poles[0].real(), -0.5, rounding);
  EXPECT_NEAR(std::abs(a.poles[0].imag()), std::sqrt(3.75), rounding);
  EXPECT_TRUE(a.zeros.empty());
  EXPECT_THAT(a.relative_degree, ElementsAre(2));
  EXPECT_EQ(a.controllable, 2);
  EXPECT_THAT(a.linear.inputs, ElementsAre("u"));
  EXPECT_EQ(a.table(), nullptr);
  EXPECT_THAT(summary(a), HasSubstr("\n  verdict  "));
  EXPECT_THAT(to_json(a), HasSubstr("\"stability\": \"" + a.stability + "\""));
}

// They used to end with std::invalid_argument, 'state_space: the equations are not independent': the poles need one decision
// about rank, states need others, and numbers that lie too far apart make them differ.
TEST(Analyse, numbers_too_far_apart_are_a_doubt_or_a_fault_and_no_misuse) {
  const Model model = load_text(
      "model m\ncoordinate x\ninput u\ndrive x by u velocity(lag = 1e300)\noutput z = x\n");
  const Analysis a = analyse(model);
  EXPECT_FALSE(a.controllable.has_value());
  EXPECT_THAT(a.doubts, testing::Contains(HasSubstr("there are poles, but no states")));
  const auto expect_fault = [](const auto& question) {
    try {
      question();
      FAIL() << "it needs states";
    } catch (const ModelError& error) {
      EXPECT_STREQ(
          error.what(),
          "error: the linearised equations have no states: to rounding they do not determine "
          "the motion\n"
          "  help: numbers that lie too many orders of magnitude apart are the usual cause: "
          "check units and parameters");
    }
  };
  expect_fault([&] { analyse(model, {.reduce = 1}); });
  expect_fault([&] { linear_motion(model, {.until = 0.1}); });
  expect_fault([&] { lyapunov(model); });
}

TEST(Analyse, the_response_is_a_table) {
  const Analysis a = analyse(oscillator(), {.response = Grid{1, 100, 3}});
  ASSERT_NE(a.table(), nullptr);
  ASSERT_EQ(a.response.rows(), 3u);
  for (std::size_t r = 0; r < 3; ++r) {
    const double w = a.response.at(r, 0);
    EXPECT_NEAR(a.response.at(r, 1), 1 / std::hypot(4 - w * w, w), rounding);
  }
}

TEST(Analyse, without_an_equilibrium_the_answer_says_why) {
  const Analysis a =
      analyse(load_text("model fall\ncoordinate x\nkinetic x'^2/2\npotential 9.81*x\n"));
  EXPECT_FALSE(a.found);
  EXPECT_FALSE(a.holds);
  ASSERT_EQ(a.faults.size(), 1u);
  EXPECT_THAT(a.reason, HasSubstr("no equilibrium near the start values"));
  EXPECT_EQ(summary(a), "");
  EXPECT_THAT(report(a).verdict, HasSubstr("no equilibrium near the start values"));
}

TEST(Analyse, names_that_are_none_are_faults_in_the_words_of_the_options) {
  try {
    analyse(oscillator(), {.free = {"w"}});
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("free = w: model 'oscillator' has no input 'w'"));
  }
}

// dk moves the poles: d/dk (-1/2 + i sqrt(k - 1/4)) = i / (2 sqrt(k - 1/4))
// Both inputs push both masses alike: A = [1, 1; 1, 1].
TEST(NormalForm, states_the_rank_of_the_decoupling_matrix) {
  const Model model = load_text(
      "model m\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\ninput u, w\n"
      "force u + w on x, u + w on y\noutput a = x, b = y\n");
  const daedal::NormalForm form = normal_form(model);
  EXPECT_EQ(form.rank, 1);
  EXPECT_TRUE(form.holding_input.empty());
  EXPECT_THAT(summary(form), testing::HasSubstr("decoupling matrix of rank 1 for 2 outputs"));
}

TEST(Sensitivity, of_poles_also_where_the_parameter_was_given) {
  const Sensitivity s =
      sensitivity(oscillator({.parameters = {{"k", "2.5"}}}), {.parameters = {"k"}});
  ASSERT_EQ(s.parameters.size(), 1u);
  EXPECT_EQ(s.parameters[0].value, 2.5);
  ASSERT_EQ(s.parameters[0].poles.size(), 2u);
  constexpr double of_differences = 1e-8;  // extrapolated: below the cube root of rounding squared
  for (const ParameterRates::ComplexRate& r : s.parameters[0].poles) {
    EXPECT_NEAR(r.rate.real(), 0, of_differences);
    EXPECT_NEAR(std::abs(r.rate.imag()), 1 / (2 * std::sqrt(2.25)), of_differences);
  }
}

TEST(Locus, of_a_parameter_that_has_a_value_is_refused) {
  EXPECT_THROW(locus(oscillator({.parameters = {{"k", "2"}}}), {.over = {"k", 1, 2, 3}}),
               ModelError);
}

TEST(Zeros, are_one_path_or_a_search_as_the_options_say) {
  VaryOptions options{.vary = {{"k", 1, 2}}, .samples = 3};
  EXPECT_NE(dynamic_cast<const ZeroPathMap*>(study_zeros(oscillator(), options).get()), nullptr);
  options.against = {{"d", 1, 2}};
  options.lines = 2;
  EXPECT_NE(dynamic_cast<const ZeroSearch*>(study_zeros(oscillator(), options).get()), nullptr);
}

TEST(Locus, ends_when_it_is_asked_to) {
  std::atomic<bool> stop = false;
  const RootLocus l =
      locus(oscillator(),
            {.over = {"k", 1, 2, 500}, .watch = {[&](const Progress&) { stop = true; }, &stop}});
  EXPECT_TRUE(l.interrupted);
  EXPECT_EQ(l.classes.back(), "not asked");  // 500 points are far more than threads
  EXPECT_THROW(vary(oscillator(), {.vary = {{"k", 1, 2}}, .watch = {{}, &stop}}), Interrupted);
}

// A mass on a rail that is inclined by alpha, on a car: two zeros for every alpha > 0, none at 0. Closer to 0 than rounding can
// tell, maps, loci and paths counted none without a word.
Model on_a_rail() {
  return load_text(
      "model rail\nparameter alpha = 0.1, m = 1\ncoordinate x, s\nlet mass = [x + s*cos(alpha), "
      "s*sin(alpha)]\nkinetic x'^2/2 + m*dot(mass', mass')/2\npotential s^2/2\ninput u\nforce u "
      "on x\noutput z = mass[1]\nservo z = 0\n");
}
constexpr const char* two_or_none = "the number of finite zeros is 0 to rounding, but 2 with";

TEST(Doubts, of_a_locus_are_marked_in_words_json_and_report) {
  const RootLocus a = locus(on_a_rail(), {.over = {"alpha", 1e-9, 0.1, 2}});
  ASSERT_EQ(a.doubts.size(), 2u);
  ASSERT_EQ(a.doubts[0].size(), 1u);
  EXPECT_TRUE(a.doubts[0][0].zeros);
  EXPECT_EQ(a.doubts[0][0].number, 0);
  EXPECT_EQ(a.doubts[0][0].other, 2);
  EXPECT_LT(a.doubts[0][0].margin, 1);
  EXPECT_TRUE(a.doubts[1].empty());
  EXPECT_EQ(a.tone, emit::Tone::doubtful);
  ASSERT_EQ(a.warnings.size(), 1u);
  EXPECT_EQ(
      a.warnings[0].message,
      "model 'rail': rounding decides on the number of poles or zeros at 1 of 2 points, first "
      "at alpha = 1e-09");
  EXPECT_THAT(summary(a), HasSubstr("in doubt           1 of 2 values"));
  EXPECT_THAT(summary(a), HasSubstr("alpha = 1e-09: 0 or 2 zeros, margin"));
  EXPECT_THAT(to_json(a), HasSubstr(two_or_none));
  EXPECT_THAT(report(a).tables,
              testing::Contains(testing::Field(&emit::TextTable::title, "In doubt")));
}

TEST(Doubts, of_a_map_are_marked_in_words_json_and_table) {
  const ClassMap a = map(on_a_rail(), {.x = {"alpha", 1e-9, 0.1, 2}, .y = {"m", 1, 2, 2}});
  EXPECT_THAT(summary(a), HasSubstr("|!"));
  EXPECT_THAT(summary(a), HasSubstr("!  in doubt           2 of 4 points"));
  EXPECT_THAT(to_json(a), HasSubstr(two_or_none));
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_EQ(a.rows.at(k, *a.rows.find("in doubt")), k < 2 ? 1 : 0);
}

// A path that ends at the degenerate value: its best point was the last one, which has no zeros to rounding.
TEST(Doubts, of_a_path_are_marked_and_its_best_point_is_without) {
  const ZeroPathMap a = vary(on_a_rail(), {.vary = {{"alpha", 0.1, 1e-9, 2}}, .samples = 5});
  ASSERT_EQ(a.points.size(), 5u);
  ASSERT_TRUE(a.points.back().doubt);
  EXPECT_EQ(a.points.back().doubt->other, 2);
  EXPECT_FALSE(a.points[3].doubt);
  ASSERT_TRUE(a.best);
  EXPECT_FALSE(a.best->doubt);
  EXPECT_EQ(a.best->zeros.size(), 2u);
  EXPECT_THAT(summary(a), HasSubstr("in doubt: 0 or 2 zeros"));
  EXPECT_THAT(to_json(a), HasSubstr(two_or_none));
  EXPECT_EQ(a.tone, emit::Tone::doubtful);
}

TEST(Doubts, are_none_at_the_degenerate_value_itself) {
  EXPECT_THAT(locus(on_a_rail(), {.over = {"alpha", 0, 0.1, 2}}).doubts,
              testing::Each(testing::IsEmpty()));
}

TEST(Poses, of_two_links_in_closed_form) {
  const Model arm = load_text(
      "model arm\ncoordinate a = 0.3, b = 0.8\nlet tip = [cos(a) + cos(a + b), sin(a) + sin(a + "
      "b)]\n"
      "kinetic dot(tip', tip')/2 + a'^2\ninput u, v\nforce u on a\nforce v on b\noutput p = tip\n");
  const Pose there = pose(arm, {.given = {{"a", 0.1}, {"b", 0.2}}});
  EXPECT_EQ(there.degrees_of_freedom, 2);
  ASSERT_EQ(there.outputs.size(), 2u);
  EXPECT_NEAR(there.outputs[0].value, std::cos(0.1) + std::cos(0.3), rounding);
  EXPECT_NEAR(there.jacobian[1][1], std::cos(0.3), rounding);  // dp_2/db
  const PosePath stretched = path(arm, {.line = {{"a", 0.3, 0.4}, {"b", 0.8, -0.7}}});
  ASSERT_EQ(stretched.events.size(), 1u);
  EXPECT_EQ(stretched.events[0].kind, "singular");
  EXPECT_NEAR(stretched.events[0].coordinates[1].value, 0,
              1e-9);  // located to the path's tolerance
}

TEST(Lyapunov, an_unstable_rest_has_no_function) {
  const LyapunovRegion r =
      lyapunov(load_text("model m\ncoordinate x\nkinetic x'^2/2\npotential -x^2/2\n"), {});
  EXPECT_FALSE(r.holds);
  EXPECT_THAT(r.reason, HasSubstr("no Lyapunov function: "));
  EXPECT_EQ(r.table(), nullptr);
}

TEST(Ranges, are_read_from_words) {
  const Range r = read_range("over", "k=1:5:3", 50);
  EXPECT_EQ(r.name, "k");
  EXPECT_THAT(r.values(), ElementsAre(1, 3, 5));
  EXPECT_EQ(read_frequencies("response", "0.1:100").count, 200);
  EXPECT_THROW(read_times("along", "3:1"), ModelError);
  EXPECT_THAT(split_list("x=0.1,q[1,2]=1"), ElementsAre("x=0.1", "q[1,2]=1"));
}

TEST(Values, are_formulas_of_numbers) {
  const auto values = read_values("--pose", split_list("phi = pi/4,q[2]'=max(1, 2), x=1e-3"));
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[0].name, "phi");
  EXPECT_EQ(values[0].value, std::numbers::pi / 4);
  EXPECT_EQ(values[1].name, "q[2]'");
  EXPECT_EQ(values[1].value, 2);
  EXPECT_EQ(values[2].value, 1e-3);
  for (const std::string wrong :
       {"phi", "=1", "phi=", "phi=x", "phi=[1, 2]", "phi=1/", "phi=1e999"})
    EXPECT_THROW(read_values("--pose", {wrong}), ModelError) << wrong;
}

}  // namespace
}  // namespace task
}  // namespace daedal
