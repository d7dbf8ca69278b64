// Explicit accelerations given to CVODE's Adams-Moulton methods of order 1 to 12 with fixed-point iteration
// [Hindmarsh2005]: the best method for a smooth mechanism without a DAE solver. `Mechanism` has
//     states                                          number of states y
//     start()                                         y at t = 0, an array
//     derivative(y, rate)
// CVODE projects for its BDF alone, so the constraints drift by what the tolerance allows.
#pragma once

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace bench {

struct AdamsCount {
  long steps = 0, evaluations = 0;
};

template <class Mechanism>
class AdamsRun {
 public:
  explicit AdamsRun(double tolerance) {
    check(SUNContext_Create(nullptr, &context_), "SUNContext_Create");
    y_ = N_VNew_Serial(Mechanism::states, context_);
    restart();
    iteration_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
    cvode_ = CVodeCreate(CV_ADAMS, context_);
    check(CVodeInit(cvode_, rate, 0, y_), "CVodeInit");
    check(CVodeSStolerances(cvode_, tolerance, tolerance), "CVodeSStolerances");
    check(CVodeSetMaxNumSteps(cvode_, 10'000'000), "CVodeSetMaxNumSteps");
    check(CVodeSetNonlinearSolver(cvode_, iteration_), "CVodeSetNonlinearSolver");
  }
  AdamsRun(const AdamsRun&) = delete;
  AdamsRun& operator=(const AdamsRun&) = delete;
  ~AdamsRun() {
    CVodeFree(&cvode_);
    SUNNonlinSolFree(iteration_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }

  /// y at `end`, from the start.
  const double* run(double end) {
    restart();
    check(CVodeReInit(cvode_, 0, y_), "CVodeReInit");
    check(CVodeSetStopTime(cvode_, end), "CVodeSetStopTime");
    double reached = 0;
    check(CVode(cvode_, end, y_, &reached, CV_NORMAL), "CVode");
    return N_VGetArrayPointer(y_);
  }
  AdamsCount count() const {
    AdamsCount c;
    CVodeGetNumSteps(cvode_, &c.steps);
    CVodeGetNumRhsEvals(cvode_, &c.evaluations);
    return c;
  }

 private:
  void restart() {
    static const auto start = Mechanism::start();
    std::copy(start.begin(), start.end(), N_VGetArrayPointer(y_));
  }
  static void check(int flag, const char* what) {
    if (flag >= 0) return;
    std::fprintf(stderr, "%s failed (%d)\n", what, flag);
    std::exit(1);
  }
  static int rate(double, N_Vector y, N_Vector dy, void*) {
    Mechanism::derivative(N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
    return 0;
  }

  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  SUNNonlinearSolver iteration_ = nullptr;
  void* cvode_ = nullptr;
};

}  // namespace bench
