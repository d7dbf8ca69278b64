#include "daedal/emit/files.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace daedal::emit {
namespace {

TEST(Csv, numbers_read_back_to_the_same_bits_and_names_with_commas_are_quoted) {
  Table table({{"t", "s"}, {"A[1,2]", ""}, {"q\"", ""}});
  const double values[] = {0.1, 1.0 / 3.0, -5e-324, 1e308, std::nextafter(1.0, 2.0), 123456789.125};
  for (int r = 0; r < 2; ++r) {
    const auto row = table.append();
    for (int c = 0; c < 3; ++c) row[static_cast<std::size_t>(c)] = values[3 * r + c];
  }
  std::istringstream lines(to_csv(table));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "t,\"A[1,2]\",\"q\"\"\"");
  for (int r = 0; r < 2; ++r) {
    std::getline(lines, line);
    std::istringstream cells(line);
    for (int c = 0; c < 3; ++c) {
      std::string cell;
      std::getline(cells, cell, ',');
      EXPECT_EQ(std::strtod(cell.c_str(), nullptr), values[3 * r + c]);
    }
  }
}

}  // namespace
}  // namespace daedal::emit
