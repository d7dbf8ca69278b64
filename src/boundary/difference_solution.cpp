// See difference_solution.hpp.
#include "daedal/boundary/difference_solution.hpp"

#include "daedal/boundary/equidistant.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::boundary {

namespace {

constexpr int most_newton_steps = 8;  // along the amplitude, where they contract faster and faster
constexpr int most_difference_steps = 30;
/// Steps that shrink fast keep the matrices, and so do small ones: what slows those of higher orders is the order itself.
constexpr double no_matter = 1e-3;
constexpr int most_steps_to_rest = 10;
constexpr double near_rest = 1e-2;  // good enough for a guess

bool same_targets(const SecondOrderForm& form, const double* w, const double* v) {
  for (std::uint32_t i = 1; i < form.signals(); ++i)
    if (!form.is_rate(i) && w[i] != v[i]) return false;
  return true;
}

}  // namespace

DifferenceSolution::DifferenceSolution(SecondOrderForm& form, double begin, std::size_t intervals,
                                       double step)
    : form_(form),
      intervals_(intervals),
      equations_(form, intervals + 1 + 2 * known, known, known),
      pose_(form),
      rates_(form.unknowns()),
      accelerations_(form.unknowns()),
      poses_(equations_.nodes() * form.unknowns()) {
  equations_.begin = begin - static_cast<double>(known) * step;
  equations_.step = step;
}

/// Poses of rest along the motion, then what their inertia forces make of them.
bool DifferenceSolution::guess(const double* rest) {
  const std::size_t n = form_.unknowns(), nodes = equations_.nodes();
  CentralDifferences& e = equations_;
  std::copy_n(rest, n, e.y(0));
  if (margin > 0 && !pose_.rest(e.signals(0), e.y(0), most_steps_to_rest)) return false;
  for (std::size_t k = 1; k < nodes; ++k) {
    stop_point();
    std::copy_n(e.y(k - 1), n, e.y(k));
    if (same_targets(form_, e.signals(k), e.signals(k - 1))) continue;
    if (k > 1)
      for (std::size_t j = 0; j < n; ++j) e.y(k)[j] = 2 * e.y(k - 1)[j] - e.y(k - 2)[j];
    if (!pose_.rest(e.signals(k), e.y(k), most_steps_to_rest, near_rest)) return false;
  }
  if (margin == 0 && !rest_behind()) return false;
  std::copy_n(e.y(0), nodes * n, poses_.data());
  e.order = 4;
  const std::size_t known_too = margin > 0 ? known - 1 : 0;
  for (std::size_t k = e.first() - known_too; k < e.last() + known_too; ++k) {
    if (std::equal(e.y(k - 1), e.y(k - 1) + n, e.y(k + 1))) continue;
    e.derivatives(k, rates_.data(), accelerations_.data());
    if (!pose_.step(e.signals(k), poses_.data() + k * n, rates_.data(), accelerations_.data()))
      return false;
  }
  std::copy_n(poses_.data(), nodes * n, e.y(0));
  return true;
}

/// The nodes beyond the right end, from what they are.
bool DifferenceSolution::rest_behind() {
  CentralDifferences& e = equations_;
  const std::size_t last = e.nodes() - 1;
  if (!pose_.rest(e.signals(last), e.y(last), most_steps_to_rest) || pose_.change() > near_rest)
    return false;
  for (std::size_t k = e.last(); k < last; ++k) std::copy_n(e.y(last), form_.unknowns(), e.y(k));
  return true;
}

bool DifferenceSolution::iterate(int order, double tolerance, DifferenceOutcome& outcome,
                                 Matrices matrices) {
  equations_.order = outcome.order = order;
  const bool exact = matrices == Matrices::exact;
  NewtonWatch watch(exact ? 2 : 4);  // what kept matrices leave comes in waves
  bool renew = true;
  for (int k = 0; k < (exact ? most_newton_steps : most_difference_steps); ++k) {
    const Correction c = renew ? equations_.newton() : equations_.chord();
    ++outcome.iterations;
    outcome.factored += renew;
    outcome.at = equations_.time(c.ok ? c.largest_node : c.interval);
    outcome.largest_unknown = static_cast<std::uint32_t>(c.largest_state);
    if (!c.ok) return false;
    if (c.step <= tolerance) return true;
    renew = c.step > no_matter && (exact || watch.stagnates(c.step));
    if (watch.hopeless(c.step)) return false;
  }
  return false;
}

