// See daedal/invert/classical.hpp.
#include "daedal/invert/classical.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/formulate/signals.hpp"
#include "daedal/run/columns.hpp"
#include "daedal/units/dimension.hpp"
#include "parameter_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace daedal::inversion {

namespace {

using expr::Leaf;
using model::SymbolKind;

const solve::NewtonOptions* newton_of(const solve::Method& method) {
  if (const auto* bdf = std::get_if<solve::BdfOptions>(&method)) return &bdf->newton;
  if (const auto* euler = std::get_if<solve::ImplicitEulerOptions>(&method)) return &euler->newton;
  return nullptr;
}

/// A Function of time and of the unknowns of a stepper.
class Evaluated {
 public:
  Evaluated(const expr::Function& f, const solve::StepProgram& program,
            const compile::Options& options) {
    compile::Layout layout;
    layout.add({expr::time_symbol, 0});
    for (const auto* leaves : {&program.states, &program.tops})
      for (const Leaf leaf : *leaves) layout.add(leaf);
    unknowns_ = layout.size() - 1;
    layout.first_parameter = layout.size();
    for (const expr::Occurrence& o : expr::occurrences(f))
      if (layout.find(o.leaf) == compile::absent) layout.add(o.leaf);
    point_.resize(layout.size());
    for (std::uint32_t p = layout.first_parameter; p < layout.size(); ++p)
      point_[p] = parameter_value(*program.model, layout.leaf(p));
    kernel_ = compile::compile(f, layout, options);
    work_ = kernel_->workspace();
    kernel_->prepare(point_.data(), work_);
  }
  void at(double t, double* rows) {
    point_[0] = t;
    kernel_->evaluate(point_.data(), rows, work_);
  }
  void at(const solve::Stepper& stepper, double* rows) {
    for (std::size_t k = 0; k < unknowns_; ++k) point_[1 + k] = stepper.value(k);
    at(stepper.time(), rows);
  }

 private:
  std::uint32_t unknowns_ = 0;
  std::vector<double> point_;
  std::shared_ptr<const compile::Kernel> kernel_;
  compile::Workspace work_;
};

/// What a step does not solve for, as a Function of time and what it does solve for: rows of `values`, in which desired
/// outputs are what the servo lines say.
expr::Function along_the_motion(const derive::Dae& dae, const expr::Graph& from,
                                const std::vector<expr::Expr>& values) {
  const model::Model& m = *dae.model;
  auto graph = std::make_shared<expr::Graph>(m.graph);
  const auto desired = [&](Leaf leaf) -> std::optional<expr::Expr> {
    const auto input =
        std::find_if(m.inputs.begin(), m.inputs.end(),
                     [&](const model::InputDefault& d) { return d.input == leaf.symbol; });
    const bool unknown =
        std::find(dae.unknowns.begin(), dae.unknowns.end(), leaf.symbol) != dae.unknowns.end();
    if (input == m.inputs.end() || unknown) return std::nullopt;
    std::vector<expr::Expr> value{input->value};
    for (int k = 0; k < leaf.order; ++k)
      value = expr::time_derivative(*graph, value, [&](expr::SymbolId s) { return m.varies(s); });
    return value[0];
  };
  std::vector<expr::Term> terms;
  for (const expr::Expr e : expr::copy(from, values, *graph, desired))
    terms.push_back({e, static_cast<std::uint32_t>(terms.size())});
  expr::Function result{static_cast<std::uint32_t>(terms.size()), {}};
  if (!terms.empty()) result.families.push_back(expr::identity_family(graph, terms));
  return result;
}

expr::Function outputs_of(const derive::Dae& dae) {
  expr::Graph graph(dae.model->graph);
  const std::vector<expr::Expr> rows = expr::expand(dae.outputs, graph);
  return along_the_motion(dae, graph, rows);
}

/// Coordinates that the desired motion was put in for.
expr::Function replaced_of(const ReducedModel& reduced) {
  std::vector<expr::Expr> values;
  for (const auto& [leaf, value] : reduced.replaced) values.push_back(value);
  return along_the_motion(*reduced.dae, reduced.graph ? *reduced.graph : *reduced.dae->model->graph,
                          values);
}

/// Rows of the same columns as those of other inversions.
class Rows {
 public:
  Rows(const derive::Dae& dae, const ReducedModel& reduced, const solve::Stepper& stepper,
       const compile::Options& options)
      : stepper_(stepper),
        reduced_(reduced),
        outputs_(outputs_of(*reduced.dae), stepper.program(), options),
        replaced_(replaced_of(reduced), stepper.program(), options),
        replaced_values_(reduced.replaced.size()) {
    const model::Model& m = *dae.model;
    columns_.push_back(solve::column_of(m, {expr::time_symbol, 0}));
    const auto of_kinds = [&](std::initializer_list<SymbolKind> kinds, std::uint16_t order) {
      for (const expr::SymbolId s : dae.unknowns)
        if (std::find(kinds.begin(), kinds.end(), m.symbols[s].kind) != kinds.end())
          add(m, {s, order});
    };
    of_kinds({SymbolKind::coordinate, SymbolKind::variable}, 0);
    of_kinds({SymbolKind::coordinate}, 1);
    of_kinds({SymbolKind::multiplier}, 0);
    of_kinds({SymbolKind::input}, 0);
    for (const model::NamedValue& output : m.outputs)
      columns_.push_back(solve::column_of(m, output));
  }

