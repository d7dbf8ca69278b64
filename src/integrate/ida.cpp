// See ida.hpp.

#include "ida.hpp"

#include "reduced_newton.hpp"
#include "step_size.hpp"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace daedal::solve {

namespace {

constexpr int matrix_price = 3;  // in iterations of Newton's method; 1 to 4 do alike
constexpr double least_algebraic_tolerance =
    1e-10;  // above the rounding of multipliers, relative to their history

constexpr double index2_algebraic_slack = 1e6;

/// A matrix and a linear solver for IDA, both handles of the object in `content`: IDA only passes
/// them around.
SUNMatrix_ID custom_matrix(SUNMatrix) { return SUNMATRIX_CUSTOM; }
int keep_matrix(SUNMatrix) { return 0; }
void forget_matrix(SUNMatrix matrix) { SUNMatFreeEmpty(matrix); }
SUNLinearSolver_Type direct_solver(SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; }
SUNLinearSolver_ID custom_solver(SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; }
int keep_solver(SUNLinearSolver) { return 0; }
int forget_solver(SUNLinearSolver solver) {
  SUNLinSolFreeEmpty(solver);
  return 0;
}
void say_nothing(int, const char*, const char*, char*, void*) {
}  // failures are put into words by `outcome_of`

StepOutcome outcome_of(int flag, double step) {
  switch (flag) {
    case IDA_TOO_MUCH_ACC:
      return {false, "the tolerance is below what rounding errors allow", Failure::none, step};
    case IDA_ERR_FAIL:
      return {false, reason_underflow, Failure::none, step};
    case IDA_CONV_FAIL:
      return {false, "Newton did not converge although the step was made as small as possible",
              Failure::newton_diverged, step};
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
      return {false, describe(Failure::singular_matrix), Failure::singular_matrix, step};
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR:
    case IDA_FIRST_RES_FAIL:
      return {false, describe(Failure::not_finite), Failure::not_finite, step};
    default:
      return {false, "the integrator IDA failed", Failure::none, step};
  }
}

void require(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(std::string("SUNDIALS IDA refused ") + what);
}

}  // namespace

struct Ida::Solver {
  System& system;
  IdaOptions options;
  std::size_t n, m;
  Chains chains;
  std::vector<std::uint32_t> inner, driven;  // states whose derivative is a state, a top
  std::size_t size;                          // of y
  ReducedNewton<double> newton;
  std::vector<double> jacobians, nominal, right_side, top_values;
  AlgebraicScale algebraic_scale;
  double rms_factor = 1;  // IDA averages over all components; errors count for the states alone
  double end = 0, t_old = 0, t = 0;
  bool fresh = true;
  int extra_iterations = 0;           // with the present matrix, beyond one a step
  std::uint64_t matrices = 0;         // evaluated and factored
  StepStatistics statistics, before;  // `before`: of the runs before the last start

  SUNContext context = nullptr;
  void* memory = nullptr;
  N_Vector y = nullptr, yp = nullptr, id = nullptr, dense = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;

