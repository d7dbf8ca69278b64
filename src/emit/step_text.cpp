// See step_text.hpp. Operations are in the order of the C++ code, so that both make the same bits.
#include "step_text.hpp"

namespace daedal::emit {

const char* const step_header = R"(/* TITLE
 * Written by Daedal: FORMULA with a step of STEP s, C99, no dependency but math.h. */
#ifndef GUARD_H
#define GUARD_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
  GUARD_STAGES = STAGES,   /* times at which a step asks for its signals, see NAME_nodes */
  GUARD_SIGNALS = SIGNALS, /* at each of them */
  GUARD_RESULTS = RESULTS,
  GUARD_STATES = STATES,
  GUARD_TOPS = TOPS,
  GUARD_PAST = PAST
};

/* signals, in order:
SIGNAL_LIST * results, in order:
RESULT_LIST */

/* stage i of a step looks at time + nodes[i] * step */
extern const double NAME_nodes[GUARD_STAGES];
extern const double NAME_step_length; /* [s] */

/* Everything a step remembers; NAME_init fills it. The newest past is the first. Limits are set after it: results are cut to
 * a range, and to so much change per second. */
typedef struct {
  double lowest[GUARD_RESULTS], highest[GUARD_RESULTS], rate[GUARD_RESULTS];
  double handed_out[GUARD_RESULTS]; /* last */
  double time, begin, taken;
  int has_stages;
  double states[GUARD_PAST][STATES_ROOM];
  double tops[GUARD_PAST][GUARD_TOPS];
  double stage_tops[GUARD_STAGES*GUARD_TOPS];
  double predicted[GUARD_TOPS];
  double size[GUARD_TOPS]; /* usual, of the tops */
  double side, excess;     /* sign of the determinant; how far beyond its prediction a step went */
TRANSITION_STATE  double point[POINT_SIZE];
  double rows[ROWS];
} NAME_state;

typedef enum {
  GUARD_OK = 0,
  /* the step is not made: */
  GUARD_NOT_CONVERGED = 1, /* within the iterations allowed */
  GUARD_PIVOTS_LOST = 2,   /* a singular pose, or too far from that of the start for its pivots */
  GUARD_NOT_FINITE = 3,
  GUARD_BRANCH_CHANGED = 4, /* the solution found lies on another branch, far from the prediction */
  /* the step is made: */
  GUARD_TRANSITION = 5,     /* from the motion before a jump of the signals to the one asked for */
  GUARD_JUMP = 6,           /* far beyond its prediction: results stay as they are */
  GUARD_SINGULAR_PASSED = 7, /* the determinant changed its sign: branches meet there */
  GUARD_LIMITED = 8          /* a result lies beyond its limits and was cut */
} NAME_status;

typedef struct {
  NAME_status status;
  int iterations;
  double correction; /* the last one, accepted below TOLERANCE */
  double residual;   /* largest of the equations, before the last correction */
  double distance;   /* the largest correction: how far the solution lies from the prediction */
} NAME_report;

/* At the start values of the model. */
void NAME_init(NAME_state* s, double time);

/* One step: signals[stage*SIGNALS + k]. When it is not made, or a JUMP, results stay as they are, the last good ones. */
NAME_report NAME_step(NAME_state* s, const double* signals, double* results);

#ifdef __cplusplus
}
#endif

#endif
)";

const char* const transition_state =
    R"(  int active, before_active; /* a transition, see NAME.c */
  int remembered, given_steps;
  double length, halt, done, before_length, before_halt, before_done; /* in steps */
  double followed[SAMPLES*GUARD_SIGNALS];
  double anchors[2][SAMPLES*GUARD_SIGNALS];
  int anchor; /* which of them */
  double given[GUARD_SIGNALS], earlier_given[GUARD_SIGNALS], acceleration[GUARD_SIGNALS];
)";

