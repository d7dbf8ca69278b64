#include "crane.hpp"

namespace daedal::bench {
namespace {

using expr::Expr;

class Builder {
 public:
  Crane build() {
    const Expr x_t = variable(13.2), l = variable(5.5), x_p = variable(13.1), z_p = variable(5.49);
    const Expr lambda = variable(-0.9), u_t = variable(-0.8), u_l = variable(0.7);
    const Expr positions[] = {x_t, l, x_p, z_p};
    const double old_position[] = {13.208, 5.493, 13.108, 5.4826},
                 old_velocity[] = {-0.8, 0.7, -0.8, 0.74};
    Expr q_n[4], v_n[4];
    for (int i = 0; i < 4; ++i) q_n[i] = variable(old_position[i]);
    for (int i = 0; i < 4; ++i) v_n[i] = variable(old_velocity[i]);
    const Expr x_d = variable(13.1), z_d = variable(5.49);
    crane_.layout.first_parameter = crane_.layout.size();
    const Expr inverse_step = variable(100), tau_t = variable(0.03), tau_l = variable(0.02),
               g = variable(9.81);

    Expr v[4], a[4];
    for (int i = 0; i < 4; ++i) {
      v[i] = mul(sub(positions[i], q_n[i]), inverse_step);
      a[i] = mul(sub(v[i], v_n[i]), inverse_step);
    }
    const Expr width = sub(x_p, x_t), two_lambda = mul(constant(2), lambda);
    const std::vector<Expr> equations{sub(add(mul(tau_t, a[0]), v[0]), u_t),
                                      sub(add(mul(tau_l, a[1]), v[1]), u_l),
                                      sub(a[2], mul(width, two_lambda)),
                                      sub(a[3], add(g, mul(z_p, two_lambda))),
                                      sub(add(mul(z_p, z_p), mul(width, width)), mul(l, l)),
                                      sub(x_p, x_d),
                                      sub(z_p, z_d)};
    crane_.residual = function(equations, false);
    crane_.negative_residual = function(equations, true);
    crane_.jacobian = expr::jacobian(crane_.residual, Crane::unknowns, [&](expr::Leaf leaf) {
      const std::uint32_t position = crane_.layout.find(leaf);
      return position < Crane::unknowns ? position : expr::Family::no_row;
    });
    return std::move(crane_);
  }

 private:
  Expr variable(double value) {
    const expr::Leaf leaf{crane_.layout.size() + 1, 0};
    crane_.layout.add(leaf);
    crane_.point.push_back(value);
    return graph_->leaf(leaf);
  }
  Expr constant(double value) { return graph_->constant(value); }
  Expr add(Expr a, Expr b) { return graph_->add(a, b); }
  Expr sub(Expr a, Expr b) { return graph_->sub(a, b); }
  Expr mul(Expr a, Expr b) { return graph_->mul(a, b); }

  expr::Function function(const std::vector<Expr>& rows, bool negative) {
    std::vector<expr::Term> terms;
    for (std::uint32_t i = 0; i < rows.size(); ++i)
      terms.push_back({negative ? graph_->neg(rows[i]) : rows[i], i});
    return {Crane::unknowns, {expr::identity_family(graph_, terms)}};
  }

  std::shared_ptr<expr::Graph> graph_ = std::make_shared<expr::Graph>();
  Crane crane_;
};

}  // namespace

Crane make_crane() { return Builder().build(); }

}  // namespace daedal::bench
