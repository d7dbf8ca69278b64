// invert/receding_horizon.cpp with its collocation, in C.
#include "horizon_text.hpp"

namespace daedal::emit {

const char* const horizon_header = R"(/* TITLE
 * Written by Daedal: stable inversion on a receding horizon, C99, no dependency but math.h. At every sample
 *   NAME_update   finds the inputs of now from the desired motion ahead,
 *   NAME_advance  goes on to the next sample. */
#ifndef GUARD_H
#define GUARD_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
  GUARD_SIGNALS = SIGNALS,
  GUARD_RESULTS = RESULTS,
  GUARD_STATES = STATES,
  GUARD_TOPS = TOPS,
  GUARD_LEVELS = LEVELS,
  GUARD_STAGES = STAGES,
  GUARD_INTERVALS = INTERVALS,
  GUARD_LEFT = LEFT /* conditions at the left end of the window */
};

/* signals, in order:
SIGNAL_LIST * results, in order:
RESULT_LIST * states, in order:
STATE_LIST */

extern const double NAME_period;  /* [s], between samples */
extern const double NAME_preview; /* [s]: how far ahead the motion is asked for */

/* The desired motion: writes the signals at a time. */
typedef void (*NAME_desired)(double time, double* signals, void* data);

/* Everything that is remembered, and room to compute; NAME_init fills it. Limits may be set after it: results are cut to a
 * range, and to so much change per second. */
typedef struct {
  double lowest[GUARD_RESULTS], highest[GUARD_RESULTS], rate[GUARD_RESULTS];
  double handed_out[GUARD_RESULTS]; /* last */
  double side;                      /* sign of a determinant: the branch; 0 before the first plan */
  double time, age;
  int must_factor, seeded;
  double left[GUARD_STATES];
  double states[(GUARD_INTERVALS + 1)*GUARD_STATES];
  double tops[GUARD_INTERVALS*GUARD_STAGES*GUARD_TOPS];
  double found_tops[GUARD_TOPS];
  double end_tops[GUARD_TOPS];
  double right_target[GUARD_STATES];
  double signals[GUARD_INTERVALS*GUARD_STAGES*(GUARD_SIGNALS + 1)];
  double left_signals[GUARD_SIGNALS + 1];
  double local[GUARD_INTERVALS*GUARD_STAGES*GUARD_TOPS*(GUARD_STAGES*GUARD_TOPS + GUARD_STATES)];
  int local_exchange[GUARD_INTERVALS*GUARD_STAGES*GUARD_TOPS];
  double local_residual[GUARD_INTERVALS*GUARD_STAGES*GUARD_TOPS];
  double blocks[GUARD_INTERVALS*(GUARD_LEFT + GUARD_STATES)*2*GUARD_STATES];
  double last[GUARD_STATES*GUARD_STATES];
  int exchange[(GUARD_INTERVALS + 1)*GUARD_STATES];
  double reduced[GUARD_INTERVALS*(GUARD_LEFT + GUARD_STATES) + GUARD_STATES];
  double right_hand_side[(GUARD_INTERVALS + 1)*GUARD_STATES];
  double change[(GUARD_INTERVALS + 1)*GUARD_STATES];
  double size[GUARD_STATES];
} NAME_horizon;

typedef enum {
  GUARD_OK = 0,
  GUARD_LARGE_STEP = 1, /* the plan still moves: the motion changed too much, or is too fast */
  GUARD_SINGULAR = 2,   /* matrices at the last plan */
  GUARD_NOT_FINITE = 3, /* a signal, or the plan */
  GUARD_LIMITED = 4,    /* the plan is good, but a result lies beyond its limits and was cut */
  GUARD_BRANCH_CHANGED = 5 /* the plan lies behind a singular pose */
} NAME_status;

typedef struct {
  NAME_status status;
  int iterations, factored;
  double step; /* the last correction of the plan as far as it reaches the inputs of now, relative */
  double gap;  /* between intervals, before it */
} NAME_report;

