// The exported receding horizon: clean under pedantic warnings, and sample by sample what the object itself answers.
#include "daedal/emit/c_horizon.hpp"

#include "daedal/emit/files.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "support/stepped.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace daedal::emit {
namespace {

using boundary::Desired;
using ::testing::HasSubstr;

struct HorizonReport {  // of the exported header
  int status, iterations, factored;
  double step, gap;
};

/// The two-link manipulator: planned in C++ and by the exported code.
class TwoPlans : public ::testing::Test {
 protected:
  using Signals = void (*)(double, double*, void*);

  TwoPlans()
      : problem_(*inversion::tracking_problem(
            inversion::inverse_model(*test::forward_of_file("manipulator_2link")))),
        system_(problem_, {.backend = compile::Backend::tape}),
        plan_(system_,
              {start, motion(1), std::vector<double>(system_.states()),
               std::vector<double>(system_.tops())},
              options_),
        u_(problem_.layout.find({problem_.dae->model->find("u"), 0}) - 1 - problem_.states) {}

  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("daedal_horizon_" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder_);
    const CCode code = c_horizon(problem_, plan_, options_, "horizon");
    write_text(code.header, path("horizon.h"));
    write_text(code.source, path("horizon.c"));
    const std::string compile =
        "cc -std=c99 -Wall -Wextra -pedantic -Werror -O2 -ffp-contract=off -shared -fPIC -o " +
        path("horizon.so") + " " + path("horizon.c") + " -lm";
    ASSERT_EQ(std::system(compile.c_str()), 0);
    EXPECT_EQ(code.source.find("malloc"), std::string::npos);
    handle_ = dlopen(path("horizon.so").c_str(), RTLD_NOW);
    ASSERT_NE(handle_, nullptr);
    load(init_, "horizon_init");
    load(update_, "horizon_update");
    load(advance_, "horizon_advance");
    load(seed_, "horizon_seed");
    init_(memory_.data(), start);
  }
  void TearDown() override {
    if (handle_ != nullptr) dlclose(handle_);
    std::filesystem::remove_all(folder_);
  }

  template <class F>
  void load(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(handle_, name));
    ASSERT_NE(function, nullptr) << name;
  }
  std::string path(const std::string& file) const { return (folder_ / file).string(); }

  /// The motion of the model, times an amplitude.
  Desired motion(double amplitude) {
    return [this, amplitude](double t, double* w) {
      system_.desired(t, w);
      for (std::uint32_t i = 1; i < system_.signals(); ++i) w[i] *= amplitude;
    };
  }
  /// The same for the exported code, which knows the time already.
  static void signals(double t, double* to, void* data) {
    auto& [test, desired] = *static_cast<std::pair<TwoPlans*, Desired>*>(data);
    std::vector<double> w(test->system_.signals());
    desired(t, w.data());
    std::copy(w.begin() + 1, w.end(), to);
  }

  /// Both plans at this sample: the same answer.
  void expect_same(const Desired& desired, bool changed = false) {
    std::pair<TwoPlans*, Desired> data{this, desired};
    const inversion::RecedingReport ours = plan_.update(desired, changed);
    const HorizonReport theirs = update_(memory_.data(), signals, &data, changed ? 1 : 0, &input_);
    ASSERT_EQ(theirs.status, static_cast<int>(ours.status)) << plan_.time();
    EXPECT_EQ(theirs.iterations, ours.iterations);
    EXPECT_EQ(theirs.factored != 0, ours.factored) << plan_.time();
    EXPECT_NEAR(input_, plan_.tops()[u_], 1e-12) << plan_.time();  // of 0.13 N m: rounding
    // the last Newton step is a difference: below the rounding of the solution it is noise
    EXPECT_NEAR(theirs.step, ours.step, 1e-9 + 1e-6 * ours.step) << plan_.time();
    plan_.advance(desired);
    advance_(memory_.data(), signals, &data);
  }

  static constexpr double start = -0.5;
  inversion::RecedingHorizonOptions options_{.period = 2e-3, .preview = {}, .step = 0.02};
  formulate::Problem problem_;
  boundary::InverseSystem system_;
  inversion::RecedingHorizon plan_;
  std::uint32_t u_;
  std::filesystem::path folder_;
  std::vector<double> memory_ = std::vector<double>(100'000);
  void* handle_ = nullptr;
  double input_ = 0;
  void (*init_)(void*, double) = nullptr;
  HorizonReport (*update_)(void*, Signals, void*, int, double*) = nullptr;
  void (*advance_)(void*, Signals, void*) = nullptr;
  void (*seed_)(void*, const double*) = nullptr;
};

TEST_F(TwoPlans, agree_along_the_motion) {
  const Desired desired = motion(1);
  double largest = 0;
  while (plan_.time() < 1.5) {
    expect_same(desired);
    if (HasFatalFailure()) return;
    largest = std::max(largest, std::abs(input_));
  }
  EXPECT_NEAR(largest, 0.12885, 1e-4);  // the peak of models/manipulator_2link/reference.csv
}

TEST_F(TwoPlans, agree_when_the_motion_changes_and_a_state_is_measured) {
  const Desired first = motion(1), second = motion(1.2);
  while (plan_.time() < 0.2) expect_same(first);
  expect_same(second, true);
  while (plan_.time() < 0.4) expect_same(second);
  std::vector<double> measured(plan_.states().begin(), plan_.states().end());
  for (double& value : measured) value *= 1.01;
  plan_.seed(measured);
  seed_(memory_.data(), measured.data());
  while (plan_.time() < 0.6) expect_same(second);
}

TEST_F(TwoPlans, tell_a_signal_that_is_not_finite_and_keep_the_input) {
  const Desired desired = motion(1);
  while (plan_.time() < 0.3) expect_same(desired);
  const double before = input_;
  expect_same(motion(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(input_, before);
}

TEST(HorizonCode, of_large_models_is_refused) {
  const auto problem = inversion::tracking_problem(
      inversion::inverse_model(*test::forward_of_file("manipulator_2link")));
  boundary::InverseSystem system(*problem, {.backend = compile::Backend::tape});
  const inversion::RecedingHorizonOptions options;
  const inversion::RecedingHorizon plan(
      system,
      {-1, [&](double t, double* w) { system.desired(t, w); }, std::vector<double>(system.states()),
       std::vector<double>(system.tops())},
      options);
  formulate::Problem large = *problem;
  large.states = 100;
  try {
    c_horizon(large, plan, options, "horizon");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("too large for C code of its receding horizon"));
  }
}

}  // namespace
}  // namespace daedal::emit
