#include "bdf.hpp"
#include "daedal/integrate/integrator.hpp"
#include "daedal/integrate/taylor.hpp"
#include "explicit_runge_kutta.hpp"
#include "generalized_alpha.hpp"
#include "ida.hpp"
#include "radau5.hpp"
#include "rattle.hpp"
#include "rk45.hpp"

#include <utility>

namespace daedal::solve {

namespace {

std::unique_ptr<Integrator> make(const Rk45Options& options, System& system) {
  return std::make_unique<Rk45>(system, options);
}
template <class Options>
std::unique_ptr<Integrator> explicit_method(System& system, Tableau tableau, const Options& o) {
  ExplicitControl control{.step = o.step, .max_steps = o.max_steps};
  if constexpr (requires { o.adaptive; }) {
    control.tolerance = o.tolerance;
    control.adaptive = o.adaptive;
  }
  return std::make_unique<ExplicitRungeKutta>(system, std::move(tableau), control);
}
std::unique_ptr<Integrator> make(const EulerOptions& options, System& system) {
  return explicit_method(system, euler_tableau(), options);
}
std::unique_ptr<Integrator> make(const Rk4Options& options, System& system) {
  return explicit_method(system, rk4_tableau(), options);
}
std::unique_ptr<Integrator> make(const Rk23Options& options, System& system) {
  return explicit_method(system, rk23_tableau(), options);
}
std::unique_ptr<Integrator> make(const Dop853Options& options, System& system) {
  return explicit_method(system, dop853_tableau(), options);
}
std::unique_ptr<Integrator> make(const Radau5Options& options, System& system) {
  return std::make_unique<Radau5>(system, options);
}
std::unique_ptr<Integrator> make(const ImplicitEulerOptions& o, System& system) {
  return std::make_unique<Bdf>(system, BdfControl{1, o.step, o.newton, false, o.max_steps});
}
std::unique_ptr<Integrator> make(const LinearImplicitEulerOptions& o, System& system) {
  return std::make_unique<Bdf>(system, BdfControl{1, o.step, {}, true, o.max_steps});
}
std::unique_ptr<Integrator> make(const BdfOptions& o, System& system) {
  return std::make_unique<Bdf>(system, BdfControl{o.order, o.step, o.newton, false, o.max_steps});
}
std::unique_ptr<Integrator> make(const GeneralizedAlphaOptions& options, System& system) {
  return std::make_unique<GeneralizedAlpha>(system, options);
}
std::unique_ptr<Integrator> make(const RattleOptions& options, System& system) {
  return std::make_unique<Rattle>(system, options);
}
std::unique_ptr<Integrator> make(const IdaOptions& options, System& system) {
  return std::make_unique<Ida>(system, options);
}
std::unique_ptr<Integrator> make(const TaylorOptions& options, System& system) {
  return std::make_unique<Taylor>(system, options);
}

}  // namespace

std::unique_ptr<Integrator> make_integrator(const Method& method, System& system) {
  return std::visit([&](const auto& options) { return make(options, system); }, method);
}

}  // namespace daedal::solve
