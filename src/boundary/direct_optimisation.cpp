#include "daedal/boundary/direct_optimisation.hpp"

#if DAEDAL_WITH_IPOPT

#include "daedal/base/progress.hpp"
#include "daedal/boundary/weighted_residual.hpp"

#include <IpStdCInterface.h>

#include <algorithm>
#include <span>
#include <utility>

namespace daedal::boundary {

namespace {

constexpr double optimal = 1e-10;  // Ipopt's tolerance of all conditions, scaled
/// Where that is below rounding, of large forces: equations hold to 1e-13 long before, and the cost is flat.
constexpr double nearly_optimal = 1e-8;
constexpr int most_iterations_of_ipopt = 200;
constexpr double unbounded = 2e19;  // beyond this Ipopt knows no bound

/// A node or a middle: positions of its states and tops among the unknowns, its equations among the rows.
struct Place {
  double time = 0, weight = 0;                                       // of Simpson's integral
  std::vector<std::vector<std::pair<std::size_t, double>>> unknown;  // states, then tops: terms
  std::vector<double> rest;
  std::size_t row = 0;
};

class NearestMotion {
 public:
  NearestMotion(ReducedSystem& reduced, const std::vector<double>& times, const Desired& desired,
                const RestPath& path)
      : reduced_(reduced),
        desired_(desired),
        equations_(reduced, reduced, times, desired, ends_),
        at_place_(reduced),
        w_(reduced.signals()),
        here_(reduced.states() + reduced.tops()) {
    const std::size_t n = reduced.states();
    for (std::size_t k = 0; k < times.size(); ++k) {
      const double before = k > 0 ? times[k] - times[k - 1] : 0;
      const double behind = k + 1 < times.size() ? times[k + 1] - times[k] : 0;
      Place node{times[k], (before + behind) / 6, {}, {}, equations_.node_row(k)};
      for (std::size_t a = 0; a < n; ++a) node.unknown.push_back({{equations_.state(k) + a, 1.0}});
      add(std::move(node), equations_.top(k), path);
      if (behind == 0) continue;
      Place middle{times[k] + behind / 2, 2 * behind / 3, {}, {}, equations_.middle_row(k)};
      for (std::size_t a = 0; a < n; ++a) {
        auto& terms = middle.unknown.emplace_back();
        equations_.middle(k, behind, a,
                          [&](std::size_t p, double weight) { terms.emplace_back(p, weight); });
      }
      add(std::move(middle), equations_.middle_top(k), path);
    }
  }

  SimpsonEquations& equations() { return equations_; }

  double cost(const Eigen::VectorXd& x) {
    double sum = 0;
    for (const Place& place : places_) {
      gather(x, place);
      for (std::size_t a = 0; a < reduced_.states(); ++a) {
        const double deviation = (here_[a] - place.rest[a]) / reduced_.nominal()[a];
        sum += place.weight * deviation * deviation;
      }
    }
    return sum;
  }

  void gradient(const Eigen::VectorXd& x, double* g) {
    std::fill_n(g, x.size(), 0.0);
    for (const Place& place : places_) {
      gather(x, place);
      for (std::size_t a = 0; a < reduced_.states(); ++a)
        for (const auto& [position, weight] : place.unknown[a])
          g[position] += weight * curvature(place, a) * (here_[a] - place.rest[a]);
    }
  }

  /// entry(row, column, value) for the lower triangle of the Lagrangian's Hessian, always in the same order.
  template <class Entry>
  void hessian(const Eigen::VectorXd& x, double cost_factor, const double* multipliers,
               Entry entry) {
    for (const Place& place : places_) {
      gather(x, place);
      desired_(place.time, w_.data());
      at_place_.at(w_.data(), here_.data(), here_.data() + reduced_.states());
      const Eigen::MatrixXd& h = at_place_.hessian(multipliers + place.row);
      for (std::size_t i = 0; i < here_.size(); ++i)
        for (std::size_t j = 0; j < here_.size(); ++j) {
          double value = h(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
          if (i == j && i < reduced_.states()) value += cost_factor * curvature(place, i);
          for (const auto& [p, by_p] : place.unknown[i])
            for (const auto& [q, by_q] : place.unknown[j])
              if (p >= q) entry(p, q, by_p * by_q * value);
        }
    }
  }

 private:
  void add(Place place, std::size_t top, const RestPath& path) {
    for (std::size_t i = 0; i < reduced_.tops(); ++i) place.unknown.push_back({{top + i, 1.0}});
    place.rest.resize(reduced_.states());
    path.at(place.time, place.rest.data());
    places_.push_back(std::move(place));
  }
  void gather(const Eigen::VectorXd& x, const Place& place) {
    for (std::size_t i = 0; i < here_.size(); ++i) {
      here_[i] = 0;
      for (const auto& [position, weight] : place.unknown[i])
        here_[i] += weight * x[static_cast<Eigen::Index>(position)];
    }
  }
  double curvature(const Place& place, std::size_t a) const {
    return 2 * place.weight / (reduced_.nominal()[a] * reduced_.nominal()[a]);
  }

  ReducedSystem& reduced_;
  const Desired& desired_;
  SimpsonEnds ends_;  // none
  SimpsonEquations equations_;
  WeightedResidual at_place_;
  std::vector<Place> places_;
  std::vector<double> w_, here_;
};

/// What Ipopt calls; `data` is the Program.
struct Program {
  NearestMotion& motion;
  Eigen::VectorXd x;
  int iterations = 0;