  Table table() const { return Table(columns_); }
  void write(Table& table) {
    const std::span<double> row = table.append();
    row[0] = stepper_.time();
    if (!replaced_values_.empty()) replaced_.at(stepper_, replaced_values_.data());
    const std::size_t known = stepper_.states().size() + stepper_.tops().size();
    for (std::size_t c = 0; c < positions_.size(); ++c)
      row[1 + c] =
          columns_[1 + c].turned(positions_[c] < known ? stepper_.value(positions_[c])
                                                       : replaced_values_[positions_[c] - known]);
    if (row.size() > 1 + positions_.size())
      outputs_.at(stepper_, row.data() + 1 + positions_.size());
  }

 private:
  void add(const model::Model& m, Leaf leaf) {
    const auto& program = stepper_.program();
    const auto known = [&](const std::vector<Leaf>& leaves) {
      return std::find(leaves.begin(), leaves.end(), leaf) != leaves.end();
    };
    if (known(program.states) || known(program.tops)) {
      positions_.push_back(stepper_.find(leaf));
    } else {
      const auto replaced = std::find_if(reduced_.replaced.begin(), reduced_.replaced.end(),
                                         [&](const auto& r) { return r.first == leaf; });
      if (replaced == reduced_.replaced.end()) return;  // a velocity that does not occur
      positions_.push_back(program.states.size() + program.tops.size() +
                           static_cast<std::size_t>(replaced - reduced_.replaced.begin()));
    }
    columns_.push_back(solve::column_of(m, leaf));
  }

  const solve::Stepper& stepper_;
  const ReducedModel& reduced_;
  std::vector<Column> columns_;
  std::vector<std::size_t> positions_;  // after states and tops: coordinates that were replaced
  Evaluated outputs_, replaced_;
  std::vector<double> replaced_values_;
};

/// Steps that were made but may be wrong.
void warn_about_jumps(const model::Model& m, SteppedInversion& result) {
  const auto steps = [](std::uint64_t count) {
    return fmt::format("{} step{}", count, count == 1 ? "" : "s");
  };
  const auto warn = [&](std::string message, const char* help) {
    result.trajectory.warnings.push_back(
        {Severity::warning, m.place, std::move(message), {}, help});
  };
  if (result.jumps > 0)
    warn(fmt::format("model '{}': in {}, the first at t = {:.6g} s, highest derivatives or inputs "
                     "jump far beyond their prediction",
                     m.name, steps(result.jumps), result.first_jump),
         "the inputs there are differences across a jump of the desired motion or one of its "
         "derivatives: a smoother motion has none");
  if (result.singular_passed > 0)
    warn(fmt::format("model '{}': {}, the first at t = {:.6g} s, passed a singular pose", m.name,
                     steps(result.singular_passed), result.first_singular_passed),
         "branches of the solution meet there, and the motion may go on along another one: see the "
         "positions after it");
}

}  // namespace

Steppable step_program(const InverseModel& inverse, const solve::ConsistentPoint& start,
                       const solve::Method& method, const ClassicalForm& form) {
  const structure::Point point = solve::point_of(inverse.problem, start);
  Steppable result{reduce(inverse, point, form.reduction), {}};
  result.program = std::make_shared<const solve::StepProgram>(solve::make_step_program(
      *result.reduced.dae, solve::step_formula(method), solve::step_length(method),
      point_of(result.reduced, point), form.scaling));
  return result;
}

