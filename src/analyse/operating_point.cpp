#include "daedal/analyse/operating_point.hpp"

#include "asked.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/run/columns.hpp"
#include "daedal/system/point.hpp"
#include "flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace daedal::analysis {

namespace {

constexpr double on_the_manifold = 1e-9;

OperatingPoint operating_point(const derive::Dae& asked, const formulate::Problem& problem,
                               double t, const structure::Point& point) {
  OperatingPoint result;
  result.t = t;
  const model::Model& m = *problem.dae->model;
  for (std::uint32_t p = 1; p <= problem.states + problem.tops; ++p) {
    const expr::Leaf leaf = problem.layout.leaf(p);
    const std::string name = solve::name_at(problem, p);
    if (name == "work") continue;
    const Column column = leaf.symbol < m.symbols.size() ? solve::column_of(m, leaf) : Column{name};
    result.values.emplace_back(column, column.turned(point(leaf)));
  }
  result.linear = linearise_asked(asked, point);
  result.poles = poles(result.linear);
  return result;
}

/// Whether the constraints move a value that the model states; what it does not state may follow.
bool moves_stated_values(const model::Model& m, const solve::ConsistentPoint& start) {
  return std::any_of(m.starts.begin(), m.starts.end(), [&](const model::StartValue& stated) {
    const std::string name = model::name_of(m.symbols[stated.leaf.symbol], stated.leaf.order);
    return stated.stated &&
           std::any_of(start.moves.begin(), start.moves.end(), [&](const solve::Move& move) {
             return move.name == name && std::abs(move.to - move.from) > on_the_manifold;
           });
  });
}

void refuse_violations(const model::Model& m, const solve::ConsistentPoint& start) {
  Diagnostic d{Severity::error,
               m.place,
               fmt::format("model '{}': the start values are off the constraint manifold", m.name),
               {},
               "give start values that satisfy them, or linearise at rest:  `at = rest`"};
  for (const solve::StartViolation& v : start.violations) {
    if (std::abs(v.value) <= on_the_manifold) continue;
    d.details.push_back(fmt::format("constraint '{}' is violated by {:.6g}", v.name, v.value));
    for (const model::Relation& c : m.constraints)
      if (c.name == v.name && d.details.size() == 1) d.place = c.place;
  }
  if (!d.details.empty()) throw ModelError(std::move(d));
}

/// The column of a state; none for what a formulation has added.
std::optional<std::size_t> column_of(const formulate::Problem& problem, std::uint32_t state,
                                     const Table& table) {
  const expr::Leaf leaf = problem.layout.leaf(problem.state_position(state));
  const model::Symbols& symbols = problem.dae->model->symbols;
  if (leaf.symbol >= symbols.size()) return std::nullopt;
  return table.find(symbols[leaf.symbol].name, leaf.order);
}

}  // namespace

OperatingPoint linearise_at_start(const std::shared_ptr<const derive::Dae>& dae,
                                  const std::vector<std::string>& outputs) {
  Flow flow(dae);
  if (moves_stated_values(*dae->model, flow.start())) {
    solve::PrepareOptions options;
    options.start.values = solve::StartValues::as_given;
    formulate::Formulation formulation;
    formulation.kind = formulate::Kind::index1;
    refuse_violations(*dae->model, solve::prepare(dae, formulation, options).start);
  }
  const structure::Point point = flow.point(0, flow.start().states);
  return operating_point(with_outputs(*dae, outputs), flow.problem(), 0, point);
}

namespace {

void add_points(const std::shared_ptr<const derive::Dae>& dae, const AlongOptions& options,
                std::vector<OperatingPoint>& result) {
  Flow flow(dae);
  const double spacing =
      options.count > 1 ? (options.last - options.first) / (options.count - 1) : 0;
  const derive::Dae asked = with_outputs(*dae, options.outputs);
  solve::ConsistentPoint here = flow.start();
  for (int k = 0; k < options.count; ++k) {
    const double t = k + 1 == options.count ? options.last : options.first + k * spacing;
    if (t > here.t) {
      solve::SimulateOptions run;
      run.until = t;
      run.every = t - here.t;
      run.global_error = false;
      run.watch = options.watch;
      solve::Rk45Options rk45;
      rk45.tolerance = 1e-10;
      run.method = rk45;
      const solve::Trajectory trajectory = solve::simulate(flow.problem(), here, run);
      stop_point();
      if (trajectory.status != solve::Status::completed)
        throw ModelError({Severity::error,
                          dae->model->place,
                          fmt::format("model '{}': {}", dae->model->name, trajectory.reason),
                          {},
                          "choose an earlier end:  `along = FIRST:LAST`"});
      const std::size_t last = trajectory.table.rows() - 1;
      for (std::uint32_t i = 0; i < flow.problem().states; ++i)
        if (const auto column = column_of(flow.problem(), i, trajectory.table))
          here.states[i] =
              trajectory.table.columns()[*column].turned(trajectory.table.at(last, *column));
      here.t = t;
    }
    const structure::Point point = flow.point(here.t, here.states);
    if (!point)
      throw ModelError({Severity::error,
                        dae->model->place,
                        fmt::format("model '{}': the equations do not determine the motion at t = "
                                    "{} s",
                                    dae->model->name, t),
                        {},
                        {}});
    for (std::uint32_t i = 0; i < flow.problem().tops; ++i)
      here.tops[i] = point(flow.problem().layout.leaf(flow.problem().top_position(i)));
    result.push_back(operating_point(asked, flow.problem(), t, point));
  }
}

}  // namespace

std::vector<OperatingPoint> linearise_along(const std::shared_ptr<const derive::Dae>& dae,
                                            const AlongOptions& options) {
  const StopScope stoppable(options.watch.stop);
  std::vector<OperatingPoint> result;
  try {
    add_points(dae, options, result);
  } catch (const Interrupted&) {
    if (result.empty()) throw;
  }
  return result;
}

}  // namespace daedal::analysis
