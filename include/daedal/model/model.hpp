// A model with its names resolved: sizes are numbers, parts flattened, loops lists of terms.
//
// Immutable once built. Everything is scalar: a coordinate q[1..3] is three symbols "q[1]", "q[2]",
// "q[3]".
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/model/option.hpp"
#include "daedal/model/parse.hpp"
#include "daedal/model/syntax.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal::model {

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

  /// A coordinate, or a position made of coordinates: both move, and energies depend on them.
  bool is_position() const { return kind == SymbolKind::coordinate || kind == SymbolKind::lifted; }
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
  expr::SymbolId multiplier = 0;  // the force with which the definition holds
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
/// x_T.force, the unknown that stands for what the drive of x_T must deliver.
struct DriveForce {
  expr::SymbolId coordinate = 0, symbol = 0;
  Place place;
};
struct NamedValue {
  std::string name;  // "z" or "z[1]"
  expr::Expr value;
  std::string unit, doc;
  Place place;
};
struct StartValue {
  expr::Leaf leaf;
  double value = 0;
  bool fixed = false;
  Place place;  // where it is stated; unknown: an element's default, which nobody stated
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
  syntax::EventAction::Kind kind = syntax::EventAction::Kind::release;
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
};

struct Model {
  std::string name, doc;
  Place place;
  std::shared_ptr<const expr::Graph> graph;
  std::vector<Symbol> symbols;  // symbols[0] is time
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
  std::vector<Diagnostic> warnings;

  bool varies(expr::SymbolId s) const { return symbols[s].kind != SymbolKind::parameter; }
  /// Symbol by user name; 0 (time) when there is none.
  expr::SymbolId find(const std::string& name) const;
};

/// Whether entries of recursive lets become unknowns (docs/methods/lifting.md) or are written out wherever they occur.
enum class Lifting : std::uint8_t { never, automatic, always };

struct Overrides {
  std::map<std::string, std::string>
      parameters;  // -p name=value, value an expression of numbers: "N" -> "10", "d[2]" -> "0.1"
  std::map<std::string, std::string> inputs;      // --input u='0.5*sin(t)', or "@file.csv"
  std::map<std::string, std::string> experiment;  // inputs too, weaker; files beside the model's
  std::string model;                              // --model; "" the last of the file
  Lifting lifting = Lifting::never;
  std::string parameter_option = "-p";  // as messages call it
};
/// Sizes beyond which a model is refused: more is a typing error, or would not fit in memory.
struct Limits {
  long entries = 2'000'000;  // of a vector, and symbols in all
  long passes = 10'000'000;  // of a loop and those nested in it
  long work = 50'000'000;    // operations to write the model out: some seconds, about 1 GiB
};

/// Resolves names, checks shapes, flattens parts. Throws ModelError with all faults found.
Model elaborate(const Library& library, const Overrides& overrides = {}, const Limits& limits = {});

}  // namespace daedal::model
