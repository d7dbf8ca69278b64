// Many runs of a closed loop on plants that differ. What is kept: the outputs and commanded inputs of each run at the times of the
// band, for exact quantiles (8 bytes each), and a row of figures for each run; trajectories are not.
#include "daedal/base/chi_square.hpp"
#include "daedal/run/random.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/options.hpp"
#include "daedal/task/simulate.hpp"
#include "figures_of_merit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <regex>
#include <thread>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t band_steps = 200;  // without `every`

// ---- what is drawn

struct Drawn {
  std::string name, what;  // "m", "plant"
  bool uniform = false;
  double a = 0, b = 0;  // mean and deviation, or the ends
};

double number_in(const std::string& text, const std::string& what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    fault({}, fmt::format("{}: '{}' is not a number", what, text),
          "write  normal(mean, deviation)  or  uniform(low, high)");
  return value;
}

Drawn drawn_of(const std::string& name, const std::string& text, const std::string& option) {
  static const std::regex form(
      R"(\s*(normal|uniform)\s*\(\s*([^,()\s]+)\s*,\s*([^,()\s]+)\s*\)\s*)");
  const std::string what = fmt::format("{} {}={}", option, name, text);
  std::smatch parts;
  if (!std::regex_match(text, parts, form))
    fault({}, fmt::format("{}: no distribution", what),
          "write  normal(mean, deviation)  or  uniform(low, high)");
  Drawn drawn{name, option, parts[1] == "uniform", number_in(parts[2], what),
              number_in(parts[3], what)};
  if (drawn.uniform && !(drawn.a <= drawn.b))
    fault({}, fmt::format("{}: the lower end is above the upper one", what),
          "write  uniform(low, high)");
  if (!drawn.uniform && !(drawn.b >= 0))
    fault({}, fmt::format("{}: a deviation is 0 or above", what), "write  normal(mean, deviation)");
  return drawn;
}

/// [FNV-1a]
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// Of run k: a function of the seed and k.
std::uint64_t stream_of(std::uint64_t seed, std::size_t run) {
  return solve::mixed(solve::mixed(seed) + run);
}

/// Other names that are drawn too do not change it.
double value_of(const Drawn& drawn, std::uint64_t stream) {
  const std::uint64_t bits = solve::mixed(stream + hash_of(drawn.what + " " + drawn.name));
  return drawn.uniform ? std::lerp(drawn.a, drawn.b, solve::uniform_number(bits))
                       : drawn.a + drawn.b * solve::normal_number(bits);
}

/// Seeds of runs are numbers that JSON and experiments can hold.
std::uint64_t seed_of_run(std::uint64_t stream) { return solve::mixed(~stream) >> 11; }

// ---- figures of one run, as numbers in a row

struct FigureName {
  std::string figure, of, unit;
};

std::vector<FigureName> figure_names(const FiguresOfMerit& figures) {
  std::vector<FigureName> names;
  for (const OutputFigures& f : figures.outputs)
    for (const auto& [figure, unit] : {std::pair<std::string, std::string>{"settling_5", "s"},
                                       {"settling_2", "s"},
                                       {"overshoot", ""},
                                       {"rms", f.unit},
                                       {"peak", f.unit},
                                       {"lag", "s"}})
      names.push_back({figure, f.output, unit});
  for (const InputFigures& f : figures.inputs)
    for (const auto& [figure, unit] : {std::pair<std::string, std::string>{"peak", f.unit},
                                       {"variation", f.unit},
                                       {"limited", "s"}})
      names.push_back({figure, f.input, unit});
  return names;
}

std::vector<double> figure_values(const FiguresOfMerit& figures) {
  std::vector<double> values;
  for (const OutputFigures& f : figures.outputs)
    for (const std::optional<double>& value : {f.settling_5, f.settling_2, f.overshoot,
                                               std::optional(f.rms), std::optional(f.peak), f.lag})
      values.push_back(value.value_or(nowhere));
  for (const InputFigures& f : figures.inputs)
    values.insert(values.end(), {f.peak, f.variation, f.limited});
  return values;
}

/// Between the two values next to it, on a line [HyndmanFan1996, definition 7].
double quantile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

Quantiles quantiles_of(std::vector<double> values) {
  if (values.empty()) return {nowhere, nowhere, nowhere};
  std::ranges::sort(values);
  return {quantile(values, 0.025), quantile(values, 0.5), quantile(values, 0.975)};
}

