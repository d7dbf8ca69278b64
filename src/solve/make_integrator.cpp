#include "daedal/solve/integrator.hpp"
#include "ida.hpp"
#include "radau5.hpp"
#include "rk45.hpp"
#include "taylor.hpp"

namespace daedal::solve {

namespace {

std::unique_ptr<Integrator> make(const Rk45Options& options, System& system) {
  return std::make_unique<Rk45>(system, options);
}
std::unique_ptr<Integrator> make(const Radau5Options& options, System& system) {
  return std::make_unique<Radau5>(system, options);
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
