// A mechanism as shapes that move: its draw lines at the rows of a trajectory.
#pragma once

#include "daedal/base/table.hpp"
#include "daedal/model/model.hpp"

#include <map>
#include <string>
#include <vector>

namespace daedal::emit {

/// Where the numbers of a shape stand in a frame.
struct DrawnShape {
  std::string kind;                            // line, disc, box, spring, text, arrow
  std::size_t first = 0;                       // the first coordinate of its first point
  std::size_t points = 0;                      // one after another
  std::map<std::string, std::size_t> options;  // radius and such: where the number stands
  std::string label;
};

/// Frames are rows of the trajectory, so that every one of them is a pose the mechanism really takes.
struct Drawing {
  int dimension = 2;        // of points, 2 or 3
  bool by_default = false;  // the model has no draw lines: its coordinates as dials and sliders
  std::vector<DrawnShape> shapes;
  std::vector<double> times;    // [s]
  std::vector<double> numbers;  // frame after frame, `width` each
  std::size_t width = 0;
  bool empty() const { return shapes.empty() || times.empty(); }
};

/// At most about `most_numbers` numbers, and at least two frames. Columns of `rows` are found by their names.
Drawing draw(const model::Model& model, const Table& rows, std::size_t most_numbers = 30'000);

/// What the servo lines ask for, at the rows: a column for every servo line of the form  output = desired(t), under the name
/// of the output. Inputs and parameters have their values.
Table desired_outputs(const model::Model& model, const Table& rows);

}  // namespace daedal::emit