/* At rest, where the desired outputs are those of the model at its start. */
void NAME_init(NAME_horizon* h, double time);

/* One step of Newton's method, two when the motion `changed`. Unless the report says GUARD_OK or GUARD_LIMITED the results are
 * those of the last plan that was good. */
NAME_report NAME_update(NAME_horizon* h, NAME_desired desired, void* data, int changed,
                        double* results);

/* To the next sample. */
void NAME_advance(NAME_horizon* h, NAME_desired desired, void* data);

/* The states are these, measured; they count from the next update on. */
void NAME_seed(NAME_horizon* h, const double* states);

#ifdef __cplusplus
}
#endif

#endif
)";

const char* const horizon_driver = R"(
typedef struct {
  int stages;
  const double *nodes, *weights;
} formula;
static const formula window_formula = {S, window_nodes, window_weights};
static const formula local_formula = {S + 1, local_nodes, local_weights};

/* w_kj at node i, at the end of the interval for i = stages */
static double weight_of(const formula* f, int k, int i, int j) {
  return f->weights[((k - 1)*(f->stages + 1) + i)*f->stages + j];
}

static double lagrange(const formula* f, int j, double c) {
  double value = 1.0;
  int i;
  for (i = 0; i < f->stages; ++i)
    if (i != j) value *= (c - f->nodes[i])/(f->nodes[j] - f->nodes[i]);
  return value;
}

static int all_finite(const double* values, int count) {
  int i;
  for (i = 0; i < count; ++i)
    if (!(fabs(values[i]) <= DBL_MAX)) return 0;
  return 1;
}

/* Gaussian elimination by rows with partial pivoting; exchange[k] is the row exchanged with row k */
static int eliminate(double* a, int rows, int columns, int width, int* exchange) {
  int i, j, k;
  for (k = 0; k < columns; ++k) {
    double* const pivot = a + k*width;
    int best = k;
    for (i = k + 1; i < rows; ++i)
      if (fabs(a[i*width + k]) > fabs(a[best*width + k])) best = i;
    exchange[k] = best;
    if (best != k)
      for (j = 0; j < width; ++j) {
        const double kept = pivot[j];
        pivot[j] = a[best*width + j];
        a[best*width + j] = kept;
      }
    if (!(fabs(pivot[k]) > 0.0) || !(fabs(pivot[k]) <= DBL_MAX)) return 0;
    for (i = k + 1; i < rows; ++i) {
      double* const row = a + i*width;
      if (row[k] == 0.0) continue;
      row[k] *= 1.0/pivot[k];
      for (j = k + 1; j < width; ++j) row[j] -= row[k]*pivot[j];
    }
  }
  return 1;
}

static void reduce(const double* a, int rows, int columns, int width, const int* exchange,
                   double* y) {
  int i, j, k;
  for (k = 0; k < columns; ++k) {
    const double kept = y[k];
    y[k] = y[exchange[k]];
    y[exchange[k]] = kept;
  }
  for (i = 1; i < rows; ++i) {
    double sum = y[i];
    for (j = 0; j < (i < columns ? i : columns); ++j) sum -= a[i*width + j]*y[j];
    y[i] = sum;
  }
}

static void substitute_back(const double* a, int columns, int width, const double* y, double* x) {
  int i, j;
  for (i = columns - 1; i >= 0; --i) {
    double sum = y[i];
    for (j = i + 1; j < columns; ++j) sum -= a[i*width + j]*x[j];
    x[i] = sum/a[i*width + i];
  }
}

/* ---- within an interval */

/* state a after a time, were its top zero */
static double without_tops(const double* from, int a, double time) {
  double value = 0.0, power = 1.0;
  int b = a, l;
  for (l = 0; l < depth[a]; ++l) {
    value += power*from[b];
    power *= time/(l + 1);
    b = next[b];
  }
  return value;
}