  Solver(System& s, const IdaOptions& o)
      : system(s),
        options(o),
        n(s.states()),
        m(s.tops()),
        chains(s),
        size(n + chains.algebraic.size()),
        newton(chains, s.state_pattern(), s.top_pattern()),
        jacobians(s.state_pattern().entries() + s.top_pattern().entries()),
        nominal(n, 1.0),
        right_side(n),
        top_values(m),
        algebraic_scale(chains) {
    std::copy(s.nominal().begin(), s.nominal().end(), nominal.begin());
    for (std::uint32_t i = 0; i < n; ++i) (chains.depth[i] > 1 ? inner : driven).push_back(i);
    if (n > 0) rms_factor = std::sqrt(static_cast<double>(size) / static_cast<double>(n));
    require(SUNContext_Create(nullptr, &context) == 0, "a context");
    for (N_Vector* v : {&y, &yp, &id, &dense}) {
      *v = N_VNew_Serial(static_cast<sunindextype>(size), context);
      require(*v != nullptr, "a vector");
      N_VConst(0, *v);
    }
    for (std::size_t i = 0; i < n; ++i) data(id)[i] = 1;
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  ~Solver() {
    if (memory != nullptr) IDAFree(&memory);
    if (linear != nullptr) SUNLinSolFree(linear);
    if (matrix != nullptr) SUNMatDestroy(matrix);
    for (N_Vector v : {y, yp, id, dense})
      if (v != nullptr) N_VDestroy(v);
    if (context != nullptr) SUNContext_Free(&context);
  }

  static double* data(N_Vector v) { return N_VGetArrayPointer(v); }
  static Solver& self(void* user) { return *static_cast<Solver*>(user); }

  /// The tops at (y, y'), in `top_values`.
  const double* gather_tops(N_Vector values, N_Vector rates) {
    for (const std::uint32_t i : driven) top_values[chains.top[i]] = data(rates)[i];
    return gather_algebraic(values);
  }
  const double* gather_algebraic(N_Vector values) {
    for (std::size_t k = 0; k < chains.algebraic.size(); ++k)
      top_values[chains.algebraic[k]] = data(values)[n + k];
    return top_values.data();
  }

  static int residual(double t, N_Vector y, N_Vector yp, N_Vector r, void* user) {
    Solver& my = self(user);
    const double *values = data(y), *rates = data(yp);
    double* row = data(r);
    for (const std::uint32_t i : my.inner) *row++ = rates[i] - values[my.chains.next[i]];
    my.system.residual(t, values, my.gather_tops(y, yp), row);
    for (std::size_t i = 0; i < my.size; ++i)
      if (!std::isfinite(data(r)[i])) return 1;  // IDA tries a shorter step
    return 0;
  }

  static int jacobian(double t, double cj, N_Vector y, N_Vector yp, N_Vector, SUNMatrix, void* user,
                      N_Vector, N_Vector, N_Vector) {
    return self(user).renew_matrix(t, cj, y, yp) ? 0 : 1;
  }

  bool renew_matrix(double time, double cj, N_Vector values, N_Vector rates) {
    extra_iterations = 0;
    ++matrices;
    system.jacobians(time, data(values), gather_tops(values, rates), jacobians.data());
    return newton.factor(1 / cj, jacobians.data());
  }

  /// IDA requests a new matrix when cj has changed much or Newton fails. In between, a matrix that
  /// has cost about as many additional iterations as a new one would is renewed.
  bool renew_old_matrix() {
    if (fresh || --extra_iterations < matrix_price) return true;
    double cj = 1;
    IDAGetCurrentCj(memory, &cj);
    return renew_matrix(t, cj, y, yp);
  }

  /// With the present cj, whatever that of the factored matrix: the states follow their tops
  /// exactly, and only E lags, in the contribution of r_s. This takes the place of IDA's
  /// scaling by 2/(1 + cj/cj_factored), which leaves an error in every part.
  static int solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, double) {
    Solver& my = self(solver->content);
    ++my.extra_iterations;
    double cj = 1;
    IDAGetCurrentCj(my.memory, &cj);
    const double* row = data(b);
    for (const std::uint32_t i : my.inner) my.right_side[i] = *row++;
    for (const std::uint32_t i : my.driven) my.right_side[i] = 0;
    std::copy_n(row, my.m, my.top_values.data());
    my.newton.solve(1 / cj, my.right_side.data(), my.top_values.data());
    double* const values = data(x);
    std::copy(my.right_side.begin(), my.right_side.end(), values);
    for (std::size_t k = 0; k < my.chains.algebraic.size(); ++k)
      values[my.n + k] = my.top_values[my.chains.algebraic[k]];
    return 0;
  }

  /// IDA's first step moves the states by half a tolerance.
  double coming_step(const double* weight) const {
    double h = 0, sum = 0;
    if (!fresh && IDAGetCurrentStep(memory, &h) == IDA_SUCCESS) return std::abs(h);
    for (std::size_t i = 0; i < n; ++i) sum += std::pow(weight[i] * data(yp)[i], 2);
    return 0.5 / std::sqrt(sum / static_cast<double>(size));
  }

