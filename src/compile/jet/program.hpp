// A graph lowered for jets: slots, each a series that one recurrence extends by a coefficient a stage.
//
// Every elementary function is one of two recurrences after its value at the expansion point [GriewankWalther2008, 13.2]:
//     turn      w' = sign * p * g     exp, pow (p = w), sin and cos, sinh and cosh (p = the partner); g = rate of argument
//     integral  w' = g                log, atan, asin, tan, tanh, atan2, ... with g a series of its own
// so that jets need convolutions, quotients and square roots only.
#pragma once

#include "daedal/compile/jet.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace daedal::compile {

enum class JetOp : std::uint8_t {
  invariant,  // does not change with time: coefficient 0 only, from `base` and its operands
  time,
  unknown,  // derivative of order `order` of unknown a
  shift,    // derivative of order `order` of slot a
  add,
  sub,
  neg,
  scale,  // a_0 * b, a invariant
  ratio,  // a / b_0, b invariant
  mul,
  sum,  // of `terms`: what fusion makes of nested add, sub, neg, scale and their products
  div,
  sqrt,
  turn,      // w' = sign * partner * rate
  integral,  // w' = rate
  compose,   // a function of one variable with known derivatives: rest_to_rest, spline
  select,    // a_0 ? b : c
  step,      // piecewise constant: coefficient 0 is `base`, all others 0
};

inline constexpr std::uint32_t no_slot = 0xffffffff;

struct JetSlot {
  JetOp op = JetOp::invariant;
  expr::Node base;  // what coefficient 0 is, where a recurrence does not say
  std::uint32_t a = no_slot, b = no_slot, c = no_slot;
  std::uint32_t rate = no_slot, partner = no_slot;
  int order = 0;
  int sign = 1;
  bool affine = false;                         // compose: the argument is linear in time
  std::uint32_t first_term = 0, end_term = 0;  // of a sum
  int lead = 0;                                // stage k computes coefficient k + lead
  bool hot = false;                            // that coefficient contains tops of the stage
  bool kept = false;                           // later stages read it
};

/// What fusion turns into sums.
inline bool is_linear(JetOp op) {
  return op == JetOp::add || op == JetOp::sub || op == JetOp::neg || op == JetOp::scale;
}

/// factor * a, or factor * a * b; the factor is an invariant slot, or none for 1.
struct JetTerm {
  std::uint32_t factor = no_slot, a = no_slot, b = no_slot;
};

/// Slots of one operation and lead that are ready together.
struct JetRun {
  JetOp op = JetOp::invariant;
  int lead = 0;
  bool kept = false;
  std::uint32_t begin = 0, end = 0;  // of JetProgram::order
};

class JetProgram {
 public:
  std::shared_ptr<const expr::Graph> graph;  // holds the splines
  std::vector<JetSlot> slots;
  std::vector<JetTerm> terms;
  std::vector<std::uint32_t> invariants;  // slots, operands first
  std::vector<std::uint32_t> parameters;  // slot of each parameter of the spec, or no_slot
  std::vector<std::uint32_t> order;       // slots that change with time, run by run
  std::vector<JetRun> runs;
  std::vector<std::uint32_t> hot;  // slots, operands first
  std::vector<std::uint32_t> rows;
  std::vector<int> c, d;
  int first_stage = 0;
  int most_lead = 0;
};

/// visit(operand, lag) for every slot that `slot` reads: for its coefficient n it needs coefficient n - lag of `operand`.
template <class Visit>
void visit_operands(const JetProgram& program, const JetSlot& slot, Visit&& visit) {
  const auto read = [&](std::uint32_t operand, int lag) {
    if (operand != no_slot) visit(operand, lag);
  };
  switch (slot.op) {
    case JetOp::invariant:
    case JetOp::time:
    case JetOp::unknown:
      return;
    case JetOp::shift:
      return read(slot.a, -slot.order);
    case JetOp::sum:
      for (std::uint32_t k = slot.first_term; k < slot.end_term; ++k) {
        read(program.terms[k].a, 0);
        read(program.terms[k].b, 0);
      }
      return;
    case JetOp::turn:
    case JetOp::integral:
      read(slot.a, 0);
      read(slot.b, 0);
      read(slot.rate, 1);
      return read(slot.partner, 1);
    default:
      read(slot.a, 0);
      read(slot.b, 0);
      read(slot.c, 0);
  }
}

/// Slots of a spec's rows, without leads and order.
JetProgram lower(const JetSpec& spec);
/// Nested sums, differences, multiples and products that nothing else reads become one sum.
void fuse(JetProgram& program);
/// Leads, hot slots and runs.
void schedule(JetProgram& program);

}  // namespace daedal::compile
