// A model to ask questions about: from a text, with other values, in the mode in which it starts.
#include "daedal/task/model.hpp"

#include "daedal/task/check.hpp"
#include "daedal/task/invert.hpp"
#include "daedal/task/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {
namespace {

using ::testing::HasSubstr;

const std::string mass = R"(model mass
parameter m = 2 [kg], tf = 1 [s]
coordinate x = 0 [m]
kinetic m/2*x'^2
input u [N]
force u on x
output z = x [m]
servo z = rest_to_rest(t/tf, smoothness = 2)
experiment push: simulate(until = 1, u = 4, m = 8)
experiment move: invert(until = 1, every = 0.25)
)";

TEST(Model, takes_its_name_for_messages_from_the_caller) {
  try {
    load_text("model m\ncoordinate x = y\nkinetic x'^2", "cell 3");
    FAIL() << "an unknown name was accepted";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cell 3:2:16: error: unknown name 'y'"));
  }
}

TEST(Model, with_other_values_is_another_model) {
  const Model model = load_text(mass, "mass");
  const Model heavy = model.with({.parameters = {{"m", "20"}}});
  const SimulateOptions options{.until = 1};
  const double light_end =
      simulate(model.with({.inputs = {{"u", "4"}}}), options).trajectory.table.column(1).back();
  const double heavy_end =
      simulate(heavy.with({.parameters = {{"m", "20"}}, .inputs = {{"u", "4"}}}), options)
          .trajectory.table.column(1)
          .back();
  // u t^2/(2 m): a polynomial that rk45 integrates exactly but for rounding
  constexpr double rounding = 1e-14;
  EXPECT_NEAR(light_end, 1.0, rounding);
  EXPECT_NEAR(heavy_end, 0.1, rounding);
}

TEST(Model, reading_ends_when_it_is_asked_to_and_keeps_no_watch) {
  std::atomic<bool> stop = false;
  std::vector<std::string> told;
  const Watch watch{[&](const Progress& progress) { told.emplace_back(progress.text); }, &stop};
  const Model model = load_text(mass, "mass", {.watch = watch});
  EXPECT_THAT(told, testing::ElementsAre("reading", "deriving equations"));
  EXPECT_EQ(model.options().watch.stop, nullptr);
  stop = true;
  EXPECT_THROW(load_text(mass, "mass", {.watch = watch}), Interrupted);
  EXPECT_THROW(model.with({.watch = {{}, &stop}}), Interrupted);
  EXPECT_NO_THROW(model.with({.parameters = {{"m", "20"}}}));
}

// Options as Modelica, MATLAB and Python name them.
TEST(Run, options_of_other_programs_are_known_by_their_names) {
  for (const auto& [written, meant] : {std::pair{"tend = 10", "until = 10"},
                                       {"tstop = 10", "until = 10"},
                                       {"t_end = 10", "until = 10"},
                                       {"stop_time = 10", "until = 10"},
                                       {"dt = 0.1", "every = 0.1"},
                                       {"solver = rk45", "method = rk45"},
                                       {"rtol = 1e-6", "tolerance = 1e-06"}}) {
    const std::string name(written, std::string_view(written).find(' '));
    const Model model = load_text(mass + "experiment e: simulate(" + written + ")\n", "mass");
    try {
      run(model, "e");
      FAIL() << written << " was accepted";
    } catch (const ModelError& error) {
      EXPECT_EQ(error.diagnostics().front().message,
                "experiment 'e': simulate has no option and the model no input or parameter '" +
                    name + "'");
      EXPECT_EQ(error.diagnostics().front().help, std::string("write  ") + meant);
    }
  }
}

TEST(Run, an_experiment_states_inputs_parameters_and_options) {
  const auto answer = run(load_text(mass, "mass"), "push");
  const auto& push = dynamic_cast<const Simulation&>(*answer);
  EXPECT_EQ(push.title, "mass.push");
  constexpr double rounding = 1e-14;  // as above: 4 t^2/(2*8)
  EXPECT_NEAR(push.trajectory.table.column(1).back(), 0.25, rounding);
}

