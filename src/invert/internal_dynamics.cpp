#include "daedal/invert/internal_dynamics.hpp"

#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/solve/step_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace daedal::invert {

namespace {

/// "194.3, 12 +- 5i": a conjugate pair once, at most six.
std::string named_zeros(const std::vector<analyse::Cluster>& zeros) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(zeros.size(), most); ++k)
    text += (k == 0 ? "" : ", ") + analyse::text_of(zeros[k], true);
  return zeros.size() > most ? fmt::format("{} and {} more", text, zeros.size() - most) : text;
}

/// The unstable zeros decide; those on the left say how fast the rest fades.
std::string unstable_and_others(const analyse::Spectrum& zeros) {
  std::vector<analyse::Cluster> unstable, others;
  for (const analyse::Cluster& zero : zeros.clusters)
    if (zero.mean.imag() >= 0)
      (zero.mean.real() > analyse::doubt(zero) ? unstable : others).push_back(zero);
  const auto told = [](const char* word, const std::vector<analyse::Cluster>& some) {
    return fmt::format("{}zero{} {} 1/s", word, some.size() == 1 ? "" : "s", named_zeros(some));
  };
  return told("unstable ", unstable) + (others.empty() ? "" : ", " + told("other ", others));
}

}  // namespace

InternalDynamics internal_dynamics(const InverseModel& inverse,
                                   const solve::ConsistentPoint& start) {
  InternalDynamics dynamics;
  dynamics.zeros = analyse::poles(
      analyse::linearise(*inverse.structure.dae, solve::point_of(inverse.problem, start)));
  dynamics.margin = analyse::margin(dynamics.zeros);
  return dynamics;
}

std::string describe(const InternalDynamics& dynamics) {
  const bool unstable = dynamics.margin.side == analyse::Side::right;
  return fmt::format("internal dynamics of dimension {}, {}: {}", dynamics.zeros.finite(),
                     analyse::phase_word(dynamics.margin.side),
                     unstable ? unstable_and_others(dynamics.zeros)
                              : fmt::format("rightmost zero {} 1/s",
                                            analyse::text_of(dynamics.margin.worst, true)));
}

}  // namespace daedal::invert
