// Graph -> slots: every operation as one of a few recurrences, see program.hpp.

#include "compile/jet/program.hpp"
#include "daedal/expr/graph.hpp"

#include <fmt/format.h>

#include <bit>
#include <map>
#include <stdexcept>
#include <unordered_map>

namespace daedal::compile {

using expr::Expr;
using expr::Node;
using expr::Op;

namespace {

class JetLowering {
 public:
  explicit JetLowering(const JetSpec& spec) : spec_(spec) {
    program_.graph = spec.graph;
    program_.c = spec.c;
    program_.d = spec.d;
    for (std::uint32_t j = 0; j < spec.unknowns.size(); ++j) unknown_[spec.unknowns[j]] = j;
    program_.parameters.assign(spec.parameters.size(), no_slot);
    for (std::uint32_t p = 0; p < spec.parameters.size(); ++p) parameter_[spec.parameters[p]] = p;
  }

  JetProgram run() {
    std::vector<Expr> signals;
    for (const auto& [symbol, value] : spec_.signals) signals.push_back(value);
    lower_all(signals);  // what the rows refer to comes first
    for (std::size_t s = 0; s < signals.size(); ++s)
      signal_[spec_.signals[s].first] = slot_of_.at(signals[s].id);
    lower_all(spec_.rows);
    for (const Expr row : spec_.rows) program_.rows.push_back(slot_of_.at(row.id));
    return std::move(program_);
  }

 private:
  void lower_all(std::span<const Expr> roots) {
    for (const Expr e : expr::reachable(*spec_.graph, roots))
      if (!slot_of_.contains(e.id)) slot_of_[e.id] = lower(e);
  }

  std::uint32_t lower(Expr e) {
    const Node& node = spec_.graph->node(e);
    if (node.op == Op::constant) return constant(node);
    if (node.op == Op::leaf) return leaf(spec_.graph->leaf_of(e));
    const int operands = expr::arity(node.op);
    const std::uint32_t a = slot_of_.at(node.a);
    const std::uint32_t b = operands > 1 ? slot_of_.at(node.b) : no_slot;
    const std::uint32_t c = operands > 2 ? slot_of_.at(node.c) : no_slot;
    const bool varying = varies(a) || (b != no_slot && varies(b)) || (c != no_slot && varies(c));
    return varying ? lower_operation(node, a, b, c) : invariant(node, a, b, c);
  }

  std::uint32_t lower_operation(const Node& node, std::uint32_t a, std::uint32_t b,
                                std::uint32_t c) {
    switch (node.op) {
      case Op::neg:
        return make({.op = JetOp::neg, .a = a});
      case Op::add:
        return add(a, b);
      case Op::sub:
        return make({.op = JetOp::sub, .a = a, .b = b});
      case Op::mul:
        return mul(a, b);
      case Op::div:
        return div(a, b);
      case Op::powi:
        return integer_power(a, static_cast<std::int16_t>(node.aux));
      case Op::sqrt:
        return make({.op = JetOp::sqrt, .a = a});
      case Op::exp:
        return turn(node, a, no_slot, rate(a));
      case Op::pow:
        return power(node, a, b);
      case Op::sin:
      case Op::cos:
        return pair(Op::sin, Op::cos, -1, a).of(node.op == Op::sin);
      case Op::sinh:
      case Op::cosh:
        return pair(Op::sinh, Op::cosh, 1, a).of(node.op == Op::sinh);
      case Op::log:
        return integral(node, a, no_slot, div(rate(a), a));
      case Op::tan:
        return tangent(node, a, 1);
      case Op::tanh:
        return tangent(node, a, -1);
      case Op::atan:
        return integral(node, a, no_slot, div(rate(a), add(one(), mul(a, a))));
      case Op::asin:
        return integral(node, a, no_slot, div(rate(a), root_of_rest(a)));
      case Op::acos:
        return integral(node, a, no_slot, neg(div(rate(a), root_of_rest(a))));
      case Op::atan2:  // a = y, b = x
        return integral(node, a, b,
                        div(make({.op = JetOp::sub, .a = mul(b, rate(a)), .b = mul(a, rate(b))}),
                            add(mul(a, a), mul(b, b))));
      case Op::abs:
        return select(less(a, zero()), neg(a), a);
      case Op::min:
        return select(less(b, a), b, a);
      case Op::max:
        return select(less(a, b), b, a);
      case Op::mod:  // a - b*floor(a/b)
        return make(
            {.op = JetOp::sub,
             .a = a,
             .b = mul(b, make({.op = JetOp::step, .base = {.op = Op::floor}, .a = div(a, b)}))});
      case Op::select:
        return select(a, b, c);
      case Op::rest_to_rest:
      case Op::spline:
        return make({.op = JetOp::compose, .base = node, .a = a, .affine = affine_[a]});
      case Op::sign:
      case Op::floor:
      case Op::logical_not:
      case Op::less:
      case Op::less_equal:
      case Op::logical_and:
      case Op::logical_or:
        return make({.op = JetOp::step, .base = node, .a = a, .b = b});
      case Op::constant:
      case Op::leaf:
        break;
    }
    throw std::logic_error("an operation without a recurrence");
  }

