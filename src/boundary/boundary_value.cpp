// See daedal/boundary/boundary_value.hpp.
#include "daedal/boundary/boundary_value.hpp"

#include "daedal/base/qr.hpp"
#include "daedal/boundary/amplitude.hpp"
#include "daedal/boundary/collocation.hpp"
#include "daedal/boundary/equidistant.hpp"
#include "daedal/boundary/mesh.hpp"
#include "daedal/boundary/rest.hpp"
#include "daedal/boundary/top_values.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace daedal::boundary {

namespace {

constexpr std::size_t first_intervals = 32;  // between two joints, however long
constexpr std::size_t least_intervals = 2;
constexpr int most_doublings = 3;  // of a mesh too coarse for Newton's method
constexpr int most_meshes = 12;
constexpr double no_error =
    0.1;  // of the tolerance: corrections that stay below it without shrinking are rounding

/// Every interval cut in two.
std::vector<double> halved(const std::vector<double>& mesh) {
  std::vector<double> fine;
  for (std::size_t k = 0; k + 1 < mesh.size(); ++k)
    fine.insert(fine.end(), {mesh[k], 0.5 * (mesh[k] + mesh[k + 1])});
  fine.push_back(mesh.back());
  return fine;
}

/// Rows of positions, less what the levels fix already; orthonormal.
Eigen::MatrixXd position_rows(ReducedSystem& system, const double* w,
                              const std::vector<double>& states) {
  const auto n = static_cast<Eigen::Index>(states.size());
  const std::vector<std::uint32_t> positions = positions_of(system);
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(positions.size()), n);
  for (std::size_t k = 0; k < positions.size(); ++k)
    rows(static_cast<Eigen::Index>(k), positions[k]) = 1;
  if (system.levels() > 0) {
    std::vector<double> c(system.levels());
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> g(system.levels(), n);
    system.level(w, states.data(), c.data(), g.data());
    const Eigen::MatrixXd inverse = pseudo_inverse(g);
    rows -= rows * inverse * g;
  }
  const PivotedQr qr(rows.transpose(), 1e-9);
  return qr.q().leftCols(qr.rank()).transpose();
}

class Solver {
 public:
  Solver(ReducedSystem& system, const std::vector<double>& joints, const Desired& desired,
         const BoundaryValueOptions& options)
      : system_(system),
        joints_(joints),
        desired_(desired),
        scaled_(desired, joints.front(), system.signals(),
                [&](std::uint32_t i) { return system.is_rate(i); }),
        options_(options),
        stages_(options.order / 2),
        n_(system.states()),
        nz_(system.tops()),
        w_(system.signals()) {
    result_.stages = stages_;
  }

  BoundaryValueSolution run(const std::vector<double>& states, const std::vector<double>& tops) {
    if (!find_rest(states, tops)) return std::move(result_);
    signals_at(joints_.front(), options_.periodic ? 0 : 1);
    const bool determined =
        TopValues(system_).determined(w_.data(), left_.states.data(), left_.tops.data());
    double reached = 0;
    for (int doubling = 0; doubling <= most_doublings; ++doubling) {
      result_.status = BoundaryValueStatus::solved;
      result_.amplitude = 1;
      equations_.reset();
      if ((determined ? solve_from(first_mesh(doubling)) : solve_by_halving(doubling)) ||
          options_.intervals > 0 || finer_is_no_better(reached))
        break;
    }
    return std::move(result_);
  }

 private:
  /// Automatic numbers of modes are those of the mesh: where an oscillation turns by more than 3 rad in an interval,
  /// Hermite splines take it for one mode that grows and one that decays. So finer meshes determine the numbers
  /// again. A motion is given up where twice as many intervals reach hardly more of it.
  bool finer_is_no_better(double& reached) const {
    if (result_.status == BoundaryValueStatus::wrong_counts)
      return options_.ends != EndConditions::automatic;
    if (finer_failed_ || result_.amplitude <= 1.1 * reached) return true;
    reached = result_.amplitude;
    return false;
  }

  std::vector<double> first_mesh(int doubling) const {
    return options_.intervals > 0 ? even_mesh(joints_, options_.intervals, least_intervals)
                                  : even_mesh(joints_, 0, first_intervals << doubling);
  }