TEST(Run, answers_all_experiments_in_their_order) {
  const auto answers = run(load_text(mass, "mass"));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_NE(dynamic_cast<const Simulation*>(answers[0].get()), nullptr);
  const auto* move = dynamic_cast<const Inversion*>(answers[1].get());
  ASSERT_NE(move, nullptr);
  EXPECT_EQ(move->trajectory.table.rows(), 5u);
}

TEST(Run, names_the_option_that_an_experiment_does_not_have) {
  try {
    run(load_text("model m\ncoordinate x\nkinetic x'^2\nexperiment e: simulate(untill = 1)", "m"));
    FAIL() << "an unknown option was accepted";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("simulate has no option and the model no input or "
                                        "parameter 'untill'"));
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'until'?"));
  }
}

// A unit fault hid a misspelt option of an experiment until it was mended, and `check` did not see options at all.
TEST(Check, faults_of_a_model_and_of_its_experiments_are_reported_at_once) {
  const std::string cart =
      "model cart\nparameter m = 2 [kg]\ncoordinate x [m]\ninput u [N]\nforce u on x\n"
      "experiment push: simulate(untill = 10, u = 1, m = 3, metod = rk45)\n"
      "experiment pull: simulat(until = 10)\nexperiment back: invert(evry = 0.1)\n";
  const auto faults_of = [&](const std::string& energy) {
    try {
      check(load_text(cart + energy, "cart"));
    } catch (const ModelError& error) {
      std::vector<std::string> messages;
      for (const Diagnostic& fault : error.diagnostics())
        if (fault.severity == Severity::error) messages.push_back(fault.message);
      return messages;
    }
    return std::vector<std::string>();
  };
  const std::string untill =
      "experiment 'push': simulate has no option and the model no input or parameter 'untill'";
  const std::string metod =
      "experiment 'push': simulate has no option and the model no input or parameter 'metod'";
  const std::string simulat = "experiment 'pull' can be simulate or invert, not 'simulat'";
  const std::string evry =
      "experiment 'back': invert has no option and the model no input or parameter 'evry'";
  EXPECT_THAT(
      faults_of("kinetic m/2*x'\n"),
      testing::ElementsAre("the kinetic energy is in N*s, not in J", untill, metod, simulat, evry));
  EXPECT_THAT(faults_of("kinetic m/2*x'^2\n"), testing::ElementsAre(untill, metod, simulat, evry));
}

// A hook that an event attaches later: until then the mass swings freely, and every question must see it so.
const std::string hook = R"(model hook
parameter m = 1 [kg], k = 4 [N/m]
coordinate x = 1 [m], y = 0 [m]
kinetic m/2*(x'^2 + y'^2)
potential k/2*(x^2 + y^2)
input u [N], w [N]
force u on x, w on y
output z = x [m], v = y [m]
servo z = rest_to_rest(t, smoothness = 2)
servo v = 0
constraint hooked: y = x
event catch: when t > 5 then attach hooked
)";

TEST(Derive, gives_the_mode_in_which_a_model_starts_to_every_question) {
  const Model model = load_text(hook, "hook");
  const auto derived = derive::derive(model.lifted().model);
  EXPECT_EQ(derived.released, model.lifted().dae->released);
  ASSERT_EQ(derived.released.size(), 1u);
  // two free masses: four free initial values; with the hook there would be two
  EXPECT_EQ(check(model).structure.degrees_of_freedom, 4);
  // an inversion derives the plant of its forward run anew: that plant must be free, too
  const Inversion inversion = invert(model, {.until = 1});
  ASSERT_TRUE(inversion.tracking.has_value());
  constexpr double of_the_forward_run = 1e-9;  // tolerance 1e-11, motion of 1 m in 1 s
  EXPECT_LT(*inversion.tracking, of_the_forward_run);
}

}  // namespace
}  // namespace task
}  // namespace daedal
