#include "daedal/analyse/portrait.hpp"

#include "asked.hpp"
#include "daedal/analyse/count_doubt.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "sensitivity.hpp"
#include "verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace daedal::analysis {

namespace {

std::string counted(int n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// Why there are no zeros to speak of; empty when there are.
std::string without_zeros(const LinearModel& linear) {
  const std::size_t p = linear.outputs.size(), m = linear.inputs.size();
  if (m == 0) return "the model has no inputs";
  if (p == 0) return "the model has neither outputs nor servo lines";
  if (p != m)
    return fmt::format("{} ({}) for {} ({}): an inverse model has as many outputs as inputs",
                       counted(static_cast<int>(p), "output"), fmt::join(linear.outputs, ", "),
                       counted(static_cast<int>(m), "input"), fmt::join(linear.inputs, ", "));
  return {};
}

/// Why outputs and inputs do not determine each other, in the user's names.
std::string why_singular(const LinearModel& linear, const RelativeDegree& degree) {
  for (std::size_t i = 0; i < linear.outputs.size(); ++i)
    if (degree.outputs[i] == never)
      return fmt::format("no input moves the output '{}' near this point", linear.outputs[i]);
  for (std::size_t j = 0; j < linear.inputs.size(); ++j)
    if (std::all_of(degree.entries.begin(), degree.entries.end(),
                    [&](const std::vector<int>& row) { return row[j] == never; }))
      return fmt::format("the input '{}' moves none of the outputs near this point",
                         linear.inputs[j]);
  return "the outputs do not move independently of each other near this point";
}

// --- cross-checks

void compare_counts(Portrait& p) {
  const auto compare = [&](const structure::Structure& s, const Spectrum& spectrum,
                           const char* equations, const char* what) {
    if (spectrum.regular() && s.degrees_of_freedom != spectrum.finite())
      p.disagreements.push_back(
          fmt::format("the structure of the {} equations has {}, but at this point there {} {}",
                      equations, counted(s.degrees_of_freedom, "free initial value"),
                      spectrum.finite() == 1 ? "is" : "are", counted(spectrum.finite(), what)));
    if (const auto doubt = doubt_of_decisions(spectrum, &spectrum != &p.poles))
      p.disagreements.push_back(text_of(*doubt));
  };
  compare(p.structure, p.poles, "forward", "finite pole");
  if (p.input_output && p.input_output->defined_here())
    compare(p.input_output->structure, p.input_output->zeros, "inverse", "finite zero");
}

/// The largest distance of a value of `a` from the nearest of `b`, against what both may be wrong by.
double largest_distance(const std::vector<Cluster>& a, const std::vector<Cluster>& b) {
  double largest = 0;
  for (const Cluster& x : a) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const Cluster& y : b) {
      const double doubt = 10 * (x.error + y.error) + 1e-9 * std::max(1.0, std::abs(x.mean));
      nearest = std::min(nearest, std::abs(x.mean - y.mean) / doubt);
    }
    largest = std::max(largest, nearest);
  }
  return largest;
}

void compare_zeros(Portrait& p, const Spectrum& of_pencil) {
  const Spectrum& zeros = p.input_output->zeros;
  if (zeros.finite() != of_pencil.finite())
    p.disagreements.push_back(fmt::format("the inverse equations have {}, the system pencil has {}",
                                          counted(zeros.finite(), "finite zero"),
                                          of_pencil.finite()));
  else if (largest_distance(zeros.clusters, of_pencil.clusters) > 1)
    p.disagreements.push_back(
        "zeros of the inverse equations and of the system pencil differ by more than their errors");
}

void compare_relative_degree(Portrait& p) {
  const InputOutput& io = *p.input_output;
  if (!io.degree.well_defined()) return;
  const int sum = std::accumulate(io.degree.outputs.begin(), io.degree.outputs.end(), 0);
  if (sum != p.poles.finite() - io.zeros.finite())
    p.disagreements.push_back(
        fmt::format("the relative degrees sum up to {}, but there are {} and {}", sum,
                    counted(p.poles.finite(), "pole"), counted(io.zeros.finite(), "zero")));
}

/// Near degenerate parameter values the structure of the equations may be that of the degenerate ones: a Jacobian of the size
/// of rounding is treated as singular. Where the equations with other parameters have as many free initial values as there are
/// zeros here, theirs is the structure, and both are reported.
void take_structure_nearby(Portrait& p, InputOutput& io, const derive::Dae& inverse) {
  structure::Structure nearby;
  try {
    nearby = structure::examine(with_parameters_nearby(inverse, 0.3), {.derivative_array = false});
  } catch (const ModelError&) {
    return;
  }
  if (!nearby.solvable() || nearby.degrees_of_freedom != io.zeros.finite()) return;
  p.disagreements.push_back(fmt::format(
      "nearly singular: the structure of the inverse equations is index {}, {}; with these "
      "parameter values its Jacobian is singular to rounding, and counted as such it would be "
      "index {}, {}",
      nearby.index, counted(nearby.degrees_of_freedom, "free initial value"), io.structure.index,
      counted(io.structure.degrees_of_freedom, "free initial value")));
  io.structure = std::move(nearby);
}