  /// From an even mesh to one that is good enough. A mesh so coarse that it does not see an oscillation is no place for
  /// Newton's method: then this fails, and a finer one may do.
  bool solve_from(std::vector<double> mesh) {
    if (!set_up(mesh)) return false;
    guess();
    if (!newton() && !continue_amplitude()) return false;
    for (int meshes = 1;; ++meshes) {
      const std::vector<double> errors = estimate_error();
      hand_over();
      if (result_.error <= options_.tolerance) return true;
      if (options_.intervals > 0 || meshes == most_meshes || mesh.size() > options_.most_intervals)
        return inaccurate();
      tell_error();
      mesh = refined(mesh, errors);
      if (!set_up(mesh) || !newton()) return inaccurate();
    }
  }

  /// The last solution is kept: Newton's method starts near the solution of a finer mesh, and fails there only where that
  /// is worse conditioned. (Fast motions of undamped beams: oscillations that neither grow nor decay at rest do so in motion,
  /// and meshes fine enough to resolve them carry that along.)
  bool inaccurate() {
    result_.status = BoundaryValueStatus::inaccurate;
    return true;
  }

  void tell_error() {
    first_error_ = std::max(first_error_, result_.error);
    options_.watch.tell(
        std::log(first_error_ / result_.error) / std::log(first_error_ / options_.tolerance),
        fmt::format("error {:.1e} on {} intervals", result_.error, equations_->intervals()));
  }

  /// Steps of one length everywhere, where the joints allow it.
  std::size_t alike_intervals() const {
    double step = options_.first_step;
    for (std::size_t k = 0; options_.first_step == 0 && k + 1 < joints_.size(); ++k)
      step = std::max(step, (joints_[k + 1] - joints_[k]) / static_cast<double>(first_intervals));
    return static_cast<std::size_t>(std::lround((joints_.back() - joints_.front()) / step));
  }

  /// Where the tops do not follow from the states, no formula can be started from a node to look at the error; and modes
  /// on the imaginary axis count as such while the steps at both ends are alike. So all intervals are cut in two, and the
  /// two solutions compared.
  bool solve_by_halving(int doubling) {
    const std::size_t intervals =
        options_.intervals > 0 ? options_.intervals / 2 : alike_intervals() << doubling;
    std::vector<double> mesh = even_mesh(joints_, intervals, least_intervals);
    if (!set_up(mesh)) return false;
    guess();
    if (!newton() && !continue_amplitude()) return false;
    for (bool compared = false;; compared = true) {
      const std::vector<double> before(equations_->state(0),
                                       equations_->state(equations_->intervals()) + n_);
      mesh = halved(mesh);
      const bool solved = set_up(mesh) && (newton() || (!compared && continue_amplitude()));
      finer_failed_ = !solved;
      if (!solved) return compared && inaccurate();
      compare(before);
      hand_over();
      if (result_.error <= options_.tolerance) return true;
      if (options_.intervals > 0 || mesh.size() > options_.most_intervals) return inaccurate();
      tell_error();
    }
  }

  /// The error from the states at every second node, found with steps twice as long.
  void compare(const std::vector<double>& coarse) {
    const Collocation& e = *equations_;
    std::vector<double> size(n_), difference(n_);
    for (std::size_t a = 0; a < n_; ++a) size[a] = e.small * system_.nominal()[a];
    for (std::size_t k = 0; k <= e.intervals(); ++k)
      for (std::size_t a = 0; a < n_; ++a) {
        size[a] = std::max(size[a], std::abs(e.state(k)[a]));
        if (k % 2 == 0)
          difference[a] = std::max(difference[a], std::abs(e.state(k)[a] - coarse[k / 2 * n_ + a]));
      }
    result_.error = 0;
    for (std::size_t a = 0; a < n_; ++a)
      result_.error =
          std::max(result_.error, difference[a] / size[a] / (std::pow(2.0, options_.order) - 1));
  }

  void signals_at(double t, double amplitude = 1) { scaled_(amplitude, t, w_.data()); }