static double to_depth(double h, int a) {
  double power = h;
  int l;
  for (l = 1; l < depth[a]; ++l) power *= h;
  return power;
}

static void stage_state(const formula* f, double h, const double* from, const double* z, int i,
                        double* s) {
  const double ch = (i < f->stages ? f->nodes[i] : 1.0)*h;
  int a, j;
  for (a = 0; a < N; ++a) {
    double sum = 0.0;
    for (j = 0; j < f->stages; ++j) sum += weight_of(f, depth[a], i, j)*z[j*M + top_of[a]];
    s[a] = without_tops(from, a, ch) + to_depth(h, a)*sum;
  }
}

static void interpolate(const formula* f, double length, const double* from, const double* z,
                        double c, double* s) {
  const double h = length*c;
  int a, i, j;
  for (a = 0; a < N; ++a) {
    double sum = 0.0;
    for (i = 0; i < f->stages; ++i) {
      double top = 0.0;
      for (j = 0; j < f->stages; ++j) top += lagrange(f, j, c*f->nodes[i])*z[j*M + top_of[a]];
      sum += weight_of(f, depth[a], f->stages, i)*top;
    }
    s[a] = without_tops(from, a, h) + to_depth(h, a)*sum;
  }
}

static void tops_at(const formula* f, const double* z, double c, double* to) {
  int l, a;
  for (a = 0; a < M; ++a) to[a] = 0.0;
  for (l = 0; l < f->stages; ++l) {
    const double share = lagrange(f, l, c);
    for (a = 0; a < M; ++a) to[a] += share*z[l*M + a];
  }
}

/* residuals of an interval */
static void residuals(const formula* f, double h, const double* w, const double* from,
                      const double* z, double* r) {
  double s[N];
  int i;
  for (i = 0; i < f->stages; ++i) {
    stage_state(f, h, from, z, i, s);
    residual(w + i*W, s, z + i*M, r + i*M);
  }
}

/* [K | K_0] of an interval, factored: [LU | K^-1 K_0] */
static int linearise_interval(const formula* f, double h, const double* w, const double* from,
                              const double* z, double* matrix, int* exchange) {
  const int m = f->stages*M, width = m + N;
  double s[N], by_states[M*N], by_tops[M*M];
  int i, row, a, j, l, b;
  for (i = 0; i < m*width; ++i) matrix[i] = 0.0;
  for (i = 0; i < f->stages; ++i) {
    const double ch = f->nodes[i]*h;
    stage_state(f, h, from, z, i, s);
    derivatives(w + i*W, s, z + i*M, by_states, by_tops);
    for (row = 0; row < M; ++row) {
      double* const to = matrix + (i*M + row)*width;
      for (a = 0; a < N; ++a) {
        const double entry = by_states[row*N + a];
        double power = entry, scale = entry;
        if (entry == 0.0) continue;
        for (l = 0, b = a; l < depth[a]; ++l) {
          to[m + b] += power;
          power *= ch/(l + 1);
          scale *= h;
          b = next[b];
        }
        for (j = 0; j < f->stages; ++j) to[j*M + top_of[a]] += scale*weight_of(f, depth[a], i, j);
      }
      for (j = 0; j < M; ++j) to[i*M + j] += by_tops[row*M + j];
    }
  }
  if (!eliminate(matrix, m, m, width, exchange)) return 0;
  for (i = m - 1; i >= 0; --i) {
    double* const to = matrix + i*width;
    for (l = i + 1; l < m; ++l)
      for (j = m; j < width; ++j) to[j] -= to[l]*matrix[l*width + j];
    for (j = m; j < width; ++j) to[j] *= 1.0/to[i];
  }
  return 1;
}

/* r becomes K^-1 r */
static void solve_interval(const formula* f, const double* matrix, const int* exchange, double* r) {
  const int m = f->stages*M;
  reduce(matrix, m, m, m + N, exchange, r);
  substitute_back(matrix, m, m + N, r, r);
}

