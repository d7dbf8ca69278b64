// Measured orders of every integrator on every formulation it solves, for positions, velocities and multipliers
// separately: the slope of log(error) over log(step) on the pendulum released from the horizontal, whose motion is known in
// closed form; of controlled steps, the slope over the tolerance. With DAEDAL_ORDERS_FILE set, the tables of
// docs/methods/orders.md are written there.

#include "daedal/start/prepare.hpp"
#include "daedal/system/problem_system.hpp"
#include "support/elliptic.hpp"
#include "support/observed_order.hpp"
#include "support/problems.hpp"
#include "support/run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <optional>

namespace daedal::solve::testing {
namespace {

using formulate::Kind;

/// Slopes are fitted over runs of so many equal steps a second, between the start layer and the rounding floor (span_of), or over
/// tolerances where the method controls its steps.
struct Case {
  std::string label;
  std::string method;
  std::map<std::string, OptionValue> options;
  Kind kind = Kind::projection;
  std::vector<int> steps;
  std::vector<double> tolerances;
  std::array<double, 3> orders{};  // claimed: positions, velocities, multipliers
  double slack = 0.2;
  double end = 1;  // [s]
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.label; }

std::vector<int> doubled(int first) { return {first, 2 * first, 4 * first, 8 * first, 16 * first}; }

/// Formulations that give explicit methods s' = F(t, s).
bool is_explicit(Kind kind) {
  return kind != Kind::index2 && kind != Kind::index3 && kind != Kind::ggl;
}

/// Rounding errors appear divided by h^2 in the multipliers of index 3: order 6 leaves a narrow range above them.
std::vector<int> bdf_steps(int order, Kind kind) {
  if (order == 1) return doubled(is_explicit(kind) ? 1024 : 512);
  if (order <= 3) return doubled(order == 2 ? 256 : 128);
  if (order == 6 && kind == Kind::index3) return {64, 72, 80, 96, 112, 128};
  return {96, 128, 160, 192, 256, 320};
}

std::array<double, 3> radau5_orders(Kind kind) {
  if (kind == Kind::index3) return {5, 3, 2};
  return kind == Kind::index2 || kind == Kind::ggl ? std::array<double, 3>{5, 5, 3}
                                                   : std::array<double, 3>{5, 5, 5};
}

/// Orders that come from above and meet the rounding floor soon.
struct Narrow {
  std::vector<int> steps;
  double slack = 0.2, end = 1;
};
Narrow rk45_steps(Kind kind) {
  // a longer run raises the errors more than the floor
  if (kind == Kind::index1) return {{160, 180, 200, 220, 240, 280}, 0.2, 4};
  if (kind == Kind::null_space) return {{160, 180, 200, 220, 240, 280}, 0.4, 4};
  if (kind == Kind::minimal) return {{256, 320, 384, 512, 640, 768}, 0.4};
  return {doubled(32)};
}
Narrow dop853_steps(Kind kind) {
  if (kind == Kind::null_space) return {{24, 28, 32, 36, 40, 44}, 0.4};
  return {{16, 20, 24, 28, 32, 36}, 0.4};
}

using Options = std::map<std::string, OptionValue>;

/// "bdf3_index1", "generalized_alpha8_index3"
std::string label_of(const std::string& method, const Options& options, Kind kind) {
  std::string label = method;
  for (const auto& [name, value] : options) {
    if (name == "order") label += fmt::format("{:g}", value.number);
    if (name == "spectral_radius") label += fmt::format("{:g}", 10 * value.number);
  }
  return fmt::format("{}_{}", label, formulate::name(kind));
}

/// Every method that solves the formulation, with equal steps.
void add_equal_steps(Kind kind, std::vector<Case>& list) {
  const auto add = [&](const std::string& method, const Options& options, std::vector<int> steps,
                       const std::array<double, 3>& orders, double slack = 0.2, double end = 1) {
    list.push_back({label_of(method, options, kind),
                    method,
                    options,
                    kind,
                    std::move(steps),
                    {},
                    orders,
                    slack,
                    end});
  };
  const auto add_narrow = [&](const std::string& method, const Options& options, Narrow narrow,
                              double order) {
    add(method, options, std::move(narrow.steps), {order, order, order}, narrow.slack, narrow.end);
  };
  const Options equal{{"adaptive", 0}}, exact{{"adaptive", 0}, {"tolerance", 1e-14}};
  if (is_explicit(kind)) {
    add("euler", {}, doubled(kind == Kind::projection ? 512 : 1024), {1, 1, 1});
    add("rk4", {}, doubled(kind == Kind::minimal ? 256 : 32), {4, 4, 4});
    add("rk23", equal, doubled(kind == Kind::minimal ? 128 : 64), {3, 3, 3});
    add_narrow("rk45", equal, rk45_steps(kind), 5);
    add_narrow("dop853", equal, dop853_steps(kind), 8);
  }
  add("radau5", exact, kind == Kind::index3 ? std::vector<int>{32, 48, 64, 96, 128} : doubled(16),
      radau5_orders(kind));
  for (const char* const method : {"implicit_euler", "linear_implicit_euler"})
    add(method, {}, bdf_steps(1, kind), {1, 1, 1});
  for (int k = 1; k <= 6; ++k) {
    const double order = k;
    add("bdf", {{"order", k}}, bdf_steps(k, kind), {order, order, order}, k < 5 ? 0.2 : 0.4);
  }
  if (kind == Kind::projection || kind == Kind::index1 || kind == Kind::index2 ||
      kind == Kind::index3) {  // it integrates accelerations: not ggl, nor states of other kinds
    for (const double radius : {0.0, 0.8})
      add("generalized_alpha", {{"spectral_radius", radius}}, doubled(64), {2, 2, 2});
    // Without damping the rounding errors of index-3 multipliers add up: beyond 500 steps they show.
    add("generalized_alpha", {{"spectral_radius", 1}}, {32, 64, 96, 128, 192, 256}, {2, 2, 2});
  }
  if (kind == Kind::projection) add("rattle", {}, doubled(64), {2, 2, 2});
  if (kind == Kind::index3) add("rattle", {}, doubled(64), {2, 2, 1});
  if (kind == Kind::projection ||
      kind == Kind::index1)  // a coarse tolerance leaves steps as long as allowed
    for (const int order : {4, 6}) {
      const double claimed = order;
      add("taylor", {{"order", order}, {"tolerance", 0.1}}, doubled(order == 4 ? 32 : 16),
          {claimed, claimed, claimed});
    }
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> list;
    for (const Kind kind : {Kind::projection, Kind::index1, Kind::index2, Kind::index3, Kind::ggl,
                            Kind::null_space, Kind::minimal, Kind::hamilton})
      add_equal_steps(kind, list);
    return list;
  }();
  return all;
}

/// Step control keeps c h^r at the tolerance, r = 3 for rk23, 5 for rk45, 8 for dop853, 4 for radau5, and errors of rows are of
/// that order (radau5: of the polynomial between its steps). IDA and Taylor's method choose their order too. So the error goes with
/// the tolerance.
const std::vector<Case>& controlled_cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> list;
    const auto add = [&](const char* method, Kind kind, std::vector<double> tolerances,
                         const std::array<double, 3>& orders, double slack) {
      list.push_back(
          {label_of(method, {}, kind), method, {}, kind, {}, std::move(tolerances), orders, slack});
    };
    const std::vector<double> tolerances{1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
    for (const Kind kind : {Kind::projection, Kind::index1}) {
      for (const char* const method : {"rk23", "rk45", "dop853", "radau5", "ida"})
        add(method, kind, tolerances, {1, 1, 1}, 0.2);
      add("taylor", kind, tolerances, {1, 1, 1},
          0.3);  // its order jumps from one integer to the next
    }
    add("ida", Kind::ggl, tolerances, {1, 1, 1}, 0.2);
    return list;
  }();
  return all;
}

