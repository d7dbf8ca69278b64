// A model with its names resolved: sizes are numbers, parts flattened, loops lists of terms.
//
// Immutable once built. Everything is scalar: a coordinate q[1..3] is three symbols "q[1]", "q[2]",
// "q[3]".
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/expr/graph.hpp"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// Options of experiments and the command line: 20, rk45, radau5(tolerance = 1e-8), [18, 80].

namespace daedal::model::syntax {
struct Argument;
struct Expression;
}  // namespace daedal::model::syntax

namespace daedal::model {

struct Option {
  std::string name;  // of a named argument
  Place name_place;
  Place place;                  // of the value
  std::string word;             // rk45, radau5, or "" when the value is made of numbers
  std::vector<Option> options;  // radau5(tolerance = ...)
  std::vector<double> numbers;  // one, or the entries of a vector
  std::string text;             // the value as written
};

/// Reads a value; `numbers` evaluates what is neither a word nor a word with options.
Option read_option(const syntax::Argument& argument,
                   const std::function<std::vector<double>(const syntax::Expression&)>& numbers,
                   const std::function<bool(const std::string&)>& is_word);

/// Reads an option given on the command line; throws ModelError that names `what`.
Option parse_option(const std::string& text, const std::string& what);

/// An expression given outside a file; throws ModelError that names `what`.
std::shared_ptr<const syntax::Expression> parse_expression(const std::string& text,
                                                           const std::string& what);

namespace syntax {
struct File;  // a syntax tree: daedal/language/syntax.hpp
}

/// A file and everything it imports, in dependency order (imports first); each file once.
struct Library {
  Library();
  Library(const Library&);
  Library(Library&&) noexcept;
  Library& operator=(const Library&);
  Library& operator=(Library&&) noexcept;
  ~Library();

  std::vector<syntax::File> files;
};
/// Missing files and import cycles are diagnosed at the import. Throws ModelError.
Library load(const std::string& path);
/// Imports are looked for in the working directory. Throws ModelError.
Library load_text(std::string text, const std::string& name = "<text>");

enum class SymbolKind : std::uint8_t {
  time,
  parameter,
  coordinate,
  lifted,  // an entry of a recursive let, an unknown with its definition as equation
  variable,
  multiplier,
  input
};

struct Symbol {
  /// As the user would write it: "arm[2].q[1]". Numbers in which many terms of one shape differ are
  /// parameters too, and their own names: "2.5".
  std::string name;
  SymbolKind kind = SymbolKind::parameter;
  std::string unit;
  std::string doc;
  Place place;
  double value = 0;    // of a parameter
  double nominal = 1;  // scale of a coordinate or variable
  /// A parameter that a controller with a clock sets at its samples: a command it holds, a state, a measured value.
  bool held = false;
  /// Of a constraint: results show its reaction "rod.force", which is -rod. Forces of drives are multipliers too, as they are.
  bool of_constraint = false;

  /// A coordinate, or a position made of coordinates: both move, and energies depend on them.
  bool is_position() const { return kind == SymbolKind::coordinate || kind == SymbolKind::lifted; }
};

/// Symbols by number, and by name in a time that does not depend on their number. Names are not changed.
class Symbols {
 public:
  Symbols() = default;
  Symbols(std::initializer_list<Symbol> symbols) {
    for (const Symbol& symbol : symbols) push_back(symbol);
  }

  void push_back(Symbol symbol);
  /// The first of this name, time aside; 0 when there is none.
  expr::SymbolId find(const std::string& name) const;

  std::size_t size() const { return list_.size(); }
  const Symbol& operator[](std::size_t s) const { return list_[s]; }
  Symbol& operator[](std::size_t s) { return list_[s]; }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  auto begin() { return list_.begin(); }
  auto end() { return list_.end(); }

 private:
  std::size_t slot_of(const std::string& name) const;