/// Closer to a degenerate value than rounding lets entries tell: the other reading is that of almost all values.
void compare_with_parameters_nearby(Portrait& p, const Nearby& nearby) {
  const auto note = [&](Spectrum& spectrum, std::optional<CountDoubt> doubt) {
    if (!doubt || (spectrum.other && spectrum.other->finite == *doubt->other)) return;
    doubt->parameters = nearby.responsible(*doubt);
    p.disagreements.push_back(text_of(*doubt));
    spectrum.other = OtherReading{*doubt->other, doubt->value, doubt->margin};
  };
  note(p.poles, nearby.doubt(p.poles, false));
  if (!p.input_output || !nearby.counts() || !nearby.counts()->zeros) return;
  InputOutput& io = *p.input_output;
  note(io.zeros, nearby.doubt(io.zeros, true));
  const RelativeDegree& degree = nearby.counts()->degree;
  if (!degree.outputs.empty() && degree.outputs != io.degree.outputs)
    io.degree.other_outputs = degree.outputs;
}

/// The inverse equations and the system pencil round differently: where one of them counts as almost all parameters do, its
/// zeros are taken, and what the other counts is the other reading.
void take_zeros_of_pencil(InputOutput& io, const Spectrum& of_pencil, const Nearby& nearby) {
  const std::optional<CountDoubt> doubt = nearby.doubt(io.zeros, true);
  if (!doubt || of_pencil.finite() != *doubt->other) return;
  const int counted = io.zeros.finite();
  io.zeros = of_pencil;
  if (!io.zeros.other) io.zeros.other = OtherReading{counted, doubt->value, doubt->margin};
}

void add_input_output(Portrait& p, const derive::Dae& asked, const PortraitOptions& options,
                      const Nearby& nearby) {
  p.no_zeros_because = without_zeros(p.linear);
  if (!p.no_zeros_because.empty()) return;
  InputOutput io;
  io.degree = relative_degree(p.linear);
  const Spectrum of_pencil = invariant_zeros(p.linear);
  const auto inverse = std::make_shared<const derive::Dae>(derive::inverse(asked));
  io.zeros = poles(linearise(*inverse, point_of(p.equilibrium)));
  if (!of_pencil.regular() || !io.zeros.regular()) {
    p.no_zeros_because = why_singular(p.linear, io.degree);
    return;
  }
  take_zeros_of_pencil(io, of_pencil, nearby);
  io.structure = structure::examine(inverse);
  if (io.structure.degrees_of_freedom != io.zeros.finite()) take_structure_nearby(p, io, *inverse);
  io.margin = margin(io.zeros);
  io.configuration = configuration(asked, p.linear, io.degree);
  if (options.sensitivities && io.margin.side != Side::none)
    io.sensitivities = sensitivities(asked, options.equilibrium, io.margin.worst);
  p.input_output = std::move(io);
  compare_zeros(p, of_pencil);
  compare_relative_degree(p);
}

/// What needs states: modes that are reached and shown, and zeros that no inverse model has.
void add_state_space(Portrait& p) {
  const std::optional<StateSpace> system = find_state_space(p.linear);
  if (!system) {
    p.disagreements.push_back(
        "there are poles, but no states: numbers of the equations lie so far apart that the motion "
        "is not determined to rounding");
    return;
  }
  if (!p.linear.inputs.empty()) p.controllability = controllability(*system);
  if (!p.linear.outputs.empty()) p.observability = observability(*system);
  const bool square = p.linear.outputs.size() == p.linear.inputs.size();
  if (p.controllability && p.observability && !square && system->proper())
    p.system_zeros = system_zeros(*system);
}

}  // namespace

Portrait portrait(const std::shared_ptr<const derive::Dae>& forward,
                  const PortraitOptions& options) {
  const StopScope stoppable(options.watch.stop);
  Portrait p;
  const derive::Dae asked = with_outputs(*forward, options.outputs);
  options.watch.tell(0, "structure of the equations");
  p.structure = structure::examine(forward);
  options.watch.tell(0.2, "equilibrium");
  p.equilibrium = equilibrium(*forward, options.equilibrium);
  if (!p.equilibrium.found) return p;
  p.linear = linearise_asked(asked, point_of(p.equilibrium));
  options.watch.tell(0.3, "poles");
  p.poles = poles(p.linear);
  p.stability = margin(p.poles);
  if (p.poles.regular()) {
    options.watch.tell(0.4, "controllability and observability");
    add_state_space(p);
    options.watch.tell(0.6, "zeros");
    const Nearby nearby(asked, options.equilibrium);
    add_input_output(p, asked, options, nearby);
    compare_counts(p);
    compare_with_parameters_nearby(p, nearby);
  } else {
    compare_counts(p);
  }
  p.verdict = verdict(p);
  p.change = what_would_change_it(p, *forward);
  return p;
}

}  // namespace daedal::analysis