  static int weights(N_Vector y, N_Vector weight, void* user) {
    Solver& my = self(user);
    const double* const values = data(y);
    double* const w = data(weight);
    const double tolerance = my.options.tolerance / my.rms_factor;
    for (std::size_t i = 0; i < my.n; ++i)
      w[i] = 1 / (tolerance * (std::abs(values[i]) + my.nominal[i]));
    my.algebraic_scale.update(my.gather_algebraic(y));
    // In equations of index 2 errors of multipliers are those of velocities over h and do no harm to these: Newton's method
    // has converged when the states have. Nor does rounding over h, which in the shortest steps no iteration makes smaller.
    const double slack =
        my.chains.most_missing > 0 ? std::max(index2_algebraic_slack, 1 / my.coming_step(w)) : 1;
    const double algebraic = slack * std::max(tolerance, least_algebraic_tolerance);
    for (std::size_t k = 0; k < my.chains.algebraic.size(); ++k)
      w[my.n + k] = 1 / (algebraic * my.algebraic_scale.of(k));
    return 0;
  }

  /// The first start builds IDA's memory, later ones reuse it.
  void initialise() {
    if (memory != nullptr) {
      before = statistics;
      require(IDAReInit(memory, t, y, yp) == IDA_SUCCESS, "a restart");
    } else {
      memory = IDACreate(context);
      require(memory != nullptr, "its memory");
      IDASetErrHandlerFn(memory, say_nothing, nullptr);
      require(IDAInit(memory, residual, t, y, yp) == IDA_SUCCESS, "the start values");
      require(IDAWFtolerances(memory, weights) == IDA_SUCCESS, "the tolerances");
      require(IDASetUserData(memory, this) == IDA_SUCCESS, "the problem");
      attach_linear_solver();
      require(
          IDASetId(memory, id) == IDA_SUCCESS && IDASetSuppressAlg(memory, SUNTRUE) == IDA_SUCCESS,
          "the algebraic parts");
      IDASetMaxOrd(memory, options.max_order);
      IDASetMaxErrTestFails(memory, 20);
      IDASetMaxConvFails(memory, 20);
      IDASetMaxNonlinIters(memory, 6);
    }
    if (options.step > 0) {
      IDASetInitStep(memory, options.step);
      IDASetMaxStep(memory, options.step);
    } else {
      const double floor = 10 * smallest_step(t);
      IDASetInitStep(memory, first_step() < floor ? floor : 0);  // 0: IDA's own
    }
  }

  /// IDA's own first step, which may be lost in the rounding of t: where a position of 4e7 m passes 0, say.
  double first_step() const {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double weight = options.tolerance / rms_factor * (std::abs(data(y)[i]) + nominal[i]);
      sum += std::pow(data(yp)[i] / weight, 2);
    }
    return 0.5 / std::sqrt(sum / static_cast<double>(size));
  }

  void attach_linear_solver() {
    matrix = SUNMatNewEmpty(context);
    linear = SUNLinSolNewEmpty(context);
    require(matrix != nullptr && linear != nullptr, "the linear solver");
    matrix->content = linear->content = this;
    matrix->ops->getid = custom_matrix;
    matrix->ops->zero = keep_matrix;
    matrix->ops->destroy = forget_matrix;
    linear->ops->gettype = direct_solver;
    linear->ops->getid = custom_solver;
    linear->ops->initialize = keep_solver;
    linear->ops->setup = [](SUNLinearSolver, SUNMatrix) {
      return 0;
    };  // factored when the Jacobian is made
    linear->ops->solve = solve;
    linear->ops->free = forget_solver;
    require(IDASetLinearSolver(memory, linear, matrix) == IDA_SUCCESS, "the linear solver");
    require(IDASetLinearSolutionScaling(memory, SUNFALSE) == IDA_SUCCESS, "the linear solver");
    require(IDASetJacFn(memory, jacobian) == IDA_SUCCESS, "the Jacobian");
  }

  void count(double h, bool cut) {
    long steps = 0, error_fails = 0, convergence_fails = 0, evaluations = 0, iterations = 0;
    IDAGetNumSteps(memory, &steps);
    IDAGetNumErrTestFails(memory, &error_fails);
    IDAGetNumStepSolveFails(memory, &convergence_fails);
    IDAGetNumResEvals(memory, &evaluations);
    IDAGetNumNonlinSolvIters(memory, &iterations);
    const auto total = [](std::uint64_t earlier, long now) {
      return earlier + static_cast<std::uint64_t>(now);
    };
    record_step(statistics, h, cut);
    statistics.accepted = total(before.accepted, steps);
    statistics.rejected = total(before.rejected, error_fails + convergence_fails);
    statistics.evaluations = total(before.evaluations, evaluations);
    statistics.newton_iterations = total(before.newton_iterations, iterations);
    statistics.factorisations = statistics.jacobians = matrices;
  }
};