  // ---- leaves

  std::uint32_t leaf(expr::Leaf leaf) {
    if (leaf.symbol == expr::time_symbol) {
      if (leaf.order == 0) return make({.op = JetOp::time});
      return leaf.order == 1 ? one() : zero();
    }
    if (const auto unknown = unknown_.find(leaf.symbol); unknown != unknown_.end())
      return make({.op = JetOp::unknown, .a = unknown->second, .order = leaf.order});
    if (const auto signal = signal_.find(leaf.symbol); signal != signal_.end())
      return derivative(signal->second, leaf.order);
    const auto parameter = parameter_.find(leaf.symbol);
    if (parameter == parameter_.end())
      throw std::invalid_argument(fmt::format("symbol {} has no series", leaf.symbol));
    if (leaf.order > 0) return zero();
    // one slot a parameter: its number keeps it apart from the others
    const std::uint32_t slot =
        make({.op = JetOp::invariant, .base = {.op = Op::leaf, .a = leaf.symbol}});
    program_.parameters[parameter->second] = slot;
    return slot;
  }

  std::uint32_t constant(const Node& node) { return make({.op = JetOp::invariant, .base = node}); }
  std::uint32_t number(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return constant({.op = Op::constant,
                     .a = static_cast<std::uint32_t>(bits),
                     .b = static_cast<std::uint32_t>(bits >> 32)});
  }
  std::uint32_t zero() { return number(0); }
  std::uint32_t one() { return number(1); }

  // ---- operations

  bool varies(std::uint32_t slot) const { return program_.slots[slot].op != JetOp::invariant; }

  std::uint32_t invariant(const Node& node, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return make({.op = JetOp::invariant, .base = node, .a = a, .b = b, .c = c});
  }
  std::uint32_t neg(std::uint32_t a) {
    return varies(a) ? make({.op = JetOp::neg, .a = a})
                     : invariant({.op = Op::neg}, a, no_slot, no_slot);
  }
  std::uint32_t add(std::uint32_t a, std::uint32_t b) {
    return make({.op = JetOp::add, .a = a, .b = b});
  }
  std::uint32_t mul(std::uint32_t a, std::uint32_t b) {
    if (!varies(a) && !varies(b)) return invariant({.op = Op::mul}, a, b, no_slot);
    if (!varies(a)) return make({.op = JetOp::scale, .a = a, .b = b});
    if (!varies(b)) return make({.op = JetOp::scale, .a = b, .b = a});
    return make({.op = JetOp::mul, .a = a, .b = b});
  }
  std::uint32_t div(std::uint32_t a, std::uint32_t b) {
    return make({.op = varies(b) ? JetOp::div : JetOp::ratio, .a = a, .b = b});
  }
  /// By squaring, from the lowest bit, as expr::integer_power.
  std::uint32_t integer_power(std::uint32_t a, int exponent) {
    std::uint32_t result = no_slot, square = a;
    for (unsigned bits = static_cast<unsigned>(exponent < 0 ? -exponent : exponent); bits != 0;
         bits >>= 1) {
      if (bits & 1u) result = result == no_slot ? square : mul(result, square);
      if (bits > 1) square = mul(square, square);
    }
    if (result == no_slot) return one();
    return exponent < 0 ? div(one(), result) : result;
  }
  std::uint32_t select(std::uint32_t condition, std::uint32_t b, std::uint32_t c) {
    return make({.op = JetOp::select, .a = condition, .b = b, .c = c});
  }
  std::uint32_t less(std::uint32_t a, std::uint32_t b) {
    return make({.op = JetOp::step, .base = {.op = Op::less}, .a = a, .b = b});
  }

  std::uint32_t derivative(std::uint32_t a, int order) {
    if (order == 0) return a;
    if (!varies(a)) return zero();
    const JetSlot slot = program_.slots[a];
    if (slot.op == JetOp::unknown)
      return make({.op = JetOp::unknown, .a = slot.a, .order = slot.order + order});
    if (slot.op == JetOp::time) return order == 1 ? one() : zero();
    return make({.op = JetOp::shift, .a = a, .order = order});
  }
  std::uint32_t rate(std::uint32_t a) { return derivative(a, 1); }

  std::uint32_t turn(const Node& base, std::uint32_t a, std::uint32_t b, std::uint32_t rate) {
    const std::uint32_t slot =
        make({.op = JetOp::turn, .base = base, .a = a, .b = b, .rate = rate});
    program_.slots[slot].partner = slot;
    return slot;
  }
  std::uint32_t integral(const Node& base, std::uint32_t a, std::uint32_t b, std::uint32_t rate) {
    return make({.op = JetOp::integral, .base = base, .a = a, .b = b, .rate = rate});
  }

