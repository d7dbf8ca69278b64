#include "daedal/task/spectrum.hpp"

#include <gtest/gtest.h>

namespace daedal {
inline namespace task {
namespace {

analysis::Spectrum spectrum_of(std::vector<analysis::Cluster> clusters) {
  analysis::Spectrum s;
  s.clusters = std::move(clusters);
  return s;
}

// A map of an undamped mechanism had a real axis from -6e-16 to 6e-16 and showed rounding errors as unstable poles.
TEST(PoleMap, a_pole_within_its_error_of_the_axis_lies_on_it_and_the_note_says_so) {
  const double error = 1e-15;
  emit::Report page;
  emit::Chart map = empty_pole_zero_map();
  add_spectrum(page, map,
               spectrum_of({{{6e-16, 3}, 1, 0, error},
                            {{6e-16, -3}, 1, 0, error},
                            {{-0.01, 5}, 1, 0, error},
                            {{-0.01, -5}, 1, 0, error}}),
               "poles", "cross");
  ASSERT_EQ(map.series.size(), 1U);
  EXPECT_EQ(map.series[0].x, (std::vector<double>{0, 0, -0.01, -0.01}));
  EXPECT_EQ(map.series[0].y, (std::vector<double>{3, -3, 5, -5}));
  EXPECT_EQ(map.series[0].labels[0], "3i; real part 6.0e-16, error 1e-15");
  EXPECT_EQ(map.note,
            "2 of the poles: the real part is within its error (1e-15 1/s at most), drawn on the "
            "axis");
}

TEST(PoleMap, its_axes_show_a_hundred_errors_at_least) {
  for (const double error : {1e-15, 1e-9, 1e-4}) {
    emit::Report page;
    emit::Chart map = empty_pole_zero_map();
    add_spectrum(page, map, spectrum_of({{{-2, 0}, 1, 0, error}}), "poles", "cross");
    EXPECT_GE(map.least_x, 100 * error);
    EXPECT_GE(map.least_y, 100 * error);
    EXPECT_LE(map.least_x, 1);  // and no more than half the value, where it is known
    EXPECT_EQ(map.note, "");
  }
}

TEST(PoleMap, parts_beyond_the_doubt_are_kept_whole) {
  const analysis::Cluster pole{{-1e-6, 4}, 1, 0, 1e-12};
  EXPECT_EQ(analysis::shown(pole), pole.mean);
  const analysis::Cluster twice{
      {-1e-12, 4}, 2, 1e-7, 1e-7};  // its mean is known better than its spread
  EXPECT_EQ(analysis::shown(twice), (std::complex<double>{0, 4}));
}

}  // namespace
}  // namespace task
}  // namespace daedal
