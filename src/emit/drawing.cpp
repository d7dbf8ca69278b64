// See daedal/emit/report.hpp.
#include "at_rows.hpp"
#include "daedal/emit/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::emit {

namespace {

using expr::Expr;

constexpr std::size_t most_frames = 1200;    // 60 a second for 20 s
constexpr std::size_t most_by_default = 24;  // dials and sliders that still can be read

/// Rows that become frames: the first, the last, and others at equal distances.
std::vector<std::size_t> frame_rows(std::size_t rows, std::size_t frames) {
  std::vector<std::size_t> chosen;
  const std::size_t count = std::min(rows, frames);
  for (std::size_t k = 0; k < count; ++k)
    chosen.push_back(count == 1 ? 0 : k * (rows - 1) / (count - 1));
  return chosen;
}

/// The expressions of a frame, and the positions of their values in it; points of the plane lie at height 0 of a space.
struct FrameLayout {
  std::vector<Expr> values;
  std::vector<std::size_t> places;
};

FrameLayout lay_out(const model::Model& m, Drawing& drawing) {
  for (const model::DrawItem& item : m.drawing)
    for (const std::vector<Expr>& point : item.points)
      drawing.dimension = std::max(drawing.dimension, static_cast<int>(point.size()));
  const auto dimension = static_cast<std::size_t>(drawing.dimension);
  FrameLayout layout;
  const auto add = [&](Expr value, std::size_t place) {
    layout.values.push_back(value);
    layout.places.push_back(place);
  };
  for (const model::DrawItem& item : m.drawing) {
    DrawnShape shape{item.shape, drawing.width, item.points.size(), {}, ""};
    for (const std::vector<Expr>& point : item.points) {
      for (std::size_t i = 0; i < point.size(); ++i) add(point[i], drawing.width + i);
      drawing.width += dimension;
    }
    for (const auto& [name, value] : item.options) {
      shape.options[name] = drawing.width;
      add(value, drawing.width++);
    }
    if (const auto label = item.texts.find("label"); label != item.texts.end())
      shape.label = label->second;
    drawing.shapes.push_back(std::move(shape));
  }
  return layout;
}

std::size_t frames_for(std::size_t width, std::size_t most_numbers) {
  return std::clamp<std::size_t>(most_numbers / std::max<std::size_t>(width, 1), 2, most_frames);
}

Drawing draw_lines(const model::Model& m, const Table& rows, std::size_t most_numbers) {
  Drawing drawing;
  const FrameLayout layout = lay_out(m, drawing);
  AtRows at_rows(m, rows, layout.values);
  std::vector<double> values(layout.values.size());
  for (const std::size_t row : frame_rows(rows.rows(), frames_for(drawing.width, most_numbers))) {
    at_rows.evaluate(row, values.data());
    const std::size_t frame = drawing.numbers.size();
    drawing.times.push_back(rows.at(row, 0));
    drawing.numbers.resize(frame + drawing.width);
    for (std::size_t k = 0; k < values.size(); ++k)
      drawing.numbers[frame + layout.places[k]] = values[k];
  }
  return drawing;
}

/// A coordinate without a picture: an angle is a dial, everything else a slider between its extremes.
struct Gauge {
  std::size_t column = 0;
  bool dial = false;
  double low = 0, high = 0;
};

std::vector<Gauge> gauges(const Table& rows) {
  std::vector<Gauge> found;
  for (std::size_t c = 1; c < rows.width() && found.size() < most_by_default; ++c) {
    const Column& column = rows.columns()[c];
    if (!column.is_position()) continue;
    Gauge gauge{c, column.unit == "rad", rows.at(0, c), rows.at(0, c)};
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      gauge.low = std::fmin(gauge.low, rows.at(r, c));
      gauge.high = std::fmax(gauge.high, rows.at(r, c));
    }
    found.push_back(gauge);
  }
  return found;
}

/// Gauges in one row when they are few, else in rows of at most eight; a square of side 1 each.
Drawing draw_gauges(const Table& rows, std::size_t most_numbers) {
  constexpr double radius = 0.4, knob = 0.06;
  Drawing drawing;
  drawing.by_default = true;
  const std::vector<Gauge> all = gauges(rows);
  const auto count = static_cast<double>(all.size());
  const auto columns = static_cast<std::size_t>(
      count <= 6 ? std::max(count, 1.0) : std::min(std::ceil(std::sqrt(2 * count)), 8.0));
  for (const Gauge& gauge : all) {
    const std::string& name = rows.columns()[gauge.column].name;
    const std::size_t first = drawing.width;
    drawing.shapes.push_back({"line", first, 2, {}, ""});
    drawing.shapes.push_back({"disc", first + 4, 1, {{"radius", first + 6}}, ""});
    if (gauge.dial) drawing.shapes.push_back({"ring", first, 1, {{"radius", first + 7}}, ""});
    drawing.shapes.push_back({"text", first + 8, 1, {}, name});
    drawing.width += 10;
  }
  for (const std::size_t row : frame_rows(rows.rows(), frames_for(drawing.width, most_numbers))) {
    drawing.times.push_back(rows.at(row, 0));
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::size_t line = k / columns, place = k % columns;
      const auto x = static_cast<double>(place), y = -1.2 * static_cast<double>(line);
      const Gauge& gauge = all[k];
      const double value = rows.at(row, gauge.column), range = gauge.high - gauge.low;
      const double share = range > 0 ? 2 * (value - gauge.low) / range - 1 : 0;
      const double dx = radius * (gauge.dial ? std::cos(value) : share),
                   dy = gauge.dial ? radius * std::sin(value) : 0;
      const double back = gauge.dial ? 0 : radius, end_x = gauge.dial ? x + dx : x + radius;
      for (const double number : {x - back, y, end_x, y + dy, x + dx, y + dy, knob, radius, x,
                                  y - (gauge.dial ? radius + 0.15 : 0.25)})
        drawing.numbers.push_back(number);
    }
  }
  return drawing;
}

}  // namespace

Drawing draw(const model::Model& m, const Table& rows, std::size_t most_numbers) {
  if (rows.rows() == 0) return {};
  return m.drawing.empty() ? draw_gauges(rows, most_numbers) : draw_lines(m, rows, most_numbers);
}

Table desired_outputs(const model::Model& m, const Table& rows) {
  std::vector<Column> columns;
  std::vector<Expr> values;
  for (const model::Relation& servo : m.servos) {
    if (!servo.output || !servo.desired) continue;
    const auto output =
        std::find_if(m.outputs.begin(), m.outputs.end(),
                     [&](const model::NamedValue& o) { return o.value == *servo.output; });
    if (output == m.outputs.end()) continue;
    columns.push_back({output->name, output->unit, ColumnKind::output});
    values.push_back(*servo.desired);
  }
  Table table(std::move(columns));
  if (values.empty()) return table;
  table.reserve(rows.rows());
  AtRows at_rows(m, rows, values);
  for (std::size_t r = 0; r < rows.rows(); ++r) at_rows.evaluate(r, table.append().data());
  return table;
}

}  // namespace daedal::emit