  bool fail(BoundaryValueStatus status, double at) {
    result_.status = status;
    result_.at = at;
    return false;
  }

  bool find_rest(const std::vector<double>& states, const std::vector<double>& tops) {
    signals_at(joints_.front(), options_.periodic ? 0 : 1);
    left_ = rest_at(system_, w_.data(), states, tops);
    result_.at_left = true;
    if (!left_.found) return fail(BoundaryValueStatus::not_at_rest, joints_.front());
    if (options_.periodic) {
      right_ = left_;
      return true;
    }
    right_ = rest_along(system_, desired_, even_mesh(joints_, 0, first_intervals), left_);
    result_.at_left = false;
    if (!right_.found) return fail(BoundaryValueStatus::not_at_rest, joints_.back());
    return true;
  }

  /// Conditions at one end, its signals in w_: rows, their number checked.
  std::optional<Eigen::MatrixXd> rows_at(const Dichotomy& d, bool left, const Rest& rest) {
    const int needed = left ? d.stable + d.centre : d.unstable;
    if (options_.ends == EndConditions::automatic) return left ? d.decaying : d.growing;
    int given = left ? d.stable : d.unstable;
    Eigen::MatrixXd rows = left ? d.decaying : d.growing;
    if (options_.ends == EndConditions::positions) {
      rows = position_rows(system_, w_.data(), rest.states);
      given = static_cast<int>(rows.rows());
    }
    if (given == needed) return rows;
    result_.conditions = given;
    result_.needed = needed;
    result_.at_left = left;
    fail(BoundaryValueStatus::wrong_counts, left ? joints_.front() : joints_.back());
    return std::nullopt;
  }

  /// The collocation equations on a mesh, its solution so far carried over.
  bool set_up(const std::vector<double>& mesh) {
    const std::size_t intervals = mesh.size() - 1;
    ++result_.meshes;
    signals_at(mesh.front(), options_.periodic ? 0 : 1);
    result_.left =
        dichotomy(system_, w_.data(), left_.states, left_.tops, mesh[1] - mesh[0], stages_);
    const auto left_rows = rows_at(result_.left, true, left_);
    if (!left_rows) return false;
    signals_at(mesh.back());
    result_.right = options_.periodic ? result_.left  // one state, one set of modes
                                      : dichotomy(system_, w_.data(), right_.states, right_.tops,
                                                  mesh[intervals] - mesh[intervals - 1], stages_);
    const auto right_rows = rows_at(result_.right, false, right_);
    if (!right_rows) return false;
    if (left_rows->rows() + right_rows->rows() + system_.levels() !=
        static_cast<Eigen::Index>(n_)) {
      result_.at_left = false;
      result_.conditions = static_cast<int>(right_rows->rows());
      result_.needed =
          static_cast<int>(n_ - system_.levels()) - static_cast<int>(left_rows->rows());
      return fail(BoundaryValueStatus::wrong_counts, mesh.back());
    }
    auto next = std::make_unique<Collocation>(
        system_, CollocationFormula::gauss(stages_, depth_of(system_)), intervals,
        static_cast<std::size_t>(left_rows->rows()));
    std::copy(mesh.begin(), mesh.end(), next->times().begin());
    if (equations_) carry_over(*equations_, *next);
    equations_ = std::move(next);
    equations_->periodic = options_.periodic;
    copy_rows(*left_rows, equations_->left_rows());
    copy_rows(*right_rows, equations_->right_rows());
    std::copy(left_.states.begin(), left_.states.end(), equations_->left_target().begin());
    return true;
  }

  static void copy_rows(const Eigen::MatrixXd& rows, std::span<double> to) {
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      for (Eigen::Index j = 0; j < rows.cols(); ++j)
        to[static_cast<std::size_t>(i * rows.cols() + j)] = rows(i, j);
  }

