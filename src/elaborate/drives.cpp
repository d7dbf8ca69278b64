// Drives: laws that replace the equation of motion of a coordinate.
#include "elaborate/elaborator.hpp"

#include <fmt/format.h>

namespace daedal::model {

using expr::Expr;
using expr::Op;

namespace {

/// The five laws, each by its name and options.
///   velocity()                     x' = u
///   velocity(lag = tau)            tau x'' + x' = u
///   velocity(omega = w, zeta = d)  x''' + 2 d w x'' + w^2 x' = w^2 u
///   position()                     x = u
///   position(omega = w, zeta = d)  x'' + 2 d w x' + w^2 x = w^2 u
class DriveLaws {
 public:
  DriveLaws(Algebra& algebra, expr::SymbolId coordinate, Expr u, const Place& place)
      : algebra_(algebra), coordinate_(coordinate), u_(u), place_(place) {}

  /// Completes `drive`; false when there is no such law.
  bool find(const std::string& law, const std::map<std::string, Expr>& options,
            Drive& drive) const {
    const bool velocity = law == "velocity";
    if (!velocity && law != "position") return false;
    const int base = velocity ? 1 : 0;  // the order of what follows u
    if (options.empty()) {
      drive.law = velocity ? DriveLaw::velocity : DriveLaw::position;
      drive.residual = apply(Op::sub, x(base), u_);
      return true;
    }
    if (velocity && options.size() == 1 && options.contains("lag")) {
      drive.law = DriveLaw::velocity_lag;
      const Expr lagging = apply(Op::mul, options.at("lag"), x(2));
      drive.residual = apply(Op::sub, apply(Op::add, lagging, x(1)), u_);
      return true;
    }
    if (options.size() == 2 && options.contains("omega") && options.contains("zeta")) {
      drive.law = velocity ? DriveLaw::velocity_second_order : DriveLaw::position_second_order;
      drive.residual = second_order(base, options.at("omega"), options.at("zeta"));
      return true;
    }
    return false;
  }

 private:
  Expr x(int order) const {
    return algebra_.graph().leaf({coordinate_, static_cast<std::uint16_t>(order)});
  }
  Expr apply(Op op, Expr a, Expr b) const { return algebra_.binary(op, a, b, place_); }

  Expr second_order(int base, Expr omega, Expr zeta) const {
    const Expr stiffness = apply(Op::mul, omega, omega);
    const Expr damping = apply(Op::mul, apply(Op::mul, algebra_.graph().constant(2), zeta), omega);
    const Expr damped = apply(Op::add, x(base + 2), apply(Op::mul, damping, x(base + 1)));
    const Expr follows = apply(Op::add, damped, apply(Op::mul, stiffness, x(base)));
    return apply(Op::sub, follows, apply(Op::mul, stiffness, u_));
  }

  Algebra& algebra_;
  expr::SymbolId coordinate_;
  Expr u_;
  const Place& place_;
};

}  // namespace

void Elaborator::expand(const syntax::Drive& drive, const Place& place, const Scope& outer) {
  const Scope scope = outer.in("drive");
  Drive result;
  result.place = place;
  result.coordinate = require_coordinate(evaluator_.scalar(*drive.target, scope, "what is driven"),
                                         drive.target->place, "a drive", "");
  if (const auto other = drive_of_.find(result.coordinate); other != drive_of_.end()) {
    fault(place, fmt::format("'{}' has two drives", model_.symbols[result.coordinate].name),
          fmt::format("the other is on line {}", model_.drives[other->second].place.line));
  }
  const Expr u = evaluator_.scalar(*drive.input, scope, "the input of a drive");
  if (graph_->node(u).op == Op::leaf) {
    const expr::SymbolId symbol = graph_->leaf_of(u).symbol;
    if (model_.symbols[symbol].kind == SymbolKind::input) result.input = symbol;
  }
  std::map<std::string, Expr> options;
  for (const syntax::Argument& option : drive.options) {
    const std::string what = fmt::format("option '{}'", option.name);
    options.emplace(option.name, evaluator_.scalar(*option.value, scope, what));
  }
  if (!DriveLaws(algebra_, result.coordinate, u, place).find(drive.law, options, result)) {
    fault(drive.law_place, fmt::format("there is no drive '{}' with these options", drive.law),
          "velocity(), velocity(lag =), velocity(omega =, zeta =), position(), "
          "position(omega =, zeta =)");
  }
  drive_of_.emplace(result.coordinate, model_.drives.size());
  model_.drives.push_back(result);
}

/// The coordinate that `e` is; `what` acts on one.
expr::SymbolId Elaborator::require_coordinate(Expr e, const Place& place, const std::string& what,
                                              const std::string& help) const {
  std::string found = "a formula";
  if (graph_->node(e).op == Op::leaf) {
    const expr::Leaf leaf = graph_->leaf_of(e);
    const Symbol& symbol = model_.symbols[leaf.symbol];
    if (symbol.kind == SymbolKind::coordinate && leaf.order == 0) return leaf.symbol;
    found = leaf.order == 0 ? describe(symbol)
                            : fmt::format("the derivative {}", name_of(symbol, leaf.order));
  }
  fault(place, fmt::format("{} acts on a coordinate, not on {}", what, found), help);
}

/// x.force is an unknown of its own, made when something refers to it.
expr::SymbolId Elaborator::drive_force(expr::SymbolId coordinate, const Place& place) {
  if (const auto known = drive_forces_.find(coordinate); known != drive_forces_.end())
    return known->second;
  const expr::SymbolId symbol =
      new_symbol({model_.symbols[coordinate].name + ".force", SymbolKind::multiplier, "",
                  "force of the drive", place, 0, 1});
  drive_forces_.emplace(coordinate, symbol);
  model_.drive_forces.push_back({coordinate, symbol, place});
  return symbol;
}

}  // namespace daedal::model