  static Program& of(void* data, const double* x) {
    Program& program = *static_cast<Program*>(data);
    std::copy_n(x, program.x.size(), program.x.data());
    return program;
  }
  static int cost(int /*n*/, double* x, int /*is_new*/, double* value, void* data) {
    Program& p = of(data, x);
    *value = p.motion.cost(p.x);
    return 1;
  }
  static int gradient(int /*n*/, double* x, int /*is_new*/, double* g, void* data) {
    Program& p = of(data, x);
    p.motion.gradient(p.x, g);
    return 1;
  }
  static int constraints(int /*n*/, double* x, int /*is_new*/, int m, double* g, void* data) {
    Program& p = of(data, x);
    p.motion.equations().evaluate(p.x);
    std::copy_n(p.motion.equations().residual().data(), m, g);
    return 1;
  }
  static int jacobian(int /*n*/, double* x, int /*is_new*/, int /*m*/, int /*entries*/, int* row,
                      int* column, double* value, void* data) {
    Program& p = x != nullptr ? of(data, x) : *static_cast<Program*>(data);
    if (value != nullptr) p.motion.equations().evaluate(p.x);
    for (const Eigen::Triplet<double>& e : p.motion.equations().jacobian()) {
      if (value == nullptr) *row++ = e.row(), *column++ = e.col();
      if (value != nullptr) *value++ = e.value();
    }
    return 1;
  }
  static int hessian(int /*n*/, double* x, int /*is_new*/, double factor, int /*m*/,
                     double* multipliers, int /*new_multipliers*/, int /*entries*/, int* row,
                     int* column, double* value, void* data) {
    if (value != nullptr) {
      Program& p = of(data, x);
      p.motion.hessian(p.x, factor, multipliers,
                       [&](std::size_t, std::size_t, double h) { *value++ = h; });
      return 1;
    }
    Program& p = *static_cast<Program*>(data);
    const std::vector<double> none(static_cast<std::size_t>(p.motion.equations().rows()), 0.0);
    p.motion.hessian(p.x, 1, none.data(), [&](std::size_t i, std::size_t j, double) {
      *row++ = static_cast<int>(i);
      *column++ = static_cast<int>(j);
    });
    return 1;
  }
  static int count(int /*mode*/, int iteration, double, double, double, double, double, double,
                   double, double, int, void* data) {
    static_cast<Program*>(data)->iterations = iteration;
    return StopScope::stopped() ? 0 : 1;  // nothing may be thrown through Ipopt
  }
};

}  // namespace

bool direct_optimisation_available() { return true; }

SimpsonSolution solve_direct(ReducedSystem& reduced, const std::vector<double>& times,
                             const Desired& desired, const RestPath& path,
                             const std::vector<double>& states, const std::vector<double>& tops) {
  NearestMotion motion(reduced, times, desired, path);
  SimpsonEquations& equations = motion.equations();
  Program program{motion, equations.everywhere(states, tops)};
  equations.follow(path, program.x);
  equations.evaluate(program.x);
  const auto rows = static_cast<std::size_t>(equations.rows());
  int entries = 0;
  const std::vector<double> none(rows, 0.0);
  motion.hessian(program.x, 1, none.data(), [&](std::size_t, std::size_t, double) { ++entries; });
  std::vector<double> low(static_cast<std::size_t>(equations.unknowns()), -unbounded),
      high(low.size(), unbounded), zero(rows, 0.0), x(program.x.begin(), program.x.end());
  IpoptProblem problem = CreateIpoptProblem(
      static_cast<int>(low.size()), low.data(), high.data(), static_cast<int>(rows), zero.data(),
      zero.data(), static_cast<int>(equations.jacobian().size()), entries, 0, Program::cost,
      Program::constraints, Program::gradient, Program::jacobian, Program::hessian);
  const auto option = [&](const char* name, auto value) {
    std::string text = name;  // Ipopt's interface asks for characters it may write
    if constexpr (std::is_same_v<decltype(value), double>)
      AddIpoptNumOption(problem, text.data(), value);
    else if constexpr (std::is_same_v<decltype(value), int>)
      AddIpoptIntOption(problem, text.data(), value);
    else
      AddIpoptStrOption(problem, text.data(), value.data());
  };
  option("print_level", 0);
  option("sb", std::string("yes"));  // no banner
  option("tol", optimal);
  option("acceptable_tol", nearly_optimal);
  option("acceptable_iter", 2);
  option("max_iter", most_iterations_of_ipopt);
  SetIntermediateCallback(problem, Program::count);
  const ApplicationReturnStatus status =
      IpoptSolve(problem, x.data(), nullptr, nullptr, nullptr, nullptr, nullptr, &program);
  FreeIpoptProblem(problem);
  stop_point();
  SimpsonSolution solution;
  solution.converged = status == Solve_Succeeded || status == Solved_To_Acceptable_Level;
  solution.iterations = program.iterations;
  equations.hand_over(Eigen::Map<const Eigen::VectorXd>(x.data(), equations.unknowns()), solution);
  return solution;
}

}  // namespace daedal::boundary

#else

namespace daedal::boundary {

bool direct_optimisation_available() { return false; }

SimpsonSolution solve_direct(ReducedSystem&, const std::vector<double>&, const Desired&,
                             const RestPath&, const std::vector<double>&,
                             const std::vector<double>&) {
  return {};
}

}  // namespace daedal::boundary

#endif