/* z at a point, from a guess; the sign of the determinant of dr/dz */
static int solve_tops(const double* w, const double* s, double* z, double* side) {
  double by_states[M*N], by_tops[M*M], r[M], change[M];
  int exchange[M];
  int iteration, i;
  for (iteration = 0; iteration < 3; ++iteration) {
    double largest = 0.0, size = 0.0;
    residual(w, s, z, r);
    derivatives(w, s, z, by_states, by_tops);
    if (!eliminate(by_tops, M, M, M, exchange)) return 0;
    *side = 1.0;
    for (i = 0; i < M; ++i)
      if ((by_tops[i*M + i] < 0.0) != (exchange[i] != i)) *side = -*side;
    reduce(by_tops, M, M, M, exchange, r);
    substitute_back(by_tops, M, M, r, change);
    for (i = 0; i < M; ++i) {
      z[i] -= change[i];
      if (fabs(change[i]) > largest) largest = fabs(change[i]);
      if (fabs(z[i]) > size) size = fabs(z[i]);
    }
    if (!all_finite(z, M)) return 0;
    if (largest <= 1e-12*size) break;
  }
  return 1;
}

/* ---- the window */

static void ask(NAME_desired desired, void* data, double time, double* w) {
  w[0] = time;
  desired(time, w + 1, data);
}

/* eliminates from left to right, the rows of the left end travelling along */
static int factor(NAME_horizon* h) {
  const double* carried;
  double first[LEFT_ROOM*N];
  double c[L_ROOM];
  int stride = N, i, j, k, a, l, b;
  level(h->left_signals, h->states, c, first);
  for (i = 0; i < (LEFT - L)*N; ++i) first[L*N + i] = decaying[i];
  carried = first;
  for (k = 0; k < K; ++k) {
    double* const block = h->blocks + k*(LEFT + N)*2*N;
    const double* const local = h->local + k*S*M*(S*M + N);
    for (i = 0; i < LEFT; ++i)
      for (j = 0; j < N; ++j) {
        block[i*2*N + j] = carried[i*stride + j];
        block[i*2*N + N + j] = 0.0;
      }
    for (a = 0; a < N; ++a) {
      double* const row = block + (LEFT + a)*2*N;
      double power = 1.0, scale = 1.0;
      for (j = 0; j < 2*N; ++j) row[j] = 0.0;
      row[N + a] = -1.0;
      for (l = 0, b = a; l < depth[a]; ++l) {
        row[b] += power;
        power *= mesh/(l + 1);
        scale *= mesh;
        b = next[b];
      }
      for (i = 0; i < S; ++i) {
        const double share = scale*weight_of(&window_formula, depth[a], S, i);
        for (j = 0; j < N; ++j)
          row[j] -= share*local[(i*M + top_of[a])*(S*M + N) + S*M + j];
      }
    }
    if (!eliminate(block, LEFT + N, N, 2*N, h->exchange + k*N)) return 0;
    carried = block + N*2*N + N;
    stride = 2*N;
  }
  for (i = 0; i < LEFT; ++i)
    for (j = 0; j < N; ++j) h->last[i*N + j] = carried[i*stride + j];
  for (i = 0; i < (N - LEFT)*N; ++i) h->last[LEFT*N + i] = growing[i];
  return eliminate(h->last, N, N, N, h->exchange + K*N);
}