// ---- the runs

/// What a run leaves behind. Each thread writes to runs of its own.
struct Outcome {
  bool done = false;
  std::string failure;
  std::vector<double> drawn, figures;
  std::vector<double> values;               // at the times of the band, column after column
  std::vector<std::vector<double>> errors;  // of observers, at samples
};

class Runs {
 public:
  Runs(const Model& model, const MonteCarloOptions& asked) : model_(model), asked_(asked) {
    for (const auto& [name, text] : asked.plant)
      drawn_.push_back(drawn_of(name, text, model.options().plant_name));
    for (const auto& [name, text] : asked.starts)
      drawn_.push_back(drawn_of(name, text, model.options().starts_name));
    options_ = asked.simulate;
    options_.global_error = false;
    options_.history = false;
    if (options_.backend == compile::Backend::automatic)
      options_.backend = compile::Backend::tape;  // a run ends before native code is ready
    options_.watch = {{}, asked.simulate.watch.stop};
    const Simulation nominal = simulate(model, options_);
    if (nominal.interrupted) throw Interrupted();
    if (!nominal.figures)
      fault({}, "many runs: of which controller?", "name one that acts:  controller = ...");
    names_ = figure_names(*nominal.figures);
    for (const solve::ControlRecord& control : nominal.trajectory.controls)
      if (control.degrees > 0)
        observers_.push_back({control.controller, control.degrees, 0, 0, 0, 0});
    lay_out(nominal);
    check_names();
  }

  /// Every run, on several threads.
  void work(std::vector<Outcome>& outcomes) const {
    std::atomic<std::size_t> next{0}, done{0};
    std::mutex telling;
    const auto part = [&, starter = StopScope::current()] {
      const StopScope stoppable(starter);
      for (std::size_t k; (k = next++) < outcomes.size() && !StopScope::stopped();) {
        outcomes[k] = run(k);
        const std::size_t count = ++done;
        if (!asked_.simulate.watch.progress) continue;
        const std::lock_guard lock(telling);
        const std::string text = fmt::format("{} of {} runs", count, outcomes.size());
        asked_.simulate.watch.progress(
            {static_cast<double>(count) / static_cast<double>(outcomes.size()), text});
      }
    };
    const unsigned machine = std::max(1u, std::thread::hardware_concurrency());
    const auto threads =
        std::min<std::size_t>(asked_.threads > 0 ? asked_.threads : machine, outcomes.size());
    std::vector<std::jthread> helpers;
    for (std::size_t k = 1; k < threads; ++k) helpers.emplace_back(part);
    part();
  }

  const std::vector<Drawn>& drawn() const { return drawn_; }
  const std::vector<FigureName>& figures() const { return names_; }
  const std::vector<double>& times() const { return times_; }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<Consistency>& observers() const { return observers_; }

 private:
  /// Times and columns of the band.
  void lay_out(const Simulation& nominal) {
    const double until = nominal.options.until;
    if (!options_.every) options_.every = until / band_steps;
    options_.until = until;
    const double every = *options_.every;
    const auto steps = static_cast<std::size_t>(std::ceil(until / every - 1e-9));
    for (std::size_t k = 0; k < steps; ++k) times_.push_back(static_cast<double>(k) * every);
    times_.push_back(until);
    const Table& table = nominal.trajectory.table;
    const auto add = [&](const std::string& name) {
      if (const auto column = table.find(name)) columns_.push_back(table.columns()[*column]);
    };
    for (const OutputFigures& f : nominal.figures->outputs) add(f.output);
    for (const InputFigures& f : nominal.figures->inputs) add(f.input);
    constexpr double most = 4e9;  // [bytes]
    const double bytes = 8.0 * static_cast<double>(times_.size() * columns_.size()) *
                         static_cast<double>(asked_.runs);
    if (bytes > most)
      fault({},
            fmt::format("{} runs with {} times of {} columns would need {:.3g} GB", asked_.runs,
                        times_.size(), columns_.size(), bytes / 1e9),
            "give a longer interval between the times with  every");
  }

  /// Names that are none are faults of the question, not of every run.
  void check_names() const {
    if (drawn_.empty()) return;
    std::map<std::string, std::string> plant, starts;
    for (const Drawn& drawn : drawn_)
      (drawn.what == model_.options().plant_name ? plant : starts)[drawn.name] =
          fmt::format("{}", drawn.uniform ? std::midpoint(drawn.a, drawn.b) : drawn.a);
    model_.with_plant(plant, starts);
  }