  void carry_over(const Collocation& from, Collocation& to) const {
    const auto times = from.times();
    std::size_t k = 0;
    const auto locate = [&](double t) {
      while (k + 1 < from.intervals() && times[k + 1] <= t) ++k;
      return std::clamp((t - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0);
    };
    for (std::size_t j = 0; j < to.intervals(); ++j) {
      from.interpolate((locate(to.times()[j]), k), locate(to.times()[j]), to.state(j));
      for (std::size_t i = 0; i < to.formula().stages(); ++i) {
        const double t = to.times()[j] + to.formula().node(i) * (to.times()[j + 1] - to.times()[j]);
        const double c = locate(t);
        for (std::size_t a = 0; a < nz_; ++a) {
          double value = 0;
          for (std::size_t l = 0; l < from.formula().stages(); ++l)
            value += from.formula().lagrange(l, c) * from.tops(k)[l * nz_ + a];
          to.tops(j)[i * nz_ + a] = value;
        }
      }
    }
    std::copy_n(from.state(from.intervals()), n_, to.state(to.intervals()));
  }

  /// Everything where it would rest if the outputs stopped, the derivatives by differences.
  void guess() {
    Collocation& e = *equations_;
    const std::size_t nodes = e.intervals() + 1;
    Rest rest = left_;
    for (std::size_t k = 0; k < nodes; ++k) {
      signals_at(e.times()[k]);
      for (std::uint32_t i = 1; i < w_.size(); ++i)
        if (system_.is_rate(i)) w_[i] = 0;
      const Rest here = rest_at(system_, w_.data(), rest.states, rest.tops);
      if (here.found) rest = here;
      std::copy(rest.states.begin(), rest.states.end(), e.state(k));
      if (k + 1 == nodes) break;
      for (std::size_t i = 0; i < e.formula().stages(); ++i)
        std::copy(rest.tops.begin(), rest.tops.end(), e.tops(k) + i * nz_);
    }
    const auto chain = system_.next();
    for (std::size_t pass = 0; pass < static_cast<std::size_t>(depth_of(system_)); ++pass)
      for (std::size_t a = 0; a < n_; ++a)
        for (std::size_t k = 0; k < nodes; ++k) {
          const std::size_t before = k > 0 ? k - 1 : k, behind = k + 1 < nodes ? k + 1 : k;
          const double slope =
              (e.state(behind)[a] - e.state(before)[a]) / (e.times()[behind] - e.times()[before]);
          if (chain[a] < n_)
            e.state(k)[chain[a]] = slope;
          else if (k + 1 < nodes)
            for (std::size_t i = 0; i < e.formula().stages(); ++i)
              e.tops(k)[i * nz_ + chain[a] - n_] = slope;
        }
  }

  /// Newton's method from the current values, to the rest `right` after the motion.
  bool newton(double amplitude, const std::vector<double>& right) {
    Collocation& e = *equations_;
    e.sample([&](double t, double* w) { scaled_(amplitude, t, w); });
    std::copy(right.begin(), right.end(), e.right_target().begin());
    NewtonWatch watch;
    for (int iteration = 0; iteration < options_.newton_iterations; ++iteration) {
      const Correction correction = e.newton();
      ++result_.newton_iterations;
      if (!correction.ok)
        return fail(BoundaryValueStatus::singular, e.times()[correction.interval]);
      result_.state = correction.largest_state;
      result_.at = e.times()[correction.largest_node];
      if (correction.step <= options_.newton_tolerance ||
          (correction.step <= no_error * options_.tolerance && watch.stagnates(correction.step)))
        return true;
      if (watch.hopeless(correction.step)) break;
    }
    return fail(BoundaryValueStatus::diverged, result_.at);
  }

  bool newton() { return newton(1, right_.states); }

  void stay_at_rest() {
    Collocation& e = *equations_;
    for (std::size_t k = 0; k <= e.intervals(); ++k)
      std::copy(left_.states.begin(), left_.states.end(), e.state(k));
    for (std::size_t k = 0; k < e.intervals() * e.formula().stages(); ++k)
      std::copy(left_.tops.begin(), left_.tops.end(), e.tops(0) + k * nz_);
  }

  /// Growing modes have the directions of their pose: those of a beam turn with it. With the rows of another pose, far
  /// enough away, the problem is singular. False when they are not as many as before.
  bool turn_right_rows(const Rest& behind) {
    Collocation& e = *equations_;
    const std::size_t last = e.intervals();
    const Dichotomy modes = dichotomy(system_, w_.data(), behind.states, behind.tops,
                                      e.times()[last] - e.times()[last - 1], stages_);
    const auto rows = rows_at(modes, false, behind);
    if (!rows || static_cast<std::size_t>(rows->size()) != e.right_rows().size()) return false;
    copy_rows(*rows, e.right_rows());
    return true;
  }

  /// The rest after the motion goes along, and the conditions there.
  bool follow_right(double amplitude, Rest& right) {
    signals_at(joints_.back(), amplitude);
    const Rest behind =
        amplitude == 1 ? right_ : rest_at(system_, w_.data(), right.states, right.tops);
    if (!behind.found) return false;
    std::copy(behind.states.begin(), behind.states.end(), right.states.begin());
    std::copy(behind.tops.begin(), behind.tops.end(), right.tops.begin());
    return turn_right_rows(behind);
  }

  bool continue_amplitude() {
    Collocation& e = *equations_;
    stay_at_rest();
    Rest right = left_;
    AmplitudePath path({{e.state(0), (e.intervals() + 1) * n_},
                        {e.tops(0), e.intervals() * e.formula().stages() * nz_},
                        right.states,
                        right.tops},
                       options_.watch);
    const bool whole = path.follow([&](double amplitude) {
      if (!options_.periodic && !follow_right(amplitude, right)) return AmplitudePath::Attempt{};
      const int before = result_.newton_iterations;
      const bool solved = newton(amplitude, right.states);
      return AmplitudePath::Attempt{solved, result_.newton_iterations - before};
    });
    result_.continuation_steps += path.steps();
    result_.amplitude = path.reached();
    if (whole) result_.status = BoundaryValueStatus::solved;
    return whole;
  }

  /// Gaps of the formula with one more stage, by interval; sets the global error that they make.
  std::vector<double> estimate_error() {
    Collocation& e = *equations_;
    const std::size_t intervals = e.intervals();
    Collocation fine(system_, CollocationFormula::gauss(stages_ + 1, depth_of(system_)), 1, 0);
    std::vector<double> gaps(intervals * n_), size(n_), end(n_), errors(intervals);
    for (std::size_t a = 0; a < n_; ++a) size[a] = e.small * system_.nominal()[a];
    for (std::size_t k = 0; k <= intervals; ++k)
      for (std::size_t a = 0; a < n_; ++a) size[a] = std::max(size[a], std::abs(e.state(k)[a]));
    for (std::size_t k = 0; k < intervals; ++k) {
      stop_point();
      settle_fine(e, k, e.times()[k + 1], fine);
      fine.advance(0, end.data());
      for (std::size_t a = 0; a < n_; ++a) {
        const double gap = end[a] - e.state(k + 1)[a];
        gaps[k * n_ + a] = gap;
        errors[k] = std::max(errors[k], std::abs(gap) / size[a]);
      }
    }
    std::vector<double> global((intervals + 1) * n_);
    e.propagate(gaps.data(), global.data());
    result_.error = 0;
    for (std::size_t k = 0; k <= intervals; ++k)
      for (std::size_t a = 0; a < n_; ++a)
        result_.error = std::max(result_.error, std::abs(global[k * n_ + a]) / size[a]);
    return errors;
  }

  /// The finer formula from node k to time t, started from the polynomial of the tops.
  void settle_fine(const Collocation& e, std::size_t k, double t, Collocation& fine) {
    const double h = e.times()[k + 1] - e.times()[k];
    fine.times()[0] = e.times()[k];
    fine.times()[1] = t;
    std::copy_n(e.state(k), n_, fine.state(0));
    for (std::size_t i = 0; i < fine.formula().stages(); ++i) {
      const double at = e.times()[k] + fine.formula().node(i) * (t - e.times()[k]);
      signals_at(at);
      std::copy(w_.begin(), w_.end(), fine.signals(0, i));
      for (std::size_t a = 0; a < nz_; ++a) {
        double value = 0;
        for (std::size_t l = 0; l < e.formula().stages(); ++l)
          value += e.formula().lagrange(l, (at - e.times()[k]) / h) * e.tops(k)[l * nz_ + a];
        fine.tops(0)[i * nz_ + a] = value;
      }
    }
    for (int iteration = 0; iteration < 5; ++iteration)
      if (!(fine.settle(0) > 1e-12)) break;
  }

  std::vector<double> refined(const std::vector<double>& mesh,
                              const std::vector<double>& errors) const {
    const double order = options_.order;
    const double growth =
        std::clamp(std::pow(result_.error / (0.3 * options_.tolerance), 1 / order), 1.1, 4.0);
    const auto intervals =
        static_cast<std::size_t>(std::ceil(growth * static_cast<double>(mesh.size() - 1)));
    return equidistributed(mesh, errors, order + 1, joints_, intervals, least_intervals);
  }

  void hand_over() {
    const Collocation& e = *equations_;
    result_.times.assign(e.times().begin(), e.times().end());
    result_.states.assign(e.state(0), e.state(e.intervals()) + n_);
    result_.tops.assign(e.tops(0), e.tops(0) + e.intervals() * e.formula().stages() * nz_);
    result_.left_rest = left_.states;
    result_.right_rest = right_.states;
  }

  ReducedSystem& system_;
  const std::vector<double>& joints_;
  const Desired& desired_;
  ScaledMotion scaled_;
  const BoundaryValueOptions& options_;
  int stages_;
  std::size_t n_, nz_;
  std::vector<double> w_;
  Rest left_, right_;
  std::unique_ptr<Collocation> equations_;
  bool finer_failed_ = false;  // where a coarser mesh had a solution
  double first_error_ = 0;
  BoundaryValueSolution result_;
};

}  // namespace

