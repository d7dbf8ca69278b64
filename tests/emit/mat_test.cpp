// MAT-files: their bytes by hand, and read back by SciPy where it is installed.
#include "daedal/emit/mat.hpp"

#include "daedal/emit/files.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace daedal::emit {
namespace {

const std::vector<MatArray> example = {
    {"A", 2, 3, {1, 4, 2, 5, 3, -0.1}}, {"names", 0, 0, {}, {"x", "phi[2]'"}}, {"empty", 0, 2, {}}};

TEST(Mat, bytes_of_a_matrix_are_header_name_and_columns) {
  const std::string bytes = to_mat({example[0]});
  ASSERT_EQ(bytes.size(), 5 * 4 + 2 + 6 * 8u);
  std::int32_t header[5];
  std::memcpy(header, bytes.data(), sizeof header);
  EXPECT_EQ(header[0], 0);  // little-endian, double, full
  EXPECT_EQ(header[1], 2);
  EXPECT_EQ(header[2], 3);
  EXPECT_EQ(header[3], 0);
  EXPECT_EQ(header[4], 2);
  EXPECT_EQ(bytes.substr(20, 2), std::string("A\0", 2));
  double value[6];
  std::memcpy(value, bytes.data() + 22, sizeof value);
  EXPECT_EQ(value[1], 4);
  EXPECT_EQ(value[5], -0.1);
}

TEST(Mat, scipy_reads_it) {
  if (std::system("/usr/bin/python3 -c 'import scipy.io' > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "SciPy is absent";
  std::string pattern = std::filesystem::temp_directory_path() / "daedal-mat-XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path folder = pattern;
  write_text(to_mat(example), (folder / "m.mat").string());
  const std::string command =
      "/usr/bin/python3 -c \"import scipy.io, sys; m = scipy.io.loadmat('" +
      (folder / "m.mat").string() +
      "'); sys.exit(0 if m['A'].tolist() == [[1, 2, 3], [4, 5, -0.1]] and [s.strip() for s in "
      "m['names']] == ['x', 'phi[2]\\'' ] and m['empty'].shape == (0, 2) else 1)\"";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::filesystem::remove_all(folder);
}

TEST(Mat, refuses_what_it_cannot_hold) {
  EXPECT_THROW(to_mat({{"2x", 1, 1, {1}}}), std::invalid_argument);
  EXPECT_THROW(to_mat({{"x", 2, 2, {1}}}), std::invalid_argument);
}

}  // namespace
}  // namespace daedal::emit
