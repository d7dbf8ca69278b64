#include "figures_of_merit.hpp"

#include "daedal/emit/report.hpp"
#include "daedal/model/command_limits.hpp"
#include "daedal/run/command_tally.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace daedal {
inline namespace task {

const std::vector<std::string>& reference_names() {
  static const std::vector<std::string> names{"servo", "end"};
  return names;
}

namespace {

using Values = std::vector<double>;

/// A change of the reference below this part of the largest error is none: percents would be of nothing.
constexpr double least_change = 0.1;
/// An output that settles to its own last value in this part of the run had no time to show that it stays there.
constexpr double too_late = 0.05;

double range_of(const Values& values, double another) {
  const auto [low, high] = std::ranges::minmax_element(values);
  return std::max(*high, another) - std::min(*low, another);
}

/// From when on |errors| stay within the band, between two rows on the line through them; none where the last one is outside.
std::optional<double> settled(const Values& times, const Values& errors, double band) {
  std::size_t r = errors.size();
  while (r > 0 && std::abs(errors[r - 1]) <= band) --r;
  if (r == errors.size()) return std::nullopt;
  if (r == 0) return 0.0;
  const double outside = std::abs(errors[r - 1]), inside = std::abs(errors[r]);
  const double share = (outside - band) / (outside - inside);
  return std::lerp(times[r - 1], times[r], share) - times.front();
}

/// sqrt(1/T int e^2 dt) by the trapezoidal rule.
double root_mean_square(const Values& times, const Values& errors) {
  double sum = 0;
  for (std::size_t r = 1; r < errors.size(); ++r)
    sum += (times[r] - times[r - 1]) *
           std::midpoint(errors[r] * errors[r], errors[r - 1] * errors[r - 1]);
  const double length = times.back() - times.front();
  return length > 0 ? std::sqrt(sum / length) : std::abs(errors.front());
}

/// Beyond the last value of the reference, in the direction in which the reference changed.
std::optional<double> overshoot_of(const Values& output, double first, double last, double scale) {
  const double change = last - first;
  if (!(std::abs(change) > least_change * scale)) return std::nullopt;
  double most = 0;
  for (const double y : output) most = std::max(most, (y - last) / change);
  return most;
}

/// The desired motions on a fine grid, from the beginning of a run to half its length after its end.
class FineReference {
 public:
  FineReference(const model::Model& model, double begin, double end) : begin_(begin) {
    constexpr std::size_t steps =
        4000;  // of a run: a cubic between them is exact to rounding for motions of seconds
    step_ = (end - begin) / steps;
    Table times(std::vector<Column>{{"t", "s"}});
    times.reserve(steps + steps / 2 + 1);
    for (std::size_t k = 0; k <= steps + steps / 2; ++k)
      times.append()[0] = begin + static_cast<double>(k) * step_;
    values_ = emit::desired_outputs(model, times);
  }

  /// By a cubic through the nearest four points; before the beginning the first value.
  double at(double t, std::size_t column) const {
    const double place = std::max(0.0, (t - begin_) / step_);
    const double last = static_cast<double>(values_.rows()) - 3;
    const double left = std::clamp(std::floor(place), 1.0, last);
    const double s = place - left;
    const auto r = static_cast<std::size_t>(left);
    const auto y = [&](std::size_t row) { return values_.at(row, column); };
    return y(r - 1) * (-s * (s - 1) * (s - 2) / 6) + y(r) * ((s + 1) * (s - 1) * (s - 2) / 2) -
           y(r + 1) * ((s + 1) * s * (s - 2) / 2) + y(r + 2) * ((s + 1) * s * (s - 1) / 6);
  }

 private:
  double begin_, step_ = 0;
  Table values_;
};

/// The delay tau that minimises int (y(t) - r(t - tau))^2 dt. Before the run r has its first value.
class Lag {
 public:
  Lag(const FineReference& reference, std::size_t column, const Values& times, const Values& output)
      : reference_(reference), column_(column) {
    constexpr std::size_t most_rows = 10'000;  // each delay that is tried looks at all of them
    const std::size_t stride = (times.size() + most_rows - 1) / most_rows;
    for (std::size_t r = 0; r < times.size(); r += stride) {
      times_.push_back(times[r]);
      output_.push_back(output[r]);
    }
  }

  /// None where the best delay is longer than half of the run.
  std::optional<double> best() const {
    constexpr int coarse = 64, refinements = 60;  // golden section: to rounding of the squares
    const double width = (times_.back() - times_.front()) / coarse;
    int least = -coarse / 2;
    double smallest = misfit(least * width);
    for (int k = least + 1; k <= coarse / 2; ++k)
      if (const double here = misfit(k * width); here < smallest) smallest = here, least = k;
    if (std::abs(least) == coarse / 2) return std::nullopt;
    const double golden = std::numbers::phi - 1;
    double low = (least - 1) * width, high = (least + 1) * width;
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double at_a = misfit(a), at_b = misfit(b);
    for (int k = 0; k < refinements; ++k) {
      if (at_a < at_b) {
        high = b, b = a, at_b = at_a;
        a = high - golden * (high - low);
        at_a = misfit(a);
      } else {
        low = a, a = b, at_a = at_b;
        b = low + golden * (high - low);
        at_b = misfit(b);
      }
    }
    const double found = std::midpoint(low, high);
    return misfit(0) <= misfit(found) ? 0 : found;
  }

 private:
  double misfit(double delay) const {
    double sum = 0;
    for (std::size_t r = 0; r < times_.size(); ++r) {
      const double error = output_[r] - reference_.at(times_[r] - delay, column_);
      const double before = r > 0 ? times_[r] - times_[r - 1] : 0;
      const double after = r + 1 < times_.size() ? times_[r + 1] - times_[r] : 0;
      sum += std::midpoint(before, after) * error * error;
    }
    return sum;
  }

  const FineReference& reference_;
  std::size_t column_;
  Values times_, output_;
};

/// `first` is the reference before the run begins.
OutputFigures figures_of_output(const Column& column, const Values& times, const Values& output,
                                double first, const Values& reference) {
  OutputFigures figures;
  figures.output = column.name;
  figures.unit = column.unit;
  Values errors(output.size());
  for (std::size_t r = 0; r < output.size(); ++r) errors[r] = output[r] - reference[r];
  for (std::size_t r = 0; r < errors.size(); ++r)
    if (const double error = std::abs(errors[r]); error > figures.peak || r == 0) {
      figures.peak = error;
      figures.peak_at = times[r];
    }
  const double change = range_of(reference, first);
  figures.of_change = change > 0 && change >= least_change * figures.peak;
  figures.scale = figures.of_change ? change : figures.peak;
  figures.settling_5 = settled(times, errors, 0.05 * figures.scale);
  figures.settling_2 = settled(times, errors, 0.02 * figures.scale);
  figures.rms = root_mean_square(times, errors);
  if (figures.of_change)
    figures.overshoot = overshoot_of(output, first, reference.back(), figures.scale);
  return figures;
}

void drop_late(std::optional<double>& settling, double length) {
  if (settling && *settling > (1 - too_late) * length) settling.reset();
}

/// A step from the first value to the last one, at the start.
OutputFigures against_end(const Column& column, const Values& times, const Values& output) {
  OutputFigures figures = figures_of_output(column, times, output, output.front(),
                                            Values(output.size(), output.back()));
  const double length = times.back() - times.front();
  drop_late(figures.settling_5, length);
  drop_late(figures.settling_2, length);
  return figures;
}

/// Outputs of the mechanism; what controllers add, such as estimates, is none of them.
std::vector<std::size_t> judged_columns(const Table& table) {
  std::vector<std::size_t> outputs, coordinates;
  for (std::size_t c = 1; c < table.width(); ++c) {
    const Column& column = table.columns()[c];
    if (column.kind == ColumnKind::output && column.controller.empty()) outputs.push_back(c);
    if (column.kind == ColumnKind::coordinate) coordinates.push_back(c);
  }
  return outputs.empty() ? coordinates : outputs;
}

bool all_finite(const Values& values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

std::vector<OutputFigures> output_figures(const model::Model& model, const Table& table,
                                          Reference reference) {
  std::vector<OutputFigures> all;
  const Values times = table.column(std::size_t{0});
  const Table desired =
      reference == Reference::servo ? emit::desired_outputs(model, table) : Table();
  std::optional<FineReference> fine;
  for (const std::size_t c : judged_columns(table)) {
    const Column& column = table.columns()[c];
    const Values output = table.column(c);
    if (!all_finite(output)) continue;
    const auto asked = desired.find(column.name);
    const Values wanted = asked ? desired.column(*asked) : Values();
    if (wanted.empty() || !all_finite(wanted)) {
      all.push_back(against_end(column, times, output));
      continue;
    }
    all.push_back(figures_of_output(column, times, output, wanted.front(), wanted));
    all.back().reference = Reference::servo;
    if (!all.back().of_change) continue;
    if (!fine) fine.emplace(model, times.front(), times.back());
    all.back().lag = Lag(*fine, *asked, times, output).best();
  }
  return all;
}

/// With a clock by all of its samples, else by the rows.
std::vector<InputFigures> input_figures(const model::Model& model,
                                        const solve::Trajectory& trajectory) {
  std::vector<InputFigures> all;
  const Table& table = trajectory.table;
  const auto add = [&](const std::string& controller, const solve::CommandRecord& record) {
    const auto column = table.find(record.input);
    all.push_back({record.input, column ? table.columns()[*column].unit : "", controller,
                   record.peak, record.peak_at, record.variation, record.low, record.high,
                   record.limited});
  };
  for (const solve::ControlRecord& control : trajectory.controls)
    for (const solve::CommandRecord& record : control.commands) add(control.controller, record);
  for (const model::Controller& controller : model.controllers) {
    if (controller.period > 0) continue;
    for (const model::Command& command : controller.commands) {
      const std::string& name = model.symbols[command.input].name;
      const auto column = table.find(name);
      if (!column) continue;
      solve::CommandTally tally(model::command_limits(model, controller, command));
      for (std::size_t r = 0; r < table.rows(); ++r)
        tally.act(table.at(r, 0), table.at(r, *column));
      solve::CommandRecord record = tally.until(table.at(table.rows() - 1, 0));
      record.input = name;
      add(controller.name, record);
    }
  }
  return all;
}

double resolution_of(const Table& table) {
  double longest = 0;
  for (std::size_t r = 1; r < table.rows(); ++r)
    longest = std::max(longest, table.at(r, 0) - table.at(r - 1, 0));
  return longest;
}

}  // namespace

FiguresOfMerit figures_of_merit(const model::Model& model, const solve::Trajectory& trajectory,
                                Reference reference) {
  FiguresOfMerit figures;
  const Table& rows = trajectory.table;
  if (rows.rows() < 2 || !(rows.at(rows.rows() - 1, 0) > rows.at(0, 0))) return figures;
  figures.resolution = resolution_of(trajectory.table);
  figures.outputs = output_figures(model, trajectory.table, reference);
  figures.inputs = input_figures(model, trajectory);
  return figures;
}

// ---- in words

namespace {

constexpr std::size_t shown_figures = 8;  // lines of a kind; JSON and page have all of them

std::string seconds_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.3g} us", 1e6 * seconds)
                        : fmt::format("{:.3g} ms", 1e3 * seconds);
}

std::string settling_text(const OutputFigures& f) {
  if (f.scale == 0) return "no error";
  const std::string of = fmt::format("{} of {}", f.of_change ? "the change" : "the largest error",
                                     with_unit(f.scale, f.unit));
  if (!f.settling_5) return fmt::format("not within 5 % of {}", of);
  std::string text = fmt::format("within 5 % of {} from {:.4g} s on", of, *f.settling_5);
  return text + (f.settling_2 ? fmt::format(", 2 % from {:.4g} s on", *f.settling_2) : ", not 2 %");
}

std::string output_text(const OutputFigures& f) {
  std::string text =
      fmt::format("{} against {}: {}", f.output,
                  f.reference == Reference::servo ? "its servo line" : "its end", settling_text(f));
  if (f.overshoot) text += fmt::format("; overshoot {:.3g} %", 100 * *f.overshoot);
  text += fmt::format("; error {} rms, {} at t = {:.4g} s", with_unit(f.rms, f.unit),
                      with_unit(f.peak, f.unit), f.peak_at);
  if (f.lag) text += fmt::format("; lag {:.4g} s", *f.lag);
  return text;
}

bool has_limits(const InputFigures& f) { return std::isfinite(f.low) || std::isfinite(f.high); }

std::string input_text(const InputFigures& f) {
  std::string text =
      fmt::format("{}: at most {} at t = {:.4g} s, total variation {}", f.input,
                  with_unit(f.peak, f.unit), f.peak_at, with_unit(f.variation, f.unit));
  if (has_limits(f)) text += fmt::format("; at a limit for {:.4g} s", f.limited);
  return text;
}

nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

}  // namespace

