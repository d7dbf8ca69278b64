// Every row of the table of operations, in every back end: a new operation is covered the moment it has a row.
#include "daedal/expr/operation.hpp"

#include "compile/random_function.hpp"
#include "daedal/compile/jet.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/expr/enclosure.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/expr/switches.hpp"
#include "emit/c_expressions.hpp"
#include "expr/random_expressions.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

namespace daedal::expr {
namespace {

using testing::Point;
using testing::Real;

constexpr Leaf time_leaf{time_symbol, 0};
constexpr double at = 0.25;
constexpr double ulp = std::numeric_limits<double>::epsilon();

/// op(a(t), b(t), c(t)), operands inside of every operation's domain and away from its kinks: 0.35, 0.675, 1.175 at t = 0.25.
class EveryOperation : public ::testing::TestWithParam<Op> {
 protected:
  EveryOperation() {
    Graph& g = *graph_;
    PiecewisePolynomial cubic{{0, 1}, {0.5, -1, 2, 0.75}, 3, 2};
    const std::uint16_t spline = g.add_spline(cubic);
    const Expr t = g.leaf(time_leaf);
    const auto line = [&](double start, double slope) {
      return g.add(g.constant(start), g.mul(g.constant(slope), t));
    };
    Node node{GetParam(), 3, 0, 0, 0};  // ^3, smoothness 3
    if (node.op == Op::spline) node.aux = spline;
    if (facts(GetParam()).kind == Operation::Kind::trajectory) node.b = 1;  // first derivative
    e_ = g.rebuild(node, line(0.3, 0.2), line(0.7, -0.1), line(1.1, 0.3));
  }

  Real reference(double t) const {
    return testing::reference_value(*graph_, e_, Point{{time_leaf, t}});
  }
  double value(Expr e) const {
    const Expr roots[] = {e};
    return evaluate(*graph_, roots, [](Leaf) { return at; })[0];
  }
  /// Central difference in extended precision: h^2 of truncation, third derivatives here are below 100.
  double slope() const {
    constexpr double h = 1e-5;
    return static_cast<double>((reference(at + h) - reference(at - h)) / (2 * h));
  }
  static constexpr double slope_error = 1e-10 * 100;

  double by_kernel(compile::Backend backend, bool& available) const {
    const Term terms[] = {{e_, 0}};
    Function f{1, {identity_family(graph_, terms)}};
    compile::Layout layout;
    layout.add(time_leaf);
    const auto kernel = compile::compile(f, layout, {.backend = backend});
    available = backend != compile::Backend::native || kernel->wait_native();
    return compile::testing::evaluate(*kernel, {at})[0];
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  Expr e_;
};

TEST_P(EveryOperation, has_the_value_of_the_textbook) {
  const double v = value(e_);
  EXPECT_NEAR(v, static_cast<double>(reference(at)), 8 * ulp * std::max(1.0, std::abs(v)));
}

TEST_P(EveryOperation, has_the_same_bits_on_tape_and_in_native_code) {
  const double v = value(e_);
  bool available = false;
  EXPECT_EQ(by_kernel(compile::Backend::tape, available), v);
  const double native = by_kernel(compile::Backend::native, available);
  if (available) {
    EXPECT_EQ(native, v);
  }
}

template <class T>
std::vector<double> series(const std::shared_ptr<Graph>& graph, Expr e) {
  compile::Jet<T> jet(compile::make_jet_program({graph, {e}, {0}, {}, {}, {}, {}}), 1, {});
  jet.set_time(at);
  std::vector<double> found;
  for (int k = jet.first_stage(); k <= 1; ++k) {
    jet.evaluate(k);
    if (k >= 0) found.push_back(static_cast<double>(jet.row(0, k)));
  }
  return found;
}

TEST_P(EveryOperation, has_the_series_of_its_value_and_slope_in_jets) {
  const double v = value(e_);
  for (const auto& found : {series<double>(graph_, e_), series<compile::Quad>(graph_, e_)}) {
    EXPECT_NEAR(found[0], v, 8 * ulp * std::max(1.0, std::abs(v)));
    EXPECT_NEAR(found[1], slope(), slope_error);
  }
}

TEST_P(EveryOperation, has_the_derivative_of_difference_quotients) {
  const Expr roots[] = {e_};
  const Leaf time[] = {time_leaf};
  const auto rate = time_derivative(*graph_, roots, [](SymbolId) { return true; });
  EXPECT_NEAR(value(rate[0]), slope(), slope_error);
  EXPECT_NEAR(value(gradient(*graph_, e_, time)[0]), slope(), slope_error);
}

TEST_P(EveryOperation, is_enclosed_by_its_bounds) {
  TimeFunction f(
      *graph_, TimeFunction::Form::plain, e_, e_, [](Leaf leaf) { return leaf == time_leaf; },
      [](Leaf) { return 0.0; });
  const Enclosure bounds = f.over(at - 0.01, at + 0.01);
  EXPECT_TRUE(bounds.value.contains(value(e_)));
  EXPECT_GE(slope() + slope_error, bounds.rate.low);
  EXPECT_LE(slope() - slope_error, bounds.rate.high);
  EXPECT_TRUE(std::isfinite(bounds.value.low) && std::isfinite(bounds.value.high));
}

TEST_P(EveryOperation, is_written_in_text_and_latex) {
  const auto name = [](Leaf) { return std::string("t"); };
  EXPECT_NE(to_text(*graph_, e_, name).find('t'), std::string::npos);
  EXPECT_NE(to_latex(*graph_, e_, name).find('t'), std::string::npos);
}

TEST_P(EveryOperation, switches_if_it_is_not_smooth) {
  using enum Operation::Smoothness;
  const Operation::Smoothness smoothness = facts(GetParam()).smoothness;
  const bool smooth_by_itself = smoothness == smooth || smoothness == chosen;
  EXPECT_EQ(switch_of(*graph_, e_).has_value(), !smooth_by_itself);
}

TEST_P(EveryOperation, has_the_same_value_in_c) {
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("daedal_op_{}_{}", ::getpid(), int(GetParam()));
  std::filesystem::create_directory(folder);
  const Expr roots[] = {e_};
  const emit::CFunction function{"f", *graph_, roots};
  const std::string source = (folder / "f.c").string(), library = (folder / "f.so").string();
  std::ofstream(source) << "#include <math.h>\n"
                        << emit::c_helpers({&function, 1})
                        << "void f(double t, double* y);\nvoid f(double t, double* y) {\n"
                        << emit::c_statements(
                               function, [](Leaf) { return std::string("t"); },
                               [](std::size_t) { return std::string("y[0]"); })
                        << "}\n";
  ASSERT_EQ(std::system(("cc -std=c99 -Wall -Wextra -pedantic -Werror -shared -fPIC -o " + library +
                         " " + source + " -lm")
                            .c_str()),
            0);
  void* const handle = dlopen(library.c_str(), RTLD_NOW);
  ASSERT_NE(handle, nullptr);
  double y = 0;
  reinterpret_cast<void (*)(double, double*)>(dlsym(handle, "f"))(at, &y);
  EXPECT_NEAR(y, value(e_), 8 * ulp * std::max(1.0, std::abs(y)));  // another library of functions
  dlclose(handle);
  std::filesystem::remove_all(folder);
}

std::vector<Op> all_operations() {
  std::vector<Op> all;
  for (const Operation& o : operations)
    if (o.kind != Operation::Kind::leaf) all.push_back(o.op);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Table, EveryOperation, ::testing::ValuesIn(all_operations()),
                         [](const auto& row) { return fmt::format("row_{}", int(row.param)); });

}  // namespace
}  // namespace daedal::expr