  struct Pair {
    std::uint32_t sine = no_slot, cosine = no_slot;
    std::uint32_t of(bool first) const { return first ? sine : cosine; }
  };
  /// sin' = cos u', cos' = -+sin u'.
  Pair pair(Op sine, Op cosine, int sign, std::uint32_t a) {
    const std::uint32_t argument_rate = rate(a);
    Pair made;
    made.sine = make({.op = JetOp::turn, .base = {.op = sine}, .a = a, .rate = argument_rate});
    made.cosine = make(
        {.op = JetOp::turn, .base = {.op = cosine}, .a = a, .rate = argument_rate, .sign = sign});
    program_.slots[made.sine].partner = made.cosine;
    program_.slots[made.cosine].partner = made.sine;
    return made;
  }

  /// w = tan u: w' = (1 + w^2) u'; tanh with a minus. Its rate needs lower coefficients of w itself.
  std::uint32_t tangent(const Node& base, std::uint32_t a, int sign) {
    const std::uint32_t slot = make({.op = JetOp::integral, .base = base, .a = a});
    if (program_.slots[slot].rate != no_slot) return slot;
    const std::uint32_t square = mul(slot, slot), unit = one();
    const std::uint32_t slope =
        sign > 0 ? add(unit, square) : make({.op = JetOp::sub, .a = unit, .b = square});
    const std::uint32_t slope_rate = mul(slope, rate(a));
    program_.slots[slot].rate = slope_rate;
    return slot;
  }

  /// sqrt(1 - a^2)
  std::uint32_t root_of_rest(std::uint32_t a) {
    return make({.op = JetOp::sqrt, .a = make({.op = JetOp::sub, .a = one(), .b = mul(a, a)})});
  }

  /// w = a^b: w' = w g with g = b a'/a, and b' log a more where the exponent changes.
  std::uint32_t power(const Node& node, std::uint32_t a, std::uint32_t b) {
    std::uint32_t growth = no_slot;
    if (varies(a)) growth = mul(b, div(rate(a), a));
    if (varies(b)) {
      const std::uint32_t logarithm = varies(a)
                                          ? integral({.op = Op::log}, a, no_slot, div(rate(a), a))
                                          : invariant({.op = Op::log}, a, no_slot, no_slot);
      const std::uint32_t by_exponent = mul(logarithm, rate(b));
      growth = growth == no_slot ? by_exponent : add(growth, by_exponent);
    }
    return turn(node, a, b, growth);
  }

  /// Whether a slot is p + q t with invariant p, q.
  bool is_affine(const JetSlot& slot) const {
    switch (slot.op) {
      case JetOp::invariant:
      case JetOp::time:
        return true;
      case JetOp::neg:
      case JetOp::ratio:
        return affine_[slot.a];
      case JetOp::scale:
        return affine_[slot.b];
      case JetOp::add:
      case JetOp::sub:
        return affine_[slot.a] && affine_[slot.b];
      default:
        return false;
    }
  }

  /// The slot of these contents, made on first use.
  std::uint32_t make(const JetSlot& slot) {
    // operands of `base` are the slot's own, except a constant's bits, a parameter's name, a derivative's order
    const bool own = keeps_base_operands(slot.base.op);
    const Key key{slot.op,
                  slot.a,
                  slot.b,
                  slot.c,
                  slot.base.op,
                  slot.base.aux,
                  own ? slot.base.a : 0,
                  own ? slot.base.b : 0,
                  slot.order};
    const auto [entry, is_new] =
        known_.emplace(key, static_cast<std::uint32_t>(program_.slots.size()));
    if (is_new) {
      program_.slots.push_back(slot);
      affine_.push_back(is_affine(slot));
      if (slot.op == JetOp::invariant) program_.invariants.push_back(entry->second);
    }
    return entry->second;
  }
  static bool keeps_base_operands(Op op) {
    return op == Op::constant || op == Op::leaf || op == Op::rest_to_rest || op == Op::spline;
  }

  struct Key {
    JetOp op = JetOp::invariant;
    std::uint32_t a = 0, b = 0, c = 0;
    Op base = Op::constant;
    std::uint16_t aux = 0;
    std::uint32_t base_a = 0, base_b = 0;
    int order = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  const JetSpec& spec_;
  JetProgram program_;
  std::unordered_map<expr::SymbolId, std::uint32_t> unknown_, parameter_, signal_;
  std::unordered_map<std::uint32_t, std::uint32_t> slot_of_;  // by node id
  std::map<Key, std::uint32_t> known_;
  std::vector<bool> affine_;
};

}  // namespace

JetProgram lower(const JetSpec& spec) { return JetLowering(spec).run(); }

}  // namespace daedal::compile
