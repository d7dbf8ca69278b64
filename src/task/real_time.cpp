#include "daedal/task/real_time.hpp"

#include "stepping.hpp"

#include <algorithm>

namespace daedal {
inline namespace task {

RealTime::RealTime(const Model& model, const ExportOptions& options)
    : RealTime(stepping_of(model, options)) {}

RealTime::RealTime(const Stepping& stepping)
    : signals_(names_of_signals(*stepping.program)),
      names_(names_of(stepping.results)),
      warnings_(stepping.warnings),
      length_(stepping.program->step),
      stepper_(stepping.program, stepping.options) {
  const solve::StepProgram& program = *stepping.program;
  compile::Layout layout;
  layout.add({expr::time_symbol, 0});
  for (const expr::Leaf leaf : program.states) layout.add(leaf);
  for (const expr::Leaf leaf : program.tops) layout.add(leaf);
  layout.first_parameter = layout.size();
  point_.assign(layout.size(), 0);
  std::vector<expr::Term> terms;
  for (const emit::CResult& result : stepping.results.values)
    terms.push_back({result.value, static_cast<std::uint32_t>(terms.size())});
  expr::Function values{static_cast<std::uint32_t>(terms.size()), {}};
  values.families.push_back(expr::identity_family(stepping.results.graph, terms));
  for (const expr::Occurrence& one : expr::occurrences(values)) {
    const model::Symbol& symbol = program.model->symbols[one.leaf.symbol];
    if (layout.find(one.leaf) != compile::absent) continue;
    if (program.model->varies(one.leaf.symbol))
      throw ModelError(Diagnostic{
          Severity::error,
          program.model->place,
          "a result contains '" + name_of(symbol, one.leaf.order) + "', which a step does not have",
          {},
          ""});
    layout.add(one.leaf);
    point_.push_back(symbol.value);
  }
  kernel_ = compile::compile(values, layout, stepping.options.compile);
  work_ = kernel_->workspace();
  kernel_->prepare(point_.data(), work_);
}

void RealTime::evaluate(double* values) {
  point_[0] = stepper_.time();
  const auto after_states =
      std::copy(stepper_.states().begin(), stepper_.states().end(), point_.begin() + 1);
  std::copy(stepper_.tops().begin(), stepper_.tops().end(), after_states);
  kernel_->evaluate(point_.data(), values, work_);
}

}  // namespace task
}  // namespace daedal