struct Measured {
  support::ObservedOrder of[3];  // positions, velocities, multipliers
};

using Errors = std::array<double, 3>;

/// Over three times, all of them ends of steps: at a single one an error may pass through zero. Nothing where a run stopped.
std::optional<Errors> errors_of(const formulate::Problem& problem, const ConsistentPoint& start,
                                const Method& method, double end) {
  ProblemSystem::Options options;
  options.compile.backend = compile::Backend::tape;
  ProblemSystem system(problem, 0, start.states, start.tops, options);
  RunResult result = run(system, method, system.integrated(0, start.states),
                         {0, end / 2, 3 * end / 4, end}, 0, start.tops);
  if (!result.outcome.ok) return std::nullopt;
  Errors sum{};
  for (std::size_t i = 1; i < result.rows.size(); ++i) {
    const auto& row = result.rows[i];
    const auto at = support::HorizontalPendulum<>{}.at(row.t);
    // v^2 = -2 g y, so the multiplier of x^2 + y^2 = 1 is (g y - v^2)/2 = 3 g y/2.
    sum[0] += std::norm(std::complex(row.s[0] - at.x, row.s[1] - at.y));
    sum[1] += std::norm(std::complex(row.s[2] - at.vx, row.s[3] - at.vy));
    sum[2] += std::pow(row.z[2] - 1.5 * 9.81 * at.y, 2);
  }
  return Errors{std::sqrt(sum[0]), std::sqrt(sum[1]), std::sqrt(sum[2])};
}

