/* An exported controller of the crane along its motion: median time of a step. bench/compare writes it, and compiles this with
 * HEADER, the header of the controller, STATE, INIT, STEP, MEASURED and COMMANDS, its names. */
#define _POSIX_C_SOURCE 200809L
#include HEADER

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
  enum { STEPS = 1000, RUNS = 200 };
  static double runs[RUNS];
  static STATE state;
  double measured[MEASURED], commands[COMMANDS], sum = 0;
  int n, k, run, ok = 1;
  for (run = 0; run < RUNS; ++run) {
    const double begin = now();
    INIT(&state);
    for (n = 0; n < STEPS; ++n) {
      for (k = 0; k < MEASURED; ++k) measured[k] = 5 + 1e-3*((n*7 + k*3)%11); /* near its positions */
      ok = STEP(&state, measured, commands) == 0 && ok;
      sum += commands[0];
    }
    runs[run] = (now() - begin)/STEPS;
  }
  qsort(runs, RUNS, sizeof runs[0], ascending);
  printf("{\"seconds\": %.17g, \"sum\": %.17g}\n", runs[RUNS/2], sum);
  return ok ? 0 : 1;
}
