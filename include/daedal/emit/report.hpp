// A report: one HTML file that holds everything a run has to say, without a network.
//
// What stands in it is plain data, filled in by whoever ran something; `page` writes it down. The text is HTML that needs no
// script. Animation, plots and typeset equations are drawn in the browser by a program that is embedded in Daedal when it is
// built with npm; without it the page says so and holds the rest.
#pragma once

#include "daedal/base/table.hpp"
#include "daedal/emit/drawing.hpp"
#include "daedal/emit/equations.hpp"
#include "daedal/solve/trajectory.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace daedal::emit {

/// One line of a plot over time: a column of a table, whose rows are those of Report::rows.
struct TimeCurve {
  std::string name, doc;
  const Table* table = nullptr;
  std::size_t column = 0;
  bool desired = false;  // dashed
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
  std::vector<std::pair<std::string, std::string>>
      facts;  // a word and what there is to say about it
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

/// Whether pages are animated: the browser's part was there when Daedal was built.
bool pages_are_animated();

}  // namespace daedal::emit