const std::vector<std::string>& end_conditions_names() {
  static const std::vector<std::string> names{"automatic", "eigenspace", "positions"};
  return names;
}

BoundaryValueSolution solve_boundary_value(ReducedSystem& system, const std::vector<double>& joints,
                                           const Desired& desired,
                                           const std::vector<double>& states,
                                           const std::vector<double>& tops,
                                           const BoundaryValueOptions& options) {
  const StopScope stoppable(options.watch.stop);
  return Solver(system, joints, desired, options).run(states, tops);
}

class SolutionAt::Local {
 public:
  Local(ReducedSystem& system, const BoundaryValueSolution& solution, Desired desired)
      : system_(system),
        solution_(solution),
        desired_(std::move(desired)),
        coarse_(CollocationFormula::gauss(solution.stages, depth_of(system))),
        fine_(system, CollocationFormula::gauss(solution.stages + 1, depth_of(system)), 1, 0),
        whole_(system, CollocationFormula::gauss(solution.stages, depth_of(system)), 1, 0),
        top_values_(system) {
    std::vector<double> w(system.signals());
    desired_(solution.times.front(), w.data());
    const std::vector<double>& tops =
        solution.node_tops.empty() ? solution.tops : solution.node_tops;
    determined_ = top_values_.determined(w.data(), solution.states.data(), tops.data());
  }