solve::StepperOptions stepper_options(const solve::Method& method, const ClassicalForm& form) {
  solve::StepperOptions options;
  options.residual_tolerance = form.residual;
  if (const solve::NewtonOptions* newton = newton_of(method)) {
    options.iterations = std::min(newton->newton_iterations, 100);
    options.jacobian = newton->jacobian;
    options.renew = newton->renew;
  }
  if (const auto* radau = std::get_if<solve::Radau5Options>(&method)) {
    options.jacobian = radau->jacobian;
    options.renew = radau->renew;
    if (radau->jacobian != solve::JacobianKind::exact) options.iterations = 20;
  }
  options.linear = std::holds_alternative<solve::LinearImplicitEulerOptions>(method);
  return options;
}

SteppedInversion step_through(const InverseModel& inverse, const solve::ConsistentPoint& start,
                              const solve::Method& method, double until, double every,
                              const compile::Options& options, const ClassicalForm& form) {
  SteppedInversion result;
  solve::StepperOptions stepping = stepper_options(method, form);
  stepping.compile = options;
  stepping.transition = 0;  // the motion of the model itself, as it is
  const auto [reduced, program] = step_program(inverse, start, method, form);
  solve::Stepper stepper(program, stepping, start.t);
  Evaluated desired(formulate::input_signals(*program->model, program->signals), *program, options);
  Rows rows(*inverse.tracking, reduced, stepper, options);
  const double step = program->step;
  const auto steps =
      static_cast<std::uint64_t>(std::max(1.0, std::round((until - start.t) / step)));
  const double wished = every > 0 ? every : (until - start.t) / 1000;
  const auto between = static_cast<std::uint64_t>(std::max(1.0, std::round(wished / step)));
  const std::size_t signals = program->signals.size();
  std::vector<double> values(signals * program->stages()), seconds;
  seconds.reserve(steps);

  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  solve::Trajectory& trajectory = result.trajectory;
  trajectory.method = program->formula.name;
  trajectory.table = rows.table();
  rows.write(trajectory.table);
  try {
    for (std::uint64_t n = 1; n <= steps; ++n) {
      stop_point();
      for (std::uint32_t stage = 0; stage < program->stages(); ++stage)
        desired.at(stepper.time() + program->formula.nodes[stage] * step,
                   values.data() + stage * signals);
      const auto before = Clock::now();
      const solve::StepReport report = stepper.step(values);
      seconds.push_back(std::chrono::duration<double>(Clock::now() - before).count());
      trajectory.statistics.newton_iterations += static_cast<std::uint64_t>(report.iterations);
      result.most_iterations = std::max(result.most_iterations, report.iterations);
      if (!report.made()) {
        trajectory.status = solve::Status::stopped;
        trajectory.reason = fmt::format(
            "stopped at t = {:.6g} s: {} in {} iterations of {} with step {:g} s\n  largest "
            "residual {:.1e} of '{}', last correction {:.1e} (accepted below {:g})\n  help: the "
            "motion "
            "may be out of reach or lead through a singular pose: `invert()` without a method "
            "reports it; otherwise a shorter step",
            stepper.time(), describe(report.status), report.iterations, program->formula.name, step,
            report.residual, reduced.dae->equations[report.equation].name, report.correction,
            stepping.tolerance);
        break;
      }
      if (report.status == solve::StepStatus::jump && result.jumps++ == 0)
        result.first_jump = stepper.time();
      if (report.status == solve::StepStatus::singular_passed && result.singular_passed++ == 0)
        result.first_singular_passed = stepper.time();
      result.largest_residual = std::max(result.largest_residual, report.residual);
      ++trajectory.statistics.accepted;
      if (n % between == 0 || n == steps) rows.write(trajectory.table);
    }
  } catch (const Interrupted&) {
    trajectory.status = solve::Status::interrupted;
    trajectory.reason = fmt::format("interrupted at t = {:.6g} s", stepper.time());
  }
  trajectory.statistics.evaluations = trajectory.statistics.newton_iterations;
  trajectory.statistics.smallest_step = trajectory.statistics.largest_step = step;
  trajectory.wall_time = std::chrono::duration<double>(Clock::now() - begin).count();
  result.times = step_times(std::move(seconds));
  warn_about_jumps(*inverse.tracking->model, result);
  return result;
}

}  // namespace daedal::inversion
