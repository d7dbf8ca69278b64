// Resolves a library of syntax trees into one flat Model.
//
// First the symbols are declared, in the order in which they are written, parts in between; then
// every statement is expanded. Names in between are resolved as they are needed.
#pragma once

#include "daedal/language/parse.hpp"
#include "daedal/laws/laws.hpp"
#include "daedal/model/evaluator.hpp"
#include "daedal/model/model.hpp"
#include "daedal/units/dimension.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace daedal::model {

struct DeclaredUnit {
  std::optional<Unit> unit;  // none: not stated, or no unit at all, which was reported
  std::string si;            // how results show it
};

class Elaborator : private Surroundings, private ModelAround {
 public:
  Elaborator(const Library& library, const Overrides& overrides, const Limits& limits);
  Model run();

 private:
  /// Something the command line or an experiment gives, and whether the model has it.
  struct Override {
    std::string text;
    bool command_line = false;
    bool used = false;
    std::string option;  // as messages call it
  };
  using OverrideTable = std::map<std::string, Override>;

  // elaborate.cpp: the way from a library to a Model
  const syntax::Model& choose_model() const;
  std::unique_ptr<Instance> instantiate(const syntax::Model& model, const Instance* parent,
                                        std::string prefix, const Place& use);
  void declare_symbols(Instance& instance);
  void declare_parameters(Instance& instance);
  void declare(Instance& instance, const std::string& name, const Place& place);
  void expand(Instance& instance);
  void check_overrides();
  void report_unit(Diagnostic diagnostic);
  void check_units();
  void check_drives();
  void lift_numbers();
  void report(const Fault& fault);
  Place seen(const Instance& instance, Place place) const;
  template <class Action>
  bool guarded(const Instance& instance, Action action);

  // names.cpp: which names a model has, and how they are resolved
  void register_names(Instance& instance);
  void register_declarations(Instance& instance, const syntax::Declare& declare);
  void register_let(Instance& instance, const syntax::Let& let);
  void register_name(Instance& instance, const std::string& name, const Place& place, NameKind kind,
                     Definition definition);
  const Thing& resolve(Instance& instance, Entry& entry, const Place& use) override;
  const Thing& settled(const Entry& entry, const Place& use) const;
  void define(Instance& instance, Entry& entry);
  Thing definition_of(Instance& instance, Entry& entry);
  Thing define_let(Instance& instance, Entry& entry);
  Thing define_output(Instance& instance, const syntax::Output& output);

  // lifted_let.cpp
  bool is_lifted(const Entry& entry, const Scope& scope);
  void lift(Thing& entry, const std::string& name, const Place& place);

  // declarations.cpp: sizes, parameters, unknowns
  Thing define_declaration(Instance& instance, NameKind kind, const syntax::Declaration& item);
  Thing define_size(Instance& instance, const syntax::Declaration& item);
  Thing define_parameter(Instance& instance, const syntax::Declaration& item);
  Thing define_unknown(Instance& instance, SymbolKind kind, const syntax::Declaration& item);
  Given parameter_value(Instance& instance, const syntax::Declaration& item,
                        const DeclaredUnit& unit);
  double nominal_of(const syntax::Declaration& item, const std::optional<Unit>& unit,
                    const Scope& scope);
  Shape declared_shape(Instance& instance, const syntax::Declaration& item);
  expr::SymbolId new_symbol(Symbol symbol) override;
  const Override* overridden(OverrideTable& table, const std::string& name);
  syntax::ExpressionPtr parse_override(const std::string& text, const std::string& what);

  // conversion.cpp: units of what is declared, to SI
  DeclaredUnit unit_of(expr::Leaf leaf) const;
  DeclaredUnit declared_unit(const std::string& text, const Place& place);
  void convert_declared(std::vector<expr::Expr>& values, const std::string& name,
                        const DeclaredUnit& unit, const syntax::Expression& written,
                        const Place& unit_place);
  void convert_given(std::vector<expr::Expr>& values, const DeclaredUnit& unit);
  bool is_bare(expr::Expr value) const;
  expr::Expr in_si(expr::Expr value, const Unit& unit);
  Given override_value(const std::string& text, const std::string& what, const Scope& scope,
                       const std::string& name, const DeclaredUnit& unit);

  // inputs.cpp: inputs and signals
  Thing define_input(Instance& instance, const syntax::Declaration& item);
  Thing define_signal(Instance& instance, const syntax::Declaration& item);
  Given input_value(Instance& instance, const syntax::Declaration& item, const Shape& shape,
                    const DeclaredUnit& unit);
  Given overridden_input(const std::string& name, const Override& given, const Shape& shape,
                         const DeclaredUnit& unit);
  Given input_from_file(const std::string& name, const std::string& path, const Shape& shape,
                        const DeclaredUnit& unit);
  void require_known_in_time(expr::Expr e, const Place& place, const std::string& what) const;
  Value fed_back(const std::string& name, const syntax::Declaration& item, const Shape& shape,
                 const DeclaredUnit& unit, const Given& given);
  void add_feedback();