const char* const step_driver = R"(
void NAME_init(NAME_state* s, double time) {
  int k, i;
  s->time = s->begin = time;
  s->taken = 0.0;
  s->has_stages = 0;
  for (k = 0; k < P; ++k) {
    const double back = -k*NAME_step_length;
    for (i = 0; i < M; ++i) s->tops[k][i] = start_tops[i];
    for (i = 0; i < N; ++i) {
      double value = start_states[i], factor = 1.0;
      int at = next[i], order = 1;
      for (;; ++order) {
        factor *= back/order;
        value += factor*(at < N ? start_states[at] : start_tops[at - N]);
        if (at >= N) break;
        at = next[at];
      }
      s->states[k][i] = value;
    }
  }
  for (i = 0; i < S*M; ++i) s->stage_tops[i] = 0.0;
  for (i = 0; i < M; ++i) s->size[i] = 0.0;
  s->side = 1.0;
  s->excess = 0.0;
INIT_TRANSITION  find_results(s->time, s->states[0], s->tops[0], s->handed_out);
  for (i = 0; i < GUARD_RESULTS; ++i) {
    s->lowest[i] = -DBL_MAX;
    s->highest[i] = s->rate[i] = DBL_MAX;
  }
}

static double larger(double a, double b) { return a < b ? b : a; }

static int made(NAME_status status) { return status == GUARD_OK || status >= GUARD_TRANSITION; }

/* known parts of the states, each after its derivative */
static void find_known(NAME_state* s) {
  double* const known = s->point + FIRST_KNOWN;
  int i, j, p, stage;
  for (i = 0; i < N; ++i) known[i] = past[0]*s->states[0][i];
  for (p = 1; p < PAST_WEIGHTS; ++p)
    for (i = 0; i < N; ++i) known[i] += past[p]*s->states[p][i];
  for (stage = 1; stage < S; ++stage)
    for (i = 0; i < N; ++i) known[stage*N + i] = known[i];
  for (i = 0; i < N; ++i) {
    if (next[i] >= N) continue;
    for (stage = 0; stage < S; ++stage)
      for (j = 0; j < S; ++j) known[stage*N + i] += a[stage*S + j]*known[j*N + next[i]];
  }
}

static void repeat(const NAME_state* s, double* z) {
  int stage, j;
  for (stage = 0; stage < S; ++stage)
    for (j = 0; j < M; ++j) z[stage*M + j] = s->tops[0][j];
}

PREDICT
HOLDstatic NAME_report iterate(NAME_state* s) {
  NAME_report report = {GUARD_NOT_CONVERGED, 0, 0.0, 0.0, 0.0};
  double* const z = s->point + FIRST_TOP;
  double previous = 0.0, sum = 0.0;
  int k;
  while (report.iterations < ITERATIONS) {
    double correction = 0.0, monitor;
    newton(s->point, s->rows);
    ++report.iterations;
    for (k = 0; k < S*M; ++k) {
      const double size = fabs(s->rows[k])*weight[k % M];
      z[k] += s->rows[k];
      if (size > correction) correction = size;
    }
    report.correction = correction;
    report.distance = larger(report.distance, correction);
    monitor = s->rows[2*S*M];
    if (!(monitor < 1e10)) {
      report.status = monitor <= DBL_MAX ? GUARD_PIVOTS_LOST : GUARD_NOT_FINITE;
      return report;
    }
    if (correction <= TOLERANCE || LINEAR ||
        (report.iterations > 2 && correction > 0.5*previous && correction < 1e-6)) {
      report.status = GUARD_OK;
      break;
    }
    previous = correction;
  }
  for (k = 0; k < S*M; ++k) {
    const double size = fabs(s->rows[S*M + k]);
    if (!(size <= report.residual)) report.residual = size;
    sum += z[k];
  }
  if (!(fabs(sum) <= DBL_MAX) || !(report.residual <= DBL_MAX)) report.status = GUARD_NOT_FINITE;
  return report;
}

/* a closer look at a step that converged: near its prediction and on the branch? */
static void judge(NAME_state* s, NAME_report* report) {
  const double* const z = s->point + FIRST_TOP + (S - 1)*M;
  const double turned = s->rows[2*S*M + 1]*s->side;
  int j;
  s->excess = 0.0;
  if (turned > 0.0 && report->distance <= CALM) return;
FORESEE  for (j = 0; j < M; ++j) {
    const double beyond = fabs(z[j] - s->predicted[j]);
    if (lowest[j] >= 0) s->excess = larger(s->excess, beyond*weight[j]/FAR_DISTANCE);
    if (DIFFERENTIATED && (lowest[j] >= 0 || s->taken > 0.0))
      s->excess = larger(s->excess, beyond/larger(JUMP_GROWTH*s->size[j], jump_floor[j]));
  }
ALLOWANCE  if (turned < 0.0)
    report->status = s->excess > 1.0 ? GUARD_BRANCH_CHANGED : GUARD_SINGULAR_PASSED;
  else if (s->excess > 1.0)
    report->status = GUARD_JUMP;
}

