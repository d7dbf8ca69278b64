// Gains, states of rest and desired motions for the laws of controllers, from the same modules that answer such questions by
// themselves. A fault gets the place of the law that asked.
#include "designer.hpp"

#include "daedal/analyse/equilibrium.hpp"
#include "daedal/analyse/linearise.hpp"
#include "daedal/control/regulator.hpp"
#include "daedal/design/gain_design.hpp"
#include "daedal/design/law_equations.hpp"
#include "daedal/design/observer_design.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/designed_law.hpp"
#include "daedal/task/invert.hpp"
#include "daedal/task/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <regex>
#include <span>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

using model::Numbers;
using model::Quantity;

Numbers numbers_of(const Eigen::MatrixXd& m) {
  Numbers numbers{static_cast<std::uint32_t>(m.rows()), static_cast<std::uint32_t>(m.cols()), {}};
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j) numbers.values.push_back(m(i, j));
  return numbers;
}

/// Runs `ask`; what it throws is reported at `place`, with another way out.
template <class Ask>
auto located(const Place& place, const std::string& law, Ask ask, const std::string& instead = {}) {
  try {
    return ask();
  } catch (const ModelError& error) {
    Diagnostic d = error.diagnostics().front();
    d.message = law + ": " + d.message;
    d.place = place;
    static const std::regex weight(R"(state_weights = (.*)=1)");  // what options call a weight
    d.help = std::regex_replace(d.help, weight, "Q = weights($1 = 1)");
    if (!instead.empty()) d.help += (d.help.empty() ? "" : "; ") + instead;
    throw ModelError(std::move(d));
  }
}

/// Of the quantity in a column, which may show it with the opposite sign.
expr::PiecewisePolynomial motion_of_symbol(const Inversion& path, std::size_t column) {
  expr::PiecewisePolynomial motion = path.motion(column);
  for (double& c : motion.coefficients) c = path.trajectory.table.columns()[column].turned(c);
  return motion;
}

class TaskDesigner final : public model::Designer {
 public:
  explicit TaskDesigner(const Model& believed) : believed_(believed) {}

  const model::Model& model() const override { return *believed_.lifted().model; }

  const std::vector<Quantity>& states() override {
    if (!states_.empty()) return states_;
    // at any point: which derivatives occur does not depend on it
    const analysis::Equilibrium near = analysis::equilibrium(*asked().dae, {.attempts = 1});
    const analysis::LinearModel linear =
        analysis::linearise(*asked().dae, analysis::point_of(near));
    for (const expr::Leaf& leaf : feedback::states_of(linear))
      states_.push_back({asked().dae->model->symbols[leaf.symbol].name, leaf.order});
    return states_;
  }

  std::vector<double> rest(const std::map<std::string, double>& fixed,
                           const std::vector<std::string>& inputs, const Place& place) override {
    const analysis::Equilibrium& found = rest_at(fixed, inputs, place);
    std::vector<double> values;
    for (const Quantity& q : states())
      values.push_back(q.order > 0 ? 0 : found.values[asked().dae->model->find(q.name)]);
    return values;
  }

  model::Feedback feedback(const model::DesignQuestion& question) override {
    keep(question);
    if (question.along)
      return located(question.place, question.law, [&] {
        const double end = inverse().trajectory.table.column("t").back();
        return design::gains_along(
            *asked().dae,
            [this](double t) { return analysis::linearise(*asked().dae, on_path(t)); }, end,
            question, states().size());
      });
    const analysis::Equilibrium& at = operating_point(question);
    laws_.back().rest = at;
    return located(question.place, question.law, [&] {
      const design::Gains found =
          design::gains_of(*asked().dae, analysis::linearise(*asked().dae, analysis::point_of(at)),
                           question, states().size());
      model::Feedback result;
      result.gain = numbers_of(found.gain);
      result.integral = numbers_of(found.integral);
      for (const Eigen::MatrixXd& past : found.past) result.past.push_back(numbers_of(past));
      for (const std::string& input : found.inputs)
        result.rest.push_back(at.values[asked().dae->model->find(input)]);
      return result;
    });
  }

  const std::vector<DesignedLaw>& laws() const { return laws_; }

  model::Observer observer(const model::ObserverQuestion& question) override {
    return located(question.place, question.kind, [&] {
      return design::observer_on(believed_.library(), believed_.overrides(), states(), question);
    });
  }

