// Exported C: clean under pedantic warnings, and step by step what the stepper itself answers.
#include "daedal/emit/c_code.hpp"

#include "daedal/emit/files.hpp"
#include "daedal/invert/classical.hpp"
#include "support/bounds.hpp"
#include "support/stepped.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace daedal::emit {
namespace {

struct Report {  // of the exported header
  int status;
  int iterations;
  double correction, residual, distance;
};

int shell(const std::string& command) { return std::system(command.c_str()); }

/// Exported, compiled and loaded.
class Library {
 public:
  Library(const solve::StepProgram& program, const CResults& results,
          const solve::StepperOptions& options) {
    folder_ = std::filesystem::temp_directory_path() /
              ("daedal_c_" + std::to_string(::getpid()) + "_" + std::to_string(count_++));
    std::filesystem::create_directory(folder_);
    const CCode code = c_stepper(program, options, "exported", results);
    write_text(code.header, path("exported.h"));
    write_text(code.source, path("exported.c"));
    EXPECT_EQ(
        shell("cc -std=c99 -Wall -Wextra -pedantic -Werror -O2 -ffp-contract=off -shared -fPIC "
              "-o " +
              path("exported.so") + " " + path("exported.c") + " -lm"),
        0);
    EXPECT_EQ(code.source.find("malloc"), std::string::npos);
    handle_ = dlopen(path("exported.so").c_str(), RTLD_NOW);
    if (handle_ == nullptr) return;
    init_ = reinterpret_cast<void (*)(void*, double)>(dlsym(handle_, "exported_init"));
    step_ = reinterpret_cast<Report (*)(void*, const double*, double*)>(
        dlsym(handle_, "exported_step"));
    init_(state_.data(), 0);
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
    std::filesystem::remove_all(folder_);
  }
  bool loaded() const { return handle_ != nullptr; }
  /// Of result k of so many: lowest, highest and rate come first in the state.
  void set_limits(std::size_t k, std::size_t of, double lowest, double highest, double rate) {
    state_[k] = lowest;
    state_[of + k] = highest;
    state_[2 * of + k] = rate;
  }
  std::string path(const std::string& file) const { return (folder_ / file).string(); }
  Report step(const std::vector<double>& signals, std::vector<double>& results) {
    return step_(state_.data(), signals.data(), results.data());
  }

