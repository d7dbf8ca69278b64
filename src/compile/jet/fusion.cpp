// Sums of products in one pass: sum_t factor_t a_t b_t needs one reduction and one store, its parts none of their
// own. Multiples of a slot are merged into the factors of their readers, however many.

#include "compile/jet/program.hpp"

#include <map>

namespace daedal::compile {

namespace {

using expr::Op;

class Fusion {
 public:
  explicit Fusion(JetProgram& program) : program_(program), uses_(program.slots.size(), 0) {
    for (const JetSlot& slot : program.slots)
      visit_operands(program, slot, [&](std::uint32_t operand, int) { ++uses_[operand]; });
    for (const std::uint32_t row : program.rows) uses_[row] += 2;  // stays a slot of its own
  }

  void run() {
    absorbed_.assign(uses_.size(), false);
    const auto slots = static_cast<std::uint32_t>(uses_.size());
    for (std::uint32_t s = slots; s-- > 0;)  // users before what they absorb
      if (!absorbed_[s] && uses_[s] > 0 && gains(program_.slots[s])) make_sum(s);
  }

 private:
  struct Part {
    std::uint32_t slot = no_slot, factor = no_slot;
  };

  bool gains(const JetSlot& slot) const {
    return is_linear(slot.op) ||
           (slot.op == JetOp::mul && (is_multiple(slot.a) || is_multiple(slot.b)));
  }
  bool is_multiple(std::uint32_t s) const {
    return program_.slots[s].op == JetOp::neg || program_.slots[s].op == JetOp::scale;
  }

  /// What `s` is a multiple of, its factor multiplied into `factor`.
  std::uint32_t dissolve(std::uint32_t s, std::uint32_t& factor) {
    while (is_multiple(s)) {
      const JetSlot slot = program_.slots[s];
      const bool negates = slot.op == JetOp::neg;
      factor = negates ? negative(factor) : times(factor, slot.a);
      const std::uint32_t of = negates ? slot.a : slot.b;
      ++uses_[of];
      if (--uses_[s] == 0) --uses_[of];
      s = of;
    }
    return s;
  }

  void make_sum(std::uint32_t s) {
    const auto first = static_cast<std::uint32_t>(program_.terms.size());
    std::vector<Part> open{{s, no_slot}};
    while (!open.empty()) {
      const Part part = open.back();
      open.pop_back();
      const JetSlot slot = program_.slots[part.slot];
      const bool inside = part.slot == s || (uses_[part.slot] == 1 && absorb(part.slot));
      if (!inside) {
        Part whole = part;
        whole.slot = dissolve(part.slot, whole.factor);
        program_.terms.push_back({whole.factor, whole.slot, no_slot});
        continue;
      }
      switch (slot.op) {
        case JetOp::add:
        case JetOp::sub:
          open.push_back({slot.b, slot.op == JetOp::sub ? negative(part.factor) : part.factor});
          open.push_back({slot.a, part.factor});
          break;
        case JetOp::neg:
          open.push_back({slot.a, negative(part.factor)});
          break;
        case JetOp::scale:
          open.push_back({slot.b, times(part.factor, slot.a)});
          break;
        default: {  // a product
          std::uint32_t factor = part.factor;
          const std::uint32_t a = dissolve(slot.a, factor), b = dissolve(slot.b, factor);
          program_.terms.push_back({factor, a, b});
        }
      }
    }
    JetSlot& sum = program_.slots[s];
    sum.op = JetOp::sum;
    sum.a = sum.b = no_slot;
    sum.first_term = first;
    sum.end_term = static_cast<std::uint32_t>(program_.terms.size());
  }

  bool absorb(std::uint32_t s) {
    const JetOp op = program_.slots[s].op;
    if (!is_linear(op) && op != JetOp::mul) return false;
    absorbed_[s] = true;
    return true;
  }

  // ---- invariant factors

  std::uint32_t invariant(Op op, std::uint32_t a, std::uint32_t b) {
    const auto [entry, is_new] = factors_.try_emplace(
        {static_cast<int>(op), a, b}, static_cast<std::uint32_t>(program_.slots.size()));
    if (is_new) {
      program_.slots.push_back({.op = JetOp::invariant, .base = {.op = op}, .a = a, .b = b});
      program_.invariants.push_back(entry->second);
    }
    return entry->second;
  }
  std::uint32_t negative(std::uint32_t factor) {
    if (factor == no_slot) {
      if (minus_one_ == no_slot) {
        minus_one_ = static_cast<std::uint32_t>(program_.slots.size());
        program_.slots.push_back(  // the bits of -1.0
            {.op = JetOp::invariant, .base = {.op = Op::constant, .a = 0, .b = 0xbff00000}});
        program_.invariants.push_back(minus_one_);
      }
      return minus_one_;
    }
    return factor == minus_one_ ? no_slot : invariant(Op::neg, factor, no_slot);
  }
  std::uint32_t times(std::uint32_t factor, std::uint32_t other) {
    if (factor == no_slot) return other;
    return factor == minus_one_ ? invariant(Op::neg, other, no_slot)
                                : invariant(Op::mul, factor, other);
  }

  struct Key {
    int op = 0;
    std::uint32_t a = 0, b = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  JetProgram& program_;
  std::vector<std::uint32_t> uses_;
  std::vector<bool> absorbed_;
  std::map<Key, std::uint32_t> factors_;
  std::uint32_t minus_one_ = no_slot;
};

}  // namespace

void fuse(JetProgram& program) { Fusion(program).run(); }

}  // namespace daedal::compile
