// --plot NAME: a curve in one line of text.
#pragma once

#include "daedal/base/table.hpp"
#include "daedal/model/model.hpp"

#include <string>
#include <vector>

namespace daedal::cli {

/// Throws ModelError for a name that no column of a trajectory will have: for use before the run.
void check_plots(const std::vector<std::string>& names, const model::Model& model);

/// "  plot     x_T  ▁▂▄▆█  11 to 15 m": a line for every column of that name, or of a vector of that name.
std::string plots_of(const std::vector<std::string>& names, const Table& table);

/// `width` characters of eight heights from the smallest to the largest value: of each stretch of rows the value farthest
/// from the middle, so that no extreme is hidden. Blanks where there are no numbers.
std::string sparkline(const std::vector<double>& values, std::size_t width = 60);

}  // namespace daedal::cli
