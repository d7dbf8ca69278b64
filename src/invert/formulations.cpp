// See daedal/invert/formulations.hpp.
#include "daedal/invert/formulations.hpp"

#include "daedal/boundary/adjoint_system.hpp"
#include "daedal/boundary/direct_optimisation.hpp"
#include "daedal/boundary/mesh.hpp"
#include "daedal/boundary/rest_path.hpp"
#include "daedal/boundary/simpson.hpp"
#include "daedal/formulate/descriptor_form.hpp"
#include "daedal/invert/index_reduction.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/stepper/step_program.hpp"
#include "daedal/structure/examine.hpp"
#include "motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

namespace daedal::inversion {

namespace {

constexpr double left_at_the_ends = 1e-8;  // of the slowest modes, unless a window is given
constexpr double exact_tolerance = 1e-11;
constexpr double steps_by_default = 100;
constexpr std::size_t most_intervals_compared = 20'000;

[[noreturn]] void refuse_formulations(const model::Model& m, const std::string& message,
                                      std::string help) {
  throw ModelError({Severity::error,
                    m.place,
                    fmt::format("model '{}': {}", m.name, message),
                    {},
                    std::move(help)});
}

/// One form of the equations, at rest at both ends of a mesh.
class Form {
 public:
  Form(std::shared_ptr<const formulate::Problem> problem, const std::vector<double>& times,
       const compile::Options& options)
      : problem_(std::move(problem)),
        times_(times),
        system_(*problem_, options),
        desired_([this](double t, double* w) { system_.desired(t, w); }),
        w_(system_.signals()) {
    const boundary::StartGuess guess = boundary::start_guess(*problem_);
    left_ = rest(times.front(), guess.states, guess.tops);
    path_ = std::make_unique<boundary::RestPath>(system_, times, desired_, left_);
    std::vector<double> last(system_.states());
    path_->at(times.back(), last.data());
    right_ = rest(times.back(), last, left_.tops);
    modes_left_ = modes(left_, times.front(), times[1] - times[0]);
    modes_right_ = modes(right_, times.back(), times.back() - times[times.size() - 2]);
    if (options.backend == compile::Backend::native) system_.wait_native();
  }

  boundary::SimpsonSolution boundary_value() {
    const boundary::SimpsonEnds ends{modes_left_.decaying, modes_right_.growing, left_.states,
                                     right_.states};
    return solve(system_, ends);
  }
  boundary::SimpsonSolution direct() {
    return boundary::solve_direct(system_, times_, desired_, *path_, left_.states, left_.tops);
  }
  boundary::SimpsonSolution indirect() {
    boundary::AdjointSystem conditions(system_, *path_);
    desired_(times_.front(), w_.data());
    return solve(conditions, conditions.ends(w_.data(), left_));
  }

  /// Inputs by node; tops of a solution begin with those of the system, whatever follows.
  std::vector<double> inputs(const boundary::SimpsonSolution& solution,
                             const std::vector<expr::SymbolId>& symbols) const {
    std::vector<double> values;
    const std::size_t tops = solution.tops.size() / times_.size();
    for (std::size_t k = 0; k < times_.size(); ++k)
      for (const expr::SymbolId symbol : symbols)
        values.push_back(solution.tops[k * tops + top_of(symbol)]);
    return values;
  }
  std::size_t top_of(expr::SymbolId input) const {
    return problem_->layout.find({input, 0}) - 1 - system_.states();
  }

  boundary::InverseSystem& system() { return system_; }
  const boundary::Desired& desired() const { return desired_; }

 private:
  /// By Newton's method from rest along the motion; adjoint variables begin with 0.
  boundary::SimpsonSolution solve(boundary::ReducedSystem& system,
                                  const boundary::SimpsonEnds& ends) {
    std::vector<double> states = left_.states, tops = left_.tops;
    states.resize(system.states());
    tops.resize(system.tops());
    boundary::SimpsonEquations equations(system, system, times_, desired_, ends);
    Eigen::VectorXd guess = equations.everywhere(states, tops);
    equations.follow(*path_, guess);
    return boundary::solve_simpson(equations, std::move(guess));
  }
  boundary::Rest rest(double t, const std::vector<double>& states,
                      const std::vector<double>& tops) {
    desired_(t, w_.data());
    return boundary::rest_at(system_, w_.data(), states, tops);
  }
  boundary::Dichotomy modes(const boundary::Rest& rest, double t, double step) {
    desired_(t, w_.data());
    return boundary::dichotomy(system_, w_.data(), rest.states, rest.tops, step, 2);
  }