/// The pendulum in the formulation of a case, solved with one of its options at different values.
class Experiment {
 public:
  Experiment(const Case& c, std::string varied)
      : case_(c),
        varied_(std::move(varied)),
        problem_(problem_of(pendulum_text, {.kind = c.kind})) {
    start_ = consistent_point(problem_);
  }
  std::optional<Errors> operator()(double value) const {
    auto options = case_.options;
    options.insert_or_assign(varied_, value);
    return errors_of(problem_, start_, make_method(case_.method, options), case_.end);
  }
  Measured fit(const std::vector<double>& values) const {
    std::vector<double> errors[3];
    for (const double value : values) {
      const std::optional<Errors> found = (*this)(value);
      EXPECT_TRUE(found) << varied_ << " = " << value;
      for (std::size_t k = 0; k < 3; ++k) errors[k].push_back(found.value_or(Errors{})[k]);
    }
    Measured measured;
    for (std::size_t k = 0; k < 3; ++k) measured.of[k] = support::fitted_order(values, errors[k]);
    return measured;
  }

 private:
  const Case& case_;
  std::string varied_;
  formulate::Problem problem_;
  ConsistentPoint start_;
};

Measured measure(const Case& c) {
  if (!c.tolerances.empty()) return Experiment(c, "tolerance").fit(c.tolerances);
  std::vector<double> lengths;
  for (const int steps : c.steps) lengths.push_back(1.0 / steps);
  return Experiment(c, "step").fit(lengths);
}

/// Where orders hold: halving a step of the span divides the errors of positions, velocities and multipliers by 2^(claimed
/// order -+ 1/2). Longer steps are in the start layer, shorter ones at the rounding floor.
struct Span {
  int longest = 0, shortest = 0;  // 1/s; 0: nowhere
};
constexpr int fewest = 4, most = 1 << 16;  // steps that are tried

bool halving_shows(const Case& c, const std::optional<Errors>& coarse,
                   const std::optional<Errors>& fine) {
  if (!coarse || !fine) return false;
  for (std::size_t k = 0; k < 3; ++k)
    if (!(std::abs(std::log2((*coarse)[k] / (*fine)[k]) - c.orders[k]) <= 0.5)) return false;
  return true;
}

/// The widest span that shares steps with the fit.
Span span_of(const Case& c) {
  const Experiment experiment(c, "step");
  Span widest, current;
  std::optional<Errors> coarse = experiment(1.0 / fewest);
  for (int steps = fewest; steps < most; steps *= 2) {
    const std::optional<Errors> fine = experiment(1.0 / (2 * steps));
    if (!halving_shows(c, coarse, fine)) {
      current = {};
    } else {
      current = {current.longest == 0 ? steps : current.longest, 2 * steps};
      const bool shared = current.longest <= c.steps.back() && current.shortest >= c.steps.front();
      // as ratios: widest.shortest/widest.longest < current.shortest/current.longest
      if (shared &&
          (widest.longest == 0 || widest.shortest * static_cast<double>(current.longest) <
                                      current.shortest * static_cast<double>(widest.longest)))
        widest = current;
    }
    coarse = fine;
  }
  return widest;
}

/// "1/64 to 1/1024"
std::string range_text(int longest, int shortest) {
  return fmt::format("1/{} to 1/{}", longest, shortest);
}

