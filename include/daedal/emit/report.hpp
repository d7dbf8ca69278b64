// A report: one HTML file with all results of a run, without a network.
//
// Its contents are plain data, filled in by the caller; `page` writes it. The text is HTML that needs no
// script. Animation, plots and typeset equations are drawn in the browser by a program that is embedded in Daedal when it is
// built with npm; without it the page says so and holds the rest.
#pragma once

#include "daedal/base/table.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/model/model.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/structure/examine.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// A mechanism as shapes that move: its draw lines at the rows of a trajectory.

namespace daedal::emit {

/// Positions of the numbers of a shape in a frame.
struct DrawnShape {
  std::string kind;                            // line, disc, box, spring, text, arrow
  std::size_t first = 0;                       // the first coordinate of its first point
  std::size_t points = 0;                      // one after another
  std::map<std::string, std::size_t> options;  // radius and the like: position of the number
  std::string label;
};

/// Frames are rows of the trajectory, so every frame is an actual pose of the mechanism.
struct Drawing {
  int dimension = 2;        // of points, 2 or 3
  bool by_default = false;  // the model has no draw lines: its coordinates as dials and sliders
  std::vector<DrawnShape> shapes;
  std::vector<double> times;    // [s]
  std::vector<double> numbers;  // frame after frame, `width` each
  std::size_t width = 0;
  bool empty() const { return shapes.empty() || times.empty(); }
};

/// At most about `most_numbers` numbers, and at least two frames. Columns of `rows` are found by their quantities.
Drawing draw(const model::Model& model, const Table& rows, std::size_t most_numbers = 30'000);

/// The desired outputs of the servo lines, at the rows: a column for every servo line of the form  output =
/// desired(t), under the name of the output. Inputs and parameters have their values.
Table desired_outputs(const model::Model& model, const Table& rows);

// The equations of a Dae, in readable form: text and LaTeX.

struct WrittenEquation {
  std::string name;  // "motion of x", "rod", "rod, differentiated twice"
  std::string text;  // "m*x'' - 2*rod*x = 0"
  std::string latex;
  int derivative = 0;  // how often the equation was differentiated
};

/// Every equation of the Dae; `limit` bounds the characters of one.
std::vector<WrittenEquation> written_equations(const derive::Dae& dae, std::size_t limit = 4000);
/// The derivatives of equations that the structure requires (hidden constraints), by equation. Those of high order or of
/// many operations have a name, but no text.
std::vector<WrittenEquation> written_derivatives(const derive::Dae& dae,
                                                 const structure::Offsets& offsets,
                                                 std::size_t limit = 4000);

/// One line of a plot over time: a column of a table, whose rows are those of Report::rows.
struct TimeCurve {
  std::string name, doc;
  const Table* table = nullptr;
  std::size_t column = 0;
  bool desired = false;  // dashed
  bool step = false;     // held from row to row
  /// The lower or upper edge of a band about this curve of the plot, filled in its colour; of each band two edges.
  std::string edge_of = {};
};
struct TimePlot {
  std::string title, unit, note;
  bool logarithmic = false;
  std::vector<TimeCurve> curves;
};

/// Points of a plane: poles and zeros, work against precision.
struct ChartSeries {
  std::string name;
  std::vector<double> x, y;
  std::vector<std::string> labels;  // of the points; may be empty
  std::string marker = "dot";       // dot, cross, ring, none
  bool joined = false;
};
struct Chart {
  std::string title, x, y, note;
  bool logarithmic_x = false, logarithmic_y = false;
  bool axes = false;  // the lines x = 0 and y = 0 mean something
  std::vector<ChartSeries> series;
  double least_x = 0,
         least_y = 0;  // an axis shows this range at least: below it are rounding errors
  bool below = false;  // under the chart before it, with the same x axis
};

struct TextTable {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

enum class Tone : std::uint8_t { good, doubtful, bad };

struct Report {
  std::string title, doc;
  std::string verdict;  // a sentence or two
  Tone tone = Tone::good;
  std::vector<std::pair<std::string, std::string>> facts;  // a keyword and its text
  std::vector<std::string> warnings;
  const Table* rows = nullptr;  // column 0: the time of every row, or its number
  std::string counted;          // what is numbered, as in "pose"; "": rows have times
  std::vector<TimePlot> plots;
  std::vector<std::pair<std::string, double>> events;  // what, when [s]
  Drawing drawing;
  std::vector<Chart> charts;
  std::vector<TextTable> tables;
  std::vector<std::pair<std::string, std::vector<WrittenEquation>>>
      equations;                                             // under their titles
  std::string structure;                                     // lines of text
  std::vector<std::pair<std::string, std::string>> sources;  // file, text
  std::string command;                                       // that made the page
  std::vector<std::shared_ptr<const Table>> kept;            // tables that only the curves point to
};

/// Motion, curves and events of a trajectory, which must outlive the report.
void add_trajectory(Report& report, const model::Model& model, const solve::Trajectory& trajectory);

std::string page(const Report& report);

/// Whether pages are animated: Daedal was built with the browser part.
bool pages_are_animated();

}  // namespace daedal::emit