  std::vector<Symbol> list_;
  /// Hash table with linear probing: numbers of symbols, 0 where free; a power of two, more than half free.
  std::vector<expr::SymbolId> slots_;
};

/// "the coordinate x_T", for messages.
std::string describe(const Symbol& symbol);
/// "x_T''": the name of a symbol's derivative.
std::string name_of(const Symbol& symbol, int order);

struct EnergyTerm {
  expr::Expr value;
  Place place;
};
/// force . d(displacement): Q_q = force * d displacement / d q
struct VirtualWork {
  expr::Expr force;
  expr::Expr displacement;
  Place place;
};

/// A scalar equation residual = 0. A vector relation is one for each entry: name[1] .. name[n].
struct Relation {
  std::string name;
  expr::Expr residual;  // lhs - rhs
  Place place;
  bool nonlinear = false;  // a velocity-level constraint that may be nonlinear in the velocities
  expr::SymbolId multiplier = 0;  // of a constraint
  /// Of a servo line  output = desired  whose right side is a function of time alone: its two sides.
  std::optional<expr::Expr> output = std::nullopt, desired = std::nullopt;
};
/// P[k] = P[k-1] + ...: symbol = value, where value is made of coordinates, time and lifted symbols that come before.
struct LiftedLet {
  expr::SymbolId symbol = 0;
  expr::Expr value;
  expr::SymbolId multiplier = 0;  // the force that enforces the definition
  Place place;
};
enum class DriveLaw : std::uint8_t {
  velocity,
  velocity_lag,
  velocity_second_order,
  position,
  position_second_order
};
struct Drive {
  expr::SymbolId coordinate = 0;
  expr::SymbolId input = 0;  // 0 when the drive follows something else than an input
  DriveLaw law = DriveLaw::velocity;
  expr::Expr residual;  // e.g. lag * x'' + x' - u
  Place place;
};
/// x_T.force, the unknown force that the drive of x_T must deliver.
struct DriveForce {
  expr::SymbolId coordinate = 0, symbol = 0;
  Place place;
};
struct NamedValue {
  std::string name;  // "z" or "z[1]"
  expr::Expr value;
  std::string unit, doc;
  Place place;
  std::string controller = {};  // whose output it is; "" of the mechanism
};
struct StartValue {
  expr::Leaf leaf;
  double value = 0;
  bool fixed = false;
  Place place;
  /// Of a derivative, made of lower ones: `value` is what it gives at their start values, and where the constraints move
  /// those it is evaluated again.
  std::optional<expr::Expr> formula = std::nullopt;
  /// False: an element's default, or a guess of the program. Who states a value is warned when the constraints move it.
  bool stated = true;
};
struct InputDefault {
  expr::SymbolId input = 0;
  expr::Expr value;
};  // an expression of t and parameters
struct LimitRange {
  std::string text;
  expr::Expr value, low, high;
  Place place;
};
struct EventAction {
  enum class Kind : std::uint8_t { release, attach, set } kind = Kind::release;
  std::vector<std::size_t> constraints;  // released or attached
  std::vector<expr::Leaf> targets;       // set
  std::vector<expr::Expr> values;
  double restitution = 0;
  Place place;
};
struct Event {
  std::string name;
  expr::Expr condition;
  std::vector<EventAction> actions;
  Place place;
};
struct DrawItem {
  std::string shape;
  std::vector<std::vector<expr::Expr>> points;
  std::map<std::string, expr::Expr> options;  // radius 0.05
  std::map<std::string, std::string> texts;   // label "bob"
  Place place;
};
/// simulate(until = 20, method = radau5(tolerance = 1e-8), u = sin(t))
struct Experiment {
  std::string name, doc, command;
  std::vector<Option> options;
  Place place;
  std::map<std::string, std::string> inputs;  // signals given in the call, as text
  std::vector<std::string> controllers;       // that act
  /// plant(m = 21): parameters of the plant that its controllers do not know of; initial(x = 11.5): its start values. As text.
  std::map<std::string, std::string> plant, starts;
};

/// A value of a controller that is held between its samples, and what it becomes at the next one.
struct Update {
  expr::SymbolId symbol = 0;
  expr::Expr value;
  Place place;
};
/// A random number, drawn anew at each sample: normal with this deviation, or uniform in [0, 1).
struct Noise {
  expr::SymbolId symbol = 0;
  double deviation = 0;
  bool uniform = false;
};
/// What acts on the mechanism at a sample: the held value that an input follows. Of a controller without a clock, whose command is
/// an equation too, nothing is held: symbol 0.
struct Command {
  expr::SymbolId input = 0, held = 0;
  expr::Expr value;
  double dead_time = 0;  // [s], from the sample until it acts
  Place place;
};
class ObserverDesign;  // daedal/model/estimator.hpp
/// What a controller estimates from what it measures. All these are held between samples.
struct Observation {
  std::shared_ptr<const ObserverDesign> design;
  std::vector<expr::SymbolId>
      inputs;  // commands, its own and others', that act on what it observes
  std::vector<expr::SymbolId> measured;  // entries of its measurements
  std::vector<expr::SymbolId>
      fresh;  // parallel: 0 holds a lost or old measurement; symbol 0: always new
  std::vector<expr::SymbolId> estimates;  // as Estimator::estimates
  std::vector<expr::Leaf> states;         // of the mechanism, that are estimated
};
/// Quantities that are the solution of equations of their own, found anew at each sample: torques that balance gravity, angles
/// that close a loop. residuals = 0, as many as unknowns; Newton's method begins at the solution of the sample before.
struct Solved {
  std::string law;
  Place place;
  std::vector<expr::SymbolId> unknowns;  // held between samples
  std::vector<expr::Expr> residuals;
};
/// A controller that acts. With a clock: at each sample the random numbers are drawn, then what is measured is updated, all
/// at once, then what is estimated, then what is solved, one after the other, then states and commands, all at once. A
/// continuous one is part of the equations.
struct Controller {
  std::string name, doc;
  Place place;
  double period = 0;  // [s]; 0: continuous
  std::vector<Noise> noise;
  std::vector<Update> measured, states;
  std::optional<Observation> observation;
  std::vector<Solved> solved;
  std::vector<Command> commands;
};

/// What the check of units found for a name of the model (docs/language/units.md).
struct UnitOfName {
  std::string name;  // "x", "q[1..3]"
  std::string kind;  // "coordinate", "constraint"
  std::string unit;  // in SI; of a constraint that of its multiplier; "" when undetermined
  bool stated = false;
  Place place;
};

struct Model {
  std::string name, doc;
  Place place;
  std::shared_ptr<const expr::Graph> graph;
  Symbols symbols;  // symbols[0] is time
  std::map<std::string, long> sizes;
  std::vector<EnergyTerm> kinetic, potential, dissipation;
  std::vector<VirtualWork> loads;
  std::vector<LiftedLet> lifted;  // in the order in which they are defined
  std::vector<Relation> constraints, equations, servos;
  std::vector<Drive> drives;
  std::vector<NamedValue> outputs;
  std::vector<DriveForce> drive_forces;  // those that something refers to
  std::vector<StartValue> starts;
  std::vector<InputDefault> inputs;
  std::vector<LimitRange> limits;
  std::vector<Event> events;
  std::vector<DrawItem> drawing;
  std::vector<Experiment> experiments;
  std::vector<std::string> controller_names;  // of all that the text states
  std::vector<Controller> controllers;        // those that act
  std::vector<UnitOfName> units;  // in the order of the text, parts after the model around them
  std::vector<Diagnostic> warnings;