static void solve_window(NAME_horizon* h) {
  const double* given = h->right_hand_side + LEFT;
  double *y = h->reduced, *node = h->change + K*N;
  int i, j, k;
  for (i = 0; i < LEFT; ++i) y[i] = h->right_hand_side[i];
  for (k = 0; k < K; ++k) {
    for (i = 0; i < N; ++i) y[LEFT + i] = -given[i];
    reduce(h->blocks + k*(LEFT + N)*2*N, LEFT + N, N, 2*N, h->exchange + k*N, y);
    for (i = 0; i < LEFT; ++i) y[LEFT + N + i] = y[N + i];
    y += LEFT + N;
    given += N;
  }
  for (i = 0; i < N - LEFT; ++i) y[LEFT + i] = given[i];
  reduce(h->last, N, N, N, h->exchange + K*N, y);
  substitute_back(h->last, N, N, y, node);
  for (k = K - 1; k >= 0; --k) {
    const double* const block = h->blocks + k*(LEFT + N)*2*N;
    const double* const later = node;
    y -= LEFT + N;
    node -= N;
    for (i = 0; i < N; ++i)
      for (j = 0; j < N; ++j) y[i] -= block[i*2*N + N + j]*later[j];
    substitute_back(block, N, 2*N, y, node);
  }
}

/* right-hand sides from gaps and conditions; returns the largest gap, relative */
static double conditions(NAME_horizon* h) {
  double end[N], c[L_ROOM], unused[L_ROOM*N];
  double *to = h->right_hand_side, largest = 0.0;
  int i, j, k, a;
  for (a = 0; a < N; ++a) {
    h->size[a] = smallest_size[a];
    for (k = 0; k <= K; ++k)
      if (fabs(h->states[k*N + a]) > h->size[a]) h->size[a] = fabs(h->states[k*N + a]);
  }
  level(h->left_signals, h->states, c, unused);
  for (i = 0; i < L; ++i) *to++ = -c[i];
  for (i = 0; i < LEFT - L; ++i) {
    double value = 0.0;
    for (a = 0; a < N; ++a) value += decaying[i*N + a]*(h->left[a] - h->states[a]);
    *to++ = value;
  }
  for (k = 0; k < K; ++k) {
    stage_state(&window_formula, mesh, h->states + k*N, h->tops + k*S*M, S, end);
    for (a = 0; a < N; ++a) {
      const double gap = end[a] - h->states[(k + 1)*N + a];
      double sum = 0.0;
      if (fabs(gap)/h->size[a] > largest) largest = fabs(gap)/h->size[a];
      for (j = 0; j < S; ++j)
        sum += weight_of(&window_formula, depth[a], S, j)*
               h->local_residual[k*S*M + j*M + top_of[a]];
      *to++ = gap - to_depth(mesh, a)*sum;
    }
  }
  for (i = 0; i < N - LEFT; ++i) {
    double value = 0.0;
    for (a = 0; a < N; ++a)
      value += growing[i*N + a]*(h->right_target[a] - h->states[K*N + a]);
    *to++ = value;
  }
  return largest;
}

/* one step of Newton's method, with new matrices or the old ones */
static int move(NAME_horizon* h, int renew, double* gap) {
  const int m = S*M, width = S*M + N;
  int i, k, a;
  for (k = 0; k < K; ++k) {
    double* const r = h->local_residual + k*m;
    residuals(&window_formula, mesh, h->signals + k*S*W, h->states + k*N, h->tops + k*m, r);
    if (renew && !linearise_interval(&window_formula, mesh, h->signals + k*S*W, h->states + k*N,
                                     h->tops + k*m, h->local + k*m*width,
                                     h->local_exchange + k*m))
      return 0;
    solve_interval(&window_formula, h->local + k*m*width, h->local_exchange + k*m, r);
  }
  if (renew && !factor(h)) return 0;
  *gap = conditions(h);
  solve_window(h);
  if (!all_finite(h->change, (K + 1)*N)) return 0;
  for (k = 0; k < K; ++k)
    for (i = 0; i < m; ++i) {
      const double* const row = h->local + k*m*width + i*width + m;
      double sum = h->local_residual[k*m + i];
      for (a = 0; a < N; ++a) sum += row[a]*h->change[k*N + a];
      h->tops[k*m + i] -= sum;
    }
  for (i = 0; i < (K + 1)*N; ++i) h->states[i] += h->change[i];
  return 1;
}

