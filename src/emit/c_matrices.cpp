#include "c_matrices.hpp"

namespace daedal::emit {

const char* const matrices_text = R"(
/* c = a b, of sizes rows x inner and inner x columns */
static void multiply(const double* a, const double* b, double* c, int rows, int inner, int columns) {
  int i, j, k;
  for (i = 0; i < rows*columns; ++i) c[i] = 0.0;
  for (i = 0; i < rows; ++i)
    for (k = 0; k < inner; ++k) {
      const double factor = a[i*inner + k];
      if (factor == 0.0) continue;
      for (j = 0; j < columns; ++j) c[i*columns + j] += factor*b[k*columns + j];
    }
}

static void transpose(const double* a, double* b, int rows, int columns) {
  int i, j;
  for (i = 0; i < rows; ++i)
    for (j = 0; j < columns; ++j) b[j*rows + i] = a[i*columns + j];
}

/* the lower triangular L with L L^T = a, in the place of a; 0 where a is not positive definite */
static int factor_of(double* a, int n) {
  int i, j, k;
  for (j = 0; j < n; ++j) {
    double pivot = a[j*n + j];
    for (k = 0; k < j; ++k) pivot -= a[j*n + k]*a[j*n + k];
    if (!(pivot > 0.0) || !isfinite(pivot)) return 0;
    a[j*n + j] = sqrt(pivot);
    for (i = j + 1; i < n; ++i) {
      double sum = a[i*n + j];
      for (k = 0; k < j; ++k) sum -= a[i*n + k]*a[j*n + k];
      a[i*n + j] = sum/a[j*n + j];
      a[j*n + i] = 0.0;
    }
  }
  return 1;
}

/* L L^T x = b, in the place of b */
static void solve_with(const double* factor, double* b, int n) {
  int i, k;
  for (i = 0; i < n; ++i) {
    for (k = 0; k < i; ++k) b[i] -= factor[i*n + k]*b[k];
    b[i] /= factor[i*n + i];
  }
  for (i = n - 1; i >= 0; --i) {
    for (k = i + 1; k < n; ++k) b[i] -= factor[k*n + i]*b[k];
    b[i] /= factor[i*n + i];
  }
}
)";

const char* const bases_text = R"(
/* x becomes v with (I - 2 v v^T/(v^T v)) x along the first axis; 2/(v^T v), 0 where nothing is to be reflected */
static double reflector(double* x, int n) {
  double square = 0.0, length;
  int k;
  for (k = 0; k < n; ++k) square += x[k]*x[k];
  if (square == 0.0) return 0.0;
  length = sqrt(square);
  x[0] += x[0] >= 0.0 ? length : -length;
  square = 0.0;
  for (k = 0; k < n; ++k) square += x[k]*x[k];
  return 2.0/square;
}

static void reflect(const double* v, double scale, double* x, int n) {
  double product = 0.0;
  int k;
  for (k = 0; k < n; ++k) product += v[k]*x[k];
  for (k = 0; k < n; ++k) x[k] -= scale*product*v[k];
}

/* rows of b: an orthonormal basis of the null space of a, of size m x n, which is overwritten */
static void null_space(double* a, double* b, double* scales, int m, int n) {
  int c, i, k;
  for (k = 0; k < m; ++k) {
    scales[k] = reflector(a + k*n + k, n - k);
    for (i = k + 1; i < m; ++i) reflect(a + k*n + k, scales[k], a + i*n + k, n - k);
  }
  for (i = 0; i < (n - m)*n; ++i) b[i] = 0.0;
  for (c = 0; c < n - m; ++c) {
    b[c*n + m + c] = 1.0;
    for (k = m - 1; k >= 0; --k) reflect(a + k*n + k, scales[k], b + c*n + k, n - k);
  }
}

/* k rows of n entries, orthonormal: the same space, each row begins later than the one before it, with a positive entry */
static void trapezoidal(double* b, double* v, int k, int n) {
  int done = 0, entry, c, i;
  for (entry = 0; entry < n && done < k; ++entry) {
    double square = 0.0, scale;
    for (c = done; c < k; ++c) square += b[c*n + entry]*b[c*n + entry];
    if (sqrt(square) <= 1e-13) continue;
    for (c = done; c < k; ++c) v[c] = b[c*n + entry];
    scale = reflector(v + done, k - done);
    for (i = entry; i < n; ++i) {
      double product = 0.0;
      for (c = done; c < k; ++c) product += v[c]*b[c*n + i];
      for (c = done; c < k; ++c) b[c*n + i] -= scale*product*v[c];
    }
    for (c = done + 1; c < k; ++c) b[c*n + entry] = 0.0;
    if (b[done*n + entry] < 0.0)
      for (i = entry; i < n; ++i) b[done*n + i] = -b[done*n + i];
    ++done;
  }
}
)";

const char* const solve_scaled_text = R"(
/* a x = b, in the place of b: rows, then columns scaled, Gaussian elimination with row exchanges; 0 where a is singular to
 * rounding or not finite */
static int solve_scaled(double* a, double* b, int n) {
  double scale[LARGEST], least = HUGE_VAL, most = 0.0;
  int i, j, k;
  for (i = 0; i < n; ++i) {
    double largest = 0.0;
    if (!isfinite(b[i])) return 0;
    for (j = 0; j < n; ++j) {
      if (!isfinite(a[i*n + j])) return 0;
      if (largest < fabs(a[i*n + j])) largest = fabs(a[i*n + j]);
    }
    if (largest == 0.0) return 0;
    for (j = 0; j < n; ++j) a[i*n + j] /= largest;
    b[i] /= largest;
  }
  for (j = 0; j < n; ++j) {
    double largest = 0.0;
    for (i = 0; i < n; ++i)
      if (largest < fabs(a[i*n + j])) largest = fabs(a[i*n + j]);
    if (largest == 0.0) return 0;
    for (i = 0; i < n; ++i) a[i*n + j] /= largest;
    scale[j] = largest;
  }
  for (k = 0; k < n; ++k) {
    int best = k;
    for (i = k + 1; i < n; ++i)
      if (fabs(a[i*n + k]) > fabs(a[best*n + k])) best = i;
    if (best != k) {
      const double right = b[k];
      b[k] = b[best];
      b[best] = right;
      for (j = 0; j < n; ++j) {
        const double entry = a[k*n + j];
        a[k*n + j] = a[best*n + j];
        a[best*n + j] = entry;
      }
    }
    if (fabs(a[k*n + k]) < least) least = fabs(a[k*n + k]);
    if (most < fabs(a[k*n + k])) most = fabs(a[k*n + k]);
    if (a[k*n + k] == 0.0) return 0;
    for (i = k + 1; i < n; ++i) a[i*n + k] /= a[k*n + k];
    for (j = k + 1; j < n; ++j) {
      const double factor = a[k*n + j];
      if (factor == 0.0) continue; /* not within the loop: masked products are fused by some compilers */
      for (i = k + 1; i < n; ++i) a[i*n + j] -= factor*a[i*n + k];
    }
  }
  if (!(least > 1e-14*most)) return 0;
  for (k = 0; k < n; ++k)
    if (b[k] != 0.0)
      for (i = k + 1; i < n; ++i) b[i] -= b[k]*a[i*n + k];
  for (k = n - 1; k >= 0; --k) {
    b[k] /= a[k*n + k];
    if (b[k] != 0.0)
      for (i = 0; i < k; ++i) b[i] -= b[k]*a[i*n + k];
  }
  for (j = 0; j < n; ++j) b[j] /= scale[j];
  return 1;
}
)";

}  // namespace daedal::emit