  Outcome run(std::size_t k) const {
    Outcome outcome;
    const std::uint64_t stream = stream_of(asked_.seed, k);
    std::map<std::string, std::string> plant, starts;
    for (const Drawn& drawn : drawn_) {
      outcome.drawn.push_back(value_of(drawn, stream));
      (drawn.what == model_.options().plant_name ? plant : starts)[drawn.name] =
          fmt::format("{}", outcome.drawn.back());
    }
    SimulateOptions options = options_;
    options.seed = seed_of_run(stream);
    try {
      const Simulation result = simulate(model_.with_plant(plant, starts), options);
      if (result.interrupted) return {};
      outcome.done = true;
      if (!result.holds)
        outcome.failure = result.reason.empty() ? result.verdict : result.reason;
      else
        keep(result, outcome);
    } catch (const ModelError& error) {
      outcome.done = true;
      outcome.failure = error.diagnostics().front().message;
    } catch (const Interrupted&) {
      return {};
    }
    return outcome;
  }

  void keep(const Simulation& run, Outcome& outcome) const {
    for (const solve::ControlRecord& control : run.trajectory.controls)
      if (control.degrees > 0) outcome.errors.push_back(thinned(control.estimation_errors));
    outcome.figures = figure_values(*run.figures);
    const Table& table = run.trajectory.table;
    outcome.values.reserve(columns_.size() * times_.size());
    for (const Column& column : columns_) {
      const std::size_t c = table.find(column.name).value_or(0);
      std::size_t row = 0;
      for (const double t : times_) {  // of rows at one time the last: after an event
        while (row + 1 < table.rows() && table.at(row + 1, 0) <= t) ++row;
        outcome.values.push_back(table.at(row, c));
      }
    }
  }

  /// One in so many that at most a thousand are kept of each run.
  static std::vector<double> thinned(const std::vector<double>& errors) {
    constexpr std::size_t most = 1000;
    const std::size_t stride = std::max<std::size_t>((errors.size() + most - 1) / most, 1);
    std::vector<double> kept;
    for (std::size_t k = 0; k < errors.size(); k += stride) kept.push_back(errors[k]);
    return kept;
  }

  const Model& model_;
  const MonteCarloOptions& asked_;
  std::vector<Drawn> drawn_;
  SimulateOptions options_;
  std::vector<FigureName> names_;
  std::vector<double> times_;
  std::vector<Column> columns_;
  std::vector<Consistency> observers_;
};

bool succeeded_in(const Outcome& outcome) { return outcome.done && outcome.failure.empty(); }

Table bands_of(const Runs& runs, const std::vector<Outcome>& outcomes) {
  std::vector<Column> columns{{"t", "s"}};
  for (const Column& column : runs.columns())
    for (const char* share : {" 2.5 %", " 50 %", " 97.5 %"})
      columns.push_back({column.name + share, column.unit});
  Table bands(std::move(columns));
  for (std::size_t k = 0; k < runs.times().size(); ++k) {
    const std::span<double> row = bands.append();
    row[0] = runs.times()[k];
    for (std::size_t c = 0; c < runs.columns().size(); ++c) {
      std::vector<double> values;
      for (const Outcome& outcome : outcomes)
        if (succeeded_in(outcome)) values.push_back(outcome.values[c * runs.times().size() + k]);
      const Quantiles q = quantiles_of(std::move(values));
      row[1 + 3 * c] = q.low, row[2 + 3 * c] = q.median, row[3 + 3 * c] = q.high;
    }
  }
  return bands;
}

Table runs_table(const Runs& runs, const std::vector<Outcome>& outcomes) {
  std::vector<Column> columns{{"run", ""}};
  for (const Drawn& drawn : runs.drawn()) columns.push_back({drawn.name, ""});
  for (const FigureName& name : runs.figures())
    columns.push_back({name.of + " " + name.figure, name.unit});
  Table table(std::move(columns));
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    if (!succeeded_in(outcomes[k])) continue;
    const std::span<double> row = table.append();
    row[0] = static_cast<double>(k);
    const auto figures = std::ranges::copy(outcomes[k].drawn, row.begin() + 1).out;
    std::ranges::copy(outcomes[k].figures, figures);
  }
  return table;
}

