#include "emit/envelope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::emit {
namespace {

constexpr std::size_t many = 1'000'000;

/// A slow wave with one row far above and one far below it, at other places in each column.
Table spiked(std::size_t rows, std::size_t columns) {
  std::vector<Column> names;
  for (std::size_t c = 0; c < columns; ++c) names.push_back({std::to_string(c), ""});
  Table table(std::move(names));
  table.reserve(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = table.append();
    for (std::size_t c = 0; c < columns; ++c) {
      row[c] = std::sin(1e-5 * static_cast<double>(r * (c + 1)));
      if (r == 1234 + 100'000 * c) row[c] = 50;
      if (r == 777'777 + c) row[c] = -60;
    }
  }
  return table;
}

TEST(Envelope, a_million_rows_keep_the_extremes_of_every_column_and_every_stretch) {
  const Table table = spiked(many, 3);
  const Envelope envelope(many, 2000);
  EXPECT_LE(envelope.size(), 2000U);
  EXPECT_TRUE(envelope.shortens());
  for (std::size_t c = 0; c < table.width(); ++c) {
    const std::vector<double> values = envelope.of(table, c), all = table.column(c);
    ASSERT_EQ(values.size(), envelope.size());
    EXPECT_EQ(values.front(), all.front());
    EXPECT_EQ(values.back(), all.back());
    for (std::size_t k = 1; k + 1 < values.size(); k += 2) {
      const auto [low, high] = std::minmax_element(
          all.begin() + static_cast<std::ptrdiff_t>(envelope.rows()[k]),
          all.begin() + static_cast<std::ptrdiff_t>(envelope.rows()[k + 1]) + 1);
      EXPECT_EQ(std::min(values[k], values[k + 1]), *low);
      EXPECT_EQ(std::max(values[k], values[k + 1]), *high);
    }
  }
}

TEST(Envelope, the_stretches_cover_every_row_once_for_any_number_of_rows) {
  for (const std::size_t rows : {5U, 6U, 7U, 99U, 100U, 101U, 1000U, 1001U})
    for (const std::size_t most : {4U, 5U, 6U, 50U}) {
      const Envelope envelope(rows, most);
      EXPECT_LE(envelope.size(), std::max(rows, most));
      if (!envelope.shortens()) continue;
      EXPECT_EQ(envelope.rows().front(), 0U);
      EXPECT_EQ(envelope.rows().back(), rows - 1);
      std::size_t next = 1;
      for (std::size_t k = 1; k + 1 < envelope.size(); k += 2) {
        EXPECT_EQ(envelope.rows()[k], next);
        EXPECT_GE(envelope.rows()[k + 1], next);
        next = envelope.rows()[k + 1] + 1;
      }
      EXPECT_EQ(next, rows - 1);
    }
}

TEST(Envelope, short_tables_are_kept_as_they_are) {
  const Table table = spiked(100, 1);
  const Envelope envelope(100, 100);
  EXPECT_FALSE(envelope.shortens());
  EXPECT_EQ(envelope.of(table, 0), table.column(0));
}

TEST(Envelope, what_is_not_known_hides_nothing) {
  Table table(std::vector<Column>{{"x", ""}});
  for (int r = 0; r < 1000; ++r)
    table.append()[0] = r % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : r;
  const std::vector<double> values = Envelope(1000, 20).of(table, 0);
  EXPECT_EQ(*std::max_element(values.begin() + 1, values.end()), 999);
  for (std::size_t k = 1; k < values.size(); ++k) EXPECT_FALSE(std::isnan(values[k]));
}

}  // namespace
}  // namespace daedal::emit