/* Newton's method from the prediction, then from the last positions */
static NAME_report attempt(NAME_state* s) {
  NAME_report report;
  find_known(s);
  predict(s, s->point + FIRST_TOP);
  report = iterate(s);
  if (report.status == GUARD_OK) judge(s, &report);
SECOND_GUESS  return report;
}

/* the end of the step becomes the newest of the past */
static void accept(NAME_state* s, const NAME_report* report) {
  const double* const known = s->point + FIRST_KNOWN + (S - 1)*N;
  const double* const z = s->point + FIRST_TOP;
  const double determinant = s->rows[2*S*M + 1];
  int i, j, k;
  for (k = P - 1; k > 0; --k) {
    for (i = 0; i < N; ++i) s->states[k][i] = s->states[k - 1][i];
    for (i = 0; i < M; ++i) s->tops[k][i] = s->tops[k - 1][i];
  }
  for (i = 0; i < N; ++i) {
    double value = known[i];
    for (j = 0; j < S; ++j) value += top_weight[i*S + j]*z[j*M + top_of[i]];
    s->states[0][i] = value;
  }
  for (i = 0; i < M; ++i) s->tops[0][i] = z[(S - 1)*M + i];
  for (i = 0; i < S*M; ++i) s->stage_tops[i] = z[i];
  s->has_stages = 1;
  if (s->side == 0.0 || report->status == GUARD_SINGULAR_PASSED)
    s->side = determinant > 0.0 ? 1.0 : determinant < 0.0 ? -1.0 : 0.0;
  if (DIFFERENTIATED && report->status == GUARD_OKACTIVE)
    for (i = 0; i < M; ++i) s->size[i] = larger(fabs(s->tops[0][i]), SIZE_MEMORY*s->size[i]);
  s->taken += 1.0;
  s->time = s->begin + s->taken*NAME_step_length;
}

/* within the range, then as near to that as the rate allows; 1: something was cut */
static int hand_out(NAME_state* s, double* results) {
  double asked[GUARD_RESULTS];
  int k, cut = 0;
  find_results(s->time, s->states[0], s->tops[0], asked);
  for (k = 0; k < GUARD_RESULTS; ++k) {
    const double change = s->rate[k]*NAME_step_length;
    double value = larger(asked[k], s->lowest[k]);
    if (s->highest[k] < value) value = s->highest[k];
    value = larger(value, s->handed_out[k] - change);
    if (s->handed_out[k] + change < value) value = s->handed_out[k] + change;
    if (value != asked[k]) cut = 1;
    s->handed_out[k] = results[k] = value;
  }
  return cut;
}

TRANSITION
NAME_report NAME_step(NAME_state* s, const double* signals, double* results) {
  NAME_report report;
  int stage;
  for (stage = 0; stage < S; ++stage)
    s->point[stage] = s->time + NAME_nodes[stage]*NAME_step_length;
STEP
  if (report.status != GUARD_JUMP && hand_out(s, results)) report.status = GUARD_LIMITED;
  return report;
}
)";

const char* const predict_text = R"(static void predict(const NAME_state* s, double* z) {
  int stage, j, k;
MULTISTAGE  for (stage = 0; stage < S; ++stage)
    for (j = 0; j < M; ++j) {
      double sum = 0.0;
      for (k = 0; k < PREDICTED_FROM; ++k) sum += predictor[stage*PREDICTED_FROM + k]*SOURCE;
      z[stage*M + j] = sum;
    }
}
)";

const char* const linear_predict_text = R"(static void predict(const NAME_state* s, double* z) {
  repeat(s, z);
}
)";

const char* const hold_text = R"(/* tops with which positions stay where they are */
static void hold(NAME_state* s) {
  double* const z = s->point + FIRST_TOP;
  int j;
  repeat(s, z);
  if (S > 1) return;
  for (j = 0; j < M; ++j)
    if (lowest[j] >= 0)
      z[j] = (s->states[0][lowest[j]] - s->point[FIRST_KNOWN + lowest[j]])/top_weight[lowest[j]*S];
}

)";

