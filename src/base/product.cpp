#include "daedal/base/product.hpp"

#include "daedal/base/progress.hpp"

#include <algorithm>

namespace daedal {

using Eigen::Index;
using Eigen::MatrixXd;

/// Columns by columns: no sum is split. A single column would be added up in another order than one of many.
MatrixXd product(const MatrixXd& a, const MatrixXd& b) {
  constexpr double between_stops = 2e7;  // products of numbers, some 20 ms
  constexpr Index least = 16;
  if (a.size() == 0 || b.size() == 0) return MatrixXd::Zero(a.rows(), b.cols());
  const auto most = static_cast<Index>(between_stops / static_cast<double>(a.size()));
  const Index width = std::max(least, std::min(most, b.cols()));
  MatrixXd result(a.rows(), b.cols());
  for (Index first = 0; first < b.cols();) {
    stop_point();
    const Index left = b.cols() - first, columns = left < 2 * width ? left : width;
    result.middleCols(first, columns).noalias() = a * b.middleCols(first, columns);
    first += columns;
  }
  return result;
}

}  // namespace daedal
