#include "daedal/invert/internal_dynamics.hpp"

#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/stepper/step_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace daedal::inversion {

namespace {

/// "194.3, 12 +- 5i": a conjugate pair once, at most six.
std::string named_zeros(const std::vector<analysis::Cluster>& zeros) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(zeros.size(), most); ++k)
    text += (k == 0 ? "" : ", ") + analysis::text_of(zeros[k], true);
  return zeros.size() > most ? fmt::format("{} and {} more", text, zeros.size() - most) : text;
}

/// The unstable zeros decide; those on the left say how fast the rest fades.
std::string unstable_and_others(const analysis::Spectrum& zeros) {
  std::vector<analysis::Cluster> unstable, others;
  for (const analysis::Cluster& zero : zeros.clusters)
    if (zero.mean.imag() >= 0)
      (zero.mean.real() > analysis::doubt(zero) ? unstable : others).push_back(zero);
  const auto told = [](const char* word, const std::vector<analysis::Cluster>& some) {
    return fmt::format("{}zero{} {} 1/s", word, some.size() == 1 ? "" : "s", named_zeros(some));
  };
  return told("unstable ", unstable) + (others.empty() ? "" : ", " + told("other ", others));
}

}  // namespace

InternalDynamics internal_dynamics(const InverseModel& inverse,
                                   const solve::ConsistentPoint& start) {
  InternalDynamics dynamics;
  dynamics.zeros = analysis::poles(
      analysis::linearise(*inverse.structure.dae, solve::point_of(inverse.problem, start)));
  dynamics.margin = analysis::margin(dynamics.zeros);
  return dynamics;
}

std::string describe(const InternalDynamics& dynamics) {
  const bool unstable = dynamics.margin.side == analysis::Side::right;
  return fmt::format("internal dynamics of dimension {}, {}: {}", dynamics.zeros.finite(),
                     analysis::phase_word(dynamics.margin.side),
                     unstable ? unstable_and_others(dynamics.zeros)
                              : fmt::format("rightmost zero {} 1/s",
                                            analysis::text_of(dynamics.margin.worst, true)));
}

}  // namespace daedal::inversion
