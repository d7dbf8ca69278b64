// Text to a System that is ready to step, for benchmark programs.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/integrate/integrate.hpp"
#include "daedal/model/model.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/system/problem_system.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bench {

struct Prepared {
  std::unique_ptr<const daedal::formulate::Problem> problem;
  daedal::solve::ConsistentPoint start;
  std::unique_ptr<daedal::solve::ProblemSystem> system;
};

/// NAME=VALUE: a parameter or size of the model, or  lifting=never|always.
inline void add_override(daedal::model::Overrides& overrides, const std::string& text) {
  const std::string name = text.substr(0, text.find('=')), value = text.substr(text.find('=') + 1);
  if (name == "lifting")
    overrides.lifting =
        value == "always" ? daedal::model::Lifting::always : daedal::model::Lifting::never;
  else
    overrides.parameters[name] = value;
}

inline Prepared prepare(const std::string& path, const daedal::model::Overrides& overrides,
                        const daedal::formulate::Formulation& formulation,
                        const daedal::solve::ProblemSystem::Options& options) {
  using namespace daedal;
  const auto elaborated =
      std::make_shared<const model::Model>(model::elaborate(model::load(path), overrides));
  const auto dae = std::make_shared<const derive::Dae>(derive::derive(elaborated));
  Prepared prepared;
  prepared.problem = std::make_unique<const formulate::Problem>(
      formulate::formulate(structure::by_signature(dae), formulation));
  prepared.start = solve::consistent_point(*prepared.problem);
  prepared.system = std::make_unique<solve::ProblemSystem>(
      *prepared.problem, 0, prepared.start.states, prepared.start.tops, options);
  return prepared;
}

/// Keeps the last row only.
class LastRow final : public daedal::solve::Observer {
 public:
  explicit LastRow(std::size_t states) : states_(states) {}
  void row(double, const double* s, const double*) override {
    std::copy_n(s, states_.size(), states_.begin());
  }
  void step(double, const double*, const double*) override {}
  const std::vector<double>& states() const { return states_; }

 private:
  std::vector<double> states_;
};

/// The state called `name` ("th1", "arm[1].q[1]") in a vector of states.
inline double state_by_name(const daedal::formulate::Problem& problem,
                            std::span<const double> states, const std::string& name) {
  const std::uint32_t position = problem.layout.find({problem.dae->model->find(name), 0});
  return states[position - problem.state_position(0)];
}

}  // namespace bench