  bool at(double t, double* w, double* s, double* z) {
    desired_(t, w);
    if (solution_.node_tops.empty()) return carried(t, w, s, z);
    return interpolated(t, w, s, z);
  }

 private:
  /// From the nodes nearest by, of the piece of the motion in which t lies. A piece of so few nodes that it says less than its
  /// neighbours do takes them too; there positions are integrals of accelerations, and what follows from states does so.
  bool interpolated(double t, const double* w, double* s, double* z) {
    const std::vector<double>& times = solution_.times;
    const std::size_t n = system_.states(), last = times.size() - 1;
    const double position = (t - times.front()) / (times[1] - times[0]);
    const auto k = static_cast<std::size_t>(
        std::clamp(std::floor(position), 0.0, static_cast<double>(last) - 1));
    std::size_t begin = 0, end = last;
    for (const std::size_t joint : solution_.joints) {
      if (joint <= k) begin = std::max(begin, joint);
      if (joint > k) end = std::min(end, joint);
    }
    const bool coarse = end - begin < 2 * most_points;
    if (coarse) begin = 0, end = last;
    const std::size_t points = std::min(coarse ? few_points : most_points, end - begin + 1);
    const std::size_t before = points / 2 - 1;
    const std::size_t first = std::clamp(k > before ? k - before : 0, begin, end + 1 - points);
    const double at = position - static_cast<double>(first);
    mix(solution_.node_tops, first, points, at, system_.tops(), z);
    mix(solution_.states, first, points, at, n, s);
    if (!coarse || determined_) return true;
    whole_.times()[0] = times[k];
    whole_.times()[1] = times[k + 1];
    std::copy_n(solution_.states.data() + k * n, n, whole_.state(0));
    for (std::size_t i = 0; i < whole_.formula().stages(); ++i)
      mix(solution_.node_tops, first, points,
          static_cast<double>(k - first) + whole_.formula().node(i), system_.tops(),
          whole_.tops(0) + i * system_.tops());
    whole_.interpolate(0, position - static_cast<double>(k), s);
    return top_values_.solve(w, s, z);
  }

