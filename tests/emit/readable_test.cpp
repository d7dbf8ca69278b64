// Equations for people: as a textbook writes them, and equal to what is compiled, up to rounding.
#include "emit/readable.hpp"

#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/language/parse.hpp"
#include "daedal/structure/rounding.hpp"
#include "expr/random_expressions.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <random>

namespace daedal::emit {
namespace {

using expr::Expr;
using expr::Leaf;

std::shared_ptr<const derive::Dae> dae_of(const model::Library& library) {
  return std::make_shared<const derive::Dae>(
      derive::derive(std::make_shared<const model::Model>(model::elaborate(library))));
}

std::map<std::string, std::string> texts(const std::string& text) {
  std::map<std::string, std::string> result;
  for (const WrittenEquation& e : written_equations(*dae_of(model::load_text(text))))
    result[e.name] = e.text;
  return result;
}

int rank_of(Leaf leaf) { return leaf.order == 0 ? 40 : 50 + leaf.order; }
bool is_acceleration(Leaf leaf) { return leaf.order == 2; }

/// Both are sums and products of the same numbers in another order: they differ by the rounding errors of either, which
/// running error analysis bounds; Rounded::vanishes() holds up to 16 times that, room for the numbers that are written
/// with fifteen digits.
void expect_equal(const expr::Graph& given_in, Expr given, const expr::Graph& shown_in,
                  const Sides& shown, const structure::Point& point, const std::string& what) {
  const Expr both[] = {shown.left, shown.right}, one[] = {given};
  const auto sides = structure::evaluate_rounded(shown_in, both, point);
  const structure::Rounded value = structure::evaluate_rounded(given_in, one, point)[0];
  if (!std::isfinite(value.value) || !std::isfinite(value.bound)) return;
  const structure::Rounded difference{sides[0].value - sides[1].value - value.value,
                                      sides[0].bound + sides[1].bound + value.bound};
  EXPECT_TRUE(difference.vanishes()) << what << ": " << sides[0].value << " - " << sides[1].value
                                     << " is not " << value.value << ", bound " << difference.bound;
}

/// The values of the names, in the order of their definition.
structure::Point with_values(const Readable& readable, const Readable::Named& named,
                             expr::SymbolId first, const structure::Point& point) {
  auto values = std::make_shared<std::vector<double>>();
  structure::Point all = [=](Leaf leaf) {
    return leaf.symbol >= first ? (*values)[leaf.symbol - first] : point(leaf);
  };
  for (const auto& [name, value] : named.names) {
    const Expr roots[] = {value};
    values->push_back(expr::evaluate(readable.graph(), roots, all)[0]);
  }
  return all;
}

TEST(Readable, equals_random_expressions) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    expr::Graph graph;
    const expr::testing::Point at{{{1, 0}, 0.6L}, {{2, 0}, -1.3L}, {{1, 2}, 0.4L}, {{2, 2}, 2.1L}};
    expr::testing::RandomExpressions random(graph, at, seed);
    const Expr e = random.grow(12 + static_cast<int>(seed % 30)).e;
    Readable readable(graph, rank_of);
    const structure::Point point = [&](Leaf leaf) { return static_cast<double>(at.at(leaf)); };
    for (const bool collects : {false, true}) {
      const auto sides =
          readable.simplified(e, collects ? is_acceleration : std::function<bool(Leaf)>());
      if (!sides) continue;
      expect_equal(graph, e, readable.graph(), *sides, point, "simplified");
    }
  }
}