  model::EquationsOfMotion equations_of_motion(const Place& place) override {
    const derive::Dae& dae = *asked().dae;
    const model::Model& m = *dae.model;
    auto graph = std::make_shared<expr::Graph>(m.graph);
    model::EquationsOfMotion found{&m, graph, {}, {}, {}, {}};
    for (const expr::SymbolId unknown : dae.unknowns) {
      const model::Symbol& symbol = m.symbols[unknown];
      if (symbol.kind == model::SymbolKind::multiplier)
        found.multipliers.push_back(symbol.name);
      else if (symbol.kind == model::SymbolKind::coordinate)
        found.coordinates.push_back({symbol.name, 0});
      else
        fault(place,
              fmt::format("this law needs a model without variables, and model '{}' has '{}'",
                          m.name, symbol.name),
              "write the model in coordinates");
    }
    const std::vector<expr::Expr> residuals = expr::expand(dae.residual, *graph);
    for (std::size_t k = 0; k < residuals.size(); ++k) {
      const derive::Equation& equation = dae.equations[k];
      if (equation.kind != derive::EquationKind::constraint) {
        found.rows.push_back(residuals[k]);
        continue;
      }
      for (const expr::Leaf& leaf : expr::leaves(*graph, std::span(&residuals[k], 1)))
        if (leaf.order > 0)
          fault(place,
                fmt::format("this law needs constraints of positions, and '{}' of model '{}' "
                            "contains '{}'",
                            equation.name, m.name,
                            model::name_of(m.symbols[leaf.symbol], leaf.order)),
                "lqr and pole_placement know constraints of velocities");
      found.constraints.push_back(residuals[k]);
    }
    return found;
  }

  model::SolvedEquations equations(const model::EquationQuestion& question) override {
    return located(question.place, question.law, [&] {
      return question.kind == model::EquationQuestion::Kind::inverse
                 ? inverse_equations(question.place)
                 : design::equations_of(*asked().dae, question);
    });
  }

  expr::PiecewisePolynomial desired(const Quantity& quantity, const Place& place) override {
    const Inversion& path = located(
        place, "path", [&] { return std::ref(inverse()); },
        "a law that holds a rest needs no path:  reference = rest(...)");
    const Table& table = path.trajectory.table;
    if (const auto column = table.find(quantity.name, quantity.order))
      return motion_of_symbol(path, *column);
    fault(place,
          fmt::format("the desired motion has no '{}{}'", quantity.name,
                      std::string(quantity.order, '\'')),
          quantity.order > 0 ? fmt::format("differentiate  path.{}", quantity.name) : "");
  }

 private:
  /// The same text may be read more than once, for plants of several sizes.
  void keep(const model::DesignQuestion& question) {
    std::erase_if(laws_, [&](const DesignedLaw& law) {
      const Place &known = law.question.place, &asked = question.place;
      return law.question.inputs == question.inputs && known.line == asked.line &&
             known.column == asked.column && known.file == asked.file;
    });
    laws_.push_back({question, asked().dae, {}});
  }

  /// A step of the inverse model follows its internal dynamics from the past to the future: these must decay.
  model::SolvedEquations inverse_equations(const Place& place) {
    const Inversion& path = inverse();
    if (path.phase != Phase::flat && path.phase != Phase::minimum)
      fault(place,
            "the inverse model has internal dynamics that do not decay: its steps would diverge",
            "path.u, path.x  have the bounded solution, as tables");
    if (!inverse_dae_)
      inverse_dae_ = std::make_shared<const derive::Dae>(derive::inverse(*asked().dae));
    const model::Model& m = *inverse_dae_->model;
    auto graph = std::make_shared<expr::Graph>(m.graph);
    model::SolvedEquations found{&m, nullptr, expr::expand(inverse_dae_->residual, *graph), {}, {},
                                 {}, {}};
    found.graph = graph;
    for (const derive::Equation& equation : inverse_dae_->equations)
      found.names.push_back(equation.name);
    const Table& table = path.trajectory.table;
    for (const expr::SymbolId symbol : inverse_dae_->unknowns) {
      found.unknowns.push_back({symbol, 0});
      const auto column = table.find(m.symbols[symbol].name, 0);
      found.starts.push_back(column ? motion_of_symbol(path, *column).value(0, 0) : 0);
    }
    return found;
  }

  const Asked& asked() {
    if (!asked_) asked_ = asked_of(believed_, solve::RedundantConstraints::least_norm);
    return *asked_;
  }

  const Inversion& inverse() {
    if (!inverse_) {
      InvertOptions options;
      options.verify = false;
      options.history = false;
      inverse_ = invert(believed_, options);
      if (const auto longer = with_decay(*inverse_, options)) inverse_ = invert(believed_, *longer);
    }
    if (inverse_->trajectory.status == solve::Status::completed) return *inverse_;
    throw ModelError({Severity::error, {}, inverse_->reason, {}, {}});
  }

