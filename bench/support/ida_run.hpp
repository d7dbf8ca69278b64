// A hand-written residual and Jacobian given to SUNDIALS IDA with KLU [Hindmarsh2005]: the peer that a careful C++ engineer
// builds. `Mechanism` has
//     size                                            number of unknowns y
//     start(y, yp)                                    consistent values at t = 0
//     is_differential(i)                              whether y_i' occurs
//     residual(t, y, yp, r)
//     jacobian(t, cj, y, yp, add)                     add(row, column, value) of dF/dy + cj dF/dy', always in the same order
#pragma once

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace bench {

struct IdaCount {
  long steps = 0, evaluations = 0, jacobians = 0;
};

template <class Mechanism>
class IdaRun {
 public:
  explicit IdaRun(double tolerance) {
    check(SUNContext_Create(nullptr, &context_), "SUNContext_Create");
    for (N_Vector* v : {&y_, &yp_, &id_}) *v = N_VNew_Serial(Mechanism::size, context_);
    for (int i = 0; i < Mechanism::size; ++i)
      N_VGetArrayPointer(id_)[i] = Mechanism::is_differential(i) ? 1 : 0;
    record_pattern();
    matrix_ = SUNSparseMatrix(Mechanism::size, Mechanism::size,
                              static_cast<sunindextype>(rows_.size()), CSC_MAT, context_);
    std::copy(column_start_.begin(), column_start_.end(), SUNSparseMatrix_IndexPointers(matrix_));
    std::copy(rows_.begin(), rows_.end(), SUNSparseMatrix_IndexValues(matrix_));
    solver_ = SUNLinSol_KLU(y_, matrix_, context_);
    ida_ = IDACreate(context_);
    Mechanism::start(N_VGetArrayPointer(y_), N_VGetArrayPointer(yp_));
    check(IDAInit(ida_, residual, 0, y_, yp_), "IDAInit");
    check(IDASStolerances(ida_, tolerance, tolerance), "IDASStolerances");
    check(IDASetId(ida_, id_), "IDASetId");
    check(IDASetSuppressAlg(ida_, SUNTRUE), "IDASetSuppressAlg");
    check(IDASetMaxNumSteps(ida_, 10'000'000), "IDASetMaxNumSteps");
    check(IDASetUserData(ida_, this), "IDASetUserData");
    check(IDASetLinearSolver(ida_, solver_, matrix_), "IDASetLinearSolver");
    check(IDASetJacFn(ida_, jacobian), "IDASetJacFn");
  }
  IdaRun(const IdaRun&) = delete;
  IdaRun& operator=(const IdaRun&) = delete;
  ~IdaRun() {
    IDAFree(&ida_);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
    for (N_Vector v : {y_, yp_, id_}) N_VDestroy(v);
    SUNContext_Free(&context_);
  }

  /// y at `end`, from the start.
  const double* run(double end) {
    Mechanism::start(N_VGetArrayPointer(y_), N_VGetArrayPointer(yp_));
    check(IDAReInit(ida_, 0, y_, yp_), "IDAReInit");
    double reached = 0;
    check(IDASetStopTime(ida_, end), "IDASetStopTime");
    check(IDASolve(ida_, end, &reached, y_, yp_, IDA_NORMAL), "IDASolve");
    return N_VGetArrayPointer(y_);
  }
  /// The same with an answer at every multiple of `sample`, and no look beyond it: what comes later is not known yet.
  template <class Visit>
  void run_sampled(double sample, int samples, Visit&& visit) {
    Mechanism::start(N_VGetArrayPointer(y_), N_VGetArrayPointer(yp_));
    check(IDAReInit(ida_, 0, y_, yp_), "IDAReInit");
    double reached = 0;
    for (int n = 1; n <= samples; ++n) {
      check(IDASetStopTime(ida_, n * sample), "IDASetStopTime");
      check(IDASolve(ida_, n * sample, &reached, y_, yp_, IDA_NORMAL), "IDASolve");
      visit(N_VGetArrayPointer(y_));
    }
  }
  IdaCount count() const {
    IdaCount c;
    IDAGetNumSteps(ida_, &c.steps);
    IDAGetNumResEvals(ida_, &c.evaluations);
    IDAGetNumJacEvals(ida_, &c.jacobians);
    return c;
  }

 private:
  static void check(int flag, const char* what) {
    if (flag >= 0) return;
    std::fprintf(stderr, "%s failed (%d)\n", what, flag);
    std::exit(1);
  }
  static int residual(double t, N_Vector y, N_Vector yp, N_Vector r, void*) {
    Mechanism::residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), N_VGetArrayPointer(r));
    return 0;
  }
  static int jacobian(double t, double cj, N_Vector y, N_Vector yp, N_Vector, SUNMatrix matrix,
                      void* self, N_Vector, N_Vector, N_Vector) {
    const IdaRun& run = *static_cast<const IdaRun*>(self);
    std::copy(run.column_start_.begin(), run.column_start_.end(),
              SUNSparseMatrix_IndexPointers(matrix));
    std::copy(run.rows_.begin(), run.rows_.end(), SUNSparseMatrix_IndexValues(matrix));
    double* values = SUNSparseMatrix_Data(matrix);
    std::fill_n(values, run.rows_.size(), 0.0);
    const std::size_t* slot = run.slots_.data();
    Mechanism::jacobian(t, cj, N_VGetArrayPointer(y), N_VGetArrayPointer(yp),
                        [&](int, int, double value) { values[*slot++] += value; });
    return 0;
  }

  /// Calls the Jacobian once to learn where each of its entries lives in the compressed columns.
  void record_pattern() {
    std::vector<double> y(Mechanism::size), yp(Mechanism::size);
    Mechanism::start(y.data(), yp.data());
    std::vector<std::pair<int, int>> entries;  // column, row
    Mechanism::jacobian(0, 1, y.data(), yp.data(),
                        [&](int row, int column, double) { entries.emplace_back(column, row); });
    std::vector<std::pair<int, int>> sorted = entries;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    column_start_.assign(Mechanism::size + 1, 0);
    for (const auto& [column, row] : sorted) {
      ++column_start_[static_cast<std::size_t>(column) + 1];
      rows_.push_back(row);
    }
    for (int c = 0; c < Mechanism::size; ++c) column_start_[c + 1] += column_start_[c];
    for (const auto& entry : entries) {
      slots_.push_back(static_cast<std::size_t>(
          std::lower_bound(sorted.begin(), sorted.end(), entry) - sorted.begin()));
    }
  }

  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, yp_ = nullptr, id_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  void* ida_ = nullptr;
  std::vector<sunindextype> column_start_, rows_;
  std::vector<std::size_t> slots_;  // of each add(), in order
};

}  // namespace bench
