// The exported function: clean under pedantic warnings, and the accelerations and multipliers that the library finds.
#include "daedal/emit/c_accelerations.hpp"

#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/emit/files.hpp"
#include "daedal/model/model.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/system/problem_system.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace daedal::emit {
namespace {

using Evaluate = int (*)(double, const double*, const double*, const double*, const double*,
                         double*, double*);
using Rate = int (*)(double, const double*, const double*, const double*, double*);

/// Exported, compiled and loaded.
class CompiledAccelerations {
 public:
  explicit CompiledAccelerations(const CCode& code) {
    folder_ = std::filesystem::temp_directory_path() /
              ("daedal_a_" + std::to_string(::getpid()) + "_" + std::to_string(count_++));
    std::filesystem::create_directory(folder_);
    const std::string base = (folder_ / "exported").string();
    write_text(code.header, base + ".h");
    write_text(code.source, base + ".c");
    EXPECT_EQ(std::system(("cc -std=c99 -Wall -Wextra -pedantic -Werror -O1 -ffp-contract=off "
                           "-shared -fPIC -o " +
                           base + ".so " + base + ".c -lm")
                              .c_str()),
              0);
    handle_ = dlopen((base + ".so").c_str(), RTLD_NOW);
    if (handle_ == nullptr) return;
    evaluate = reinterpret_cast<Evaluate>(dlsym(handle_, "exported"));
    rate = reinterpret_cast<Rate>(dlsym(handle_, "exported_rate"));
  }
  ~CompiledAccelerations() {
    if (handle_ != nullptr) dlclose(handle_);
    std::filesystem::remove_all(folder_);
  }
  CompiledAccelerations(const CompiledAccelerations&) = delete;
  CompiledAccelerations& operator=(const CompiledAccelerations&) = delete;

  Evaluate evaluate = nullptr;
  Rate rate = nullptr;

