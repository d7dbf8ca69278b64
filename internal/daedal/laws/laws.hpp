// The functions that only controllers contain: blocks with memory, and laws that are designed on a model.
#pragma once

#include "daedal/language/syntax.hpp"
#include "daedal/laws/active_controller.hpp"
#include "daedal/model/designer.hpp"
#include "daedal/model/evaluator.hpp"
#include "daedal/model/model.hpp"

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::model {

/// What the laws of a controller need of the model that they become part of, while it is made.
class ModelAround {
 public:
  virtual ~ModelAround() = default;
  virtual Model& model() = 0;
  virtual expr::Graph& graph() = 0;
  virtual Evaluator& evaluator() = 0;
  /// Null where there is nothing to design with.
  virtual Designer* designer() = 0;
  virtual void warn(Diagnostic warning) = 0;
  virtual expr::SymbolId new_symbol(Symbol symbol) = 0;
  /// Of a state or a block with memory: what it is held in.
  virtual expr::SymbolId held_symbol(ActiveController& controller, const std::string& name,
                                     double start, const Place& place) = 0;
  /// The expression with what the controller knows: measured values for states, its own values of parameters.
  virtual expr::Expr known_to(const ActiveController& controller, expr::Expr e,
                              const Place& place) = 0;
};

class ControllerLaws {
 public:
  ControllerLaws(ModelAround& around, ActiveController& controller, const Scope& scope)
      : around_(around), controller_(controller), scope_(scope) {}

  /// Nothing where there is no law of that name.
  std::optional<Value> apply(const syntax::Expression& e, const syntax::Call& call);
  /// path.u, path.x, path.x_T: the desired motion.
  Value path(const syntax::Expression& e, const std::string& name);
  /// inverse.u, inverse.x, inverse.x_T: the same, by one step of the inverse model at each sample.
  Value inverse(const syntax::Expression& e, const std::string& name);

  /// observe ukf(...): what the controller estimates takes the place of the states.
  void observe(const syntax::Expression& e, const Place& place);

  static const std::vector<std::string>& names();

 private:
  using Law = Value (ControllerLaws::*)(const syntax::Expression&, const syntax::Call&);
  struct Entry {
    std::string_view name;
    Law law;
  };
  static const std::vector<Entry>& table();

  Value ideal(const syntax::Expression& e, const syntax::Call& call);
  // laws.cpp: arguments
  const syntax::Argument* argument(const syntax::Call& call, std::size_t position,
                                   std::string_view name) const;
  void allow(const syntax::Expression& e, const syntax::Call& call, std::size_t positional,
             std::initializer_list<std::string_view> names) const;
  expr::Expr scalar(const syntax::Expression& e, const syntax::Call& call, std::size_t position,
                    std::string_view name);
  std::optional<expr::Expr> optional_scalar(const syntax::Call& call, std::string_view name);
  Value value(const syntax::Expression& e, const syntax::Call& call, std::size_t position,
              std::string_view name);
  /// What an argument may be where it is made of numbers and parameters alone.
  enum class Range { positive, not_negative, probability };
  std::optional<double> constant(expr::Expr e, const Place& place);
  void require(const syntax::Call& call, std::size_t position, std::string_view name,
               const Value& value, Range range);
  void require_below(const syntax::Call& call, std::size_t position, std::string_view name,
                     expr::Expr value, double bound, const std::string& reason);
  void require_order(const Place& place, const std::string& law, expr::Expr low, expr::Expr high);
  expr::Expr ranged(const syntax::Expression& e, const syntax::Call& call, std::size_t position,
                    std::string_view name, Range range);
  std::optional<expr::Expr> optional_ranged(const syntax::Call& call, std::string_view name,
                                            Range range);
  Numbers numbers(const syntax::Argument& argument, const std::string& what);

  // blocks.cpp: functions with memory, of a number or of every entry of a vector
  bool clocked() const { return controller_.made.period > 0; }
  expr::Expr period() { return graph().constant(controller_.made.period); }
  std::string fresh(const std::string& kind);
  expr::Expr memory(const std::string& kind, double start, const Place& place);
  void remember(expr::Expr memory, expr::Expr next);
  expr::Expr first_sample(const Place& place);
  expr::Expr variable(const std::string& kind, expr::Expr start, const Place& place);
  void rate(expr::Expr variable, expr::Expr value, const Place& place);
  void need_clock(const syntax::Expression& e, const std::string& law,
                  const std::string& instead) const;
  template <class Block>
  Value entrywise(const Value& value, Block block) {
    Value result{value.shape, {}};
    for (const expr::Expr x : value.entries) result.entries.push_back(block(x));
    return result;
  }
  expr::Expr followed(expr::Expr x, expr::Expr time, const Place& place);
  expr::Expr summed(expr::Expr x, expr::Expr start, const Place& place);
  expr::Expr difference(expr::Expr x, expr::Expr filter, const Place& place);
  expr::Expr clamp(expr::Expr x, expr::Expr low, expr::Expr high);

  Value previous(const syntax::Expression& e, const syntax::Call& call);
  Value delay(const syntax::Expression& e, const syntax::Call& call);
  Value late(const syntax::Expression& e, const syntax::Call& call, expr::Expr time);
  Value lowpass(const syntax::Expression& e, const syntax::Call& call);
  Value washout(const syntax::Expression& e, const syntax::Call& call);
  Value lead_lag(const syntax::Expression& e, const syntax::Call& call);
  Value notch(const syntax::Expression& e, const syntax::Call& call);
  Value integral(const syntax::Expression& e, const syntax::Call& call);
  Value derivative(const syntax::Expression& e, const syntax::Call& call);
  Value pid(const syntax::Expression& e, const syntax::Call& call);
  Value saturate(const syntax::Expression& e, const syntax::Call& call);
  Value rate_limit(const syntax::Expression& e, const syntax::Call& call);
  Value quantise(const syntax::Expression& e, const syntax::Call& call);
  Value hold(const syntax::Expression& e, const syntax::Call& call);
  Value hold_from_event(const Value& x, expr::Expr holds, const Place& place);
  Value noise(const syntax::Expression& e, const syntax::Call& call);
  Value dropout(const syntax::Expression& e, const syntax::Call& call);
  Value decimate(const syntax::Expression& e, const syntax::Call& call);
  Value kept_where(expr::Expr condition, const Value& x, const Place& place);

  // observers.cpp
  expr::SymbolId issued(const std::string& input, expr::SymbolId held, int age, const Place& place);
  std::vector<double> deviations(const syntax::Call& call, std::string_view name, std::size_t size,
                                 const Place& place);

  // designed_laws.cpp
  Designer& designer(const syntax::Expression& e) const;
  expr::Expr quantity(const Quantity& quantity, const Place& place);
  Value desired(const std::vector<Quantity>& quantities, const Place& place);
  struct OfMotion {
    std::vector<Quantity> quantities;
    bool scalar = false;
  };
  OfMotion named_in_motion(const syntax::Expression& e, const std::string& name);
  std::map<std::string, double> named_numbers(const syntax::Expression& e,
                                              const syntax::Call& call);
  Value rest(const syntax::Expression& e, const syntax::Call& call);
  Value weights(const syntax::Expression& e, const syntax::Call& call);
  std::vector<expr::Expr> reference(const syntax::Expression& e, const syntax::Call& call,
                                    const std::vector<double>& rest, bool& at_rest);
  DesignQuestion design_question(const syntax::Expression& e, const syntax::Call& call,
                                 std::initializer_list<std::string_view> expressions);
  double delay_of(const syntax::Expression& e, const syntax::Call& call);
  void predict(std::vector<expr::Expr>& answer, const std::vector<Numbers>& past,
               const Place& place);
  void warn_of_other_states(const syntax::Expression& e);
  std::vector<expr::Expr> fed_back(const syntax::Expression& e, const Feedback& feedback,
                                   const std::vector<expr::Expr>& target, bool at_rest);
  Value feedback_of(const syntax::Expression& e, const syntax::Call& call,
                    const DesignQuestion& question);
  static Value command_value(std::vector<expr::Expr> command);
  Value state_feedback(const syntax::Expression& e, const syntax::Call& call);

  // state_space_laws.cpp
  bool given_along(const syntax::Call& call) const;
  Value pole_placement(const syntax::Expression& e, const syntax::Call& call);
  Value integral_feedback(const syntax::Expression& e, const syntax::Call& call);
  Value quantities_of(const syntax::Argument& argument);
  Numbers slopes_of(const Value& quantities, const std::vector<double>& at);

  // sliding_mode.cpp
  struct DesiredMotion {  // of coordinates
    std::vector<expr::Expr> positions, rates, accelerations;
  };
  Value sliding_mode(const syntax::Expression& e, const syntax::Call& call);
  std::vector<expr::Expr> believed(const EquationsOfMotion& equations, const Place& place);
  std::vector<expr::Expr> surface_matrix(const syntax::Expression& e, const syntax::Call& call,
                                         std::string_view name, std::size_t rows,
                                         std::size_t columns);
  std::vector<expr::Expr> for_each_row(const syntax::Expression& e, const syntax::Call& call,
                                       std::string_view name, std::size_t rows);
  DesiredMotion desired_motion(const syntax::Expression& e, const syntax::Call& call,
                               const std::vector<Quantity>& coordinates);
  expr::Expr known(expr::Leaf leaf, const Place& place);

  // disturbance_observer.cpp
  Value disturbance_observer(const syntax::Expression& e, const syntax::Call& call);
  expr::Expr acting(const std::string& input);
  expr::Expr disturbance(expr::Expr momentum, expr::Expr known_rate, expr::Expr input,
                         expr::Expr bandwidth, const Place& place);

  // model_laws.cpp: solutions of equations of the model
  struct Solution {
    std::map<expr::Leaf, expr::Expr> unknowns;  // by leaves of the assumed model
    std::vector<expr::Expr> residuals;
    std::vector<std::string> names;  // of them
    std::vector<std::vector<expr::Expr>> outputs;
  };
  using UnknownName = std::function<std::string(const Symbol&, int order)>;
  using Demand = std::function<expr::Expr(std::size_t, const std::vector<expr::Expr>&)>;
  Value of_mechanism(const syntax::Expression& e, const syntax::Call& call, std::size_t position,
                     std::string_view name);
  expr::Expr solved_for(const std::string& name, const std::string& unit, double start,
                        const Place& place);
  Solution solution(const SolvedEquations& found, const UnknownName& name, const Place& place,
                    const std::map<expr::Leaf, expr::Expr>& given = {});
  void add(const std::string& law, const std::string& quantity, const Solution& solution,
           const Place& place);
  EquationQuestion equation_question(EquationQuestion::Kind kind, const syntax::Expression& e,
                                     const std::string& law);
  static UnknownName names_within(const std::string& quantity);
  Value solved_inputs(const SolvedEquations& found, const Solution& solution);
  Value decoupled(const syntax::Expression& e, const syntax::Call& call, const Value& outputs,
                  const Demand& demand);
  expr::Expr rate_of(expr::Expr e);
  SolvedEquations dynamics(const syntax::Expression& e, const syntax::Call& call,
                           const Value& outputs);
  std::vector<expr::Expr> moved_by(const SolvedEquations& found,
                                   const std::vector<expr::Expr>& inputs,
                                   const syntax::Expression& e, const std::string& law);
  Value acceleration(const syntax::Expression& e, const syntax::Call& call);
  Value decoupling_matrix(const syntax::Expression& e, const syntax::Call& call);
  Value mass_matrix(const syntax::Expression& e, const syntax::Call& call);
  Value gravity_compensation(const syntax::Expression& e, const syntax::Call& call);
  Value computed_torque(const syntax::Expression& e, const syntax::Call& call);
  Value feedback_linearisation(const syntax::Expression& e, const syntax::Call& call);
  Value kinematics(const syntax::Expression& e, const syntax::Call& call);
  void forward_kinematics(const syntax::Expression& e, const syntax::Call& call);

  // inverse_step.cpp
  void step_inverse(const syntax::Expression& e);

  // funnel.cpp
  expr::Expr funnel_gain(expr::Expr e, expr::Expr psi);
  Value funnel(const syntax::Expression& e, const syntax::Call& call);

  expr::Graph& graph() { return around_.graph(); }

  ModelAround& around_;
  ActiveController& controller_;
  const Scope& scope_;
  Place place_;  // of the law that is read
};

}  // namespace daedal::model