const char* const second_guess_text =
    R"(  if (!made(report.status)) { /* a wrong guess may be why */
    const NAME_report before = report;
    hold(s);
    report = iterate(s);
    if (report.status == GUARD_OK) judge(s, &report);
    report.iterations += before.iterations;
    if (!made(report.status) && before.status == GUARD_BRANCH_CHANGED)
      report.status = GUARD_BRANCH_CHANGED;
  }
)";

const char* const init_transition_text = R"(  s->active = s->before_active = 0;
  s->remembered = s->given_steps = s->anchor = 0;
  s->length = s->halt = s->done = s->before_length = s->before_halt = s->before_done = 0.0;
  for (i = 0; i < W; ++i) s->acceleration[i] = signal_nominal[i];
)";

const char* const follow_text = R"(static void follow(NAME_state* s, const double* signals) {
COPY_SIGNALS}
)";

const char* const step_text = R"(  follow(s, signals);
  report = attempt(s);
  if (!made(report.status)) return report;
  accept(s, &report);
)";

const char* const step_in_transition_text =
    R"(  if (s->active && jumps_again(s, signals)) begin_transition(s, signals);
  follow(s, signals);
  report = attempt(s);
  if (report.status != GUARD_OK && report.status != GUARD_SINGULAR_PASSED)
    report = redirect(s, report, signals);
  if (!made(report.status)) return report;
  accept(s, &report);
  if (remember(s, report.status == GUARD_OK, signals) && report.status == GUARD_OK)
    report.status = GUARD_TRANSITION;
)";

const char* const transition_text =
    R"(/* ---- after a jump the signals followed are, k steps after it,
 *   w = w_c + s(k/length)*(w_given - w_c),  w_c = w_0 + v*theta(k/halt) + p(theta(k/FADE)),  theta' = 1 - s,
 * with s from 0 to 1, six derivatives 0 at both ends, and w_c the continuation of the samples followed before */

static double horner(const double* c, double x) {
  return c[0] + x*(c[1] + x*(c[2] + x*(c[3] + x*(c[4] + x*(c[5] + x*c[6])))));
}

static double seventh(double x) {
  const double cube = x*x*x;
  return cube*cube*x;
}

static double smooth_step(double x) { return x < 1.0 ? seventh(x)*horner(smooth, x) : 1.0; }

static double halted(double steps, double stop) {
  const double x = steps/stop;
  return x < 1.0 ? steps - stop*(seventh(x)*x*horner(smooth_integral, x)) : 0.5*stop;
}

/* what is linear at one time, the rest at another */
static double extrapolate(const NAME_state* s, double linear, double rest, int k) {
  const double* const c = s->anchors[s->anchor];
  double value = c[(SAMPLES - 1)*W + k];
  int i;
  for (i = SAMPLES - 2; i >= 2; --i) value = c[i*W + k] + (rest - sample_nodes[i])*value;
  value *= (rest - sample_nodes[0])*(rest - sample_nodes[1]);
  return c[k] + ((linear - sample_nodes[0])*c[W + k] + value);
}

static void begin_transition(NAME_state* s, const double* given) {
  const double shortest = SHORTEST*NAME_step_length;
  double halt = shortest, seconds = s->active ? s->length*NAME_step_length : shortest;
  double* c;
  int order, i, k;
  s->before_active = s->active;
  s->before_length = s->length;
  s->before_halt = s->halt;
  s->before_done = s->done;
  s->anchor = 1 - s->anchor;
  c = s->anchors[s->anchor];
  for (i = 0; i < SAMPLES*W; ++i) c[i] = s->followed[i];
  for (order = 1; order < SAMPLES; ++order)
    for (i = SAMPLES - 1; i >= order; --i)
      for (k = 0; k < W; ++k)
        c[i*W + k] = (c[i*W + k] - c[(i - 1)*W + k])/(sample_nodes[i] - sample_nodes[i - order]);
  for (k = 0; k < W; ++k)
    halt = larger(halt, HALT_FACTOR*fabs(c[W + k])/NAME_step_length/s->acceleration[k]);
  for (k = 0; k < W; ++k) {
    const double way = fabs(given[(S - 1)*W + k] - extrapolate(s, 1.0, 1.0, k)) +
                       0.5*halt*(fabs(c[W + k])/NAME_step_length);
    seconds = larger(seconds, sqrt(WAY_FACTOR*way/s->acceleration[k]));
  }
  s->halt = halt/NAME_step_length < LONGEST ? halt/NAME_step_length : LONGEST;
  s->length = larger(halt, seconds)/NAME_step_length;
  if (!(s->length < LONGEST)) s->length = LONGEST;
  s->done = 0.0;
  s->active = 1;
  s->given_steps = 0;
}