/* where the growing components would stay if the motion went on as it is at the end of the window */
static int set_right_target(NAME_horizon* h, NAME_desired desired, void* data) {
  const double* const end = h->states + K*N;
  double w[W], rates[N], side;
  int a, b;
  ask(desired, data, h->time + NAME_preview, w);
  if (!all_finite(w, W)) return 0;
  tops_at(&window_formula, h->tops + (K - 1)*S*M, 1.0, h->end_tops);
  if (!solve_tops(w, end, h->end_tops, &side)) return 0;
  for (a = 0; a < N; ++a) rates[a] = next[a] < N ? end[next[a]] : h->end_tops[next[a] - N];
  for (a = 0; a < N; ++a) {
    double value = end[a];
    for (b = 0; b < N; ++b) value -= settle_end[a*N + b]*rates[b];
    h->right_target[a] = value;
  }
  return all_finite(h->right_target, N);
}

void NAME_init(NAME_horizon* h, double time) {
  int i, k;
  h->time = time;
  h->age = 0.0;
  h->must_factor = 1;
  h->seeded = 0;
  for (i = 0; i < N; ++i) h->left[i] = rest_states[i];
  for (k = 0; k <= K; ++k)
    for (i = 0; i < N; ++i) h->states[k*N + i] = rest_states[i];
  for (k = 0; k < K*S; ++k)
    for (i = 0; i < M; ++i) h->tops[k*M + i] = rest_tops[i];
  for (i = 0; i < M; ++i) h->found_tops[i] = h->end_tops[i] = rest_tops[i];
  h->side = 0.0;
  for (i = 0; i < GUARD_RESULTS; ++i) {
    h->lowest[i] = limit_lowest[i];
    h->highest[i] = limit_highest[i];
    h->rate[i] = limit_rate[i];
    h->handed_out[i] = rest_tops[result_top[i]];
  }
}

static double larger(double a, double b) { return a < b ? b : a; }
static double smaller(double a, double b) { return b < a ? b : a; }

/* within the range, then as near to that as the rate allows; 1: something was cut */
static int hand_out(NAME_horizon* h) {
  int i, cut = 0;
  for (i = 0; i < GUARD_RESULTS; ++i) {
    const double asked = h->found_tops[result_top[i]], change = h->rate[i]*NAME_period;
    const double allowed = smaller(larger(asked, h->lowest[i]), h->highest[i]);
    const double last = h->handed_out[i];
    h->handed_out[i] = smaller(larger(allowed, last - change), last + change);
    if (h->handed_out[i] != asked) cut = 1;
  }
  return cut;
}