std::string with_unit(double value, const std::string& unit) {
  return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
}

void add_figures(std::vector<Fact>& facts, const FiguresOfMerit& figures,
                 const std::vector<solve::ControlRecord>& controls) {
  const auto rest = [&](std::size_t count) {
    if (count > shown_figures)
      facts.back().text += fmt::format("\nand {} more", count - shown_figures);
  };
  for (std::size_t k = 0; k < std::min(figures.outputs.size(), shown_figures); ++k) {
    const OutputFigures& f = figures.outputs[k];
    facts.push_back({"output", output_text(f), f.rms, f.unit, f.output});
  }
  rest(figures.outputs.size());
  for (std::size_t k = 0; k < std::min(figures.inputs.size(), shown_figures); ++k) {
    const InputFigures& f = figures.inputs[k];
    facts.push_back({"command", input_text(f), f.peak, f.unit, f.input});
  }
  rest(figures.inputs.size());
  for (const solve::ControlRecord& control : controls)
    facts.push_back(
        {"clock",
         fmt::format("{}: {} samples, {} each, {} at most", control.controller, control.samples,
                     seconds_text(control.mean_time), seconds_text(control.largest_time)),
         control.mean_time, "s", control.controller});
}

nlohmann::ordered_json figures_json(const FiguresOfMerit& figures,
                                    const std::vector<solve::ControlRecord>& controls) {
  nlohmann::ordered_json json{{"resolution", figures.resolution},
                              {"outputs", nlohmann::ordered_json::array()},
                              {"inputs", nlohmann::ordered_json::array()},
                              {"clocks", nlohmann::ordered_json::array()}};
  for (const OutputFigures& f : figures.outputs)
    json["outputs"].push_back(
        {{"output", f.output},
         {"unit", f.unit},
         {"reference", reference_names()[static_cast<std::size_t>(f.reference)]},
         {"scale", f.scale},
         {"scale_is", f.of_change ? "change" : "largest error"},
         {"settling_5", number_or_null(f.settling_5)},
         {"settling_2", number_or_null(f.settling_2)},
         {"overshoot", number_or_null(f.overshoot)},
         {"rms", f.rms},
         {"peak", f.peak},
         {"peak_at", f.peak_at},
         {"lag", number_or_null(f.lag)}});
  for (const InputFigures& f : figures.inputs)
    json["inputs"].push_back({{"input", f.input},
                              {"unit", f.unit},
                              {"controller", f.controller},
                              {"peak", f.peak},
                              {"peak_at", f.peak_at},
                              {"variation", f.variation},
                              {"low", finite_or_null(f.low)},
                              {"high", finite_or_null(f.high)},
                              {"limited", f.limited}});
  for (const solve::ControlRecord& control : controls)
    json["clocks"].push_back({{"controller", control.controller},
                              {"period", control.period},
                              {"samples", control.samples},
                              {"mean_time", control.mean_time},
                              {"largest_time", control.largest_time}});
  return json;
}

}  // namespace task
}  // namespace daedal
