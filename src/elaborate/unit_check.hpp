// Checks the units of a model, and finds those that are not stated (docs/language/units.md).
//
// The syntax tree is evaluated again, with dimensions in the place of values. A name without a unit and a number have an
// unknown dimension; each rule of a formula is an equation (dimension_equations.hpp), and one that contradicts the others is
// a fault. What repeats is checked by example: of a long loop, array of parts or array of lets the first and the last passes
// and one in the middle, so that the work does not grow with the sizes.
#pragma once

#include "daedal/model/fault.hpp"
#include "daedal/model/instance.hpp"
#include "daedal/model/model.hpp"
#include "daedal/units/dimension_equations.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace daedal::model {

/// The dimensions of a value, entry by entry; those of a long vector are one.
struct UnitValue {
  enum class Kind : std::uint8_t { anything, scalar, vector, matrix } kind = Kind::anything;
  std::uint32_t rows = 1, columns = 1;
  std::vector<DimensionTerm> entries;  // row by row, or a single one for all
  /// Made of numbers, sizes and indices alone; a plain one has no unit beside a parameter: m/2, 3*L.
  enum class Number : std::uint8_t { no, any, plain } number = Number::no;
  std::optional<double> now;  // of a number
  bool anchored = false;      // made of parameters
  bool clock = false;         // time itself
  /// Made of numbers and time alone, as 2*sin(t) and 1 - t: fits anything, as a number does.
  bool bare = false;
  /// Bare, of functions and plain numbers, as sin(t) is: has no unit beside a parameter either.
  bool pure = false;

  std::size_t size() const { return std::size_t{rows} * columns; }
  bool is_anything() const { return kind == Kind::anything; }
  const DimensionTerm& at(std::size_t i) const { return entries[entries.size() == 1 ? 0 : i]; }
};

/// What a name, member or entry means.
struct UnitMeaning {
  UnitValue value;
  Instance* part = nullptr;
  Instance* home = nullptr;  // with `entry`: a name, whole or, when `value` is anything, an array
  Entry* entry = nullptr;
  bool is_array = false;
};

struct UnitLocal {
  std::string_view name;
  UnitMeaning meaning;
  const UnitLocal* outer = nullptr;
};

struct UnitScope {
  Instance* instance = nullptr;
  std::string context;
  const UnitLocal* locals = nullptr;

  UnitScope in(std::string new_context) const { return {instance, std::move(new_context), locals}; }
};

class UnitCheck {
 public:
  using Report = std::function<void(const Instance&, Diagnostic)>;

  UnitCheck(Model& model, const expr::Graph& graph, Instance& top,
            const std::vector<Instance*>& controllers,
            const std::vector<std::pair<Instance*, Entry*>>& names, Report report);
  /// Reports every contradiction, then gives the model's symbols and outputs the units that were found.
  void run();

 private:
  // unit_check.cpp: names and statements
  void pair_with_examples(Instance& instance, Instance& example);
  void check_name(Instance& instance, Entry& entry);
  void check_declaration(Instance& instance, Entry& entry, const syntax::Declaration& item);
  void check_arguments(Instance& instance, const syntax::Part& part);
  void check_arguments(Instance& part, const syntax::Call& call, const UnitScope& scope);
  void check_statements(Instance& instance);
  void check(const syntax::Statement& statement, const UnitScope& scope);
  void check(const syntax::Energy& energy, const UnitScope& scope);
  void check_energy(const syntax::Expression& e, const Dimension& wanted, const UnitScope& scope);
  void check(const syntax::Load& load, const UnitScope& scope);
  void check(const syntax::Drive& drive, const UnitScope& scope);
  void check(const syntax::Initial& initial, const UnitScope& scope);
  void check(const syntax::Limit& limit, const UnitScope& scope);
  void check(const syntax::Event& event, const UnitScope& scope);
  void check(const syntax::Draw& draw, const UnitScope& scope);
  void check(const syntax::Experiment& experiment, const UnitScope& scope);
  UnitValue relation(const syntax::Relation& relation, const UnitScope& scope);

  // unit_controllers.cpp: what stands in controllers alone
  void know_channels(Instance& controller);
  const UnitValue* channel(const syntax::Expression& e, const UnitScope& scope) const;
  void check(const syntax::Measure& measure, const UnitScope& scope);
  void check(const syntax::State& state, const UnitScope& scope);
  void check(const syntax::Command& command, const UnitScope& scope);
  std::optional<UnitValue> law(const syntax::Call& call, const UnitScope& scope);

  // unit_names.cpp: what names mean
  UnitMeaning named(Instance& instance, Entry& entry, const Place& place);
  UnitMeaning entry_of_array(Instance& home, Entry& entry, long k);
  UnitValue declared(Instance& instance, Entry& entry, const syntax::Declaration& item);
  UnitValue let_value(Instance& instance, Entry& entry, const syntax::Let& let,
                      const UnitLocal* locals);
  UnitValue multiplier(Instance& home, Entry& entry, long k);
  UnitValue force_of(const UnitMeaning& meaning);
  UnitMeaning meaning(const syntax::Expression& e, const UnitScope& scope);
  UnitMeaning member(const syntax::Member& node, const UnitScope& scope, const Place& place);
  UnitMeaning entries(const syntax::Expression& e, const syntax::Index& node,
                      const UnitScope& scope);
  UnitValue unknown_of(const Value& shape);
  UnitValue unknown_scalar();
  UnitValue loose_scalar();  // a function of time
  UnitValue of_unit(const std::string& text, const Place& place);

