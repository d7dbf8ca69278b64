// What the laws of a controller are designed with: the model that the controller assumes, whatever the plant is like.
// The language (module laws) knows the laws by name; gains, states of rest and the inverse motion come from modules above it.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/model/estimator.hpp"
#include "daedal/model/model.hpp"

#include <map>
#include <string>
#include <vector>

namespace daedal::model {

/// A matrix, row by row.
struct Numbers {
  std::uint32_t rows = 1, columns = 1;
  std::vector<double> values;
};

/// x_T' of an unknown of the model.
struct Quantity {
  std::string name;
  int order = 0;
  friend auto operator<=>(const Quantity&, const Quantity&) = default;
};

/// lqr(Q = ..., R = ...): the law by name, and what it is given in numbers.
struct DesignQuestion {
  std::string law;
  Place place;
  std::vector<std::string> inputs;  // that the controller commands, in its order
  double period = 0;                // [s], of its clock; 0: continuous
  std::map<std::string, Numbers> given;
  std::vector<std::string> names;  // of the quantities whose errors an lqi integrates
  bool along = false;              // the desired motion, with gains that change with time
  double delay = 0;                // [s], from the moment measured to when the command acts
};

/// inputs = rest + v,  v = - gain (states - those of rest) - integral (integrals of errors) - sum_j past_j (v of j samples ago)
struct Feedback {
  Numbers gain;               // rows are the inputs asked for, columns the states
  std::vector<double> rest;   // of those inputs
  Numbers integral;           // columns are the quantities of an lqi
  std::vector<Numbers> past;  // square
  std::vector<expr::PiecewisePolynomial>
      gains;  // along a motion: entries of `gain` as functions of time
};

/// Residuals that are 0, a row for each coordinate: mass matrix times accelerations less forces and reactions, or the law of its
/// drive. Constraints are on positions.
struct EquationsOfMotion {
  const Model* model = nullptr;  // whose symbols the graph has
  std::shared_ptr<const expr::Graph> graph;
  std::vector<expr::Expr> rows, constraints;
  std::vector<Quantity> coordinates;
  std::vector<std::string> multipliers;  // parallel to the constraints
};

/// observe ukf(...): what is measured, as expressions of the plant's graph in its symbols, and what the filter is given.
struct ObserverQuestion {
  std::string kind;
  Place place;
  double period = 0;                // [s]
  double delay = 0;                 // [s] after which its own commands act
  std::vector<std::string> inputs;  // commands that act, by entry
  const expr::Graph* graph = nullptr;
  const Symbols* symbols = nullptr;
  std::vector<std::string> names;
  std::vector<expr::Expr> measured;
  std::vector<std::string> outputs;  // parallel: which output of the model that is, "" none
  std::vector<double> noise;         // their standard deviations
  std::map<std::string, Numbers> given;
};
struct Observer {
  std::shared_ptr<const ObserverDesign> design;
  std::vector<Quantity> states;      // that it estimates
  std::vector<double> start;         // as Estimator::estimates
  std::vector<Diagnostic> warnings;  // modes that the measurements do not show
  /// The filter is given the commands that begin to act so many samples after they were computed; with `between`, during a
  /// period, and then those before them, which act until then.
  int samples = 0;
  bool between = false;
};

/// What a law asks of the equations of the model: the inputs that hold it where it is, those that give outputs their highest
/// derivatives, or the pose in which constraints hold and quantities have given values. `inertia`: the mass matrix, its rows as
/// outputs and the coordinates as names, without unknowns. `inverse`: the model with its servo-constraints as equations and its inputs
/// as unknowns, undifferentiated; unknowns are those of the DAE, their starts where the desired motion begins.
struct EquationQuestion {
  enum class Kind : std::uint8_t { rest, dynamics, pose, inertia, inverse } kind = Kind::rest;
  std::string law;
  Place place;
  std::vector<std::string> inputs;  // rest, dynamics: those that are solved for
  /// dynamics: what the inputs move; pose: what is given. In symbols of the plant.
  const expr::Graph* graph = nullptr;
  const Symbols* symbols = nullptr;
  std::vector<expr::Expr> outputs;
  std::vector<std::string> known;  // pose: coordinates that are measured
  bool rates = false;  // pose: and so are their rates; those of the others are asked for
};
/// Equations `residual` = 0, square with a row for each output that the law adds, of unknowns that have nothing to do with the
/// motion of the plant but what is known of it.
struct SolvedEquations {
  const Model* model = nullptr;              // whose symbols the graph has
  std::shared_ptr<const expr::Graph> graph;  // of the residuals and the outputs
  std::vector<expr::Expr> residuals;
  std::vector<std::string> names;  // of them
  std::vector<expr::Leaf> unknowns;
  std::vector<double> starts;                    // of the unknowns
  std::vector<std::vector<expr::Expr>> outputs;  // w, w', ... w^(r)
};

class Designer {
 public:
  virtual ~Designer() = default;
  /// The model that the controller assumes.
  virtual const Model& model() const = 0;
  /// What a state feedback acts on: coordinates, velocities, states of drives.
  virtual const std::vector<Quantity>& states() = 0;
  /// The state of rest nearest to the start values at which these quantities have these values, by states(); `inputs` take the
  /// values that hold it. Throws ModelError where there is none.
  virtual std::vector<double> rest(const std::map<std::string, double>& fixed,
                                   const std::vector<std::string>& inputs, const Place& place) = 0;
  /// Throws ModelError with the reason where there is none.
  virtual Feedback feedback(const DesignQuestion& question) = 0;
  /// Throws ModelError with the reason where there is none.
  virtual Observer observer(const ObserverQuestion& question) = 0;
  /// Of a model whose unknowns are its coordinates: throws ModelError for constraints and variables. The answer lives as long
  /// as this.
  virtual EquationsOfMotion equations_of_motion(const Place& place) = 0;
  /// Throws ModelError with the reason where the equations do not determine what is asked. The answer lives as long as this.
  virtual SolvedEquations equations(const EquationQuestion& question) = 0;
  /// Of the inverse of the model: how the quantity moves.
  virtual expr::PiecewisePolynomial desired(const Quantity& quantity, const Place& place) = 0;
  /// Whether the model has a desired motion.
  bool has_path() const { return !model().servos.empty(); }
};

}  // namespace daedal::model
