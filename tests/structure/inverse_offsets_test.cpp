// Offsets of inverse models with closed formulas.
#include "daedal/structure/analysis.hpp"
#include "daedal/structure/system_jacobian.hpp"
#include "inverse_models.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedal::structure {
namespace {

using test::torsional_oscillator;

TEST(InverseOffsets, undamped_disks_have_index_2n_plus_1_and_no_freedom) {
  // The far disk's angle is prescribed; every spring hands two more derivatives to the next disk. Input at phi[1]:
  // c = (0, 2, ..., 2N-2; 2N), d = (2, 4, ..., 2N; 0).
  for (const long disks : {2, 3, 4, 5, 10, 20}) {
    const Structure s = by_signature(torsional_oscillator(disks));
    const Offsets& o = s.offsets;
    EXPECT_EQ(s.index, 2 * disks + 1);
    EXPECT_EQ(s.degrees_of_freedom, 0);
    for (long i = 0; i < disks; ++i) {
      EXPECT_EQ(o.c[i], 2 * i);
      EXPECT_EQ(o.d[i], 2 * i + 2);
    }
    EXPECT_EQ(o.c[disks], 2 * disks);
    EXPECT_EQ(o.d[disks], 0);
  }
}

TEST(SystemJacobian, holds_exactly_the_entries_that_attain_the_offsets) {
  // Row i of the chain attains d_j - c_i with its own acceleration, phi[i]'', and with the angle of the disk before.
  const derive::Dae dae = *torsional_oscillator(12);
  const Offsets o = analyse(dae);
  const expr::SparseFunction j = system_jacobian(dae, o);
  ASSERT_EQ(j.rows, 13u);
  ASSERT_EQ(j.columns, 13u);
  expr::Graph graph(dae.model->graph);
  const std::vector<expr::Expr> entries = expr::expand(j.values, graph);
  const std::vector<double> value = expr::evaluate(
      graph, entries, [&](expr::Leaf leaf) { return dae.model->symbols[leaf.symbol].value; });
  const double inertia = 0.12, stiffness = 2;
  for (std::uint32_t i = 0; i < 12; ++i) {
    std::map<std::uint32_t, double> row, expected{{i, inertia}};
    for (std::uint32_t e = j.row_start[i]; e < j.row_start[i + 1]; ++e) row[j.column[e]] = value[e];
    if (i > 0) expected[i - 1] = -stiffness;
    if (i == 0) expected[12] = -1;
    EXPECT_EQ(row, expected) << "row " << i;
  }
  ASSERT_EQ(j.row_start[13] - j.row_start[12], 1u);
  EXPECT_EQ(j.column[j.row_start[12]], 11u);
  EXPECT_EQ(value[j.row_start[12]], 1);
}

}  // namespace
}  // namespace daedal::structure