  // parts.cpp
  Thing define_part(Instance& instance, const syntax::Part& part);
  Given given_by(const syntax::Expression& e, NameKind kind, const Scope& scope);
  const Entry* needs_itself(const syntax::ExpressionPtr& e, const Scope& scope) const;
  Given given_to_input(const syntax::ExpressionPtr& e, const Scope& scope);
  Instance* make_part(const syntax::Model& model, const syntax::Call& call, const std::string& name,
                      const Scope& scope);
  void refuse_foreign_ground(const syntax::Part& part, const syntax::Call& call,
                             const Scope& scope) const;
  const syntax::Model& model_of_part(const syntax::Part& part, const syntax::Call& call,
                                     const Scope& scope);

  // elements.cpp: the built-in ones
  const syntax::Model& element_of_part(const syntax::Call& call, const Scope& scope);
  long element_dimension(const syntax::Call& call, const Scope& scope);
  Instance* body_of(const syntax::Expression& e, const Scope& scope);
  bool names_a_body(const syntax::Expression& e, const Scope& scope);
  long dimension_of(Instance& body);
  void check_element(const Instance& part);
  bool jumps_after_a_turn(const Instance& part, const std::string& name) const;
  void check_gear(const Instance& gear) const;
  void check_not_zero(const Instance& part, const std::string& name, const std::string& help) const;
  void check_joined_bodies(const Instance& joint) const;
  void check_vectors(const Instance& part) const;
  void check_beam(const Instance& beam) const;
  void check_inertia(const Instance& body);
  std::vector<double> numbers_of(const Instance& part, const std::string& name) const;
  Place place_of_parameter(const Instance& part, const std::string& name) const;

  // links.cpp: links of trees of joints
  void prepare_link(Instance& link);
  void inherit_gravity(Instance& link, Instance* parent);
  void add_carried(Instance& link, const Entry& entry, Value& value);
  void check_link(const Instance& link) const;
  Value orientation_of(const Instance& link);
  Value quaternion_of(const Value& rotation, const Place& place);
  Value axes_of(Instance& link);
  std::optional<std::vector<double>> constants(const Value& value) const;

  // relations.cpp, drives.cpp: constraints, equations, servos, drives
  Thing define_relation(Instance& instance, const syntax::Relation& relation);
  Thing add_relation(const syntax::Relation& relation, const std::string& name, const Scope& scope);
  void add_row(const syntax::Relation& relation, Relation row, Value& multipliers);
  bool is_function_of_time(expr::Expr e) const;
  expr::SymbolId require_coordinate(expr::Expr e, const Place& place, const std::string& what,
                                    const std::string& help) const;
  expr::SymbolId drive_force(expr::SymbolId coordinate, const Place& place) override;

  // controllers.cpp: those that act
  void choose_controllers();
  void add_asked_starts();
  void start_blocks(ActiveController& controller);
  void declare_state(ActiveController& controller, const syntax::State& state);
  expr::SymbolId held_symbol(ActiveController& controller, const std::string& name, double start,
                             const Place& place) override;
  void add_controllers();
  void expand(const syntax::Controller&, const Place&, const Scope&) {}
  void expand(const syntax::Measure& measure, const Place& place, const Scope& scope);
  void expand(const syntax::State& state, const Place& place, const Scope& scope);
  void expand(const syntax::Command& command, const Place& place, const Scope& scope);
  void expand(const syntax::Observe& observe, const Place& place, const Scope& scope);
  bool is_clocked(const ActiveController& controller) const { return controller.made.period > 0; }
  expr::Expr measured_variable(ActiveController& controller, const std::string& name,
                               expr::Expr value, const Place& place);
  /// The active controller that commands an input, by the input's name in the text; null: none does.
  ActiveController* commanding(const std::string& input);
  /// By a controller of the model, active or not; as the text names them.
  std::vector<std::string> inputs_commanded_by(const std::string& controller) const;
  ActiveController& acting(const Scope& scope);
  std::vector<expr::Expr> commanded_by(ActiveController& controller,
                                       const syntax::Command& command);
  void command_one(ActiveController& controller, expr::Expr target, expr::Expr value,
                   const Place& place);
  void finish(ActiveController& controller);
  expr::Expr known_to(const ActiveController& controller, expr::Expr e,
                      const Place& place) override;
  Model& model() override { return model_; }
  expr::Graph& graph() override { return *graph_; }
  Evaluator& evaluator() override { return evaluator_; }
  Designer* designer() override { return designer_; }
  void warn(Diagnostic warning) override { diagnostics_.add(std::move(warning)); }
  const Value* measured(const syntax::Expression& quantity, const Scope& scope) override;
  std::optional<Value> law(const syntax::Expression& e, const Scope& scope) override;
  void check_derivative(const Value& value, const Place& place) const override;

