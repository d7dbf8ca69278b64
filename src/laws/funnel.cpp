// Funnel control [IlchmannRyanTrenn2005]: the error stays within a funnel psi(t), and the gain grows where it nears the boundary.
//   relative degree 1:  u = -gamma k0 e,   k0 = 1/(1 - (e/psi0)^2)
//   relative degree 2:  u = -gamma k1 e1,  e1 = e' + k0 e,  k1 = 1/(1 - (e1/psi1)^2)
#include "daedal/laws/laws.hpp"

#include <fmt/format.h>

namespace daedal::model {

using expr::Expr;
using expr::Op;

/// 1/(1 - (e/psi)^2), not a number outside the funnel: there the formula would have the wrong sign.
Expr ControllerLaws::funnel_gain(Expr e, Expr psi) {
  expr::Graph& g = graph();
  const Expr room = g.sub(g.constant(1), g.powi(g.div(e, psi), 2));
  return g.unary(Op::exp, g.neg(g.unary(Op::log, room)));
}

Value ControllerLaws::funnel(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 1, {"error", "psi", "gamma", "rate"});
  expr::Graph& g = graph();
  const Value psi = value(e, call, 9, "psi");
  require(call, 9, "psi", psi, Range::positive);
  const Expr gamma = scalar(e, call, 9, "gamma"), error = scalar(e, call, 0, "error");
  const std::size_t degree = psi.entries.size();
  if (degree > 2)
    fault(e.place, fmt::format("funnel has laws for relative degree 1 and 2, not {}", degree),
          "'psi' has one boundary for each degree");
  const auto law = [&](Expr x, Expr boundary) {
    return g.neg(g.mul(gamma, g.mul(funnel_gain(x, boundary), x)));
  };
  if (degree == 1) return Value::scalar(law(error, psi.entries[0]));
  std::optional<Expr> rate = optional_scalar(call, "rate");
  if (!rate && clocked())
    fault(e.place, "funnel with a clock and two boundaries needs 'rate'",
          "write  rate = ...: the derivative of the error, as far as it is known");
  if (!rate) rate = rate_of(error);
  const Expr e1 = g.add(*rate, g.mul(funnel_gain(error, psi.entries[0]), error));
  return Value::scalar(law(e1, psi.entries[1]));
}

}  // namespace daedal::model