/// From rest, where every solution begins.
bool DifferenceSolution::continue_amplitude(const Desired& desired, const double* rest,
                                            double tolerance, const Watch& watch,
                                            DifferenceOutcome& outcome) {
  CentralDifferences& e = equations_;
  const std::size_t n = form_.unknowns();
  for (std::size_t k = 0; k < e.nodes(); ++k) std::copy_n(rest, n, e.y(k));
  const ScaledMotion motion(desired, e.begin, form_.signals(),
                            [this](std::uint32_t i) { return form_.is_rate(i); });
  AmplitudePath path({{e.y(0), e.nodes() * n}}, watch);
  const bool whole = path.follow([&](double amplitude) {
    e.sample([&](double t, double* w) { motion(amplitude, t, w); });
    const int before = outcome.iterations;
    const bool solved = rest_behind() && iterate(2, tolerance, outcome, Matrices::exact);
    return AmplitudePath::Attempt{solved, outcome.iterations - before};
  });
  outcome.continuation_steps = path.steps();
  outcome.amplitude = path.reached();
  return whole;
}

/// From the solution of order 2 to the highest order, up to this one, with which steps contract; at worst back to it.
bool DifferenceSolution::raise_order(int order, double tolerance, DifferenceOutcome& outcome) {
  std::copy_n(equations_.y(0), poses_.size(), poses_.data());
  for (; order > 2; order -= 2) {
    if (iterate(order, tolerance, outcome)) return true;
    std::copy_n(poses_.data(), poses_.size(), equations_.y(0));
  }
  return iterate(2, tolerance, outcome);
}

bool DifferenceSolution::follow() {
  for (std::size_t k = equations_.first(); k < equations_.last(); ++k) {
    equations_.derivatives(k, rates_.data(), accelerations_.data());
    if (!pose_.follow(equations_.signals(k), equations_.y(k), rates_.data(), accelerations_.data()))
      return false;
  }
  return true;
}

DifferenceOutcome DifferenceSolution::solve(const Desired& desired, const double* rest, int order,
                                            double newton_tolerance, const Watch& watch) {
  DifferenceOutcome outcome;
  equations_.sample(desired);
  outcome.ok = guess(rest) && iterate(order, newton_tolerance, outcome);
  if (!outcome.ok && margin == 0)
    outcome.ok = continue_amplitude(desired, rest, newton_tolerance, watch, outcome) &&
                 raise_order(order, newton_tolerance, outcome);
  outcome.ok = outcome.ok && follow();
  if (outcome.ok) outcome.error = equations_.error(margin);
  return outcome;
}

std::optional<EvenWindow> even_window(const std::vector<double>& joints, double longest,
                                      double before, double after) {
  constexpr int tries = 20;
  constexpr double on_a_node = 1e-6;  // of a step
  const double duration = joints.back() - joints.front();
  const double least = std::ceil(duration / longest - on_a_node);
  for (int k = 0; k < tries; ++k) {
    const double step = duration / (least + k);
    if (!std::all_of(joints.begin(), joints.end(), [&](double joint) {
          const double nodes = (joint - joints.front()) / step;
          return std::abs(nodes - std::round(nodes)) <= on_a_node;
        }))
      continue;
    const double left = std::ceil(before / step - on_a_node),
                 right = std::ceil(after / step - on_a_node);
    return EvenWindow{joints.front() - left * step, step,
                      static_cast<std::size_t>(left + least + k + right)};
  }
  return std::nullopt;
}

void hand_over(const SecondOrderForm& form, const DifferenceSolution& from,
               const std::vector<double>& joints, const ReducedSystem& system,
               BoundaryValueSolution& to) {
  const std::size_t nodes = from.intervals() + 1, n = system.states(), nz = system.tops();
  to.stages = 3;
  to.times.resize(nodes);
  to.states.assign(nodes * n, 0.0);
  to.node_tops.assign(nodes * nz, 0.0);
  std::vector<double> rates(form.unknowns()), accelerations(form.unknowns());
  for (std::size_t k = 0; k < nodes; ++k) {
    to.times[k] = from.time(k);
    from.derivatives(k, rates.data(), accelerations.data());
    const double* const y[] = {from.y(k), rates.data(), accelerations.data()};
    form.to_point(y, to.states.data() + k * n, to.node_tops.data() + k * nz);
  }
  const double step = from.time(1) - from.time(0);
  to.joints.clear();
  for (const double joint : joints)
    to.joints.push_back(static_cast<std::size_t>(std::lround((joint - to.times.front()) / step)));
}

}  // namespace daedal::boundary