static int jumps_again(const NAME_state* s, const double* given) {
  const double shortest = SHORTEST*NAME_step_length, limit = shortest*shortest/WAY_FACTOR;
  int k;
  if (s->given_steps < 2) return 0;
  for (k = 0; k < W; ++k)
    if (fabs(given[(S - 1)*W + k] - 2.0*s->given[k] + s->earlier_given[k]) >
        limit*s->acceleration[k])
      return 1;
  return 0;
}

static void follow(NAME_state* s, const double* given) {
  double* const w = s->point + S;
  int stage, k;
  for (stage = 0; stage < S; ++stage) {
    const double steps = s->done + NAME_nodes[stage];
    for (k = 0; k < W; ++k) {
      double value = given[stage*W + k];
      if (s->active) {
        const double c = extrapolate(s, halted(steps, s->halt), halted(steps, FADE), k);
        value = c + smooth_step(steps/s->length)*(value - c);
      }
      w[stage*W + k] = value;
    }
  }
}

/* a step that did not go well with the signals as they are: a transition leads to them, if that goes well */
static NAME_report redirect(NAME_state* s, NAME_report first, const double* signals) {
  const double excess = s->excess, twice = s->active ? 2.0*s->length : 0.0;
  const double allowance = s->active ? 1.0 : GRANTED;
  NAME_report report;
  double sum = 0.0;
  int k, before;
  for (k = 0; k < S*W; ++k) sum += signals[k];
  if (s->remembered < SAMPLES/S || !(fabs(sum) <= DBL_MAX)) return first;
  begin_transition(s, signals);
  if (!made(first.status)) {
    s->length = larger(s->length, twice);
    if (!(s->length < LONGEST)) s->length = LONGEST;
  }
  follow(s, signals);
  report = attempt(s);
  report.iterations += first.iterations;
  if (made(report.status) &&
      (!made(first.status) || allowance*s->excess < WORTHWHILE*excess))
    return report;
  s->active = s->before_active; /* it is the past that jumps, or nothing helps */
  s->length = s->before_length;
  s->halt = s->before_halt;
  s->done = s->before_done;
  s->anchor = 1 - s->anchor;
  if (!made(first.status)) return first;
  before = report.iterations;
  follow(s, signals);
  report = attempt(s);
  report.iterations += before;
  return report;
}

static void keep_acceleration(NAME_state* s) {
  const double first = 1.0/((sample_nodes[0] - sample_nodes[1])*NAME_step_length),
               second = 1.0/((sample_nodes[1] - sample_nodes[2])*NAME_step_length),
               both = 2.0/((sample_nodes[0] - sample_nodes[2])*NAME_step_length);
  int k;
  for (k = 0; k < W; ++k) {
    const double newest = s->followed[k], middle = s->followed[W + k],
                 oldest = s->followed[2*W + k];
    const double acceleration = fabs(((newest - middle)*first - (middle - oldest)*second)*both);
    s->acceleration[k] = larger(larger(acceleration, signal_nominal[k]),
                                SIZE_MEMORY*s->acceleration[k]);
  }
}

/* a step was made; 0: no transition, or its last step */
static int remember(NAME_state* s, int usual, const double* given) {
  int i, stage, k;
  for (i = SAMPLES*W - 1; i >= S*W; --i) s->followed[i] = s->followed[i - S*W];
  for (stage = 0; stage < S; ++stage)
    for (k = 0; k < W; ++k)
      s->followed[stage*W + k] = s->point[S + (S - 1 - stage)*W + k];
  if (s->remembered < SAMPLES/S) ++s->remembered;
  if (!s->active) {
    if (usual && s->remembered >= SAMPLES/S) keep_acceleration(s);
    return 0;
  }
  for (k = 0; k < W; ++k) {
    s->earlier_given[k] = s->given[k];
    s->given[k] = given[(S - 1)*W + k];
  }
  if (s->given_steps < 2) ++s->given_steps;
  s->done += 1.0;
  s->active = s->done < s->length;
  return s->active;
}
)";

}  // namespace daedal::emit
