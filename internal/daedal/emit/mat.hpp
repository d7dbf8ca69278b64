// Matrices for MATLAB, Octave and SciPy: MAT-files of level 4, the one whose whole layout is a header of five numbers before
// each matrix.
#pragma once

#include <string>
#include <vector>

namespace daedal::emit {

struct MatArray {
  std::string name;  // letters, digits, underscores; a letter first
  int rows = 0, columns = 0;
  std::vector<double> values = {};     // column by column
  std::vector<std::string> text = {};  // instead of values: a character matrix, a string a row
};

/// The bytes of the file. std::invalid_argument for names that are none and sizes that do not fit.
std::string to_mat(const std::vector<MatArray>& arrays);

}  // namespace daedal::emit