  // statements.cpp: everything that has no name
  void expand(const syntax::Statement& statement, const Scope& scope);
  void expand(const syntax::Declare& declare, const Place& place, const Scope& scope);
  void expand(const syntax::Let& let, const Place& place, const Scope& scope);
  void expand(const syntax::Energy& energy, const Place& place, const Scope& scope);
  void expand(const syntax::Load& load, const Place& place, const Scope& scope);
  void expand(const syntax::Relation& relation, const Place& place, const Scope& scope);
  void expand(const syntax::Output& output, const Place& place, const Scope& scope);
  void expand(const syntax::Drive& drive, const Place& place, const Scope& scope);
  void expand(const syntax::Initial& initial, const Place& place, const Scope& scope);
  void expand(const syntax::Limit& limit, const Place& place, const Scope& scope);
  void expand(const syntax::Event& event, const Place& place, const Scope& scope);
  void expand(const syntax::Draw& draw, const Place& place, const Scope& scope);
  void expand(const syntax::Experiment& experiment, const Place& place, const Scope& scope);
  void expand(const syntax::Part& part, const Place& place, const Scope& scope);
  void expand(const syntax::For& loop, const Place& place, const Scope& scope);

  const Thing& named(const std::string& name, const Place& place, const Scope& scope);
  void collect_terms(const syntax::Expression& e, bool negative, const Scope& scope,
                     std::vector<EnergyTerm>& terms);
  void check_energy(const EnergyTerm& term, syntax::EnergyKind kind,
                    const std::string& context) const;
  std::vector<expr::Leaf> unknowns_of(const Value& value, const Place& place,
                                      const std::string& what) const;
  void add_start(const StartValue& start, int depth);
  void warn_of_unit(const syntax::InitialItem& item, const std::vector<expr::Leaf>& leaves,
                    const std::vector<expr::Expr>& values);
  bool is_made_of_lower_derivatives(expr::Expr value, int order) const;
  void evaluate_start_formulas();

  // events.cpp, experiments.cpp
  EventAction event_action(const syntax::EventAction& action, const Scope& scope);
  void collect_constraints(const Thing& thing, const Place& place,
                           std::vector<std::size_t>& constraints) const;
  void add_experiment_values(
      Experiment& experiment, const syntax::Argument& argument,
      const std::function<std::vector<double>(const syntax::Expression&)>& numbers);
  void require_of_plant(const syntax::Argument& value) const;
  std::vector<std::string> named_controllers(const syntax::Argument& argument);
  bool add_experiment_input(Experiment& experiment, const syntax::Argument& argument,
                            const Scope& scope);

  const Library& library_;
  const std::string& model_name_;
  Lifting lifting_;
  OverrideTable parameters_, inputs_;
  std::string input_option_, start_option_;  // as messages call them
  Diagnostics diagnostics_;
  std::set<std::string> told_;
  std::shared_ptr<expr::Graph> graph_;
  Model model_;
  Algebra algebra_;
  Evaluator evaluator_;
  std::unique_ptr<Instance> top_;
  std::map<std::string, const syntax::Model*> models_;
  std::map<const syntax::Model*, std::string> directories_;
  std::vector<const Entry*> running_;  // definitions being evaluated, outermost first

  struct StartOrigin {
    std::size_t index = 0;  // into model_.starts
    int depth = 0;
  };
  std::map<expr::Leaf, StartOrigin> start_origins_;
  std::map<expr::SymbolId, std::string> declared_in_;    // units of unknowns that are not in SI
  std::map<expr::SymbolId, std::size_t> constraint_of_;  // by multiplier
  std::map<expr::SymbolId, std::size_t> drive_of_;       // by coordinate
  std::map<expr::SymbolId, expr::SymbolId> drive_forces_;
  std::vector<std::pair<expr::SymbolId, Place>> forces_on_;  // force F on q
  Designer* designer_ = nullptr;
  std::vector<std::string> asked_controllers_, held_inputs_;
  std::map<std::string, std::string> asked_starts_;
  std::vector<std::unique_ptr<ActiveController>> controllers_;
  struct Feedback {  // on the input of a part
    Value input;
    std::string name;
    DeclaredUnit unit;
    std::shared_ptr<const Postponed> value;
  };
  std::vector<Feedback> feedback_;
  int unnamed_relations_ = 0;
  bool strict_units_ = false;
  std::size_t unit_reports_ = 0, unit_errors_ = 0;  // errors among the reports
  std::vector<std::pair<Instance*, Entry*>> done_;  // in the order in which they were defined
};

/// Runs `action` on `instance`; a fault in it is reported, and false returned.
template <class Action>
bool Elaborator::guarded(const Instance& instance, Action action) {
  try {
    action();
    return true;
  } catch (Fault& fault) {
    fault.place = seen(instance, fault.place);
    report(fault);
    return false;
  }
}

}  // namespace daedal::model
