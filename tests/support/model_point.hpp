// A model of the library at one point, by the direct method: the Dae's residuals are written out, constraints are
// differentiated twice, and the linear system for accelerations and multipliers is solved densely. Kernels,
// formulations and integrators are not used, so the numbers are independent of them.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/model/model.hpp"

#include <Eigen/Core>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace daedal::test {

/// models/<folder>/<folder>.daedal
std::string model_path(const std::string& folder);

class ModelPoint {
 public:
  using Values = std::map<std::string, double>;  // by the user's names: "x", "x'", "rod"
  using BaumgarteTerms =
      std::function<std::pair<double, double>(const std::string& constraint)>;  // a1, a0

  explicit ModelPoint(const std::string& folder, const model::Overrides& overrides = {});
  explicit ModelPoint(model::Model model);

  const model::Model& model() const { return *model_; }
  const derive::Dae& dae() const { return dae_; }

  /// Sets leaves by name; a name ends in one ' per time derivative. "t" is time.
  ModelPoint& set(const Values& values);
  double value(const std::string& name) const;

  /// Accelerations "x''" and multipliers "rod" from  M a - G^T lambda = ..., c'' + a1 c' + a0 c = 0. They are also set, so
  /// that what is asked afterwards knows them.
  Values solve(double a1 = 0, double a0 = 0);
  Values solve(const BaumgarteTerms& terms);

  /// Residuals of all equations with the values that are set (accelerations and multipliers included).
  Values residuals();

  /// The value of an output, "tip[2]", with the values that are set.
  double output(const std::string& name) const;

  /// Rows and columns in the order of the coordinates.
  Eigen::MatrixXd mass_matrix();
  double kinetic();
  double energy();

  /// lhs - rhs of the servo-constraints, differentiated `order` times.
  Eigen::VectorXd servo_defect(int order);

 private:
  expr::Leaf leaf(std::string name) const;
  double value_of(expr::Leaf leaf) const;
  double default_input(expr::SymbolId input) const;
  expr::VariesInTime varies() const;
  expr::Expr differentiated_twice(expr::Expr c, double a1, double a0);
  std::vector<expr::Leaf> highest_derivatives() const;
  Eigen::VectorXd evaluate(const std::vector<expr::Expr>& rows) const;
  Eigen::MatrixXd jacobian(const std::vector<expr::Expr>& rows,
                           const std::vector<expr::Leaf>& columns);

  std::shared_ptr<const model::Model> model_;
  derive::Dae dae_;
  expr::Graph graph_;  // on top of the model's frozen graph
  std::map<expr::Leaf, double> values_;
};

}  // namespace daedal::test
