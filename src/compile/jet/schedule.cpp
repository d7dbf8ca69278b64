// When each slot is computed: as late as its users allow, all slots of one kind together.
//
// A slot's *lead* is the largest coefficient, counted from the stage, that some row asks of it. It is *hot* when that
// coefficient contains tops of the same stage: its operands are then just available. In the equations of motion only
// products with accelerations and multipliers and the constraints are hot; sines in the mass matrix lag by two stages.
// It is *kept* when a recurrence reads earlier coefficients of it. In large mechanisms most slots are not, and memory for one
// coefficient of each passes through the caches faster than memory for all.

#include "compile/jet/program.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>

namespace daedal::compile {

namespace {

constexpr int never = std::numeric_limits<int>::min() / 2;
constexpr int always = std::numeric_limits<int>::max() / 2;

void set_leads(JetProgram& program) {
  std::vector<JetSlot>& slots = program.slots;
  for (JetSlot& slot : slots) slot.lead = never;
  for (std::size_t i = 0; i < program.rows.size(); ++i) {
    int& lead = slots[program.rows[i]].lead;
    lead = std::max(lead, program.c[i]);
  }
  // Users come after their operands, except the rate of tan and tanh: a second pass settles those.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t s = slots.size(); s-- > 0;) {
      if (slots[s].lead == never) continue;
      visit_operands(program, slots[s], [&](std::uint32_t operand, int lag) {
        if (slots[operand].lead >= slots[s].lead - lag) return;
        slots[operand].lead = slots[s].lead - lag;
        changed = true;
      });
    }
  }
}

/// The largest coefficient, counted from the stage, that the tops allow each slot.
std::vector<int> availability(const JetProgram& program) {
  std::vector<int> available(program.slots.size(), always);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t s = 0; s < program.slots.size(); ++s) {
      const JetSlot& slot = program.slots[s];
      int here = slot.op == JetOp::unknown ? program.d[slot.a] - slot.order : always;
      visit_operands(program, slot, [&](std::uint32_t operand, int lag) {
        if (available[operand] != always) here = std::min(here, available[operand] + lag);
      });
      changed = changed || here != available[s];
      available[s] = here;
    }
  }
  return available;
}

bool is_scheduled(const JetSlot& slot) { return slot.op != JetOp::invariant && slot.lead != never; }

/// Levels by Kahn's algorithm over what is computed in the same stage; operands of a slot have smaller levels.
std::vector<std::uint32_t> levels(const JetProgram& program) {
  const std::size_t size = program.slots.size();
  std::vector<std::uint32_t> waiting(size, 0), level(size, 0), start(size + 1, 0), user;
  const auto each_edge = [&](auto&& visit) {
    for (std::uint32_t s = 0; s < size; ++s) {
      if (!is_scheduled(program.slots[s])) continue;
      visit_operands(program, program.slots[s], [&](std::uint32_t operand, int lag) {
        const JetSlot& other = program.slots[operand];
        if (is_scheduled(other) && other.lead == program.slots[s].lead - lag) visit(operand, s);
      });
    }
  };
  each_edge([&](std::uint32_t from, std::uint32_t to) { ++start[from + 1], ++waiting[to]; });
  for (std::size_t s = 0; s < size; ++s) start[s + 1] += start[s];
  user.resize(start[size]);
  std::vector<std::uint32_t> next(start.begin(), start.end() - 1), ready;
  each_edge([&](std::uint32_t from, std::uint32_t to) { user[next[from]++] = to; });
  for (std::uint32_t s = 0; s < size; ++s)
    if (waiting[s] == 0) ready.push_back(s);
  for (std::size_t k = 0; k < ready.size(); ++k)
    for (std::uint32_t e = start[ready[k]]; e < start[ready[k] + 1]; ++e) {
      const std::uint32_t to = user[e];
      level[to] = std::max(level[to], level[ready[k]] + 1);
      if (--waiting[to] == 0) ready.push_back(to);
    }
  return level;
}

/// Linear terms of sums read the coefficient that is just there; whatever reads anything else keeps its operands.
void find_kept(JetProgram& program) {
  std::vector<JetSlot>& slots = program.slots;
  for (const JetSlot& slot : slots) {
    if (!is_scheduled(slot)) continue;
    const bool sum = slot.op == JetOp::sum;
    visit_operands(program, slot, [&](std::uint32_t operand, int) {
      if (!sum || slots[operand].lead != slot.lead) slots[operand].kept = true;
    });
    for (std::uint32_t k = slot.first_term; k < slot.end_term; ++k) {
      const JetTerm& term = program.terms[k];
      if (term.b != no_slot) slots[term.a].kept = slots[term.b].kept = true;
    }
  }
  for (JetSlot& slot : slots) slot.kept |= slot.op == JetOp::div || slot.op == JetOp::sqrt;
  for (std::size_t i = 0; i < program.rows.size(); ++i) {
    JetSlot& row = slots[program.rows[i]];
    row.kept |= row.op == JetOp::invariant || row.lead != program.c[i];
  }
}

void make_runs(JetProgram& program, const std::vector<std::uint32_t>& level) {
  const auto key = [&](std::uint32_t s) {
    const JetSlot& slot = program.slots[s];
    return std::tuple(level[s], slot.op, slot.lead, slot.kept);
  };
  for (std::uint32_t s = 0; s < program.slots.size(); ++s)
    if (is_scheduled(program.slots[s])) program.order.push_back(s);
  std::stable_sort(program.order.begin(), program.order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  for (std::uint32_t k = 0; k < program.order.size(); ++k) {
    const std::uint32_t s = program.order[k];
    if (k == 0 || key(program.order[k - 1]) != key(s))
      program.runs.push_back(
          {program.slots[s].op, program.slots[s].lead, program.slots[s].kept, k, k});
    program.runs.back().end = k + 1;
    if (program.slots[s].hot) program.hot.push_back(s);
  }
}

}  // namespace

void schedule(JetProgram& program) {
  set_leads(program);
  const std::vector<int> available = availability(program);
  int most = 0;
  for (std::size_t s = 0; s < program.slots.size(); ++s) {
    JetSlot& slot = program.slots[s];
    if (!is_scheduled(slot)) continue;
    if (is_linear(slot.op)) throw std::logic_error("a linear slot that is no sum");
    if (slot.lead > available[s])
      throw std::invalid_argument("the offsets do not fit the rows of the jet");
    slot.hot = slot.lead == available[s];
    most = std::max(most, slot.lead);
  }
  program.most_lead = most;
  program.first_stage = -most;
  find_kept(program);
  make_runs(program, levels(program));
}

std::shared_ptr<const JetProgram> make_jet_program(const JetSpec& spec) {
  if (spec.c.size() != spec.rows.size() || spec.d.size() != spec.unknowns.size())
    throw std::invalid_argument("a jet needs one offset for each row and each unknown");
  auto program = std::make_shared<JetProgram>(lower(spec));
  fuse(*program);
  schedule(*program);
  return program;
}

}  // namespace daedal::compile