  /// Where the desired motion is at t, with velocities, accelerations and inputs.
  structure::Point on_path(double t) {
    const model::Model& m = *asked().dae->model;
    return [this, &m, t](expr::Leaf leaf) {
      if (leaf.symbol == expr::time_symbol) return t;
      const model::Symbol& symbol = m.symbols[leaf.symbol];
      if (symbol.kind == model::SymbolKind::parameter) return symbol.value;
      const auto known = motions_.find(leaf);
      if (known != motions_.end()) return known->second.first.value(t, known->second.second);
      const Table& table = inverse().trajectory.table;
      for (int order = leaf.order; order >= 0; --order) {
        const auto column = table.find(symbol.name, order);
        if (!column) continue;
        const auto& [motion, derivative] =
            motions_
                .emplace(leaf, std::pair(motion_of_symbol(*inverse_, *column), leaf.order - order))
                .first->second;
        return motion.value(t, derivative);
      }
      throw ModelError({Severity::error,
                        {},
                        fmt::format("the desired motion has no '{}'", symbol.name),
                        {},
                        "give its inputs and coordinates servo lines"});
    };
  }

  /// Internal dynamics that decay still move the inputs after the motion: rows go on until nothing is left of them.
  static std::optional<InvertOptions> with_decay(const Inversion& path, InvertOptions options) {
    if (path.phase != Phase::minimum || path.trajectory.status != solve::Status::completed)
      return std::nullopt;
    constexpr double nothing = 36;   // exp(-36) is the rounding error
    constexpr double longest = 100;  // times the motion: no more than 1e5 rows
    const std::vector<double> times = path.trajectory.table.column("t");
    const double end = times.back();
    double slowest = std::numeric_limits<double>::infinity();
    for (const std::complex<double>& zero : path.zeros) slowest = std::min(slowest, -zero.real());
    options.every = end / static_cast<double>(times.size() - 1);
    options.until = end + std::min(nothing / slowest, (longest - 1) * end);
    return options;
  }

  using RestQuestion = std::pair<std::map<std::string, double>, std::vector<std::string>>;

  const analysis::Equilibrium& rest_at(const std::map<std::string, double>& fixed,
                                       const std::vector<std::string>& inputs, const Place& place) {
    const RestQuestion question{fixed, inputs};
    if (const auto known = rests_.find(question); known != rests_.end()) return known->second;
    const model::Model& m = *asked().dae->model;
    analysis::EquilibriumOptions options;
    for (const auto& [name, value] : fixed) {
      const expr::SymbolId symbol = m.find(name);
      if (symbol == 0 || (m.symbols[symbol].kind != model::SymbolKind::coordinate &&
                          m.symbols[symbol].kind != model::SymbolKind::variable))
        fault(place, fmt::format("rest: model '{}' has no coordinate '{}'", m.name, name),
              did_you_mean(name));
      options.fixed[symbol] = value;
    }
    for (const std::string& input : inputs)
      if (const expr::SymbolId symbol = m.find(input); symbol != 0)
        options.free_inputs.push_back(symbol);
    analysis::Equilibrium rest = analysis::equilibrium(*asked().dae, options);
    if (!rest.found)
      located(place, "rest",
              [&] { throw ModelError(analysis::no_equilibrium(*asked().dae, rest)); });
    return rests_.emplace(question, std::move(rest)).first->second;
  }

  std::string did_you_mean(const std::string& name) {
    std::vector<std::string> names;
    for (const Quantity& q : states())
      if (q.order == 0) names.push_back(q.name);
    const std::string near = nearest_name(name, names);
    return near.empty() ? fmt::format("there are: {}", fmt::join(names, ", "))
                        : fmt::format("did you mean '{}'?", near);
  }

  /// The rest with the positions of `at`.
  const analysis::Equilibrium& operating_point(const model::DesignQuestion& question) {
    std::map<std::string, double> fixed;
    const Numbers& at = question.given.at("at");
    for (std::size_t k = 0; k < states().size(); ++k)
      if (states()[k].order == 0) fixed[states()[k].name] = at.values[k];
    return rest_at(fixed, question.inputs, question.place);
  }

  Model believed_;
  std::vector<DesignedLaw> laws_;
  std::optional<Asked> asked_;
  std::optional<Inversion> inverse_;
  std::shared_ptr<const derive::Dae> inverse_dae_;
  std::vector<Quantity> states_;
  std::map<expr::Leaf, std::pair<expr::PiecewisePolynomial, int>> motions_;  // and which derivative
  std::map<RestQuestion, analysis::Equilibrium> rests_;
};

}  // namespace

std::unique_ptr<model::Designer> designer_of(const Model& believed) {
  return std::make_unique<TaskDesigner>(believed);
}

std::vector<DesignedLaw> designed_laws(const Model& model) {
  const auto* const designer = dynamic_cast<const TaskDesigner*>(model.overrides().designer);
  return designer == nullptr ? std::vector<DesignedLaw>() : designer->laws();
}

}  // namespace task
}  // namespace daedal