/// The sum of the errors of N runs at one sample is chi-square distributed with N times the degrees of freedom of one
/// [BarShalomLiKirubarajan2001, section 5.4.2].
std::vector<Consistency> consistency_of(const Runs& runs, const std::vector<Outcome>& outcomes) {
  std::vector<Consistency> all = runs.observers();
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::vector<double> sums;
    double count = 0;
    for (const Outcome& outcome : outcomes) {
      if (!succeeded_in(outcome)) continue;
      const std::vector<double>& errors = outcome.errors[k];
      sums.resize(std::max(sums.size(), errors.size()));
      for (std::size_t i = 0; i < errors.size(); ++i) sums[i] += errors[i];
      ++count;
    }
    if (count == 0) continue;
    const double degrees = count * static_cast<double>(all[k].degrees);
    all[k].low = base::chi_square_quantile(degrees, 0.025) / degrees;
    all[k].high = base::chi_square_quantile(degrees, 0.975) / degrees;
    const auto samples = static_cast<double>(sums.size());
    for (const double sum : sums) {
      all[k].average += sum / count / samples;
      if (sum / count >= all[k].low && sum / count <= all[k].high) all[k].within += 1 / samples;
    }
  }
  return all;
}

void judge_runs(MonteCarlo& result) {
  const std::size_t good = result.table_of_runs.rows();
  if (result.interrupted)
    result.reason = fmt::format("interrupted: {} of {} runs are done", result.done, result.runs);
  else if (!result.failures.empty())
    result.reason = fmt::format(
        "{} of {} runs did not come to an end that can be trusted; run {}: {}",
        result.failures.size(), result.done, result.failures[0].run, result.failures[0].reason);
  result.holds = result.reason.empty();
  result.tone = result.holds ? emit::Tone::good : good > 0 ? emit::Tone::doubtful : emit::Tone::bad;
  result.verdict =
      result.holds ? fmt::format("All {} runs came to their end.", result.runs) : result.reason;
}

}  // namespace

MonteCarlo monte_carlo(const Model& model, const MonteCarloOptions& asked) {
  if (asked.runs == 0) fault({}, "`runs` is a whole number above 0");
  const StopScope stoppable(asked.simulate.watch.stop);
  const auto begin = std::chrono::steady_clock::now();
  MonteCarlo result(model);
  result.title = title_of(model, asked.simulate.experiment);
  result.warnings = model.warnings();
  const Runs runs(model, asked);
  std::vector<Outcome> outcomes(asked.runs);
  runs.work(outcomes);
  result.runs = asked.runs;
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    if (!outcomes[k].done) continue;
    ++result.done;
    if (!outcomes[k].failure.empty()) result.failures.push_back({k, outcomes[k].failure});
  }
  result.interrupted = result.done < result.runs;
  result.bands = bands_of(runs, outcomes);
  result.table_of_runs = runs_table(runs, outcomes);
  const std::size_t first = 1 + runs.drawn().size();
  for (std::size_t k = 0; k < runs.figures().size(); ++k) {
    std::vector<double> values = result.table_of_runs.column(first + k);
    std::erase_if(values, [](double value) { return std::isnan(value); });
    const std::size_t known = values.size();
    const FigureName& name = runs.figures()[k];
    result.figures.push_back(
        {name.figure, name.of, name.unit, quantiles_of(std::move(values)), known});
  }
  result.observers = consistency_of(runs, outcomes);
  judge_runs(result);
  result.wall_time =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

// ---- in words

namespace {

/// Figures of an output and of an input in words; of both there is a peak.
std::string words_of(const FigureQuantiles& f, const std::vector<FigureQuantiles>& all) {
  if (f.figure == "settling_5") return "within 5 % from";
  if (f.figure == "settling_2") return "within 2 % from";
  if (f.figure == "rms") return "rms error";
  if (f.figure == "variation") return "total variation";
  if (f.figure == "limited") return "at a limit for";
  if (f.figure != "peak") return f.figure;
  const bool of_output = std::ranges::any_of(
      all, [&](const FigureQuantiles& other) { return other.of == f.of && other.figure == "rms"; });
  return of_output ? "largest error" : "at most";
}

/// As people read it: an overshoot in percent.
FigureQuantiles readable(FigureQuantiles f) {
  if (f.figure != "overshoot") return f;
  f.unit = "%";
  f.values = {100 * f.values.low, 100 * f.values.median, 100 * f.values.high};
  return f;
}

std::string range_text(const FigureQuantiles& f, std::size_t runs) {
  std::string text = fmt::format("{:.4g} .. {:.4g} .. {}", f.values.low, f.values.median,
                                 with_unit(f.values.high, f.unit));
  if (f.known < runs) text += fmt::format(" in {} runs", f.known);
  return text;
}

}  // namespace

