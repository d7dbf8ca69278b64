// Models are as large, meshes as fine as it takes for some tenths of a second.
#include "cancel/long_tasks.hpp"

#include "daedal/analyse/continuation.hpp"
#include "daedal/analyse/frequency_response.hpp"
#include "daedal/analyse/kinematics.hpp"
#include "daedal/analyse/operating_point.hpp"
#include "daedal/analyse/portrait.hpp"
#include "daedal/analyse/redefine.hpp"
#include "daedal/analyse/stability_region.hpp"
#include "daedal/analyse/sweep.hpp"
#include "daedal/analyse/zero_search.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/invert/classical.hpp"
#include "daedal/invert/formulations.hpp"
#include "daedal/invert/receding_run.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "daedal/invert/verify.hpp"
#include "daedal/pencil/lyapunov.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/stepper/algebraic.hpp"

#include <Eigen/Dense>

#include <memory>
#include <random>
#include <string>
#include <utility>

namespace daedal::test {

namespace {

using SharedDae = std::shared_ptr<const derive::Dae>;
using Parameters = std::map<std::string, std::string>;

model::Library library(const std::string& folder) {
  return model::load(std::string(DAEDAL_SOURCE_DIR "/models/") + folder + "/" + folder + ".daedal");
}
std::shared_ptr<const model::Model> model_of(const std::string& folder,
                                             const Parameters& parameters = {},
                                             const std::string& name = "") {
  return std::make_shared<const model::Model>(
      model::elaborate(library(folder), {.parameters = parameters, .inputs = {}, .model = name}));
}
SharedDae dae_of(const std::string& folder, const Parameters& parameters = {},
                 const std::string& name = "") {
  return std::make_shared<const derive::Dae>(derive::derive(model_of(folder, parameters, name)));
}

/// Work that knows no Watch of its own.
template <class Work>
WatchedWork in_scope(Work work) {
  return [work = std::move(work)](const Watch& watch) {
    const StopScope stoppable(watch.stop);
    return work();
  };
}

std::uint64_t bits(const derive::Dae& dae) {
  Bits b;
  for (const expr::Family& family : dae.residual.families)
    b.add(std::uint64_t{family.graph->size()}).add(std::uint64_t{family.instances});
  return b.add(expr::operation_count(dae.mechanics.mass_matrix.values)).hash();
}
std::uint64_t bits(const structure::Structure& s) {
  Bits b;
  b.add_all(s.offsets.c).add_all(s.offsets.d).add(std::uint64_t(s.index));
  return b.add(std::uint64_t(s.degrees_of_freedom)).hash();
}
std::uint64_t bits(const expr::Function& f) {
  Bits b;
  for (const expr::Family& family : f.families)
    b.add(std::uint64_t{family.graph->size()}).add_all(family.rows);
  return b.hash();
}
std::uint64_t bits(const solve::Trajectory& t) {
  Bits b;
  b.add(t.table).add(std::uint64_t(t.status)).add(t.reason);
  return b.add(std::uint64_t{t.statistics.evaluations}).hash();
}
std::uint64_t bits(const analysis::Spectrum& s) {
  Bits b;
  for (const analysis::Eigenvalue& e : s.values) b.add(e.value.real()).add(e.value.imag());
  return b.hash();
}

// ---- equations

LongTask derive_task(const char* name, const char* folder, const Parameters& parameters) {
  return {name, [=] {
            return in_scope([m = model_of(folder, parameters)] { return bits(derive::derive(m)); });
          }};
}
LongTask elaborate_task(const char* name, const char* folder, const Parameters& parameters) {
  return {name, [=] {
            return in_scope([l = library(folder), parameters] {
              const model::Model m = model::elaborate(l, {.parameters = parameters});
              return Bits().add(std::uint64_t{m.graph->size()}).hash();
            });
          }};
}
LongTask examine_task(const char* name, const char* folder, const Parameters& parameters,
                      bool inverse) {
  return {name, [=] {
            SharedDae dae = dae_of(folder, parameters);
            if (inverse) dae = std::make_shared<const derive::Dae>(derive::inverse(*dae));
            return in_scope([dae] { return bits(structure::examine(dae)); });
          }};
}
LongTask formulate_task(const char* name, const char* folder, const Parameters& parameters) {
  return {name, [=] {
            return in_scope([dae = dae_of(folder, parameters)] {
              const formulate::Problem p = formulate::formulate(structure::by_signature(dae), {});
              return bits(formulate::implicit_form(p).residual) + bits(p.top_matrix.values);
            });
          }};
}

// ---- kernels

std::shared_ptr<const formulate::Problem> problem_of(const std::string& folder,
                                                     const Parameters& parameters) {
  return std::make_shared<const formulate::Problem>(
      formulate::formulate(structure::by_signature(dae_of(folder, parameters)), {}));
}
LongTask compile_task(const char* name, const char* folder, const Parameters& parameters,
                      compile::Backend backend) {
  return {name, [=] {
            const auto p = problem_of(folder, parameters);
            const auto form =
                std::make_shared<const formulate::ImplicitForm>(formulate::implicit_form(*p));
            return in_scope([p, form, backend] {
              const expr::Function functions[] = {form->residual, form->state_matrix.values,
                                                  form->top_matrix.values};
              const auto kernel =
                  compile::compile(functions, p->layout,
                                   {.backend = backend, .expand_limit = std::uint64_t{1} << 40});
              return kernel->operations();
            });
          }};
}
LongTask solver_task() {
  return {"unrolled_elimination", [] {
            const auto p = problem_of("chain", {{"N", "50"}});
            const solve::ConsistentPoint start = solve::consistent_point(*p);
            std::vector<double> point(p->layout.size(), 0.0);
            std::copy(start.states.begin(), start.states.end(), point.begin() + 1);
            for (std::uint32_t k = p->layout.first_parameter; k < point.size(); ++k)
              point[k] = p->parameters[k - p->layout.first_parameter];
            return in_scope([p, point] {
              const auto solver =
                  compile::compile_solver(p->top_matrix, p->right_hand_side, p->layout, point);
              return Bits().add(solver->describe()).hash();
            });
          }};
}

// ---- motion

LongTask start_task() {
  return {"consistent_start_of_a_cable", [] {
            const auto p = problem_of("elevator_cable", {{"N", "100"}});
            return in_scope([p] {
              const solve::ConsistentPoint start = solve::consistent_point(*p);
              return Bits().add_all(start.states).add_all(start.tops).hash();
            });
          }};
}
LongTask prepare_task() {
  return {"redundant_constraints_of_a_chain", [] {
            return in_scope(
                [dae = dae_of("serial_links", {{"n", "60"}, {"closed", "1"}, {"dimension", "3"}},
                              "serial_links")] {
                  solve::PrepareOptions options;
                  options.redundant_constraints = solve::RedundantConstraints::least_norm;
                  return Bits().add_all(solve::prepare(dae, {}, options).start.states).hash();
                });
          }};
}
LongTask simulate_task(const char* name, const char* folder, const Parameters& parameters,
                       const solve::Method& method, double until, bool global_error = false) {
  return {name, [=] {
            const auto prepared = std::make_shared<const solve::Prepared>(
                solve::prepare(dae_of(folder, parameters), {}));
            return [=](const Watch& watch) {
              solve::SimulateOptions options;
              options.until = until;
              options.method = method;
              options.global_error = global_error;
              options.watch = watch;
              return bits(solve::simulate(prepared->problem, prepared->start, options));
            };
          }};
}
LongTask compare_task() {
  return {"compare_methods", [] {
            return [dae = dae_of("fourbar")](const Watch& watch) {
              std::vector<solve::CompareCase> cases;
              for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
                cases.push_back({{}, solve::Rk45Options{.tolerance = tolerance}});
                cases.push_back({{}, solve::Radau5Options{.tolerance = tolerance}});
              }
              solve::CompareOptions options;
              options.until = 20;
              options.threads = 2;
              options.watch = watch;
              Bits b;
              for (const solve::CompareResult& r : solve::compare(dae, cases, options).results)
                b.add(r.position_error).add(r.drift);
              return b.hash();
            };
          }};
}

// ---- linear algebra

Eigen::MatrixXd random_matrix(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
}
LongTask eigenvalues_task(const char* name, int n, bool singular) {
  return {name, [=] {
            Eigen::MatrixXd e = Eigen::MatrixXd::Identity(n, n);
            if (singular) e = random_matrix(n, 2) * 1e-3, e.diagonal().array() += 1e-9;
            return in_scope(
                [e, a = random_matrix(n, 1)] { return bits(analysis::finite_eigenvalues(e, a)); });
          }};
}
LongTask lyapunov_task() {
  return {"lyapunov_equation_of_250_states", [] {
            const int n = 250;
            return in_scope(
                [f = Eigen::MatrixXd(random_matrix(n, 3) - 40 * Eigen::MatrixXd::Identity(n, n))] {
                  const Eigen::MatrixXd p =
                      analysis::lyapunov(f, Eigen::MatrixXd::Identity(f.rows(), f.rows()));
                  return Bits().add_all(p.reshaped()).hash();
                });
          }};
}

// ---- analysis

LongTask portrait_task(const char* name, const char* folder, const Parameters& parameters,
                       const char* model = "") {
  return {name, [=] {
            return [dae = dae_of(folder, parameters, model)](const Watch& watch) {
              analysis::PortraitOptions options;
              options.watch = watch;
              const analysis::Portrait p = analysis::portrait(dae, options);
              return bits(p.poles) + Bits().add(p.verdict).hash();
            };
          }};
}
LongTask equilibrium_task(const char* name, const char* folder, const Parameters& parameters) {
  return {name, [=] {
            return in_scope([dae = dae_of(folder, parameters)] {
              return Bits().add_all(analysis::equilibrium(*dae).values).hash();
            });
          }};
}
analysis::DaeAt manipulator_at(const std::vector<std::string>& parameters) {
  return analysis::dae_of_parameters(library("manipulator_3d"), {.model = "manipulator_3d"},
                                     parameters);
}
LongTask locus_task() {
  return {"locus", [] {
            return [at = manipulator_at({"s4"})](const Watch& watch) {
              std::vector<double> values;
              for (int k = 0; k < 150; ++k) values.push_back(0.1 + 0.001 * k);
              analysis::SweepOptions options;
              options.watch = watch;
              Bits b;
              for (const analysis::Sample& s : analysis::root_locus(at, values, options).samples)
                b.add(bits(s.poles)).add(bits(s.zeros));
              return b.hash();
            };
          }};
}
LongTask map_task() {
  return {"map_on_two_threads", [] {
            return [at = manipulator_at({"s4", "c"})](const Watch& watch) {
              std::vector<std::vector<double>> points;
              for (int k = 0; k < 300; ++k)
                points.push_back({0.1 + 0.01 * (k % 15), 20.0 + k / 15});
              analysis::SweepOptions options;
              options.threads = 2;
              options.watch = watch;
              Bits b;
              for (const analysis::Sample& s : analysis::sweep(at, points, options))
                b.add(bits(s.poles)).add(bits(s.zeros));
              return b.hash();
            };
          }};
}
derive::Dae redefined_arm() {
  return derive::derive(std::make_shared<const model::Model>(
      analysis::redefined(*model_of("flexible_link", {{"N", "3"}}), {"tip", "rigid"}, 0.5)));
}
LongTask zero_map_task() {
  return {"zero_map", [] {
            return [dae = redefined_arm()](const Watch& watch) {
              analysis::ZeroMapOptions options;
              options.watch = watch;
              const analysis::ZeroMap map =
                  analysis::zero_map(dae, {{dae.model->find("Gamma(tip)"), 0, 1}}, options);
              Bits b;
              for (const analysis::ZeroMapPoint& p : map.points) b.add(bits(p.zeros));
              return b.hash();
            };
          }};
}
LongTask zero_search_task() {
  return {"zero_search", [] {
            return [dae = dae_of("manipulator_3d", {}, "manipulator_3d_counterweight")](
                       const Watch& watch) {
              analysis::ZeroMapOptions options;
              options.watch = watch;
              Bits b;
              for (const analysis::ZeroSearchLine& line :
                   analysis::zero_search(*dae, {{dae->model->find("mc"), 2, 0}},
                                         {{dae->model->find("dc"), 0.2, 0.4}}, 6, options))
                for (const analysis::ZeroMapPoint& p : line.map.points) b.add(bits(p.zeros));
              return b.hash();
            };
          }};
}
LongTask continuation_task() {
  return {"branches_of_equilibria", [] {
            const char* const column =
                "model column\nsize N = 6\nparameter P = 1, k = 2\ncoordinate a[1..N]\n"
                "kinetic sum(i in 1..N: a[i]'^2/2)\n"
                "potential k/2*a[1]^2 + sum(i in 2..N: k/2*(a[i] - a[i-1])^2) + "
                "sum(i in 1..N: P*cos(a[i]))\n";
            return [at = analysis::dae_of_parameters(model::load_text(column), {}, {"P"})](
                       const Watch& watch) {
              analysis::ContinuationOptions options;
              options.from = 0.02, options.to = 3;
              options.largest_step = 0.02;
              options.watch = watch;
              Bits b;
              for (const analysis::Branch& branch : analysis::follow_equilibria(at, options))
                for (const analysis::BranchPoint& p : branch.points) b.add(p.parameter);
              return b.hash();
            };
          }};
}
LongTask path_task() {
  return {"path_of_poses", [] {
            const auto k = std::make_shared<const analysis::Kinematics>(dae_of("looper"));
            return [k](const Watch& watch) {
              analysis::PathOptions options;
              options.largest_step = 0.001;
              options.watch = watch;
              Bits b;
              for (const std::vector<double>& pose :
                   analysis::follow_poses(*k, k->start(), options).poses)
                b.add_all(pose);
              return b.hash();
            };
          }};
}
const std::vector<std::string> motors{"arm[1].q[1]", "arm[2].q[1]", "arm[3].q[1]"};
std::shared_ptr<const analysis::Kinematics> delta_robot() {
  return std::make_shared<const analysis::Kinematics>(dae_of("delta_robot"));
}
LongTask box_task() {
  return {"box_of_poses", [] {
            return [k = delta_robot()](const Watch& watch) {
              std::vector<analysis::BoxAxis> axes;
              for (const std::string& name : motors) axes.push_back({name, -0.4, 0.4, 6});
              Bits b;
              for (const auto& node : analysis::scan_box(*k, k->start(), axes, {}, watch).nodes)
                b.add(std::uint64_t{node.reachable}).add_all(node.given);
              return b.hash();
            };
          }};
}
LongTask branches_task() {
  return {"branches_of_poses", [] {
            return in_scope([k = delta_robot()] {
              std::vector<analysis::Given> given;
              for (const std::string& name : motors) given.push_back({name, 0.1});
              Bits b;
              for (const analysis::Pose& pose : k->branches(given, k->start(), 400))
                b.add_all(pose.values);
              return b.hash();
            });
          }};
}
LongTask response_task() {
  return {
      "frequency_response", [] {
        const SharedDae dae = dae_of("torsional_oscillator", {{"N", "60"}});
        const auto linear = std::make_shared<const analysis::LinearModel>(
            analysis::linearise(*dae, analysis::point_of(analysis::equilibrium(*dae))));
        return in_scope([linear] {
          Bits b;
          for (const Eigen::MatrixXcd& g :
               analysis::frequency_response(*linear, analysis::logarithmic_grid(0.01, 10, 10000))
                   .value)
            b.add(g.norm());
          return b.hash();
        });
      }};
}
LongTask region_task() {
  return {"stability_region", [] {
            const SharedDae dae = dae_of("looper");
            const auto rest =
                std::make_shared<const analysis::Equilibrium>(analysis::equilibrium(*dae));
            return [dae, rest](const Watch& watch) {
              analysis::RegionOptions options;
              options.radius = 0.02;
              options.shells = 300, options.directions = 300;
              options.watch = watch;
              const analysis::StabilityRegion r = analysis::stability_region(dae, *rest, options);
              return Bits().add(r.table).add(r.level).hash();
            };
          }};
}
LongTask along_task() {
  return {"linear_models_along_a_motion", [] {
            return [dae = dae_of("fourbar")](const Watch& watch) {
              analysis::AlongOptions options;
              options.last = 4;
              options.count = 60;
              options.watch = watch;
              Bits b;
              for (const analysis::OperatingPoint& p : analysis::linearise_along(dae, options))
                b.add(bits(p.poles));
              return b.hash();
            };
          }};
}

// ---- inversion

std::shared_ptr<const inversion::InverseModel> inverse_of(const std::string& folder,
                                                          const Parameters& parameters = {},
                                                          const std::string& name = "") {
  return std::make_shared<const inversion::InverseModel>(
      inversion::inverse_model(*dae_of(folder, parameters, name)));
}
LongTask inverse_model_task(const char* name, const char* disks) {
  return {name, [=] {
            return in_scope([dae = dae_of("torsional_oscillator", {{"N", disks}})] {
              return bits(inversion::inverse_model(*dae).structure);
            });
          }};
}
LongTask flat_task() {
  return {"flat_inverse_of_20_disks", [] {
            const auto inverse = inverse_of("torsional_oscillator", {{"N", "20"}});
            return in_scope([inverse] {
              solve::AlgebraicSolution solution(
                  inverse->problem, solve::consistent_point(inverse->problem), {.until = 40});
              Bits b;
              for (int k = 0; k < 400; ++k) b.add_all(solution.at(0.1 * k).tops);
              return b.hash();
            });
          }};
}
LongTask stable_inversion_task(const char* name, const char* folder, const Parameters& parameters,
                               const inversion::StableInversionOptions& options) {
  return {name, [=] {
            return [inverse = inverse_of(folder, parameters), options](const Watch& watch) {
              inversion::StableInversionOptions watched = options;
              watched.boundary_value.watch = watch;
              return bits(inversion::stable_inversion(*inverse, watched).trajectory);
            };
          }};
}
LongTask receding_task() {
  return {"receding_horizon", [] {
            return [inverse = inverse_of("manipulator_2link")](const Watch& watch) {
              inversion::RecedingRunOptions options;
              options.watch = watch;
              return bits(inversion::receding_run(*inverse, options).trajectory);
            };
          }};
}
LongTask formulations_task() {
  return {"formulations_of_stable_inversion", [] {
            return [inverse = inverse_of("manipulator_2link")](const Watch& watch) {
              inversion::FormulationsOptions options;
              options.repetitions = 1;
              options.step = 0.005;
              options.watch = watch;
              Bits b;
              for (const inversion::Formulation& f :
                   inversion::compare_formulations(*inverse, options).all)
                b.add_all(f.inputs);
              return b.hash();
            };
          }};
}
LongTask verify_task() {
  return {"verification", [] {
            const auto inverse = inverse_of("manipulator_2link");
            const auto rows = std::make_shared<const solve::Trajectory>(
                inversion::stable_inversion(*inverse, {}).trajectory);
            return [inverse, rows](const Watch& watch) {
              inversion::VerifyOptions options;
              options.tolerance = 1e-13;
              options.watch = watch;
              const inversion::Verification v = inversion::verify(*inverse, *rows, options);
              return Bits().add(v.defect.largest).add(v.forward.largest()->largest).hash();
            };
          }};
}
LongTask stepping_task() {
  return {
      "stepping_with_fixed_steps", [] {
        return in_scope([inverse = inverse_of("manipulator_3d")] {
          return bits(inversion::step_through(*inverse, solve::consistent_point(inverse->problem),
                                              solve::BdfOptions{.order = 2, .step = 1e-5}, 2, 0.01)
                          .trajectory);
        });
      }};
}

LongTask step_program_task() {
  return {"program_of_a_real_time_step", [] {
            const auto inverse = inverse_of("serial_links", {{"n", "8"}}, "arm_driven");
            const auto start = solve::consistent_point(inverse->problem);
            return in_scope([inverse, start] {
              const auto steppable = inversion::step_program(
                  *inverse, start, solve::BdfOptions{.order = 2, .step = 1e-3});
              return Bits().add(std::uint64_t{steppable.program->stages()}).hash();
            });
          }};
}

}  // namespace

