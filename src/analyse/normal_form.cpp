#include "daedal/analyse/normal_form.hpp"

#include "asked.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/system/problem_system.hpp"
#include "state_names.hpp"

#include <fmt/format.h>

#include <cmath>

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::VectorXd;
using expr::SymbolId;

constexpr int highest_derivative = 30;
constexpr double felt = 1e-9;  // of the output's own derivative: below, an input is absent

/// Outputs become variables, so that they have series of their own; inputs become parameters, constant in time.
struct Watched {
  std::shared_ptr<const derive::Dae> dae;
  std::vector<SymbolId> outputs, inputs;
};
Watched watched(const derive::Dae& asked) {
  Watched w;
  auto m = std::make_shared<model::Model>(*asked.model);
  const auto graph = std::make_shared<expr::Graph>(m->graph);
  for (const model::Relation& servo : m->servos) {
    const auto symbol = static_cast<SymbolId>(m->symbols.size());
    m->symbols.push_back(
        {"output " + servo.name, model::SymbolKind::variable, "", "", servo.place, 0, 1});
    m->equations.push_back({"output " + servo.name,
                            graph->sub(graph->leaf({symbol, 0}), servo.residual), servo.place});
    w.outputs.push_back(symbol);
  }
  m->servos.clear();
  for (const model::InputDefault& input : m->inputs) {
    m->symbols[input.input].kind = model::SymbolKind::parameter;
    m->symbols[input.input].value = 1;  // not folded away; the value is set for each run
    w.inputs.push_back(input.input);
  }
  m->inputs.clear();
  m->graph = graph;
  w.dae = std::make_shared<const derive::Dae>(derive::derive(std::move(m)));
  return w;
}

/// The same problem with parameters of other values.
formulate::Problem with_inputs(formulate::Problem problem, const std::vector<SymbolId>& inputs,
                               const VectorXd& u) {
  const auto first = problem.layout.size() - static_cast<std::uint32_t>(problem.parameters.size());
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (const std::uint32_t p = problem.layout.find({inputs[k], 0}); p != compile::absent)
      problem.parameters[p - first] = u[static_cast<Index>(k)];
  return problem;
}

/// The motion with constant inputs, as Taylor series. It stays where it is made: the system refers to the problem.
struct Motion {
  formulate::Problem problem;
  std::unique_ptr<solve::ProblemSystem> system;
  std::vector<double> z;

  Motion(formulate::Problem p, const solve::ConsistentPoint& start)
      : problem(std::move(p)), z(start.tops) {
    z.resize(problem.algebraic());
    solve::ProblemSystem::Options options;
    options.implicit = false;
    options.compile.backend = compile::Backend::tape;
    system =
        std::make_unique<solve::ProblemSystem>(problem, start.t, start.states, start.tops, options);
  }
  /// Row n: coefficient n of all states, then of all tops.
  Eigen::MatrixXd series(double t, const std::vector<double>& states, int order) {
    std::vector<double> rate(states.size());
    const auto width = static_cast<Index>(states.size() + z.size());
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> c(order + 1, width);
    if (system->derivative(t, states.data(), z.data(), rate.data()) != solve::Failure::none ||
        system->expand(t, states.data(), z.data(), order, c.data()) != solve::Failure::none)
      c.setConstant(std::nan(""));
    return c;
  }
};

double factorial(int n) { return std::tgamma(n + 1.0); }

}  // namespace

struct NormalForm::Parts {
  Watched model;
  std::vector<std::string> outputs;
  std::vector<expr::Leaf> internal;
  solve::ConsistentPoint start;
  std::vector<std::unique_ptr<Motion>> motions;  // without inputs, then with each of them at 1
  std::vector<int> degree;

  std::vector<double> states_of(const StateValues& given) {
    const formulate::Problem& problem = motions[0]->problem;
    std::vector<double> states = start.states;
    for (const auto& [name, value] : given)
      if (const std::uint32_t p = problem.layout.find(state_named(*model.dae->model, name));
          p != compile::absent && p >= 1 && p <= problem.states)
        states[p - 1] = value;
    motions[0]->system->project(start.t, states.data());
    return states;
  }
  Index column(expr::Leaf leaf) const {
    const std::uint32_t p = motions[0]->problem.layout.find(leaf);
    return p == compile::absent ? -1 : static_cast<Index>(p) - 1;
  }
  /// Series of all motions from one state.
  std::vector<Eigen::MatrixXd> series(const std::vector<double>& states, int order) {
    std::vector<Eigen::MatrixXd> all;
    for (const auto& motion : motions) all.push_back(motion->series(start.t, states, order));
    return all;
  }