  std::shared_ptr<const formulate::Problem> problem_;
  const std::vector<double>& times_;
  boundary::InverseSystem system_;
  boundary::Desired desired_;
  std::vector<double> w_;
  boundary::Rest left_, right_;
  std::unique_ptr<boundary::RestPath> path_;
  boundary::Dichotomy modes_left_, modes_right_;
};

/// The internal dynamics alone: the desired motion put in for coordinates.
std::shared_ptr<const formulate::Problem> internal_problem(const InverseModel& inverse) {
  const solve::ConsistentPoint start = solve::consistent_point(inverse.problem);
  const ReducedModel reduced = reduce(inverse, solve::point_of(inverse.problem, start),
                                      {.reduction = Reduction::substitution});
  const structure::Structure structure = structure::examine(reduced.dae);
  if (!structure.solvable()) refuse_formulations(*inverse.dae->model, structure.remark, "");
  auto problem = formulate::formulate(structure, {.kind = formulate::Kind::index1});
  for (const formulate::Level& level : problem.levels)
    if (level.rows() > 0)
      refuse_formulations(*inverse.dae->model, "constraints are left after substitution", "");
  return std::make_shared<const formulate::Problem>(std::move(problem));
}

class Comparison {
 public:
  Comparison(const InverseModel& inverse, const FormulationsOptions& options)
      : inverse_(inverse), model_(*inverse.dae->model), options_(options) {
    for (const expr::SymbolId symbol : inverse.dae->unknowns)
      if (model_.symbols[symbol].kind == model::SymbolKind::input) inputs_.push_back(symbol);
  }

  Formulations run() {
    solve_exactly();
    choose_mesh();
    for (const expr::SymbolId symbol : inputs_)
      result_.inputs.push_back(model_.symbols[symbol].name);
    Form dae(problem_, result_.times, options_.compile);
    evaluate_exactly(dae);
    std::unique_ptr<Form> ode;
    std::string no_ode;
    try {
      ode = std::make_unique<Form>(internal_problem(inverse_), result_.times, options_.compile);
    } catch (const ModelError& error) {
      no_ode = error.diagnostics().front().message;
    }
    struct Way {
      const char* name;
      boundary::SimpsonSolution (Form::*solve)();
    };
    for (const Way way : {Way{"bvp", &Form::boundary_value}, Way{"opt", &Form::direct},
                          Way{"idopt", &Form::indirect}})
      for (const bool internal : {true, false}) {
        Formulation formulation{fmt::format("{}-{}", way.name, internal ? "ode" : "dae")};
        tell(formulation.name);
        if (way.solve == &Form::direct && !boundary::direct_optimisation_available())
          formulation.obstacle = "not there: built without Ipopt";
        else if (internal && !ode)
          formulation.obstacle = no_ode;
        else
          solve(formulation, internal ? *ode : dae, way.solve);
        result_.all.push_back(std::move(formulation));
      }
    return std::move(result_);
  }

 private:
  void tell(const std::string& name) const {
    options_.watch.tell(static_cast<double>(result_.all.size()) / 6, name);
  }

  void solve_exactly() {
    problem_ = tracking_problem(inverse_);
    if (formulate::is_descriptor_form(*problem_))
      refuse_formulations(model_,
                          "its formulations cannot be compared: accelerations and inputs do not "
                          "follow from positions and velocities at a node",
                          "leave `formulations` out: collocation within intervals inverts it");
    StableInversionOptions options;
    options.boundary_value.order = 6;
    options.tolerance = exact_tolerance;
    options.compile = options_.compile;
    exact_ = stable_inversion(inverse_, options);
    if (exact_.trajectory.status != solve::Status::completed)
      refuse_formulations(model_, exact_.trajectory.reason, "");
  }