NAME_report NAME_update(NAME_horizon* h, NAME_desired desired, void* data, int changed,
                        double* results) {
  NAME_report report = {GUARD_OK, 0, 0, 0.0, 0.0};
  double w[W], side = 0.0;
  int i, k, a;
  for (i = 0; i < GUARD_RESULTS; ++i) {
    h->handed_out[i] = smaller(larger(h->handed_out[i], h->lowest[i]), h->highest[i]);
    results[i] = h->handed_out[i];
  }
  ask(desired, data, h->time, h->left_signals);
  for (k = 0; k < K; ++k)
    for (i = 0; i < S; ++i)
      ask(desired, data, h->time + k*mesh + window_nodes[i]*mesh, h->signals + (k*S + i)*W);
  changed = changed || h->seeded;
  for (i = 0; i < (changed ? 2 : 1); ++i) {
    const int renew = changed || h->must_factor || h->age >= mesh;
    if (!set_right_target(h, desired, data)) {
      report.status = GUARD_NOT_FINITE;
      return report;
    }
    ++report.iterations;
    if (!move(h, renew, &report.gap)) {
      h->must_factor = 1;
      report.status = GUARD_SINGULAR;
      return report;
    }
    if (renew) {
      report.factored = 1;
      h->age = 0.0;
    }
    report.step = 0.0;
    for (k = 0; k <= K; ++k)
      for (a = 0; a < N; ++a) {
        const double felt = fade[k]*fabs(h->change[k*N + a])/h->size[a];
        if (felt > report.step) report.step = felt;
      }
    h->must_factor = !(report.step <= RENEW_ABOVE);
  }
  ask(desired, data, h->time, w);
  for (i = 0; i < M; ++i) h->end_tops[i] = h->tops[i];
  if (!all_finite(w, W) || !all_finite(h->states, N) ||
      !solve_tops(w, h->states, h->end_tops, &side)) {
    h->must_factor = 1;
    report.status = GUARD_NOT_FINITE;
    return report;
  }
  h->seeded = 0;
  if (!(report.step <= RELIABLE_BELOW)) { /* results stay those of the last good plan */
    report.status = GUARD_LARGE_STEP;
    return report;
  }
  if (side*h->side < 0.0) {
    report.status = GUARD_BRANCH_CHANGED;
    return report;
  }
  h->side = side;
  for (i = 0; i < M; ++i) h->found_tops[i] = h->end_tops[i];
  if (hand_out(h)) report.status = GUARD_LIMITED;
  for (i = 0; i < GUARD_RESULTS; ++i) results[i] = h->handed_out[i];
  return report;
}

/* all nodes and collocation points one period later, along the polynomials of the plan */
static void shift(NAME_horizon* h) {
  const double later = NAME_period/mesh;
  double states[(K + 1)*N], tops[K*S*M];
  int k, i, from;
  for (k = 0; k <= K; ++k) {
    from = (int)(k + later) < K - 1 ? (int)(k + later) : K - 1;
    interpolate(&window_formula, mesh, h->states + from*N, h->tops + from*S*M, k + later - from,
                states + k*N);
    for (i = 0; i < S && k < K; ++i) {
      const double at = k + later + window_nodes[i];
      from = (int)at < K - 1 ? (int)at : K - 1;
      tops_at(&window_formula, h->tops + from*S*M, at - from, tops + (k*S + i)*M);
    }
  }
  for (i = 0; i < (K + 1)*N; ++i) h->states[i] = states[i];
  for (i = 0; i < K*S*M; ++i) h->tops[i] = tops[i];
}

void NAME_advance(NAME_horizon* h, NAME_desired desired, void* data) {
  enum { SL = S + 1, ML = SL*M };
  double w[SL*W], z[ML], r[ML], matrix[ML*(ML + N)];
  int exchange[ML];
  int i, iteration;
  for (i = 0; i < SL; ++i) {
    const double c = local_nodes[i]*NAME_period/mesh;
    ask(desired, data, h->time + c*mesh, w + i*W);
    tops_at(&window_formula, h->tops, c, z + i*M);
  }
  for (iteration = 0; iteration < 3; ++iteration) {
    double largest = 0.0, size = 1.0;
    residuals(&local_formula, NAME_period, w, h->states, z, r);
    if (!linearise_interval(&local_formula, NAME_period, w, h->states, z, matrix, exchange)) break;
    solve_interval(&local_formula, matrix, exchange, r);
    for (i = 0; i < ML; ++i) {
      z[i] -= r[i];
      if (fabs(r[i]) > largest) largest = fabs(r[i]);
      if (fabs(z[i]) > size) size = fabs(z[i]);
    }
    if (!(largest/size > 1e-12)) break;
  }
  stage_state(&local_formula, NAME_period, h->states, z, SL, h->left);
  shift(h);
  h->time += NAME_period;
  h->age += NAME_period;
}

void NAME_seed(NAME_horizon* h, const double* states) {
  int i;
  for (i = 0; i < N; ++i) h->left[i] = states[i];
  h->seeded = 1;
}
)";

}  // namespace daedal::emit