  void count_degrees() {
    const std::vector<Eigen::MatrixXd> all = series(start.states, highest_derivative + 1);
    for (const SymbolId output : model.outputs) {
      const Index c = column({output, 0});
      int r = 0;
      for (int k = 0; k <= highest_derivative && r == 0; ++k)
        for (std::size_t j = 1; j < all.size(); ++j) {
          const double own = all[0](k, c), with = all[j](k, c);
          if (std::abs(with - own) > felt * std::max({std::abs(own), std::abs(with), 1e-12})) r = k;
        }
      degree.push_back(r);
    }
  }
};

NormalForm::NormalForm(const derive::Dae& forward, const std::vector<std::string>& outputs,
                       const std::vector<std::string>& internal)
    : parts_(std::make_unique<Parts>()) {
  const derive::Dae asked = with_outputs(forward, outputs);
  for (const model::Relation& servo : asked.model->servos) parts_->outputs.push_back(servo.name);
  parts_->model = watched(asked);
  for (const std::string& name : internal)
    parts_->internal.push_back(state_named(*parts_->model.dae->model, name));
  solve::Prepared prepared = solve::prepare(parts_->model.dae, {});
  parts_->start = prepared.start;
  const auto m = static_cast<Index>(parts_->model.inputs.size());
  for (Index j = -1; j < m; ++j)
    parts_->motions.push_back(std::make_unique<Motion>(
        with_inputs(prepared.problem, parts_->model.inputs,
                    j < 0 ? VectorXd(VectorXd::Zero(m)) : VectorXd(VectorXd::Unit(m, j))),
        prepared.start));
  parts_->count_degrees();
}
NormalForm::~NormalForm() = default;
NormalForm::NormalForm(NormalForm&&) noexcept = default;

const std::vector<std::string>& NormalForm::outputs() const { return parts_->outputs; }
const std::vector<int>& NormalForm::relative_degree() const { return parts_->degree; }

NormalFormPoint NormalForm::at(const StateValues& state) const {
  Parts& parts = *parts_;
  const std::vector<double> states = parts.states_of(state);
  int order = 1;
  for (const int r : parts.degree) order = std::max(order, r);
  const std::vector<Eigen::MatrixXd> all = parts.series(states, order + 1);
  const auto p = static_cast<Index>(parts.degree.size()), m = static_cast<Index>(all.size()) - 1;
  const auto n = static_cast<Index>(parts.internal.size());
  NormalFormPoint result;
  result.b.resize(p), result.a.resize(p, m);
  for (Index i = 0; i < p; ++i) {
    const Index c = parts.column({parts.model.outputs[static_cast<std::size_t>(i)], 0});
    const int r = parts.degree[static_cast<std::size_t>(i)];
    result.xi.emplace_back();
    for (int k = 0; k < r; ++k) result.xi.back().push_back(factorial(k) * all[0](k, c));
    result.b[i] = factorial(r) * all[0](r, c);
    for (Index j = 0; j < m; ++j)
      result.a(i, j) = factorial(r) * (all[static_cast<std::size_t>(j + 1)](r, c) - all[0](r, c));
  }
  result.eta.resize(n), result.q.resize(n), result.p.resize(n, m);
  for (Index i = 0; i < n; ++i) {
    const Index c = parts.column(parts.internal[static_cast<std::size_t>(i)]);
    result.eta[i] = all[0](0, c);
    result.q[i] = all[0](1, c);
    for (Index j = 0; j < m; ++j)
      result.p(i, j) = all[static_cast<std::size_t>(j + 1)](1, c) - all[0](1, c);
  }
  if (p == m && m > 0) {  // Eigen factors no empty matrix
    const LeastNorm factors(result.a);
    if (factors.rank() == m) {
      result.holding_input = factors.solve(Eigen::VectorXd(-result.b));
      result.eta_rate = result.q + result.p * result.holding_input;
    }
  }
  return result;
}

std::vector<double> NormalForm::lie_derivatives(std::size_t output, int order,
                                                const StateValues& state) const {
  Parts& parts = *parts_;
  const Eigen::MatrixXd c =
      parts.motions[0]->series(parts.start.t, parts.states_of(state), order + 1);
  const Index column = parts.column({parts.model.outputs.at(output), 0});
  std::vector<double> result;
  for (int k = 0; k <= order; ++k) result.push_back(factorial(k) * c(k, column));
  return result;
}

}  // namespace daedal::analysis
