#include "c_kalman.hpp"

#include "c_matrices.hpp"
#include "c_text.hpp"

#include <fmt/format.h>

namespace daedal::emit {

namespace {

constexpr const char* kalman_text = R"(
static void add(double* a, const double* b, int size) {
  int k;
  for (k = 0; k < size; ++k) a[k] += b[k];
}

static void show(NAME_estimate* e) {
  multiply(basis, e->z, e->x, X, Z, 1);
  {
    int k;
    for (k = 0; k < X; ++k) e->x[k] = rest_states[k] + e->x[k];
  }
}

static void begin_estimate(NAME_estimate* e) {
  int k;
  e->begun = 0;
  for (k = 0; k < Z; ++k) e->z[k] = start_z[k];
  for (k = 0; k < Z*Z; ++k) e->covariance[k] = start_covariance[k];
  show(e);
}

/* z and its covariance a period later */
static void predict(NAME_estimate* e, const double* v) {
  double moved[Z], driven[Z], transposed[Z*Z], half[Z*Z];
  int i, j, k;
  multiply(transition, e->z, moved, Z, Z, 1);
  multiply(input_effect, v, driven, Z, U, 1);
  add(moved, driven, Z);
  for (k = 0; k < Z; ++k) e->z[k] = moved[k];
  transpose(transition, transposed, Z, Z);
  multiply(e->covariance, transposed, half, Z, Z, Z);
  multiply(transition, half, e->covariance, Z, Z, Z);
  add(e->covariance, process, Z*Z);
  for (i = 0; i < Z; ++i)
    for (j = 0; j < i; ++j) {
      const double mean = (e->covariance[i*Z + j] + e->covariance[j*Z + i])/2.0;
      e->covariance[i*Z + j] = mean;
      e->covariance[j*Z + i] = mean;
    }
}

static NAME_status estimate(NAME_estimate* e, double t, const double* inputs, const double* measured,
                            const int* fresh) {
  double v[U], seen[Y], through[Y], h[Y*Z], h_transposed[Y*Z], innovation[Y];
  double gain[Z*Y], own[Y*Y], root[Z*Y], step[Z];
  int row[Y], rows = 0, i, j, k;
  (void)t;
  for (k = 0; k < U; ++k) v[k] = inputs[k] - rest_inputs[k];
  predict(e, v);
  for (k = 0; k < Y; ++k)
    if (fresh[k]) row[rows++] = k;
  if (rows > 0) {
    multiply(sight, e->z, seen, Y, Z, 1);
    multiply(feedthrough, v, through, Y, U, 1);
    add(seen, through, Y);
    for (i = 0; i < rows; ++i) {
      for (j = 0; j < Z; ++j) h[i*Z + j] = sight[row[i]*Z + j];
      innovation[i] = measured[row[i]] - rest_measured[row[i]] - seen[row[i]];
    }
    transpose(h, h_transposed, rows, Z);
    multiply(e->covariance, h_transposed, gain, Z, Z, rows);
    multiply(h, gain, own, rows, Z, rows);
    for (i = 0; i < rows; ++i) own[i*rows + i] += variances[row[i]];
    if (!factor_of(own, rows)) return GUARD_INDEFINITE;
    for (i = 0; i < Z; ++i) solve_with(own, gain + i*rows, rows);
    multiply(gain, innovation, step, Z, rows, 1);
    add(e->z, step, Z);
    multiply(gain, own, root, Z, rows, rows);
    for (i = 0; i < Z; ++i)
      for (j = 0; j < Z; ++j) {
        double sum = 0.0;
        for (k = 0; k < rows; ++k) sum += root[i*rows + k]*root[j*rows + k];
        e->covariance[i*Z + j] -= sum;
      }
  }
  show(e);
  return GUARD_OK;
}
)";

}  // namespace

CKalman c_kalman(const feedback::LinearFilterNumbers& filter) {
  const std::size_t states = filter.rest.size();
  CKalman made;
  made.members = fmt::format(
      "  int begun;\n  double z[{0}], covariance[{1}]; /* in the directions in which it can move "
      "*/\n"
      "  double x[{2}];                              /* the states */\n",
      filter.modes, filter.modes * filter.modes, states);
  made.text =
      fmt::format("\nenum {{ Z = {}, X = {}, U = {}, Y = {} }};\n", filter.modes, states,
                  filter.rest_inputs.size(), filter.rest_outputs.size()) +
      c_table("double", "transition", filter.a) + c_table("double", "input_effect", filter.b) +
      c_table("double", "sight", filter.h) + c_table("double", "feedthrough", filter.j) +
      c_table("double", "basis", filter.basis) + c_table("double", "rest_states", filter.rest) +
      c_table("double", "rest_inputs", filter.rest_inputs) +
      c_table("double", "rest_measured", filter.rest_outputs) +
      c_table("double", "variances", filter.variances) +
      c_table("double", "process", filter.process) + start_table("start_z", filter.start) +
      start_table("start_covariance", filter.start_covariance) + matrices_text + kalman_text;
  return made;
}

}  // namespace daedal::emit
