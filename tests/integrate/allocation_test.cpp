// No step allocates: a counting operator new watches.

#include "daedal/integrate/nonlinear_stabiliser.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/system/problem_system.hpp"
#include "support/allocations.hpp"
#include "support/problems.hpp"
#include "support/run.hpp"
#include "support/systems.hpp"

#include <gtest/gtest.h>

namespace daedal::solve::testing {
namespace {

using test::allocations;

/// Allocations in 300 steps after the first ten.
long allocations_of(Integrator& integrator, const System& system, std::vector<double> start,
                    double t0 = 0) {
  std::vector<double> z(system.tops(), 0.0), s(system.states());
  EXPECT_TRUE(integrator.start(t0, start.data(), z.data(), 1e4).ok);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(integrator.step(1e4).ok);
  const long before = allocations;
  bool ok = true;
  for (int i = 0; i < 300; ++i) {
    ok = ok && integrator.step(1e4).ok;
    integrator.interpolate(0.5 * (integrator.previous_time() + integrator.time()), s.data());
  }
  const long after = allocations;
  EXPECT_TRUE(ok);
  return after - before;
}
long allocations_of(System& system, const Method& method, const std::vector<double>& start,
                    double t0 = 0) {
  return allocations_of(*make_integrator(method, system), system, start, t0);
}

TEST(Allocation, a_step_of_rk45_allocates_nothing) {
  Pendulum system;
  EXPECT_EQ(allocations_of(system, Rk45Options{}, {1, 0, 0, 0}), 0);
}

TEST(Allocation, a_step_of_taylor_allocates_nothing) {
  const formulate::Problem problems[] = {problem_of_file("fourbar"),  // written out, and by jets:
                                         problem_of(R"(model m
variable a, b, c, d
equation a = sin(t)
equation a' = b
equation b' = c*a
equation c' = d
)")};
  EXPECT_TRUE(problems[0].written_out);
  EXPECT_FALSE(problems[1].written_out);
  for (const formulate::Problem& problem : problems) {
    const ConsistentPoint start = consistent_point(problem, {.t = 1});
    ProblemSystem system(problem, start.t, start.states, start.tops,
                         {.implicit = false, .compile = {compile::Backend::tape}});
    EXPECT_EQ(allocations_of(system, TaylorOptions{.step = 0.001}, start.states, 1), 0);
  }
}

TEST(Allocation, a_step_of_radau5_allocates_nothing) {
  Pendulum small;
  EXPECT_EQ(allocations_of(small, Radau5Options{}, {1, 0, 0, 0}), 0);
  Chain large(80);
  std::vector<double> start(160, 0.0);
  for (std::uint32_t i = 0; i < 80; ++i) start[i] = large.shape(i);
  EXPECT_EQ(allocations_of(large, Radau5Options{}, start), 0);
}

TEST(Allocation, a_step_of_the_other_methods_allocates_nothing) {
  Pendulum system;
  BdfOptions bdf;
  bdf.order = 4;
  bdf.newton.jacobian = JacobianKind::broyden;
  ImplicitEulerOptions euler;
  euler.newton.jacobian = JacobianKind::difference;
  for (const Method& method :
       {Method(Dop853Options{}), Method(Rk4Options{}), Method(bdf), Method(euler),
        Method(LinearImplicitEulerOptions{}), Method(GeneralizedAlphaOptions{})})
    EXPECT_EQ(allocations_of(system, method, {1, 0, 0, 0}), 0) << name(method);
}

TEST(Allocation, the_system_of_a_mechanism_allocates_nothing_between_steps) {
  const formulate::Problem problem = problem_of_file("fourbar");
  const ConsistentPoint start = consistent_point(problem);
  ProblemSystem::Options options;
  options.compile.backend =
      compile::Backend::tape;  // native code is made by another thread, which allocates
  ProblemSystem system(problem, 0, start.states, start.tops, options);
  EXPECT_EQ(allocations_of(system, Rk45Options{}, start.states), 0);
  EXPECT_EQ(allocations_of(system, Radau5Options{}, start.states), 0);
  EXPECT_EQ(allocations_of(system, IdaOptions{}, start.states), 0);
  EXPECT_EQ(allocations_of(system, RattleOptions{}, start.states), 0);
}

// A new choice of coordinates allocates its report; there is none within these 0.03 s.
TEST(Allocation, free_directions_and_momenta_allocate_nothing_between_steps) {
  for (const auto kind :
       {formulate::Kind::null_space, formulate::Kind::minimal, formulate::Kind::hamilton}) {
    formulate::Formulation formulation;
    formulation.kind = kind;
    const formulate::Problem problem = problem_of_file("fourbar", formulation);
    const ConsistentPoint start = consistent_point(problem);
    ProblemSystem system(problem, 0, start.states, start.tops,
                         {.implicit = false, .compile = {compile::Backend::tape}});
    EXPECT_EQ(allocations_of(system, Rk4Options{.step = 1e-4}, system.integrated(0, start.states)),
              0)
        << formulate::name(kind);
  }
}

TEST(Allocation, steps_of_the_stabiliser_and_the_augmented_lagrangian_allocate_nothing) {
  // 300 steps let the crank turn: the choice of independent coordinates changes on the way.
  formulate::Formulation formulation;
  formulation.kind = formulate::Kind::nonlinear_stabiliser;
  formulation.stabiliser.rate = 5;
  const formulate::Problem stabilised = problem_of_file("fourbar", formulation);
  const ConsistentPoint start = consistent_point(stabilised);
  const ProblemSystem::Options options{.implicit = true, .compile = {compile::Backend::tape}};
  ProblemSystem system(stabilised, 0, start.states, start.tops, options);
  NonlinearStabiliser stabiliser(stabilised, system, Rk4Options{.step = 0.01}, options.compile);
  EXPECT_EQ(allocations_of(stabiliser, system, start.states), 0);

  formulation.kind = formulate::Kind::augmented_lagrangian;
  formulation.augmented.stiffness = 1e7;
  const formulate::Problem augmented = problem_of_file("fourbar", formulation);
  ProblemSystem rounds(augmented, 0, start.states, start.tops, options);
  EXPECT_EQ(allocations_of(rounds, GeneralizedAlphaOptions{.step = 1e-2}, start.states), 0);
}

TEST(Allocation, a_step_of_ida_allocates_nothing) {
  Pendulum system;
  EXPECT_EQ(allocations_of(system, IdaOptions{}, {1, 0, 0, 0}), 0);
}

}  // namespace
}  // namespace daedal::solve::testing