  bool varies(expr::SymbolId s) const { return symbols[s].kind != SymbolKind::parameter; }
  /// Symbol by user name; 0 (time) when there is none.
  expr::SymbolId find(const std::string& name) const { return symbols.find(name); }
};

class Designer;  // daedal/model/designer.hpp

/// Whether entries of recursive lets become unknowns (docs/methods/lifting.md) or are written out wherever they occur.
enum class Lifting : std::uint8_t { never, automatic, always };

struct Overrides {
  std::map<std::string, std::string>
      parameters;  // -p name=value, value an expression of numbers: "N" -> "10", "d[2]" -> "0.1"
  std::map<std::string, std::string> inputs;      // --input u='0.5*sin(t)', or "@file.csv"
  std::map<std::string, std::string> experiment;  // inputs too, weaker; files next to the model
  std::string model;                              // --model; "" the last of the file
  Lifting lifting = Lifting::never;
  std::vector<std::string> controllers;  // that act
  Designer* designer = nullptr;          // of their laws; needed where a law is designed
  std::vector<std::string> held_inputs;  // they follow no signal, but parameters of their names
  /// Parameters and sizes of which controllers do not know; they outrank `parameters`. Start values.
  std::map<std::string, std::string> plant, starts;
  /// Units that nobody states, and lengths of pictures, may not contradict the others either; else warnings.
  bool strict_units = false;
  std::string parameter_option = "parameters", input_option = "inputs", plant_option = "plant",
              start_option = "initial";  // as messages call them
};
/// Sizes beyond which a model is refused: more is a typing error, or would not fit in memory.
struct Limits {
  long entries = 2'000'000;  // of a vector, and symbols in all
  long passes = 10'000'000;  // of a loop and those nested in it
  long work = 50'000'000;    // operations to expand the model: some seconds, about 1 GiB
};

}  // namespace daedal::model
