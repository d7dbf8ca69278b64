// The exported receding horizon: clean under pedantic warnings, and sample by sample what the object itself answers.
#include "daedal/emit/c_horizon.hpp"

#include "daedal/emit/files.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "support/bounds.hpp"
#include "support/stepped.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>
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

  explicit TwoPlans(bool limited = false)
      : problem_(*inversion::tracking_problem(
            inversion::inverse_model(*test::forward_of_file("manipulator_2link")))),
        u_(problem_.layout.find({problem_.dae->model->find("u"), 0}) - 1 - problem_.states),
        options_(options(limited, u_)),
        system_(problem_, {.backend = compile::Backend::tape}),
        plan_(system_,
              {start, motion(1), std::vector<double>(system_.states()),
               std::vector<double>(system_.tops())},
              options_) {}

  static constexpr double largest = 0.1, steepest = 2;  // [N m], [N m/s]: exceeded by the motion
  static inversion::RecedingHorizonOptions options(bool limited, std::uint32_t u) {
    inversion::RecedingHorizonOptions result{.period = 2e-3, .preview = {}, .step = 0.02};
    if (limited)
      result.limits = {{.top = u, .lowest = -largest, .highest = largest, .rate = steepest}};
    return result;
  }

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
    status_ = ours.status;
    ASSERT_EQ(theirs.status, static_cast<int>(ours.status)) << plan_.time();
    EXPECT_EQ(theirs.iterations, ours.iterations);
    EXPECT_EQ(theirs.factored != 0, ours.factored) << plan_.time();
    const double asked = options_.limits.empty() ? plan_.tops()[u_] : plan_.inputs()[0];
    EXPECT_NEAR(input_, asked, 1e-12) << plan_.time();  // of 0.13 N m: rounding
    // After jumps, with limits here, a correction's rounding has other sizes; what is made of it are status and matrices.
    if (options_.limits.empty()) {
      // the last Newton step is a difference: below the rounding of the solution it is noise
      EXPECT_NEAR(theirs.step, ours.step, 1e-9 + 1e-6 * ours.step) << plan_.time();
    }
    plan_.advance(desired);
    advance_(memory_.data(), signals, &data);
  }

  static constexpr double start = -0.5;
  formulate::Problem problem_;
  std::uint32_t u_;
  inversion::RecedingHorizonOptions options_;
  boundary::InverseSystem system_;
  inversion::RecedingHorizon plan_;
  inversion::RecedingStatus status_ = inversion::RecedingStatus::ok;
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
  double peak = 0;
  while (plan_.time() < 1.5) {
    expect_same(desired);
    if (HasFatalFailure()) return;
    peak = std::max(peak, std::abs(input_));
  }
  EXPECT_NEAR(peak, 0.12885, 1e-4);  // the peak of models/manipulator_2link/reference.csv
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

/// With limits on the input that the motion exceeds.
class LimitedPlans : public TwoPlans {
 protected:
  LimitedPlans() : TwoPlans(true) {}
};

// The exported code knew no limits: what a plan asked for after a jump of the motion went to the motor.
TEST_F(LimitedPlans, command_nothing_beyond_the_limits_whatever_jumps) {
  using inversion::RecedingStatus;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> amplitude(-3, 3);
  std::uniform_int_distribution<int> how_long(1, 60);
  int cut = 0, not_made = 0;
  double before = 0;
  for (int jump = 0; jump < 60; ++jump) {
    const Desired desired = motion(amplitude(random));
    const int samples = how_long(random);
    for (int k = 0; k < samples; ++k) {
      expect_same(desired, k == 0 && jump % 2 == 0);
      if (HasFatalFailure()) return;
      ASSERT_LE(std::abs(input_), largest);
      ASSERT_LE(std::abs(input_ - before), steepest * options_.period + test::rounding(4));
      if (status_ != RecedingStatus::ok && status_ != RecedingStatus::limited) {
        ASSERT_EQ(input_, before) << inversion::describe(status_);
        ++not_made;
      }
      if (status_ == RecedingStatus::ok) {
        ASSERT_NEAR(input_, plan_.tops()[u_], 1e-12);  // rounding, as above
      }
      cut += status_ == RecedingStatus::limited ? 1 : 0;
      before = input_;
    }
    if (plan_.time() > 1.2) break;  // after the motion nothing is asked for
  }
  EXPECT_GT(cut, 50);
  EXPECT_GT(not_made, 5);
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