const std::vector<LongTask>& long_tasks() {
  using compile::Backend;
  inversion::StableInversionOptions collocation, fine;
  collocation.scheme = inversion::Scheme::collocation;
  collocation.boundary_value.order = 6;
  collocation.tolerance = 1e-11;
  fine.scheme = inversion::Scheme::central_differences;
  fine.step = 2e-3;
  static const std::vector<LongTask> tasks{
      elaborate_task("model_of_a_cable", "elevator_cable", {{"N", "300"}}),
      derive_task("equations_of_a_cable", "elevator_cable", {{"N", "250"}}),
      derive_task("equations_of_a_chain", "chain", {{"N", "10000"}}),
      examine_task("structure_of_a_chain", "chain", {{"N", "8000"}}, false),
      examine_task("structure_of_an_inverse_of_4000_disks", "torsional_oscillator", {{"N", "4000"}},
                   true),
      examine_task("structure_of_a_beam", "flexible_link", {{"N", "6"}}, true),
      formulate_task("formulation_of_a_cable", "elevator_cable", {{"N", "70"}}),
      formulate_task("formulation_of_a_chain", "chain", {{"N", "5000"}}),
      compile_task("kernel_on_the_tape", "elevator_cable", {{"N", "60"}}, Backend::tape),
      compile_task("kernel_in_native_code", "elevator_cable", {{"N", "10"}}, Backend::native),
      solver_task(),
      start_task(),
      prepare_task(),
      simulate_task("chain_by_rk45", "chain", {{"N", "100"}}, solve::Rk45Options{}, 2),
      simulate_task("cable_by_radau5", "elevator_cable", {{"N", "30"}}, solve::Radau5Options{}, 3),
      simulate_task("pendula_by_taylor", "coupled_pendula", {}, solve::TaylorOptions{}, 20),
      simulate_task("fourbar_by_ida", "fourbar", {}, solve::IdaOptions{}, 100),
      simulate_task("fourbar_with_its_error", "fourbar", {}, solve::Rk45Options{.tolerance = 1e-9},
                    300, true),
      compare_task(),
      eigenvalues_task("eigenvalues_of_400_states", 400, false),
      eigenvalues_task("eigenvalues_of_a_nearly_singular_pencil", 200, true),
      lyapunov_task(),
      equilibrium_task("equilibrium_of_a_cable", "elevator_cable", {{"N", "60"}}),
      equilibrium_task("equilibrium_of_a_chain", "chain", {{"N", "150"}}),
      portrait_task("portrait_of_100_disks", "torsional_oscillator", {{"N", "100"}}),
      portrait_task("portrait_of_a_beam", "flexible_link", {{"N", "6"}}),
      locus_task(),
      map_task(),
      zero_map_task(),
      zero_search_task(),
      continuation_task(),
      path_task(),
      box_task(),
      branches_task(),
      response_task(),
      region_task(),
      along_task(),
      inverse_model_task("inverse_model_of_200_disks", "200"),
      inverse_model_task("inverse_model_of_1000_disks", "1000"),
      flat_task(),
      stable_inversion_task("inversion_by_collocation", "manipulator_2link", {}, collocation),
      stable_inversion_task("inversion_by_differences", "flexible_link", {{"N", "4"}}, {}),
      stable_inversion_task("inversion_on_a_fine_mesh", "flexible_link", {{"N", "2"}}, fine),
      receding_task(),
      formulations_task(),
      verify_task(),
      stepping_task(),
      step_program_task(),
  };
  return tasks;
}

}  // namespace daedal::test
