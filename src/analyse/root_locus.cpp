// Eigenvalues are followed from sample to sample: each track continues with the value nearest to its extrapolation.
#include "sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace daedal::analysis {

namespace {

using Complex = std::complex<double>;
constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();

bool present(const Complex& z) { return !std::isnan(z.real()); }

/// Where a track is heading at sample `k`.
Complex expected(const Track& track, std::size_t k) {
  if (k >= 2 && present(track[k - 2])) return 2.0 * track[k - 1] - track[k - 2];
  return track[k - 1];
}

/// Members of a cluster count as its mean: the tracks of a defective eigenvalue would tremble otherwise.
std::vector<Complex> values_of(const Spectrum& spectrum) {
  std::vector<Complex> values;
  for (const Cluster& c : spectrum.clusters)
    values.insert(values.end(), static_cast<std::size_t>(c.multiplicity), c.mean);
  return values;
}

void extend(std::vector<Track>& tracks, const std::vector<Complex>& values, std::size_t k) {
  std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;  // distance, track, value
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    if (k == 0 || !present(tracks[i][k - 1])) continue;
    const Complex target = expected(tracks[i], k);
    for (std::size_t j = 0; j < values.size(); ++j)
      pairs.emplace_back(std::abs(values[j] - target), i, j);
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<bool> taken(values.size(), false);
  for (Track& track : tracks) track.push_back({nowhere, nowhere});
  for (const auto& [distance, i, j] : pairs) {
    if (taken[j] || present(tracks[i][k])) continue;
    tracks[i][k] = values[j];
    taken[j] = true;
  }
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (taken[j]) continue;
    tracks.emplace_back(k, Complex(nowhere, nowhere));
    tracks.back().push_back(values[j]);
  }
}

/// Bisection between two samples, always with the value nearest to the track.
AxisCrossing located(const DaeAt& dae_at, const SweepOptions& options, bool zero, double a,
                     Complex at_a, double b, Complex at_b) {
  const bool to_the_right = at_b.real() > 0;
  SweepOptions undoubted = options;  // on the way; what is found is questioned
  undoubted.doubts = false;
  for (int k = 0; k < 60 && std::abs(b - a) > 1e-15 * std::max(std::abs(a), std::abs(b)); ++k) {
    const double middle = 0.5 * (a + b);
    const Sample s = sample(dae_at, {middle}, undoubted, nullptr);
    const std::vector<Complex> values = values_of(zero ? s.zeros : s.poles);
    if (values.empty()) break;
    const Complex target = 0.5 * (at_a + at_b);
    const Complex nearest =
        *std::min_element(values.begin(), values.end(), [&](const Complex& x, const Complex& y) {
          return std::abs(x - target) < std::abs(y - target);
        });
    if ((nearest.real() > 0) == to_the_right)
      b = middle, at_b = nearest;
    else
      a = middle, at_a = nearest;
  }
  return {zero, 0.5 * (a + b), std::abs(0.5 * (at_a + at_b).imag()), to_the_right, false};
}

/// Rounding of an eigenvalue that is 0 is that of the largest one.
double largest_of(const Sample& s, bool zero) {
  double largest = 0;
  for (const Eigenvalue& e : (zero ? s.zeros : s.poles).values)
    largest = std::max(largest, std::abs(e.value));
  return largest;
}

bool in_doubt(const Sample& s, bool zeros) {
  return std::ranges::any_of(s.doubts, [zeros](const CountDoubt& d) { return d.zeros == zeros; });
}

void find_crossings(RootLocus& locus, const DaeAt& dae_at, const SweepOptions& options, bool zero) {
  for (const Track& track : zero ? locus.zeros : locus.poles)
    for (std::size_t k = 1; k < track.size(); ++k) {
      const Complex from = track[k - 1], to = track[k];
      if (!present(from) || !present(to) || from.real() * to.real() >= 0) continue;
      if (from.imag() + to.imag() < 0) continue;  // reported with its mirror image
      // on the axis within rounding before or after: no crossing
      const double noise = std::max(1e-9 * std::max(std::abs(from), std::abs(to)),
                                    1e-12 * largest_of(locus.samples[k], zero));
      if (std::abs(from.real()) < noise || std::abs(to.real()) < noise) continue;
      AxisCrossing found = located(dae_at, options, zero, locus.samples[k - 1].parameters[0], from,
                                   locus.samples[k].parameters[0], to);
      found.in_doubt = in_doubt(locus.samples[k - 1], zero) || in_doubt(locus.samples[k], zero) ||
                       in_doubt(sample(dae_at, {found.parameter}, options, nullptr), zero);
      locus.crossings.push_back(found);
    }
}

}  // namespace

RootLocus root_locus(const DaeAt& dae_at, const std::vector<double>& values,
                     const SweepOptions& options) {
  const StopScope stoppable(options.watch.stop);
  RootLocus locus;
  std::vector<std::vector<double>> points;
  for (const double v : values) points.push_back({v});
  locus.samples = sweep(dae_at, points, options);
  for (std::size_t k = 0; k < locus.samples.size(); ++k) {
    extend(locus.poles, values_of(locus.samples[k].poles), k);
    extend(locus.zeros, values_of(locus.samples[k].zeros), k);
  }
  try {
    find_crossings(locus, dae_at, options, false);
    find_crossings(locus, dae_at, options, true);
  } catch (const Interrupted&) {  // those found stand, as the samples do
  }
  std::sort(locus.crossings.begin(), locus.crossings.end(),
            [](const AxisCrossing& a, const AxisCrossing& b) { return a.parameter < b.parameter; });
  return locus;
}

}  // namespace daedal::analysis