/// "1/16 to 1/4096", with an end that was not met left open
std::string span_text(const Span& span) {
  if (span.longest == 0) return "none";
  return fmt::format("{}1/{} to {}1/{}", span.longest == fewest ? ">= " : "", span.longest,
                     span.shortest == most ? "<= " : "", span.shortest);
}

/// "bdf(order = 3)"
std::string method_text(const Case& c) {
  std::string options;
  for (const auto& [name, value] : c.options)
    if (name == "order" || name == "spectral_radius")
      options += fmt::format("({} = {:g})", name, value.number);
  return c.method + options;
}

/// "4.96 / 4.97 / 4.98 | 5/5/5"
std::string slopes_text(const Case& c, const Measured& m) {
  return fmt::format("{:.2f} / {:.2f} / {:.2f} | {:g}/{:g}/{:g}", m.of[0].slope, m.of[1].slope,
                     m.of[2].slope, c.orders[0], c.orders[1], c.orders[2]);
}

std::string table_row(const Case& c) {
  return fmt::format("| {} | {} | {}{} | {} | {} |\n", method_text(c), formulate::name(c.kind),
                     range_text(c.steps.front(), c.steps.back()),
                     c.end == 1 ? "" : fmt::format(", run of {:g} s", c.end),
                     slopes_text(c, measure(c)), span_text(span_of(c)));
}

std::string controlled_row(const Case& c) {
  return fmt::format("| {} | {} | {} |\n", c.method, formulate::name(c.kind),
                     slopes_text(c, measure(c)));
}

class Order : public ::testing::TestWithParam<Case> {};

TEST_P(Order, is_what_the_method_claims) {
  const Measured measured = measure(GetParam());
  const char* const quantity[] = {"positions", "velocities", "multipliers"};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(measured.of[k].slope, GetParam().orders[k], GetParam().slack)
        << quantity[k] << ": " << ::testing::PrintToString(measured.of[k].errors);
  }
}

// Numbers in documents come from here: tools/make_orders.
TEST(OrderTable, is_written_when_asked_for) {
  const char* const path = std::getenv("DAEDAL_ORDERS_FILE");
  if (path == nullptr) GTEST_SKIP() << "DAEDAL_ORDERS_FILE is not set";
  std::ofstream file(path);
  file << "| method | formulation | steps [s] | measured q / v / lambda | claimed | between layer "
          "and floor [s] |\n|---|---|---|---|---|---|\n";
  for (const Case& c : cases()) file << table_row(c);
  file << fmt::format(R"(
The last column is measured too: there, halving the step divides all three errors by 2^(claimed order) within a factor 2^(1/2). Longer
steps are in the start layer, shorter ones at the rounding floor. Steps from 1/{} to 1/{} s were tried; `>=` and `<=` mark ends
that were not met, `none` errors that fall faster than claimed until they meet the floor.

The test holds each slope within 0.2 of the claim; 0.4 for `bdf` of order 5 and 6, `dop853`, and `rk45` with null_space and minimal, whose
errors fall faster than claimed above the floor. Ranges of the fits were chosen by looking at the errors.

## Controlled steps

The same errors against the tolerance, from 1e-4 to 1e-9. Step control keeps c h^r at the tolerance, r = 3 for `rk23`, 5 for `rk45`, 8
for `dop853`, 4 for `radau5`, and the errors of rows are of that order (`radau5`: of the polynomial between its steps); `ida` and `taylor`
choose their order as well. So the error goes with the tolerance: slope 1, held within 0.2 (`taylor` 0.3).

)",
                      fewest, most);
  file << "| method | formulation | measured q / v / lambda | claimed |\n|---|---|---|---|\n";
  for (const Case& c : controlled_cases()) file << controlled_row(c);
  EXPECT_TRUE(file.good());
}

INSTANTIATE_TEST_SUITE_P(EveryMethod, Order, ::testing::ValuesIn(cases()),
                         [](const auto& each) { return each.param.label; });
INSTANTIATE_TEST_SUITE_P(ControlledSteps, Order, ::testing::ValuesIn(controlled_cases()),
                         [](const auto& each) { return each.param.label; });

}  // namespace
}  // namespace daedal::solve::testing
