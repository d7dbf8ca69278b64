// Matrices of the engine as plain data, on pages and in files.
#pragma once

#include "daedal/analyse/linearise.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/study/analyse.hpp"

#include <string>
#include <vector>

namespace daedal {
inline namespace task {

Matrix matrix_of(const Eigen::MatrixXd& matrix);
LinearModel plain(const analysis::LinearModel& linear);

/// A matrix beside the names of its rows.
emit::TextTable matrix_table(std::string title, const std::vector<std::string>& columns,
                             const std::vector<std::string>& rows, const Matrix& matrix);

}  // namespace task
}  // namespace daedal