 private:
  static inline int count_ = 0;
  std::filesystem::path folder_;
  void* handle_ = nullptr;
};

solve::Prepared prepared(const model::Library& library) {
  formulate::Formulation formulation;
  formulation.kind = formulate::Kind::index1;
  const auto model = std::make_shared<const model::Model>(model::elaborate(library));
  return solve::prepare(std::make_shared<const derive::Dae>(derive::derive(model)), formulation);
}

/// Values by name, as the tables have them.
std::vector<double> values_of(const std::vector<std::string>& names,
                              const std::vector<std::string>& all,
                              const std::vector<double>& values) {
  std::vector<double> result;
  for (const std::string& name : names) {
    const auto found = std::find(all.begin(), all.end(), name);
    EXPECT_NE(found, all.end()) << name;
    result.push_back(values[static_cast<std::size_t>(found - all.begin())]);
  }
  return result;
}

class Accelerations : public ::testing::TestWithParam<const char*> {};

TEST_P(Accelerations, are_those_of_the_library_at_states_off_the_start) {
  const std::string name = GetParam();
  const solve::Prepared ready =
      prepared(model::load(DAEDAL_SOURCE_DIR "/models/" + name + "/" + name + ".daedal"));
  const formulate::Problem& problem = ready.problem;
  const CAccelerations made = c_accelerations(problem, ready.start, "exported");
  const CompiledAccelerations c(made.code);
  ASSERT_NE(c.evaluate, nullptr);
  ASSERT_NE(c.rate, nullptr);
  EXPECT_EQ(made.code.source.find("malloc"), std::string::npos);
  solve::ProblemSystem system(
      problem, 0, ready.start.states, ready.start.tops,
      {.implicit = false, .series = false, .compile = {.backend = compile::Backend::tape}});
  const model::Model& m = *problem.dae->model;
  const auto name_of = [&](std::uint32_t position) -> std::string {
    const expr::Leaf leaf = problem.layout.leaf(position);
    return leaf.symbol < m.symbols.size() ? model::name_of(m.symbols[leaf.symbol], leaf.order)
                                          : "work of the formulation";
  };
  std::vector<std::string> states, tops, inputs;
  for (std::uint32_t i = 0; i < problem.states; ++i)
    states.push_back(name_of(problem.state_position(i)));
  for (std::uint32_t i = 0; i < problem.tops; ++i) tops.push_back(name_of(problem.top_position(i)));
  for (std::uint32_t i = 0; i < problem.inputs.rows; ++i)
    inputs.push_back(name_of(problem.first_input + i));

  std::mt19937 random(7);
  std::uniform_real_distribution<double> off(-0.05, 0.05);  // of the start: off the constraints too
  for (int trial = 0; trial < 5; ++trial) {
    const double t = 0.1 * trial;
    std::vector<double> s = ready.start.states, z = ready.start.tops, ds(problem.states);
    for (double& value : s) value += off(random) * std::max(std::abs(value), 1.0);
    ASSERT_EQ(system.derivative(t, s.data(), z.data(), ds.data()), solve::Failure::none);
    const double* const point = system.point_at(t, s.data(), z.data());
    const std::vector<double> u_all(point + problem.first_input,
                                    point + problem.first_input + problem.inputs.rows);
    const std::vector<double> q = values_of(made.positions, states, s),
                              v = values_of(made.velocities, states, s),
                              u = values_of(made.inputs, inputs, u_all),
                              a = values_of(made.accelerations, tops, z),
                              lambda = values_of(made.multipliers, tops, z);
    std::vector<double> found_a(a.size() + 1), found_lambda(lambda.size() + 1);
    ASSERT_EQ(
        c.evaluate(t, q.data(), v.data(), nullptr, u.data(), found_a.data(), found_lambda.data()),
        0);
    // Two eliminations with pivots of their own: rounding times the condition, which is below 1e6 for these.
    const double bound = 1e6 * std::numeric_limits<double>::epsilon();
    double size = 1;
    for (const double value : z) size = std::max(size, std::abs(value));
    for (std::size_t k = 0; k < a.size(); ++k)
      EXPECT_NEAR(found_a[k], a[k], bound * size) << made.accelerations[k];
    for (std::size_t k = 0; k < lambda.size(); ++k)
      EXPECT_NEAR(found_lambda[k], lambda[k], bound * size) << made.multipliers[k];

    std::vector<double> x = q, dx(q.size() + v.size());
    x.insert(x.end(), v.begin(), v.end());
    ASSERT_EQ(c.rate(t, x.data(), nullptr, u.data(), dx.data()), 0);
    std::vector<std::string> names = made.positions;
    names.insert(names.end(), made.velocities.begin(), made.velocities.end());
    const std::vector<double> rates = values_of(names, states, ds);
    for (std::size_t k = 0; k < dx.size(); ++k)
      EXPECT_NEAR(dx[k], rates[k], bound * size) << names[k];
  }
}

INSTANTIATE_TEST_SUITE_P(Library, Accelerations,
                         ::testing::Values("pendulum", "fourbar", "cable_robot", "mass_on_car",
                                           "manipulator_3d"),
                         [](const auto& one) { return std::string(one.param); });

// A pendulum in Cartesian coordinates: a = g + lambda G^T/m with G a = -2 v^2, by hand.
TEST(AccelerationsByHand, pendulum_with_parameters_of_the_caller) {
  const solve::Prepared ready = prepared(model::load_text(
      "model p \"it /* swings */ \"\nparameter m = 2, g = 9.81\ncoordinate x = 1, y = 0\nkinetic "
      "m/2*(x'^2 + y'^2)\npotential m*g*y\nconstraint rod: x^2 + y^2 = 1\n"));
  const CAccelerations made = c_accelerations(ready.problem, ready.start, "exported");
  EXPECT_EQ(made.positions, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(made.velocities, (std::vector<std::string>{"x'", "y'"}));
  EXPECT_EQ(made.parameters, (std::vector<std::string>{"m", "g"}));
  EXPECT_EQ(made.accelerations, (std::vector<std::string>{"x''", "y''"}));
  EXPECT_EQ(made.multipliers, (std::vector<std::string>{"rod"}));
  const CompiledAccelerations c(made.code);
  ASSERT_NE(c.evaluate, nullptr);
  const double q[] = {0.6, -0.8}, v[] = {0.8, 0.6}, p[] = {3, 2};  // r = 1, speed 1, g = 2
  double a[2], lambda[1];
  ASSERT_EQ(c.evaluate(0, q, v, p, nullptr, a, lambda), 0);
  // towards the pivot v^2/r = 1; along the path -g*0.6 in the direction (0.8, 0.6)
  const double rounding = 1e-14;
  EXPECT_NEAR(a[0], -0.6 - 2 * 0.6 * 0.8, rounding);
  EXPECT_NEAR(a[1], 0.8 - 2 * 0.6 * 0.6, rounding);
  // m a = (0, -m g) - G^T lambda or + G^T lambda: |2 lambda| is the rod's force, m (1 + g*0.8)
  EXPECT_NEAR(std::abs(2 * lambda[0]), 3 * (1 + 2 * 0.8), 10 * rounding);
  const double origin[] = {0, 0};
  EXPECT_EQ(c.evaluate(0, origin, v, p, nullptr, a, lambda), 1);  // the rod has no direction there
  const double beyond[] = {std::numeric_limits<double>::quiet_NaN(), 1};
  EXPECT_EQ(c.evaluate(0, beyond, v, p, nullptr, a, lambda), 2);
}

TEST(AccelerationsByHand, what_is_not_linear_is_refused) {
  const solve::Prepared ready = prepared(
      model::load_text("model m\nvariable x = 1, y = 1\nequation x' = -y\nequation y^3 + y = x\n"));
  try {
    c_accelerations(ready.problem, ready.start, "exported");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.diagnostics().front().message,
              "model 'm': no C function of its accelerations: its equations are not linear in "
              "their highest derivatives");
  }
}

}  // namespace
}  // namespace daedal::emit