Ida::Ida(System& system, const IdaOptions& options)
    : solver_(std::make_unique<Solver>(system, options)) {}
Ida::~Ida() = default;

StepOutcome Ida::start(double t, const double* s, const double* z, double end) {
  Solver& my = *solver_;
  double *const y = Solver::data(my.y), *const yp = Solver::data(my.yp);
  std::copy_n(s, my.n, y);
  std::copy_n(z, my.m, my.top_values.data());
  my.t = my.t_old = t;
  my.fresh = true;
  Failure failure = my.system.derivative(t, y, my.top_values.data(), yp);
  if (failure == Failure::none && !all_finite({yp, my.n})) failure = Failure::not_finite;
  if (failure != Failure::none) return {false, describe(failure), failure, 0};
  for (std::size_t k = 0; k < my.chains.algebraic.size(); ++k) {
    y[my.n + k] = my.top_values[my.chains.algebraic[k]];
    yp[my.n + k] = 0;
  }
  my.end = end;
  my.algebraic_scale.restart();
  my.initialise();
  return {};
}

StepOutcome Ida::step(double limit) {
  Solver& my = *solver_;
  if (my.statistics.accepted >= my.options.max_steps)
    return {false, reason_max_steps, Failure::none, 0};
  if (!my.renew_old_matrix())
    return {false, describe(Failure::singular_matrix), Failure::singular_matrix, 0};
  IDASetStopTime(my.memory, limit);
  double reached = my.t;
  const int flag = IDASolve(my.memory, limit, &reached, my.y, my.yp, IDA_ONE_STEP);
  double h = 0;
  IDAGetLastStep(my.memory, &h);
  if (flag < 0) {
    IDAGetCurrentStep(my.memory, &h);
    return outcome_of(flag, h);
  }
  if (flag != IDA_TSTOP_RETURN && reached <= my.t)
    return {false, reason_underflow, Failure::none, h};
  my.t_old = std::exchange(my.t, flag == IDA_TSTOP_RETURN ? limit : reached);
  my.fresh = false;
  my.gather_tops(my.y, my.yp);
  my.count(h, flag == IDA_TSTOP_RETURN);
  return {true, {}, Failure::none, h};
}

double Ida::previous_time() const { return solver_->t_old; }
double Ida::time() const { return solver_->t; }
std::span<const double> Ida::state() const { return {Solver::data(solver_->y), solver_->n}; }
std::span<const double> Ida::tops() const { return solver_->top_values; }
const StepStatistics& Ida::statistics() const { return solver_->statistics; }

void Ida::interpolate(double t, double* s) const {
  Solver& my = *solver_;
  const bool inside = !my.fresh && t < my.t &&
                      IDAGetDky(my.memory, std::max(t, my.t_old), 0, my.dense) == IDA_SUCCESS;
  std::copy_n(Solver::data(inside ? my.dense : my.y), my.n, s);
}

/// Algebraic tops and the rates of states, at t.
void Ida::interpolate_tops(double t, double* z) const {
  Solver& my = *solver_;
  std::copy(my.top_values.begin(), my.top_values.end(), z);
  if (my.fresh || t >= my.t) return;
  const double inside = std::max(t, my.t_old);
  if (IDAGetDky(my.memory, inside, 0, my.dense) == IDA_SUCCESS)
    for (std::size_t k = 0; k < my.chains.algebraic.size(); ++k)
      z[my.chains.algebraic[k]] = Solver::data(my.dense)[my.n + k];
  if (IDAGetDky(my.memory, inside, 1, my.dense) == IDA_SUCCESS)
    for (const std::uint32_t i : my.driven) z[my.chains.top[i]] = Solver::data(my.dense)[i];
}

}  // namespace daedal::solve