  // unit_expressions.cpp: formulas
  UnitValue value(const syntax::Expression& e, const UnitScope& scope);
  UnitValue evaluate(const syntax::Expression& e, const syntax::Chain& node,
                     const UnitScope& scope);
  UnitValue product(const syntax::Chain& node, const UnitScope& scope);
  UnitValue evaluate(const syntax::Power& node, const UnitScope& scope);
  UnitValue evaluate(const syntax::Matrix& node, const UnitScope& scope);
  UnitValue evaluate(const syntax::Expression& e, const syntax::Call& node, const UnitScope& scope);
  UnitValue apply(const syntax::Let& function, Instance& home, const syntax::Call& call,
                  const UnitScope& scope);
  UnitValue builtin(const syntax::Expression& e, const syntax::Call& call, const UnitScope& scope);
  UnitValue multiply(const UnitValue& a, const UnitValue& b);
  UnitValue alike(const UnitValue& a, const syntax::Expression& written_a, const UnitValue& b,
                  const syntax::Expression& written_b, const std::string& rule,
                  const UnitScope& scope);
  void require_number(const UnitValue& value, const syntax::Expression& written,
                      const std::string& what, const UnitScope& scope);
  UnitValue each_to_the(UnitValue value, Rational exponent) const;
  std::optional<double> number(const syntax::Expression& e, const UnitScope& scope) {
    return value(e, scope).now;
  }
  template <class Body>
  void loop(const syntax::Binder& binder, const UnitScope& scope, Body body);

  // unit_messages.cpp
  struct Contradiction {
    Place place;
    std::string message, help;
    std::vector<const syntax::Expression*> about;
    bool only_told = false;  // a warning: nothing that is stated is contradicted
  };
  std::string text(const DimensionTerm& term, bool force = false) const;
  void fail(const Contradiction& why, const UnitScope& scope);
  void tell_origins(const syntax::Expression& e, const UnitScope& scope,
                    std::vector<std::string>& details);
  /// First entry that differs; a number without anything is left as it is.
  std::optional<std::size_t> equate(const UnitValue& a, const UnitValue& b, const Place& place);
  /// Whether a contradiction of these follows from stated units alone.
  void contradict(const DimensionTerm& a, const DimensionTerm& b);
  bool leaves_out_a_factor(const syntax::Expression& e, const UnitScope& scope);
  /// While it lives contradictions are only told, if the formula leaves out a factor.
  class Normalised {
   public:
    Normalised(UnitCheck& check, const syntax::Expression& e, const UnitScope& scope)
        : check_(check) {
      check_.normalised_ = check.leaves_out_a_factor(e, scope);
    }
    ~Normalised() { check_.normalised_ = false; }
    Normalised(const Normalised&) = delete;
    Normalised& operator=(const Normalised&) = delete;

   private:
    UnitCheck& check_;
  };

  // unit_results.cpp: what was found
  void list_units();
  void fill_units();
  std::string found_unit(const UnitValue& value, std::size_t i, bool force) const;

  Model& model_;
  const expr::Graph& graph_;
  Instance& top_;
  std::vector<Instance*> controllers_;
  const std::vector<std::pair<Instance*, Entry*>>& names_;
  Report report_;
  DimensionEquations equations_;
  std::unordered_map<const Instance*, Instance*> example_of_;
  std::unordered_map<const Entry*, UnitValue> values_;
  std::map<std::pair<const Entry*, long>, UnitValue> entries_;             // of arrays
  std::map<std::pair<const Instance*, std::string>, UnitValue> channels_;  // of controllers
  std::map<expr::SymbolId, std::size_t> constraints_;                      // by multiplier
  bool inferred_ = false;    // the last contradiction involves a name without a unit
  bool normalised_ = false;  // what is checked leaves out a factor
  long work_left_;
  int depth_ = 0;
};

/// Which entry of an array of that range stands for entry k.
long example_index(long k, long first, long last);
/// All of these.
std::vector<long> examples(long first, long last);

template <class Body>
void UnitCheck::loop(const syntax::Binder& binder, const UnitScope& scope, Body body) {
  const std::optional<double> first = number(*binder.first, scope),
                              last = number(*binder.last, scope);
  if (!first || !last) return;
  for (const long k : examples(static_cast<long>(*first), static_cast<long>(*last))) {
    UnitLocal index{binder.name, {}, scope.locals};
    index.meaning.value = unknown_scalar();
    index.meaning.value.number = UnitValue::Number::plain;
    index.meaning.value.now = static_cast<double>(k);
    body(k, UnitScope{scope.instance, scope.context, &index});
  }
}

}  // namespace daedal::model
