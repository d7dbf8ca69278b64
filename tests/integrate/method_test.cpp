// Methods by name: options are read, wrong ones are refused with a message.

#include "daedal/integrate/method.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace daedal::solve {
namespace {

std::string message_of(std::string_view name, const std::map<std::string, OptionValue>& options) {
  try {
    make_method(name, options);
  } catch (const ModelError& error) {
    std::string all;
    for (const Diagnostic& d : error.diagnostics()) all += d.message + " | " + d.help + "\n";
    return all;
  }
  return "";
}

TEST(Method, options_reach_the_method_of_the_name) {
  const Method method =
      make_method("radau5", {{"tolerance", 1e-7}, {"step", 0.25}, {"newton_iterations", 9}});
  const auto& options = std::get<Radau5Options>(method);
  EXPECT_EQ(options.tolerance, 1e-7);
  EXPECT_EQ(options.step, 0.25);
  EXPECT_EQ(options.newton_iterations, 9);
  EXPECT_TRUE(options.adaptive);
  EXPECT_EQ(name(method), "radau5");
  EXPECT_EQ(tolerance(method), 1e-7);
}

TEST(Method, every_name_makes_a_method_of_that_name) {
  for (const std::string& each : method_names()) {
    EXPECT_EQ(name(make_method(each, {})), each);
    EXPECT_TRUE(check(make_method(each, {})).empty());
  }
}

TEST(Method, an_unknown_method_is_refused_with_the_nearest_name) {
  EXPECT_EQ(
      message_of("rk46", {}),
      "unknown method 'rk46' | did you mean 'rk45'? there are rk45, dop853, rk23, rk4, euler, "
      "radau5, implicit_euler, linear_implicit_euler, bdf, generalized_alpha, rattle, ida, "
      "taylor\n");
}

TEST(Method, an_unknown_option_is_refused_with_the_nearest_name) {
  EXPECT_EQ(message_of("rk45", {{"tolerence", 1e-6}}),
            "method 'rk45' has no option 'tolerence' | did you mean 'tolerance'? there are "
            "tolerance, step, adaptive, "
            "max_steps\n");
}

TEST(Method, values_out_of_range_are_all_named_with_their_range) {
  const std::string text = message_of("ida", {{"tolerance", -1}, {"max_order", 6}, {"step", 0.1}});
  EXPECT_THAT(text,
              ::testing::HasSubstr(
                  "option 'tolerance' of method 'ida' is -1, outside its range | 'tolerance' is a "
                  "number from 1e-14 to 0.1"));
  EXPECT_THAT(text, ::testing::HasSubstr("'max_order' is a whole number from 1 to 5"));
}

TEST(Method, a_number_that_is_none_is_out_of_range) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message_of("rk45", {{"step", nan}}), ::testing::HasSubstr("option 'step'"));
  Rk45Options options;
  options.tolerance = nan;
  EXPECT_EQ(check(Method(options)).size(), 1u);
}

TEST(Method, fixed_steps_and_tolerances_are_told_apart) {
  EXPECT_EQ(fixed_step(make_method("rk4", {{"step", 0.25}})), 0.25);
  EXPECT_EQ(tolerance(make_method("rk4", {})), 0);
  EXPECT_EQ(fixed_step(make_method("rk45", {{"step", 0.25}})), 0);
  EXPECT_EQ(fixed_step(make_method("dop853", {{"step", 0.25}, {"adaptive", 0}})), 0.25);
  EXPECT_THAT(message_of("euler", {{"step", 0}}),
              ::testing::HasSubstr("'step' is a number from 1e-12 to 1000000000 s"));
}

TEST(Method, words_are_values_where_an_option_takes_them) {
  const Method method = make_method("bdf", {{"order", 4}, {"jacobian", "broyden"}, {"renew", 50}});
  EXPECT_EQ(std::get<BdfOptions>(method).order, 4);
  EXPECT_EQ(std::get<BdfOptions>(method).newton.jacobian, JacobianKind::broyden);
  EXPECT_EQ(std::get<BdfOptions>(method).newton.renew, 50);
  EXPECT_EQ(
      message_of("bdf", {{"jacobian", "broiden"}}),
      "option 'jacobian' of method 'bdf' is broiden, outside its range | 'jacobian' is one of "
      "exact, difference, broyden\n");
  EXPECT_EQ(
      message_of("bdf", {{"jacobian", 1}}),
      "option 'jacobian' of method 'bdf' is 1, outside its range | 'jacobian' is one of exact, "
      "difference, broyden\n");
}

TEST(Method, a_word_is_no_number) {
  EXPECT_EQ(message_of("rk45", {{"tolerance", "small"}}),
            "option 'tolerance' of method 'rk45' is small, outside its range | 'tolerance' is a "
            "number from 1e-15 to 0.1\n");
}

TEST(Method, a_fixed_step_needs_its_length) {
  EXPECT_THAT(message_of("rk45", {{"adaptive", 0}}),
              ::testing::HasSubstr("without step control needs a step"));
  EXPECT_EQ(message_of("rk45", {{"adaptive", 0}, {"step", 1e-3}}), "");
}

TEST(Method, radau5_with_a_step_alone_has_equal_steps) {
  const auto adaptive = [](const std::map<std::string, OptionValue>& options) {
    return std::get<Radau5Options>(make_method("radau5", options)).adaptive;
  };
  EXPECT_FALSE(adaptive({{"step", 0.01}}));
  EXPECT_TRUE(adaptive({{"step", 0.01}, {"tolerance", 1e-8}}));
  EXPECT_TRUE(adaptive({{"step", 0.01}, {"adaptive", 1.0}}));
  EXPECT_TRUE(adaptive({}));
}

}  // namespace
}  // namespace daedal::solve
