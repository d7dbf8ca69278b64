#include "daedal/compile/tape.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/compile/kernel.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace daedal::compile {
namespace {

// Steps that one run can hold: same operation, same constants of it.
using RunKey = std::tuple<StepOp, std::uint16_t, std::uint32_t>;
RunKey key_of(const Step& step) { return {step.op, step.aux, step.derivative}; }

void for_each_operand(const Step& step, auto&& visit) {
  const std::uint32_t operands[] = {step.a, step.b, step.c};
  for (int k = 0; k < operand_count(step.op); ++k) visit(operands[k]);
}

// Which steps wait for which: a step is ready when all of its operands have been computed.
struct Dependencies {
  std::vector<std::uint32_t> waiting;    // number of operands still missing, by step
  std::vector<std::uint32_t> begin, of;  // steps that use step i: of[begin[i] .. begin[i+1])

  Dependencies(const std::vector<Step>& steps, std::uint32_t values)
      : waiting(steps.size()), begin(steps.size() + 1) {
    std::vector<std::uint32_t> maker(values, absent);
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      maker[steps[i].result] = i;
      if (steps[i].op == StepOp::sincos) maker[steps[i].second] = i;
    }
    const auto count = [&](std::uint32_t i) {
      for_each_operand(steps[i], [&](std::uint32_t value) {
        if (maker[value] == absent) return;
        ++begin[maker[value] + 1];
        ++waiting[i];
      });
    };
    for (std::uint32_t i = 0; i < steps.size(); ++i) count(i);
    for (std::size_t i = 0; i < steps.size(); ++i) begin[i + 1] += begin[i];
    of.resize(begin.back());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      for_each_operand(steps[i], [&](std::uint32_t value) {
        if (maker[value] != absent) of[next[maker[value]]++] = i;
      });
    }
  }
};

// Neighbours in both arrays travel together.
void append(std::vector<Segment>& segments, std::uint32_t from, std::uint32_t to) {
  if (!segments.empty()) {
    Segment& last = segments.back();
    if (from == last.from + last.count && to == last.to + last.count) {
      ++last.count;
      return;
    }
  }
  segments.push_back({from, to, 1});
}

void copy(const std::vector<Segment>& segments, const double* source, double* target) {
  for (const Segment& s : segments) {
    const double* const from = source + s.from;
    double* const to = target + s.to;
    for (std::uint32_t i = 0; i < s.count; ++i) to[i] = from[i];
  }
}

}  // namespace

Tape::Tape(const Program& program)
    : constants_(program.constants),
      register_of_(program.values(), absent),
      registers_(program.first_code()) {
  for (const auto& spline : program.splines)
    splines_.push_back(std::make_shared<expr::PiecewisePolynomial>(spline));
  for (std::uint32_t value = 0; value < program.first_code(); ++value) register_of_[value] = value;
  for (std::uint32_t k = 0; k < program.loads.size(); ++k)
    append(k < program.prepared_loads ? parameters_ : loads_, program.loads[k],
           program.first_load() + k);
  const Steps steps = steps_of(program);
  prepare_ = schedule(steps.prepare);
  evaluate_ = schedule(steps.evaluate);
  for (std::size_t k = 0; k < program.outputs.size(); ++k)
    outputs_.push_back(register_of_[program.outputs[k]]);
}

// The kind with the most steps ready goes next: few, long runs. Which order is taken cannot change a value.
std::vector<Run> Tape::schedule(const std::vector<Step>& steps) {
  Dependencies dependencies(steps, static_cast<std::uint32_t>(register_of_.size()));
  std::map<RunKey, std::vector<std::uint32_t>> ready;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    if (dependencies.waiting[i] == 0) ready[key_of(steps[i])].push_back(i);
  }
  std::vector<Run> runs;
  while (!ready.empty()) {
    stop_point();
    auto longest = std::max_element(ready.begin(), ready.end(), [](const auto& x, const auto& y) {
      return x.second.size() < y.second.size();
    });
    std::vector<std::uint32_t> members = std::move(longest->second);
    ready.erase(longest);
    std::sort(members.begin(), members.end());
    append_run(steps, members, runs);
    for (std::uint32_t done : members) {
      for (std::uint32_t k = dependencies.begin[done]; k < dependencies.begin[done + 1]; ++k) {
        const std::uint32_t user = dependencies.of[k];
        if (--dependencies.waiting[user] == 0) ready[key_of(steps[user])].push_back(user);
      }
    }
  }
  return runs;
}

void Tape::append_run(const std::vector<Step>& steps, const std::vector<std::uint32_t>& members,
                      std::vector<Run>& runs) {
  const Step& kind = steps[members.front()];
  const auto count = static_cast<std::uint32_t>(members.size());
  Run run = make_run(kind, count,
                     kind.op == step_op(expr::Op::spline) ? splines_[kind.aux].get() : nullptr);
  run.first = registers_;
  run.operands = static_cast<std::uint32_t>(operands_.size());
  runs.push_back(run);
  for (int k = 0; k < operand_count(kind.op); ++k) {
    for (std::uint32_t i : members) {
      const std::uint32_t operand[] = {steps[i].a, steps[i].b, steps[i].c};
      operands_.push_back(register_of_[operand[k]]);
    }
  }
  for (std::uint32_t i : members) register_of_[steps[i].result] = registers_++;
  if (kind.op == StepOp::sincos) {
    for (std::uint32_t i : members) register_of_[steps[i].second] = registers_++;
  }
}

void Tape::initialize(double* registers) const {
  std::copy(constants_.begin(), constants_.end(), registers);
}

void Tape::prepare(const double* point, double* registers) const {
  copy(parameters_, point, registers);
  execute(prepare_, registers);
}

void Tape::evaluate(const double* point, double* rows, double* registers) const {
  copy(loads_, point, registers);
  execute(evaluate_, registers);
  for (std::size_t k = 0; k < outputs_.size(); ++k) rows[k] = registers[outputs_[k]];
}

void Tape::execute(const std::vector<Run>& runs, double* v) const {
  for (const Run& run : runs) run.loop(run, operands_.data() + run.operands, v);
}

}  // namespace daedal::compile
