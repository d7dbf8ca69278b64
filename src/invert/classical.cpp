// See daedal/invert/classical.hpp.
#include "daedal/invert/classical.hpp"

#include "formulate/signals.hpp"
#include "parameter_value.hpp"
#include "step_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace daedal::invert {

namespace {

using expr::Leaf;
using model::SymbolKind;

[[noreturn]] void refuse(std::string message, std::string help) {
  throw ModelError({Severity::error, {}, std::move(message), {}, std::move(help)});
}

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

/// Rows of the same columns as those of other inversions.
class Rows {
 public:
  Rows(const derive::Dae& dae, const solve::Stepper& stepper, const compile::Options& options)
      : stepper_(stepper), outputs_(dae.outputs, stepper.program(), options) {
    const model::Model& m = *dae.model;
    columns_.push_back({"t", "s"});
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
      columns_.push_back({output.name, output.unit});
  }

  Table table() const { return Table(columns_); }
  void write(Table& table) {
    const std::span<double> row = table.append();
    row[0] = stepper_.time();
    for (std::size_t c = 0; c < positions_.size(); ++c) row[1 + c] = stepper_.value(positions_[c]);
    if (row.size() > 1 + positions_.size())
      outputs_.at(stepper_, row.data() + 1 + positions_.size());
  }

 private:
  void add(const model::Model& m, Leaf leaf) {
    const auto& program = stepper_.program();
    const auto known = [&](const std::vector<Leaf>& leaves) {
      return std::find(leaves.begin(), leaves.end(), leaf) != leaves.end();
    };
    if (!known(program.states) && !known(program.tops)) return;  // a velocity that does not occur
    positions_.push_back(stepper_.find(leaf));
    const std::string& unit = m.symbols[leaf.symbol].unit;
    columns_.push_back({model::name_of(m.symbols[leaf.symbol], leaf.order),
                        unit.empty() || leaf.order == 0 ? unit : unit + "/s"});
  }

  const solve::Stepper& stepper_;
  std::vector<Column> columns_;
  std::vector<std::size_t> positions_;
  Evaluated outputs_;
};

}  // namespace

std::shared_ptr<const solve::StepProgram> step_program(const InverseModel& inverse,
                                                       const solve::ConsistentPoint& start,
                                                       const solve::Method& method) {
  return std::make_shared<const solve::StepProgram>(solve::make_step_program(
      *inverse.tracking, solve::step_formula(method), solve::step_length(method),
      solve::point_of(inverse.problem, start)));
}

solve::StepperOptions stepper_options(const solve::Method& method) {
  solve::StepperOptions options;
  if (const solve::NewtonOptions* newton = newton_of(method)) {
    if (newton->jacobian != solve::JacobianKind::exact)
      refuse("inverse models are stepped with exact Jacobians",
             "leave the option jacobian out; daedal simulate has the others");
    options.iterations = std::min(newton->newton_iterations, 100);
  }
  options.linear = std::holds_alternative<solve::LinearImplicitEulerOptions>(method);
  return options;
}

SteppedInversion step_through(const InverseModel& inverse, const solve::ConsistentPoint& start,
                              const solve::Method& method, double until, double every,
                              const compile::Options& options) {
  SteppedInversion result;
  solve::StepperOptions stepping = stepper_options(method);
  stepping.compile = options;
  const auto program = step_program(inverse, start, method);
  solve::Stepper stepper(program, stepping, start.t);
  Evaluated desired(formulate::input_signals(*program->model, program->signals), *program, options);
  Rows rows(*inverse.tracking, stepper, options);
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
  for (std::uint64_t n = 1; n <= steps; ++n) {
    for (std::uint32_t stage = 0; stage < program->stages(); ++stage)
      desired.at(stepper.time() + program->formula.nodes[stage] * step,
                 values.data() + stage * signals);
    const auto before = Clock::now();
    const solve::StepReport report = stepper.step(values);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - before).count());
    trajectory.statistics.newton_iterations += static_cast<std::uint64_t>(report.iterations);
    result.most_iterations = std::max(result.most_iterations, report.iterations);
    if (!report.ok()) {
      trajectory.status = solve::Status::stopped;
      trajectory.reason = fmt::format(
          "stopped at t = {:.6g} s: {} in {} iterations of {} with step {:g} s\n  largest "
          "residual {:.1e}, last correction {:.1e} (accepted below {:g})",
          stepper.time(), describe(report.status), report.iterations, program->formula.name, step,
          report.residual, report.correction, stepping.tolerance);
      break;
    }
    result.largest_residual = std::max(result.largest_residual, report.residual);
    ++trajectory.statistics.accepted;
    if (n % between == 0 || n == steps) rows.write(trajectory.table);
  }
  trajectory.statistics.evaluations = trajectory.statistics.newton_iterations;
  trajectory.statistics.smallest_step = trajectory.statistics.largest_step = step;
  trajectory.wall_time = std::chrono::duration<double>(Clock::now() - begin).count();
  result.times = step_times(seconds);
  return result;
}

}  // namespace daedal::invert
