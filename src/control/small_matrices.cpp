#include "small_matrices.hpp"

#include <cmath>

namespace daedal::feedback {

SmallMatrix SmallMatrix::squares(std::span<const double> diagonal) {
  SmallMatrix m(diagonal.size(), diagonal.size());
  for (std::size_t i = 0; i < diagonal.size(); ++i) m(i, i) = diagonal[i] * diagonal[i];
  return m;
}

SmallMatrix SmallMatrix::identity(std::size_t size) {
  return squares(std::vector<double>(size, 1.0));
}

SmallMatrix SmallMatrix::transposed() const {
  SmallMatrix result(columns_, rows_);
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t j = 0; j < columns_; ++j) result(j, i) = (*this)(i, j);
  return result;
}

SmallMatrix operator*(const SmallMatrix& a, const SmallMatrix& b) {
  SmallMatrix result(a.rows(), b.columns());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t k = 0; k < a.columns(); ++k) {
      const double factor = a(i, k);
      if (factor == 0) continue;
      for (std::size_t j = 0; j < b.columns(); ++j) result(i, j) += factor * b(k, j);
    }
  return result;
}

SmallMatrix operator+(const SmallMatrix& a, const SmallMatrix& b) {
  SmallMatrix result = a;
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.columns(); ++j) result(i, j) += b(i, j);
  return result;
}

void add_product(SmallMatrix& a, double factor, std::span<const double> x,
                 std::span<const double> y) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double scaled = factor * x[i];
    for (std::size_t j = 0; j < y.size(); ++j) a(i, j) += scaled * y[j];
  }
}

bool factor(SmallMatrix& a) {
  const std::size_t n = a.rows();
  for (std::size_t j = 0; j < n; ++j) {
    double pivot = a(j, j);
    for (std::size_t k = 0; k < j; ++k) pivot -= a(j, k) * a(j, k);
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    const double root = std::sqrt(pivot);
    a(j, j) = root;
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = a(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= a(i, k) * a(j, k);
      a(i, j) = sum / root;
      a(j, i) = 0;
    }
  }
  return true;
}

void solve(const SmallMatrix& factor, std::span<double> b) {
  const std::size_t n = factor.rows();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= factor(i, k) * b[k];
    b[i] /= factor(i, i);
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= factor(k, i) * b[k];
    b[i] /= factor(i, i);
  }
}

namespace {

/// Turns x into v with (I - 2 v v^T/(v^T v)) x along the first axis; returns 2/(v^T v), 0 where nothing is to be reflected.
double reflector(std::span<double> x) {
  double square = 0;
  for (const double entry : x) square += entry * entry;
  if (square == 0) return 0;
  const double length = std::sqrt(square);
  x[0] += x[0] >= 0 ? length : -length;
  square = 0;
  for (const double entry : x) square += entry * entry;
  return 2 / square;
}

}  // namespace

SmallMatrix trapezoidal(const SmallMatrix& basis) {
  SmallMatrix columns = basis.transposed();
  constexpr double rounding = 1e-13;  // of entries, whose columns have length 1
  const std::size_t k = columns.rows(), n = columns.columns();
  std::size_t done = 0;
  std::vector<double> v(k);
  for (std::size_t entry = 0; entry < n && done < k; ++entry) {
    double square = 0;
    for (std::size_t c = done; c < k; ++c) square += columns(c, entry) * columns(c, entry);
    if (std::sqrt(square) <= rounding) continue;
    for (std::size_t c = done; c < k; ++c) v[c] = columns(c, entry);
    const double scale = reflector({v.data() + done, k - done});
    for (std::size_t i = entry; i < n; ++i) {
      double product = 0;
      for (std::size_t c = done; c < k; ++c) product += v[c] * columns(c, i);
      for (std::size_t c = done; c < k; ++c) columns(c, i) -= scale * product * v[c];
    }
    for (std::size_t c = done + 1; c < k; ++c) columns(c, entry) = 0;
    if (columns(done, entry) < 0)
      for (std::size_t i = entry; i < n; ++i) columns(done, i) = -columns(done, i);
    ++done;
  }
  return columns.transposed();
}

SmallMatrix null_space(const SmallMatrix& a) {
  const std::size_t m = a.rows(), n = a.columns();
  SmallMatrix rows = a;  // row k from column k on becomes the k-th reflection
  std::vector<double> scales(m);
  const auto reflect = [&](std::size_t k, double* from) {
    const double* const v = rows.row(k);
    double product = 0;
    for (std::size_t j = k; j < n; ++j) product += v[j] * from[j];
    for (std::size_t j = k; j < n; ++j) from[j] -= scales[k] * product * v[j];
  };
  for (std::size_t k = 0; k < m; ++k) {
    scales[k] = reflector({rows.row(k) + k, n - k});
    for (std::size_t i = k + 1; i < m; ++i) reflect(k, rows.row(i));
  }
  SmallMatrix columns(n - m, n);  // as rows
  for (std::size_t c = 0; c < n - m; ++c) {
    columns(c, m + c) = 1;
    for (std::size_t k = m; k-- > 0;) reflect(k, columns.row(c));
  }
  return columns.transposed();
}

}  // namespace daedal::feedback
