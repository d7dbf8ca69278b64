// Invariant zeros against SLICOT's AB08ND [EmamiNaeiniVanDooren1982], through Octave's control package where it is installed.
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/analyse/system_zeros.hpp"
#include "linear_systems.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace daedal::analysis::test {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;

std::string text_of(const MatrixXd& m) {
  std::string text = "[";
  char number[32];
  for (Eigen::Index i = 0; i < m.rows(); ++i, text += ";")
    for (Eigen::Index j = 0; j < m.cols(); ++j) {
      std::snprintf(number, sizeof number, "%.17g ", m(i, j));
      text += number;
    }
  return text + "]";
}

/// Empty when Octave or its control package is absent.
std::vector<Complex> zeros_by_octave(const LinearModel& m) {
  std::string folder = std::filesystem::temp_directory_path() / "daedal-slicot-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return {};
  const std::string script = folder + "/zeros.m", answer = folder + "/zeros.txt";
  std::ofstream(script) << "pkg load control\nz = zero(ss(" << text_of(m.a) << ", " << text_of(m.b)
                        << ", " << text_of(m.c) << ", " << text_of(m.d)
                        << "));\nprintf('%.17g %.17g\\n', [real(z) imag(z)]');\n";
  const std::string command =
      "octave --no-gui --quiet " + script + " > " + answer + " 2> /dev/null";
  [[maybe_unused]] const int status = std::system(command.c_str());
  std::ifstream stream(answer);
  std::vector<Complex> zeros;
  for (double real = 0, imaginary = 0; stream >> real >> imaginary;)
    zeros.emplace_back(real, imaginary);
  std::filesystem::remove_all(folder);
  return zeros;
}

TEST(Slicot, finds_the_same_invariant_zeros) {
  for (const int n : {6, 15, 40}) {
    const LinearModel m = explicit_model(random_matrix(n, n, 3), random_matrix(n, 2, 4),
                                         random_matrix(2, n, 5), MatrixXd::Zero(2, 2));
    const std::vector<Complex> known = zeros_by_octave(m);
    if (known.empty()) GTEST_SKIP() << "Octave's control package is absent";
    for (const Spectrum& s : {invariant_zeros(m), system_zeros(state_space(m)).zeros}) {
      ASSERT_EQ(s.values.size(), known.size());
      for (const Eigenvalue& z : s.values) {
        double nearest = 1e9;
        for (const Complex& k : known) nearest = std::min(nearest, std::abs(z.value - k));
        EXPECT_LT(nearest, 1e-12 * n * std::max(1.0, std::abs(z.value)) + 10 * z.error) << z.value;
      }
    }
  }
}

}  // namespace
}  // namespace daedal::analysis::test
