/* The exported inverse model of the crane along its motion: median time of a step. bench/compare writes and compiles it. */
#define _POSIX_C_SOURCE 200809L
#include "cable_robot_inverse.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(void) {
  enum { STEPS = 1000, RUNS = 500 };
  static double desired[STEPS][2], runs[RUNS];
  static cable_robot_inverse_state state;
  double u[2] = {0, 0};
  int n, run, ok = 1;
  for (n = 0; n < STEPS; ++n) {
    const double s = (n + 1)*cable_robot_inverse_step_length/10;
    const double path = s*s*s*s*s*(126 + s*(-420 + s*(540 + s*(-315 + s*70))));
    desired[n][0] = 15 - 4*path;
    desired[n][1] = 4 + 3*path;
  }
  for (run = 0; run < RUNS; ++run) {
    const double begin = now();
    cable_robot_inverse_init(&state, 0.0);
    for (n = 0; n < STEPS; ++n)
      ok = cable_robot_inverse_step(&state, desired[n], u).status == CABLE_ROBOT_INVERSE_OK && ok;
    runs[run] = (now() - begin)/STEPS;
  }
  qsort(runs, RUNS, sizeof runs[0], ascending);
  printf("{\"seconds\": %.17g, \"u_T\": %.17g}\n", runs[RUNS/2], u[0]);
  return ok ? 0 : 1;
}
