#include "verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::analysis {

namespace {

constexpr std::size_t shown = 3;  // parameters in a sentence

std::string worst(const Margin& m) { return text_of(m.worst, m.worst.mean.imag() != 0); }

/// How often the desired outputs are differentiated on the way to the inputs.
int derivatives_needed(const Portrait& p) {
  const std::vector<int>& all = p.input_output->structure.differentiations;
  const std::size_t outputs = p.linear.outputs.size();
  if (all.size() < outputs) return 0;
  return *std::max_element(all.end() - static_cast<std::ptrdiff_t>(outputs), all.end());
}

int unstable_zeros(const Spectrum& zeros) {
  return static_cast<int>(
      std::count_if(zeros.values.begin(), zeros.values.end(),
                    [](const Eigenvalue& z) { return z.value.real() > 10 * z.error; }));
}

/// As the ball on a beam at rest, whose position no torque moves in the derivative that it moves elsewhere [Hauser1992].
std::string of_undefined_degree(const Portrait& p) {
  const InputOutput& io = *p.input_output;
  return fmt::format(
      "not decided at this point: the inverse equations leave {} initial value{} free elsewhere, "
      "but have {} zero{} here; the inputs do not affect {} at this order, and the relative degree "
      "is not defined",
      io.structure.degrees_of_freedom, io.structure.degrees_of_freedom == 1 ? "" : "s",
      io.zeros.finite(), io.zeros.finite() == 1 ? "" : "s", fmt::join(p.linear.outputs, ", "));
}

std::string of_input_output(const Portrait& p) {
  const InputOutput& io = *p.input_output;
  if (!io.defined_here()) return of_undefined_degree(p);
  const std::string dimension = fmt::format("{}: internal dynamics of dimension {}",
                                            phase_word(io.margin.side), io.zeros.finite());
  switch (io.margin.side) {
    case Side::none: {
      const int needed = derivatives_needed(p);
      return fmt::format(
          "{}: no internal dynamics; the inputs follow from the outputs{}",
          phase_word(io.margin.side),
          needed > 0 ? fmt::format(" and their derivatives up to order {}", needed) : "");
    }
    case Side::left:
      return fmt::format("{}, which decays: the rightmost zero {} lies {:.4g} 1/s left of the axis",
                         dimension, worst(io.margin), io.margin.distance);
    case Side::axis:
      return fmt::format(
          "{}, which to first order neither decays nor grows: the rightmost zero is {}", dimension,
          worst(io.margin));
    case Side::right:
      return fmt::format(
          "{}, {} of it unstable: the rightmost zero {} lies {:.4g} 1/s right of the axis, and an "
          "inverse that stays bounded must look ahead",
          dimension, unstable_zeros(io.zeros), worst(io.margin), io.margin.distance);
  }
  return {};
}

std::string of_poles(const Portrait& p) {
  if (p.stability.side == Side::none) return "no dynamics: the equations determine every variable";
  const std::string where =
      p.stability.side == Side::axis
          ? std::string("is on the axis")
          : fmt::format("lies {:.4g} 1/s {} of the axis", p.stability.distance,
                        p.stability.side == Side::left ? "left" : "right");
  return fmt::format("{}: the rightmost pole {} {}", stability_word(p.stability.side),
                     worst(p.stability), where);
}

/// Parameters that are exactly 0 leave terms out; other values may change the structure itself.
std::string folded(const derive::Dae& dae) {
  std::string names;
  for (std::size_t k = 0; k < std::min(dae.folded.size(), shown); ++k)
    names += (k == 0 ? "" : ", ") + dae.model->symbols[dae.folded[k]].name;
  if (dae.folded.size() > shown) names += fmt::format(" and {} more", dae.folded.size() - shown);
  return names.empty() ? names
                       : fmt::format("{} {} 0 now; another value may change the number of zeros",
                                     names, dae.folded.size() == 1 ? "is" : "are");
}

std::string moved_by(const std::vector<Sensitivity>& all) {
  std::string text;
  for (std::size_t k = 0; k < std::min(all.size(), shown); ++k)
    text += fmt::format("{}{} ({:+.3g} 1/s for +1 %)", k == 0 ? "" : ", ", all[k].parameter,
                        0.01 * all[k].rate);
  return text.empty() ? text : "the rightmost zero moves sideways most with " + text;
}

}  // namespace

std::string verdict(const Portrait& p) {
  if (!p.poles.regular()) return "the equations do not determine the motion near this point";
  return p.input_output ? of_input_output(p) : of_poles(p);
}

std::string what_would_change_it(const Portrait& p, const derive::Dae& forward) {
  if (!p.input_output) return {};
  const std::string values = moved_by(p.input_output->sensitivities), zeros = folded(forward);
  if (values.empty() || zeros.empty()) return values + zeros;
  return values + "; " + zeros;
}

}  // namespace daedal::analysis