  /// The polynomial through rows of values at `points` nodes, `at` after the first of them.
  static void mix(const std::vector<double>& rows, std::size_t first, std::size_t points, double at,
                  std::size_t width, double* to) {
    std::fill_n(to, width, 0.0);
    for (std::size_t p = 0; p < points; ++p) {
      const double share = lagrange_share(points, p, at);
      for (std::size_t a = 0; a < width; ++a) to[a] += share * rows[(first + p) * width + a];
    }
  }

  bool carried(double t, double* w, double* s, double* z) {
    const std::vector<double>& times = solution_.times;
    const auto behind = std::upper_bound(times.begin() + 1, times.end() - 1, t);
    const auto k = static_cast<std::size_t>(behind - times.begin()) - 1;
    const std::size_t n = system_.states(), nz = system_.tops(),
                      stages = static_cast<std::size_t>(solution_.stages);
    const double h = times[k + 1] - times[k];
    const auto top_at = [&](double time, double* to) {
      std::fill_n(to, nz, 0.0);
      for (std::size_t l = 0; l < stages; ++l) {
        const double share = coarse_.lagrange(l, (time - times[k]) / h);
        for (std::size_t a = 0; a < nz; ++a)
          to[a] += share * solution_.tops[(k * stages + l) * nz + a];
      }
    };
    const auto node = [&](std::size_t number) { return solution_.states.data() + number * n; };
    bool ok = true;
    if (t == times[k] || t == times[k + 1]) {
      std::copy_n(node(t == times[k] ? k : k + 1), n, s);
    } else if (!determined_) {
      whole_.times()[0] = times[k];
      whole_.times()[1] = times[k + 1];
      std::copy_n(node(k), n, whole_.state(0));
      std::copy_n(solution_.tops.data() + k * stages * nz, stages * nz, whole_.tops(0));
      whole_.interpolate(0, (t - times[k]) / h, s);
    } else {
      fine_.times()[0] = times[k];
      fine_.times()[1] = t;
      std::copy_n(node(k), n, fine_.state(0));
      for (std::size_t i = 0; i < fine_.formula().stages(); ++i) {
        const double time = times[k] + fine_.formula().node(i) * (t - times[k]);
        desired_(time, fine_.signals(0, i));
        top_at(time, fine_.tops(0) + i * nz);
      }
      double change = 1;
      for (int iteration = 0; iteration < 5 && change > 1e-12; ++iteration)
        change = fine_.settle(0);
      ok = std::isfinite(change);
      fine_.advance(0, s);
    }
    top_at(t, z);
    return ok && top_values_.solve(w, s, z);
  }

  static constexpr std::size_t few_points = 6;
  static constexpr std::size_t most_points = 8;  // their error is small beside that of order 6
  ReducedSystem& system_;
  const BoundaryValueSolution& solution_;
  Desired desired_;
  CollocationFormula coarse_;
  Collocation fine_, whole_;
  bool determined_ = true;
  TopValues top_values_;
};

SolutionAt::SolutionAt(ReducedSystem& system, const BoundaryValueSolution& solution,
                       Desired desired)
    : local_(std::make_unique<Local>(system, solution, std::move(desired))) {}
SolutionAt::~SolutionAt() = default;

bool SolutionAt::operator()(double t, double* w, double* s, double* z) {
  return local_->at(t, w, s, z);
}

}  // namespace daedal::boundary
