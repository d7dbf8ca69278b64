// Periods of desired motions. Every function of periodic functions is periodic; time itself is not, unless it is the
// argument of a sine. So a walk through the servo-constraints finds frequencies, or a place where time occurs outside of them.
#include "daedal/expr/graph.hpp"
#include "motion.hpp"
#include "parameter_value.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace daedal::inversion {

namespace {

constexpr int most_turns = 1000;      // of the first frequency in one period
constexpr double whole_turns = 1e-9;  // off a whole number: rounding

class Frequencies {
 public:
  explicit Frequencies(const model::Model& m)
      : model_(m), graph_(std::make_shared<expr::Graph>(m.graph)) {}

  /// False where time occurs outside of sines.
  bool take(expr::Expr root) {
    const std::uint32_t size = root.id + 1;
    std::vector<bool> reached(size, false);
    std::vector<Time> time(size, Time::absent);
    reached[root.id] = true;
    for (std::uint32_t id = size; id-- > 0;)
      if (reached[id]) each_operand(id, [&](std::uint32_t operand) { reached[operand] = true; });
    for (std::uint32_t id = 0; id < size; ++id)
      if (reached[id]) time[id] = in_node(id, time);
    return time[root.id] != Time::bare;
  }

  /// The shortest time after which all of them have made whole turns.
  std::optional<double> common_period() const {
    if (found_.empty()) return std::nullopt;
    for (int turns = 1; turns <= most_turns; ++turns) {
      const double period = 2 * std::numbers::pi * turns / found_.front();
      if (std::all_of(found_.begin(), found_.end(), [&](double frequency) {
            const double made = frequency * period / (2 * std::numbers::pi);
            return made > 0.5 && std::abs(made - std::round(made)) <= whole_turns * made;
          }))
        return period;
    }
    return std::nullopt;
  }

 private:
  enum class Time : std::uint8_t { absent, repeating, bare };

  template <class Visit>
  void each_operand(std::uint32_t id, Visit visit) const {
    const expr::Node& node = graph_->node({id});
    const std::uint32_t operands[] = {node.a, node.b, node.c};
    for (int k = 0; k < expr::arity(node.op); ++k) visit(operands[k]);
  }

  bool given_from_outside(expr::SymbolId symbol) const {
    return model_.symbols[symbol].kind == model::SymbolKind::input;
  }

  Time in_node(std::uint32_t id, const std::vector<Time>& time) {
    const expr::Node node = graph_->node({id});
    if (node.op == expr::Op::leaf)
      return node.a == expr::time_symbol || given_from_outside(node.a) ? Time::bare : Time::absent;
    Time all = Time::absent;
    each_operand(id, [&](std::uint32_t operand) { all = std::max(all, time[operand]); });
    const bool turns =
        node.op == expr::Op::sin || node.op == expr::Op::cos || node.op == expr::Op::tan;
    return all == Time::bare && turns && take_frequency({node.a}) ? Time::repeating : all;
  }

  /// Of a sine with this argument; false where its frequency changes.
  bool take_frequency(expr::Expr argument) {
    const std::vector<expr::Expr> rate = expr::time_derivative(
        *graph_, std::span(&argument, 1), [](expr::SymbolId) { return false; });
    for (const expr::Leaf leaf : expr::leaves(*graph_, rate))
      if (leaf.symbol == expr::time_symbol || model_.varies(leaf.symbol)) return false;
    const double frequency = std::abs(expr::evaluate(
        *graph_, rate, [&](expr::Leaf leaf) { return parameter_value(model_, leaf); })[0]);
    if (!(frequency > 0) || !std::isfinite(frequency)) return false;
    found_.push_back(frequency);
    return true;
  }

  const model::Model& model_;
  std::shared_ptr<expr::Graph> graph_;  // of the model, and the rates of arguments
  std::vector<double> found_;           // [rad/s]
};

}  // namespace

std::optional<double> period_of(const formulate::Problem& problem) {
  const model::Model& m = *problem.dae->model;
  Frequencies frequencies(m);
  for (const model::Relation& servo : m.servos)
    if (!frequencies.take(servo.residual)) return std::nullopt;
  return frequencies.common_period();
}

}  // namespace daedal::inversion