 private:
  static inline int count_ = 0;
  std::filesystem::path folder_;
  std::vector<double> state_ = std::vector<double>(100'000);
  void* handle_ = nullptr;
  void (*init_)(void*, double) = nullptr;
  Report (*step_)(void*, const double*, double*) = nullptr;
};

struct Case {
  const char *folder, *model;
  bool inverse;
  solve::StepFormula formula;
  double step;
  int steps;
  const char* name;
};

double signal_of(const std::string& name, double t) {
  const double s = expr::rest_to_rest_value(t / 10, 6, 0);
  if (name == "desired z[1]") return 15 - 4 * s;
  if (name == "desired z[2]") return 4 + 3 * s;
  return 0.5 * std::sin(t);
}

class Exported : public ::testing::TestWithParam<Case> {};

TEST_P(Exported, answers_as_the_stepper_does) {
  const Case& c = GetParam();
  const auto forward = test::forward_of_file(c.folder, {.model = c.model});
  const derive::Dae dae = c.inverse ? derive::tracking(*forward) : *forward;
  const structure::Point still = test::rest(*dae.model);
  const structure::Point start = [&](expr::Leaf leaf) {
    if (dae.model->symbols[leaf.symbol].name == "cable") return -18.9 * 9.81 / 8;
    return still(leaf);
  };
  const auto program = std::make_shared<const solve::StepProgram>(
      solve::make_step_program(dae, c.formula, c.step, start));
  solve::StepperOptions options;
  options.compile.backend = compile::Backend::tape;
  const CResults results = c_results(dae);
  Library exported(*program, results, options);
  ASSERT_TRUE(exported.loaded());
  solve::Stepper stepper(program, options);

  std::vector<double> signals(program->stages() * program->signals.size()),
      answer(results.values.size());
  double worst = 0, largest = 0;
  for (int n = 0; n < c.steps; ++n) {
    for (std::uint32_t stage = 0; stage < program->stages(); ++stage)
      for (std::size_t k = 0; k < program->signals.size(); ++k)
        signals[stage * program->signals.size() + k] =
            signal_of(dae.model->symbols[program->signals[k].symbol].name,
                      stepper.time() + c.formula.nodes[stage] * c.step);
    const solve::StepReport expected = stepper.step(signals);
    ASSERT_TRUE(expected.ok());
    const Report report = exported.step(signals, answer);
    ASSERT_EQ(report.status, 0);
    EXPECT_EQ(report.iterations, expected.iterations);
    const std::vector<double> values = [&] {
      std::vector<expr::Expr> roots;
      for (const CResult& result : results.values) roots.push_back(result.value);
      return expr::evaluate(*results.graph, roots, [&](expr::Leaf leaf) {
        if (leaf.symbol == expr::time_symbol) return stepper.time();
        if (!dae.model->varies(leaf.symbol)) return dae.model->symbols[leaf.symbol].value;
        return stepper.value(stepper.find(leaf));
      });
    }();
    for (std::size_t k = 0; k < values.size(); ++k) {
      largest = std::max(largest, std::abs(values[k]));
      worst = std::max(worst, std::abs(values[k] - answer[k]));
    }
  }
  EXPECT_LE(worst, 1e-12 * largest);
}

INSTANTIATE_TEST_SUITE_P(
    models, Exported,
    ::testing::Values(Case{"cable_robot", "cable_robot", true, solve::bdf_formula(4), 0.01, 1000,
                           "crane_bdf4"},
                      Case{"cable_robot", "cable_robot", true, solve::radau5_formula(), 0.05, 200,
                           "crane_radau5"},
                      Case{"cable_robot", "cable_robot", false, solve::bdf_formula(2), 0.01, 500,
                           "crane_forward"},
                      Case{"cable_robot", "cable_robot_substituted", false, solve::bdf_formula(3),
                           0.02, 500, "crane_with_its_trajectory"},
                      Case{"manipulator_3d", "manipulator_3d", false, solve::bdf_formula(2), 0.01,
                           100, "manipulator_forward"}),
    [](const auto& tested) { return std::string(tested.param.name); });

class ExportedVariant : public ::testing::TestWithParam<int> {};

/// The desired motion of the crane's load, or a derivative of it.
double desired_load(const std::string& name, int order, double t) {
  const double s = expr::rest_to_rest_value(t / 10, 6, order) / std::pow(10, order);
  const bool x = name == "desired z[1]";
  return (order > 0 ? 0 : x ? 15 : 4) + (x ? -4 : 3) * s;
}

TEST_P(ExportedVariant, of_the_crane_answers_as_the_stepper_does) {
  const inversion::InverseModel inverse =
      inversion::inverse_model(*test::forward_of_file("cable_robot", {.model = "cable_robot"}));
  const solve::ConsistentPoint start = solve::consistent_point(inverse.problem);
  inversion::ClassicalForm form;
  form.reduction.reduction = static_cast<inversion::Reduction>(GetParam());
  solve::BdfOptions bdf;
  bdf.order = 2;
  bdf.step = 0.01;
  const inversion::Steppable made = inversion::step_program(inverse, start, bdf, form);
  solve::StepperOptions options = inversion::stepper_options(bdf, form);
  options.compile.backend = compile::Backend::tape;
  const CResults results = c_results(*made.reduced.dae);
  ASSERT_EQ(results.values.size(), 2U);  // trolley and winch
  Library exported(*made.program, results, options);
  ASSERT_TRUE(exported.loaded());
  solve::Stepper stepper(made.program, options);
  std::vector<double> signals(made.program->signals.size()), answer(2);
  double worst = 0, largest = 0;
  for (int n = 0; n < 150; ++n) {
    for (std::size_t k = 0; k < signals.size(); ++k) {
      const expr::Leaf leaf = made.program->signals[k];
      signals[k] = desired_load(made.program->model->symbols[leaf.symbol].name, leaf.order,
                                stepper.time() + bdf.step);
    }
    ASSERT_TRUE(stepper.step(signals).ok());
    ASSERT_EQ(exported.step(signals, answer).status, 0);
    for (std::size_t k = 0; k < 2; ++k) {
      const double expected =
          stepper.value(stepper.find(results.graph->leaf_of(results.values[k].value)));
      largest = std::max(largest, std::abs(expected));
      worst = std::max(worst, std::abs(expected - answer[k]));
    }
  }
  EXPECT_GT(largest, 0.01);
  EXPECT_LE(worst, 1e-12 * largest);
}

INSTANTIATE_TEST_SUITE_P(forms, ExportedVariant, ::testing::Range(0, 5), [](const auto& tested) {
  return inversion::reduction_names()[static_cast<std::size_t>(tested.param)];
});

struct JumpCase {
  solve::StepFormula formula;
  double step;
  int transition;
  const char* name;
};

class ExportedInJumps : public ::testing::TestWithParam<JumpCase> {};

TEST_P(ExportedInJumps, makes_the_bits_and_the_statuses_of_the_stepper) {
  // the equations of the crane contain no elementary function: C and kernel make the same operations in the same order
  const JumpCase& c = GetParam();
  const auto forward = test::forward_of_file("cable_robot");
  const derive::Dae dae = derive::tracking(*forward);
  const structure::Point still = test::rest(*dae.model);
  const auto program = std::make_shared<const solve::StepProgram>(
      solve::make_step_program(dae, c.formula, c.step, [&](expr::Leaf leaf) {
        return dae.model->symbols[leaf.symbol].name == "cable" ? -18.9 * 9.81 / 8 : still(leaf);
      }));
  solve::StepperOptions options;
  options.compile.backend = compile::Backend::tape;
  options.transition = c.transition;
  options.rescue = false;
  const CResults results = c_results(dae);
  Library exported(*program, results, options);
  ASSERT_TRUE(exported.loaded());
  solve::Stepper stepper(program, options);
  std::mt19937 random(7);
  double amplitude = 0, phase = 0;
  std::vector<double> signals(program->stages() * 2), answer{0, 0};
  int of_status[8] = {};
  for (int n = 0; n < 3000; ++n) {
    if (n % 300 == 100) {  // in the middle of a transition, too: large ones take 4 s
      amplitude = (c.transition > 0 ? 1.5e-3 : 1e-8) * static_cast<double>(random() % 1000);
      phase = 6e-3 * static_cast<double>(random() % 1000);
    }
    for (std::uint32_t stage = 0; stage < program->stages(); ++stage) {
      const double angle = 0.314 * (n + c.formula.nodes[stage]) * c.step + phase;
      signals[2 * stage] = 15 + amplitude * std::sin(angle);
      signals[2 * stage + 1] = 4 + 0.5 * amplitude * std::cos(angle);
    }
    const solve::StepReport expected = stepper.step(signals);
    const std::vector<double> before = answer;
    const Report report = exported.step(signals, answer);
    ASSERT_EQ(report.status, static_cast<int>(expected.status)) << n;
    ASSERT_EQ(report.iterations, expected.iterations) << n;
    ++of_status[report.status];
    const bool handed_out = expected.made() && expected.status != solve::StepStatus::jump;
    for (std::size_t k = 0; k < 2; ++k)
      ASSERT_EQ(answer[k],
                handed_out
                    ? stepper.value(stepper.find(results.graph->leaf_of(results.values[k].value)))
                    : before[k])
          << n;
  }
  EXPECT_GT(of_status[static_cast<int>(solve::StepStatus::ok)], 100);
  EXPECT_GT(of_status[static_cast<int>(c.transition > 0 ? solve::StepStatus::transition
                                                        : solve::StepStatus::jump)],
            10);
}

INSTANTIATE_TEST_SUITE_P(crane, ExportedInJumps,
                         ::testing::Values(JumpCase{solve::bdf_formula(4), 0.01, 100, "bdf4"},
                                           JumpCase{solve::bdf_formula(2), 0.01, 50, "bdf2"},
                                           JumpCase{solve::radau5_formula(), 0.02, 100, "radau5"},
                                           JumpCase{solve::bdf_formula(4), 0.01, 0,
                                                    "bdf4_without_transition"}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(ExportedC, limits_cut_results_as_those_of_the_stepper_do) {
  const auto forward = test::forward_of(model::load_text(
      "model cart\ncoordinate x\nkinetic x'^2/2\ninput u\nforce u on x\nservo x = 0\n",
      "cart.daedal"));
  const derive::Dae dae = derive::tracking(*forward);
  const auto program = std::make_shared<const solve::StepProgram>(
      solve::make_step_program(dae, solve::bdf_formula(2), 0.01, test::rest(*dae.model)));
  solve::StepperOptions options;
  options.compile.backend = compile::Backend::tape;
  options.limits.push_back({{dae.model->find("u"), 0}, -0.5, 0.8, 2});
  Library exported(*program, c_results(dae), options);
  ASSERT_TRUE(exported.loaded());
  exported.set_limits(0, 1, -0.5, 0.8, 2);
  solve::Stepper stepper(program, options);
  std::vector<double> answer{0};
  double last = 0;
  int cut = 0;
  for (int n = 1; n <= 700; ++n) {  // x = t - sin t: the input sin t is cut at 0.8 and -0.5
    const double t = 0.01 * n;
    const std::vector<double> desired{t - std::sin(t)};
    const solve::StepReport report = stepper.step(desired);
    ASSERT_TRUE(report.made());
    ASSERT_EQ(exported.step(desired, answer).status, static_cast<int>(report.status)) << n;
    ASSERT_EQ(answer[0], stepper.inputs()[0]) << n;
    EXPECT_LE(answer[0], 0.8);
    EXPECT_GE(answer[0], -0.5);
    EXPECT_LE(std::abs(answer[0] - last), 2 * 0.01 * (1 + 1e-12));  // rounding of the sum
    if (report.status == solve::StepStatus::limited) ++cut;
    last = answer[0];
  }
  // sin t > 0.8 in (0.927, 2.214), < -0.5 in (3.665, 5.760): 338 steps, and one more or less at each end
  EXPECT_NEAR(cut, 338, 6);
}

TEST(ExportedC, a_step_that_cannot_be_made_is_told_and_leaves_the_results_alone) {
  const auto forward = test::forward_of(model::load_text(R"(model arm
coordinate a = 0.5
kinetic a'^2/2
input u
force u on a
output h = sin(a)
servo h = 0.1
)",
                                                         "arm.daedal"));
  const derive::Dae dae = derive::tracking(*forward);
  const solve::StepProgram program =
      solve::make_step_program(dae, solve::bdf_formula(1), 0.1, test::rest(*dae.model));
  Library exported(program, c_results(dae), {});
  ASSERT_TRUE(exported.loaded());
  std::vector<double> answer{42};
  EXPECT_NE(exported.step({1.5}, answer).status, 0);
  EXPECT_EQ(answer[0], 42);
  EXPECT_EQ(exported.step({std::numeric_limits<double>::quiet_NaN()}, answer).status, 3);
  EXPECT_EQ(exported.step({std::sin(0.501)}, answer).status, 0);
  // from rest at 0.5 to 0.501 within a step: a'' = 0.001/h^2, with Newton's tolerance in place of 0.001
  EXPECT_NEAR(answer[0], 0.1, 1e-10 / (0.1 * 0.1));
}

TEST(ExportedC, passes_an_embedded_compiler) {
  if (shell("command -v arm-none-eabi-gcc > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "arm-none-eabi-gcc is not there";
  const auto forward = test::forward_of_file("cable_robot");
  const derive::Dae dae = derive::tracking(*forward);
  const structure::Point still = test::rest(*dae.model);
  const solve::StepProgram program =
      solve::make_step_program(dae, solve::bdf_formula(4), 0.01, [&](expr::Leaf leaf) {
        return dae.model->symbols[leaf.symbol].name == "cable" ? -23.0 : still(leaf);
      });
  const Library exported(program, c_results(dae), {});
  EXPECT_EQ(shell("arm-none-eabi-gcc -std=c99 -Wall -Wextra -pedantic -Werror -Os -mcpu=cortex-m7 "
                  "-mthumb -mfpu=fpv5-d16 -mfloat-abi=hard -c -o " +
                  exported.path("arm.o") + " " + exported.path("exported.c")),
            0);
  // code and tables: a small microcontroller has 64 kB
  EXPECT_EQ(shell("arm-none-eabi-size " + exported.path("arm.o") + " > " + exported.path("size")),
            0);
  std::ifstream sizes(exported.path("size"));
  std::string title;
  std::getline(sizes, title);
  long text = 0;
  sizes >> text;
  RecordProperty("bytes", std::to_string(text));
  EXPECT_GT(text, 0);
  EXPECT_LT(text, 65536);
}

TEST(ExportedC, identifiers_are_those_of_c) {
  EXPECT_EQ(c_identifier("z[1]"), "z_1");
  EXPECT_EQ(c_identifier("arm[2].q'"), "arm_2_q");
  EXPECT_EQ(c_identifier("3d"), "m3d");
}

TEST(ExportedC, splines_are_tables_and_answer_as_the_stepper_does) {
  const std::string file = (std::filesystem::temp_directory_path() /
                            ("daedal_track_" + std::to_string(::getpid()) + ".csv"))
                               .string();
  write_text("t,f\n0,0\n1,1\n2,0\n3,1\n4,-2\n", file);
  const auto forward = test::forward_of(
      model::load_text("model track\ncoordinate x\nkinetic x'^2/2\ninput u\nforce u on x\n"
                       "signal f = spline(file = \"" +
                           file + "\")\nforce f + f' on x\noutput g = f\nservo x = 0\n",
                       "track.daedal"));
  std::filesystem::remove(file);
  const derive::Dae dae = derive::tracking(*forward);
  const auto program = std::make_shared<const solve::StepProgram>(
      solve::make_step_program(dae, solve::bdf_formula(2), 0.125, test::rest(*dae.model)));
  const CResults results = c_results(dae);
  solve::StepperOptions options;
  options.compile.backend = compile::Backend::tape;
  Library exported(*program, results, options);
  ASSERT_TRUE(exported.loaded());
  solve::Stepper stepper(program, options);
  const std::size_t u = stepper.find({dae.model->find("u"), 0});
  const auto place =
      static_cast<std::size_t>(std::find_if(results.values.begin(), results.values.end(),
                                            [](const CResult& r) { return r.name == "u"; }) -
                               results.values.begin());
  std::vector<double> answer(results.values.size());
  for (int n = 0; n < 40; ++n) {  // over the last break, where it stays constant
    ASSERT_TRUE(stepper.step(std::vector{0.0}).ok());
    ASSERT_EQ(exported.step({0.0}, answer).status, 0);
    EXPECT_NEAR(answer[place], stepper.value(u), test::rounding(20, 1 + std::abs(stepper.value(u))))
        << stepper.time();
  }
}

}  // namespace
}  // namespace daedal::emit
