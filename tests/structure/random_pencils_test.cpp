// Linear equations with constant coefficients: the degrees of freedom are the degree of det P(s), whatever their structure.
#include "daedal/structure/examine.hpp"
#include "inverse_models.hpp"
#include "structure/derivative_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace daedal::structure {
namespace {

using Polynomial = std::vector<long>;                 // coefficients of s^0, s^1, ...
using Pencil = std::vector<std::vector<Polynomial>>;  // P(s) x = right-hand side

Polynomial product(const Polynomial& a, const Polynomial& b) {
  if (a.empty() || b.empty()) return {};
  Polynomial c(a.size() + b.size() - 1, 0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) c[i + j] += a[i] * b[j];
  return c;
}

/// Degree of det P(s) by Leibniz' formula, exact; -1 when it vanishes.
int degree_of_determinant(const Pencil& p) {
  std::vector<std::size_t> permutation(p.size());
  std::iota(permutation.begin(), permutation.end(), 0u);
  Polynomial sum;
  do {
    int inversions = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) inversions += permutation[k] > permutation[i];
    Polynomial term{inversions % 2 == 0 ? 1 : -1};
    for (std::size_t i = 0; i < p.size(); ++i) term = product(term, p[i][permutation[i]]);
    if (sum.size() < term.size()) sum.resize(term.size(), 0);
    for (std::size_t k = 0; k < term.size(); ++k) sum[k] += term[k];
  } while (std::next_permutation(permutation.begin(), permutation.end()));
  while (!sum.empty() && sum.back() == 0) sum.pop_back();
  return static_cast<int>(sum.size()) - 1;
}

std::string model_of(const Pencil& p) {
  std::string text = "model m\nvariable ";
  for (std::size_t j = 0; j < p.size(); ++j) text += fmt::format("{}x{}", j == 0 ? "" : ", ", j);
  for (std::size_t i = 0; i < p.size(); ++i) {
    text += fmt::format("\nequation e{}: 0", i);
    for (std::size_t j = 0; j < p.size(); ++j)
      for (std::size_t k = 0; k < p[i][j].size(); ++k)
        if (p[i][j][k] != 0)
          text += fmt::format(" + {}*x{}{}", p[i][j][k], j, std::string(k, '\''));
    text += fmt::format(" = sin({}*t)", i + 1);
  }
  return text + "\n";
}

Pencil random_pencil(std::mt19937& random) {
  const std::size_t size = 2 + random() % 3;
  Pencil p(size, std::vector<Polynomial>(size));
  for (auto& row : p)
    for (Polynomial& entry : row) {
      if (random() % 100 < 30) continue;
      entry.resize(1 + random() % 3);
      for (long& coefficient : entry) coefficient = static_cast<long>(random() % 3) - 1;
    }
  // Rows that share their highest derivatives make the system Jacobian singular more often than chance does.
  for (std::size_t i = 1; i < size; ++i)
    if (random() % 2 == 0)
      for (std::size_t j = 0; j < size; ++j) {
        const Polynomial shifted = product(p[0][j], {0, 1});
        if (p[i][j].size() < shifted.size()) p[i][j].resize(shifted.size(), 0);
        for (std::size_t k = 0; k < shifted.size(); ++k) p[i][j][k] += shifted[k];
      }
  return p;
}

TEST(RandomPencils, degrees_of_freedom_are_the_degree_of_the_determinant) {
  std::mt19937 random(20260103);
  int plain = 0, converted = 0, singular = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Pencil p = random_pencil(random);
    const std::string text = model_of(p);
    SCOPED_TRACE(fmt::format("trial {}\n{}", trial, text));
    test::SharedDae dae;
    Structure s;
    try {
      dae = test::forward_text(text);
      s = examine(dae);
    } catch (const ModelError&) {  // no transversal: the determinant vanishes for any coefficients
      EXPECT_EQ(degree_of_determinant(p), -1);
      ++singular;
      continue;
    }
    const int degree = degree_of_determinant(p);
    if (degree < 0) {
      EXPECT_FALSE(s.solvable());
      ++singular;
      continue;
    }
    ASSERT_TRUE(s.solvable()) << s.remark;
    EXPECT_EQ(s.degrees_of_freedom, degree);
    // A structural index may exceed the differentiation index, never the other way round.
    if (const auto ranks = derivative_array(*dae)) {
      EXPECT_EQ(ranks->degrees_of_freedom, degree);
      EXPECT_LE(ranks->index, s.index);
    }
    ++(s.basis == Basis::offsets ? plain : converted);
  }
  std::printf("  %d plain, %d converted, %d singular\n", plain, converted, singular);
  EXPECT_GT(plain, 50);
  EXPECT_GT(converted, 50);
  EXPECT_GT(singular, 5);
}

}  // namespace
}  // namespace daedal::structure
