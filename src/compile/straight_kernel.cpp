#include "daedal/compile/straight_kernel.hpp"

#include "compile/native_module.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace daedal::compile {

StraightKernel::Code::Code(Program lowered, const Options& options)
    : program(std::move(lowered)), tape(program) {
  request.program = &program;
  request.chunk = options.chunk;
  request.calls = native_calls();
  // What prepare() has computed stays in the tape's registers, and native code reads it there.
  for (std::uint32_t k = 0; k < program.loads.size(); ++k) {
    const bool prepared = k < program.prepared_loads;
    request.loads.push_back({prepared ? NativeRead::From::uniform : NativeRead::From::point,
                             prepared ? program.first_load() + k : program.loads[k]});
  }
  for (std::uint32_t i = 0; i < program.prepared; ++i)
    request.prepared.push_back(tape.register_of(program.first_code() + i));
}

StraightKernel::StraightKernel(Program program, const Options& options)
    : code_(std::make_shared<Code>(std::move(program), options)),
      tier_(std::shared_ptr<const NativeRequest>(code_, &code_->request), options.backend,
            code_->program.code.size()) {}

// One place per value: native functions pass values on under their number. The registers that prepare() fills have
// numbers below those of all values computed later, so the two never meet.
Workspace StraightKernel::workspace() const {
  Workspace work;
  work.values.resize(scratch());
  initialize(work.values.data());
  return work;
}

void StraightKernel::prepare(const double* point, Workspace& work) const {
  code_->tape.prepare(point, work.values.data());
}

void StraightKernel::evaluate(const double* point, double* rows, Workspace& work) const {
  double* const values = work.values.data();
  if (const NativeCode* native = tier_.code()) {
    for (const NativeFunction function : native->functions)
      function(point, rows, values, values, nullptr, 0);
  } else {
    code_->tape.evaluate(point, rows, values);
    tier_.count_tape_evaluation();
  }
}

Source point_source(const expr::Graph& graph, const Layout& layout) {
  return [&graph, &layout](expr::Expr e) -> std::optional<Load> {
    if (graph.node(e).op != expr::Op::leaf) return std::nullopt;
    const expr::Leaf leaf = graph.leaf_of(e);
    const std::uint32_t position = layout.find(leaf);
    if (position == absent) {
      throw std::invalid_argument(fmt::format(
          "symbol {}, derivative {}, has no place in the layout", leaf.symbol, leaf.order));
    }
    return Load{position, position >= layout.first_parameter};
  };
}

}  // namespace daedal::compile