std::vector<Fact> MonteCarlo::facts() const {
  std::vector<Fact> facts;
  facts.push_back({"runs",
                   fmt::format("{} of {} came to their end, in {:.3g} s", table_of_runs.rows(),
                               runs, wall_time),
                   static_cast<double>(table_of_runs.rows()), "", ""});
  constexpr std::size_t shown_failures = 3;
  for (std::size_t k = 0; k < std::min(failures.size(), shown_failures); ++k)
    facts.push_back(
        {"failed", fmt::format("run {}: {}", failures[k].run, failures[k].reason), {}, "", ""});
  if (failures.size() > shown_failures)
    facts.back().text += fmt::format("\nand {} more", failures.size() - shown_failures);
  for (const Consistency& c : observers)
    facts.push_back(
        {"observer",
         fmt::format("{}: normalised squared error {:.4g} on average; at {:.3g} % of its "
                     "samples the average of the runs lies within {:.4g} .. {:.4g}, 95 % "
                     "expected if model and noise are as assumed",
                     c.controller, c.average, 100 * c.within, c.low, c.high),
         c.average, "", c.controller});
  for (const FigureQuantiles& f : figures) {
    if (f.known == 0) continue;
    facts.push_back({"95 %",
                     fmt::format("{}: {} {}", f.of, words_of(f, figures),
                                 range_text(readable(f), table_of_runs.rows())),
                     f.values.median, f.unit, f.of});
  }
  return facts;
}

Json MonteCarlo::json() const {
  nlohmann::ordered_json json{{"model", model.name()},
                              {"status", interrupted ? "interrupted"
                                         : holds     ? "completed"
                                                     : "stopped"},
                              {"runs", runs},
                              {"done", done},
                              {"figures", nlohmann::ordered_json::array()},
                              {"observers", nlohmann::ordered_json::array()},
                              {"failures", nlohmann::ordered_json::array()},
                              {"wall_time", wall_time}};
  if (!reason.empty()) json["reason"] = phrased(reason);
  const auto finite = [](double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  for (const FigureQuantiles& f : figures)
    json["figures"].push_back({{"figure", f.figure},
                               {"of", f.of},
                               {"unit", f.unit},
                               {"low", finite(f.values.low)},
                               {"median", finite(f.values.median)},
                               {"high", finite(f.values.high)},
                               {"runs", f.known}});
  for (const Consistency& c : observers)
    json["observers"].push_back({{"controller", c.controller},
                                 {"degrees", c.degrees},
                                 {"average", finite(c.average)},
                                 {"low", finite(c.low)},
                                 {"high", finite(c.high)},
                                 {"within", c.within}});
  for (const FailedRun& failure : failures)
    json["failures"].push_back({{"run", failure.run}, {"reason", phrased(failure.reason)}});
  return {std::move(json)};
}

void MonteCarlo::illustrate(emit::Report& page) const {
  page.rows = &bands;
  for (std::size_t c = 1; c + 2 < bands.width(); c += 3) {
    const Column& median = bands.columns()[c + 1];
    const std::string name = median.name.substr(0, median.name.rfind(" 50 %"));
    page.plots.push_back({name,
                          median.unit,
                          "median, and the band in which 95 % of the runs lie at each time",
                          false,
                          {{"median", "", &bands, c + 1, false},
                           {"2.5 %", "", &bands, c, false, false, "median"},
                           {"97.5 %", "", &bands, c + 2, false, false, "median"}}});
  }
  emit::TextTable table{"Figures of merit over the runs",
                        {"of", "figure", "2.5 %", "median", "97.5 %", "unit", "runs"},
                        {}};
  for (const FigureQuantiles& raw : figures)
    if (const FigureQuantiles f = readable(raw); f.known > 0)
      table.rows.push_back({f.of, words_of(f, figures), fmt::format("{:.4g}", f.values.low),
                            fmt::format("{:.4g}", f.values.median),
                            fmt::format("{:.4g}", f.values.high), f.unit,
                            fmt::format("{}", f.known)});
  page.tables.push_back(std::move(table));
}

}  // namespace task
}  // namespace daedal
