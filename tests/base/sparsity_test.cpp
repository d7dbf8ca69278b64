#include "daedal/base/sparsity.hpp"

#include <gtest/gtest.h>

namespace {

using daedal::base::is_structurally_symmetric;
using daedal::base::Sparsity;
using daedal::base::transposed;

// entries (0,2), (0,0), (1,2), (2,1), in this order
const Sparsity pattern{{0, 2, 3, 4}, {2, 0, 2, 1}};

TEST(Sparsity, transposes) {
  EXPECT_EQ(transposed(pattern), (Sparsity{{0, 1, 2, 4}, {0, 2, 0, 1}}));
}

TEST(Sparsity, knows_symmetric_patterns_whatever_the_order_of_their_entries) {
  EXPECT_FALSE(is_structurally_symmetric(pattern));
  EXPECT_TRUE(is_structurally_symmetric({{0, 2, 3, 5}, {2, 0, 2, 1, 0}}));
  EXPECT_TRUE(is_structurally_symmetric({{0, 0}, {}}));
}

}  // namespace