TEST(Readable, equals_the_equations_of_every_library_model) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0.2, 1.5);
  std::size_t rows_seen = 0, named_seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DAEDAL_SOURCE_DIR "/models")) {
    const std::string name = entry.path().filename().string();
    const auto file = entry.path() / (name + ".daedal");
    if (!std::filesystem::exists(file)) continue;
    const auto dae = dae_of(model::load(file.string()));
    expr::Graph graph(dae->model->graph);
    const std::vector<Expr> rows = expr::expand(dae->residual, graph);
    Readable readable(graph, rank_of);
    const auto first = static_cast<expr::SymbolId>(dae->model->symbols.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool motion = dae->equations[i].kind == derive::EquationKind::motion;
      const auto sides =
          readable.simplified(rows[i], motion ? is_acceleration : std::function<bool(Leaf)>());
      if (!sides) continue;
      ++rows_seen;
      const Readable::Named named =
          readable.with_names(*sides, first, [](const std::string&) { return false; });
      named_seen += named.names.size();
      std::map<Leaf, double> values;
      const structure::Point point = [&](Leaf leaf) {
        return values.emplace(leaf, uniform(random)).first->second;
      };
      expect_equal(graph, rows[i], readable.graph(), *sides, point,
                   name + ", " + dae->equations[i].name);
      expect_equal(graph, rows[i], readable.graph(), named.sides,
                   with_values(readable, named, first, point),
                   name + ", " + dae->equations[i].name + ", with names");
    }
  }
  EXPECT_GT(rows_seen, 200u);  // the beams' equations are too long to be simplified
  EXPECT_GT(named_seen, 0u);
}

TEST(Readable, numbers_meet_and_ones_vanish) {
  const auto shown = texts(R"(
model m
coordinate x, y
parameter a = 3
kinetic x'^2/2 + y'^2/2
constraint c: 2*0.5/sqrt(x^2 + y^2) + 1*x - 0*y + x*x - -a/2*y/3 = 0
)");
  EXPECT_EQ(shown.at("c"), "1/sqrt(x^2 + y^2) + x + x^2 + a*y/6 = 0");
}

// Mass matrices as in any textbook of mechanics, the pendulum on a cart and the double pendulum.
TEST(Readable, motion_is_mass_matrix_times_accelerations) {
  const auto cart = texts(R"(
model cart
parameter M = 1 [kg], m = 2 [kg], l = 3 [m], g = 9.81 [m/s^2]
coordinate x, phi
input F
kinetic M/2*x'^2 + m/2*((x' + l*cos(phi)*phi')^2 + (l*sin(phi)*phi')^2)
potential -m*g*l*cos(phi)
force F on x
)");
  EXPECT_EQ(cart.at("motion of x"), "(M + m)*x'' + m*l*cos(phi)*phi'' = m*l*sin(phi)*phi'^2 + F");
  EXPECT_EQ(cart.at("motion of phi"), "m*l*cos(phi)*x'' + m*l^2*phi'' = -m*l*g*sin(phi)");
}

TEST(Readable, addition_theorems_give_the_double_pendulum_of_the_textbook) {
  const auto shown = texts(R"(
model double_pendulum
parameter m1 = 1 [kg], m2 = 2 [kg], l1 = 3 [m], l2 = 4 [m], g = 9.81 [m/s^2]
coordinate phi1, phi2
let x1 = l1*sin(phi1), y1 = -l1*cos(phi1)
let x2 = x1 + l2*sin(phi2), y2 = y1 - l2*cos(phi2)
kinetic m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2)
potential m1*g*y1 + m2*g*y2
)");
  EXPECT_EQ(shown.at("motion of phi2"),
            "m2*l1*l2*cos(phi1 - phi2)*phi1'' + m2*l2^2*phi2'' = "
            "m2*l2*(l1*sin(phi1 - phi2)*phi1'^2 - g*sin(phi2))");
}

TEST(Readable, what_is_compiled_stays_as_it_is) {
  const auto dae =
      dae_of(model::load(DAEDAL_SOURCE_DIR "/models/manipulator_2link/manipulator_2link.daedal"));
  const std::uint32_t nodes = dae->model->graph->size();
  written_equations(*dae);
  EXPECT_EQ(dae->model->graph->size(), nodes);
}

}  // namespace
}  // namespace daedal::emit