  double settled(const std::optional<double>& given, double rate) const {
    return given.value_or(rate > 0 ? std::log(1 / left_at_the_ends) / rate : 0);
  }

  void choose_mesh() {
    const double begin = exact_.first_joint, end = exact_.last_joint;
    const double before = settled(options_.before, exact_.slowest_growth),
                 after = settled(options_.after, exact_.slowest_decay);
    std::vector<double> joints = joints_of(*problem_);
    if (before > 0) joints.insert(joints.begin(), begin - before);
    if (after > 0) joints.push_back(end + after);
    const double step = options_.step.value_or((end - begin) / steps_by_default);
    const double wished = (joints.back() - joints.front()) / step;
    if (!(wished < static_cast<double>(most_intervals_compared)))
      refuse_formulations(model_, fmt::format("step = {:g} s makes {:.0f} intervals", step, wished),
                          fmt::format("at most {} are allowed", most_intervals_compared));
    result_.times =
        boundary::even_mesh(joints, static_cast<std::size_t>(std::ceil(wished - 1e-6)), 2);
    for (std::size_t k = 0; k + 1 < result_.times.size(); ++k)
      result_.step = std::max(result_.step, result_.times[k + 1] - result_.times[k]);
  }

  void evaluate_exactly(Form& dae) {
    boundary::InverseSystem& system = dae.system();
    boundary::SolutionAt at(system, exact_.solution, dae.desired());
    std::vector<double> w(system.signals()), s(system.states()), z(system.tops());
    for (const double t : result_.times) {
      at(std::clamp(t, exact_.solution.times.front(), exact_.solution.times.back()), w.data(),
         s.data(), z.data());
      for (const expr::SymbolId symbol : inputs_) {
        exact_inputs_.push_back(z[dae.top_of(symbol)]);
        result_.largest = std::max(result_.largest, std::abs(exact_inputs_.back()));
      }
    }
  }

  void solve(Formulation& formulation, Form& form, boundary::SimpsonSolution (Form::*way)()) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> seconds;
    boundary::SimpsonSolution solution;
    for (int k = 0; k < options_.repetitions; ++k) {
      const auto begin = Clock::now();
      solution = (form.*way)();
      seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    }
    std::sort(seconds.begin(), seconds.end());
    formulation.seconds = seconds[seconds.size() / 2];
    formulation.iterations = solution.iterations;
    formulation.unknowns = solution.unknowns;
    if (!solution.converged) {
      formulation.obstacle = fmt::format("no convergence in {} iterations", solution.iterations);
      return;
    }
    formulation.inputs = form.inputs(solution, inputs_);
    for (std::size_t k = 0; k < formulation.inputs.size(); ++k)
      formulation.error =
          std::max(formulation.error, std::abs(formulation.inputs[k] - exact_inputs_[k]));
  }

  const InverseModel& inverse_;
  const model::Model& model_;
  const FormulationsOptions& options_;
  std::shared_ptr<const formulate::Problem> problem_;
  StableInversion exact_;
  std::vector<expr::SymbolId> inputs_;
  std::vector<double> exact_inputs_;
  Formulations result_;
};

}  // namespace

std::vector<Diagnostic> check(const FormulationsOptions& options) {
  std::vector<Diagnostic> faults;
  if (options.step && !(*options.step > 0 && std::isfinite(*options.step)))
    faults.push_back({Severity::error,
                      {},
                      fmt::format("step = {} s is no step", *options.step),
                      {},
                      "give a number of seconds above 0"});
  StableInversionOptions window;
  window.before = options.before;
  window.after = options.after;
  for (Diagnostic& fault : check(window)) faults.push_back(std::move(fault));
  return faults;
}

Formulations compare_formulations(const InverseModel& inverse, const FormulationsOptions& options) {
  const StopScope stoppable(options.watch.stop);
  if (const std::vector<Diagnostic> faults = check(options); !faults.empty())
    throw ModelError(faults);
  return Comparison(inverse, options).run();
}

}  // namespace daedal::inversion
