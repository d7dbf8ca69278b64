// Kernel rows of the benchmark table: native code and tapes on the crane, the fused Newton iteration against a kernel
// followed by Eigen's LU, and 10 000 disks. Every comparison alternates its two sides and takes medians.
#include "crane.hpp"
#include "daedal/compile/program.hpp"
#include "daedal/compile/straight_kernel.hpp"
#include "disks.hpp"
#include "eigen_peer.hpp"
#include "switch_tape.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <vector>

namespace daedal::bench {
namespace {

using compile::Backend;
using compile::Kernel;
using compile::Options;
using compile::Workspace;

// A kernel with all it needs to be called.
class Runner {
 public:
  Runner(std::shared_ptr<const Kernel> kernel, std::vector<double> point)
      : kernel_(std::move(kernel)),
        point_(std::move(point)),
        rows_(kernel_->rows()),
        work_(kernel_->workspace()) {
    kernel_->prepare(point_.data(), work_);
  }
  void operator()() {
    kernel_->evaluate(point_.data(), rows_.data(), work_);
    benchmark::DoNotOptimize(rows_.data());
    benchmark::ClobberMemory();
  }
  const Kernel& kernel() const { return *kernel_; }
  const std::vector<double>& rows() const { return rows_; }

 private:
  std::shared_ptr<const Kernel> kernel_;
  std::vector<double> point_, rows_;
  Workspace work_;
};

// Processor time of this thread: other work on the machine must not enter.
double thread_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

double nanoseconds(const std::function<void(int)>& repeat, int times) {
  const double start = thread_nanoseconds();
  repeat(times);
  return (thread_nanoseconds() - start) / times;
}

// The loop is inside the template, so that no indirect call is measured.
template <class F>
std::function<void(int)> loop(F& f) {
  return [&f](int times) {
    for (int i = 0; i < times; ++i) f();
  };
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

std::vector<double> alternate(const std::vector<std::function<void(int)>>& sides, int times,
                              int rounds = 25) {
  std::vector<std::vector<double>> measured(sides.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < sides.size(); ++i)
      measured[i].push_back(nanoseconds(sides[i], times));
  }
  std::vector<double> medians;
  for (const auto& m : measured) medians.push_back(median(m));
  return medians;
}

std::shared_ptr<const Kernel> residual_and_jacobian(const Crane& crane, Backend backend) {
  const expr::Function both[] = {crane.residual, crane.jacobian.values};
  return compile::compile(both, crane.layout, Options{.backend = backend});
}

compile::Program crane_program(const Crane& crane) {
  expr::Graph graph;
  std::vector<expr::Expr> rows = expr::expand(crane.residual, graph);
  const std::vector<expr::Expr> entries = expr::expand(crane.jacobian.values, graph);
  rows.insert(rows.end(), entries.begin(), entries.end());
  return compile::lower(graph, rows, compile::point_source(graph, crane.layout));
}

// The peer of the fused iteration: residual and Jacobian by native kernel, put into a dense matrix, Eigen's LU.
class KernelPlusEigen {
 public:
  explicit KernelPlusEigen(const Crane& crane)
      : kernel_(residual_and_jacobian(crane, Backend::native), crane.point),
        pattern_(crane.jacobian) {}
  void operator()() {
    kernel_();
    const double* entries = kernel_.rows().data() + Crane::unknowns;
    std::fill(std::begin(dense_), std::end(dense_), 0.0);
    for (std::uint32_t i = 0; i < Crane::unknowns; ++i) {
      for (std::uint32_t k = pattern_.row_start[i]; k < pattern_.row_start[i + 1]; ++k)
        dense_[i * Crane::unknowns + pattern_.column[k]] = entries[k];
    }
    eigen_newton_direction(dense_, kernel_.rows().data(), dx_);
    benchmark::DoNotOptimize(dx_);
  }
  const double* dx() const { return dx_; }

 private:
  Runner kernel_;
  expr::SparseFunction pattern_;
  double dense_[Crane::unknowns * Crane::unknowns] = {}, dx_[Crane::unknowns] = {};
};

class FusedIteration {
 public:
  FusedIteration(const Crane& crane, Backend backend)
      : solver_(compile::compile_solver(crane.jacobian, crane.negative_residual, crane.layout,
                                        crane.point,
                                        Options{.backend = backend, .keep_factors = false})),
        point_(crane.point) {}
  void operator()() {
    benchmark::DoNotOptimize(solver_->solve(point_.data(), dx_));
    benchmark::ClobberMemory();
  }
  const double* dx() const { return dx_; }
  std::string describe() const { return solver_->describe(); }

 private:
  std::unique_ptr<compile::LinearSolver> solver_;
  std::vector<double> point_;
  double dx_[Crane::unknowns] = {};
};

void report_crane() {
  const Crane crane = make_crane();
  Runner native(residual_and_jacobian(crane, Backend::native), crane.point);
  Runner tape(residual_and_jacobian(crane, Backend::tape), crane.point);
  SwitchTape everything(crane_program(crane), SwitchTape::Kind::everything, crane.point.data());
  SwitchTape lean(crane_program(crane), SwitchTape::Kind::lean, crane.point.data());
  std::vector<double> plain_rows(tape.kernel().rows()), lean_rows(tape.kernel().rows());
  auto plain_tape = [&] {
    everything.evaluate(crane.point.data(), plain_rows.data());
    benchmark::DoNotOptimize(plain_rows.data());
    benchmark::ClobberMemory();
  };
  auto lean_tape = [&] {
    lean.evaluate(crane.point.data(), lean_rows.data());
    benchmark::DoNotOptimize(lean_rows.data());
    benchmark::ClobberMemory();
  };
  const std::vector<double> ns =
      alternate({loop(native), loop(tape), loop(plain_tape), loop(lean_tape)}, 20000);
  const bool same =
      plain_rows == tape.rows() && lean_rows == tape.rows() && tape.rows() == native.rows();
  const bool has_native = native.kernel().running() == Backend::native;
  fmt::print(
      "crane, residual and Jacobian ({} operations): native {:.1f} ns{}, grouped tape {:.1f} ns\n",
      tape.kernel().operations(), ns[0], has_native ? "" : " (absent: tape)", ns[1]);
  fmt::print("  plain switch tape {:.1f} ns: grouped is {:.2f}x (at least 3)\n", ns[2],
             ns[2] / ns[1]);
  fmt::print("  lean switch tape, parameters prepared {:.1f} ns: grouped is {:.2f}x; all rows {}\n",
             ns[3], ns[3] / ns[1], same ? "equal bit for bit" : "DIFFER");

  FusedIteration fused(crane, Backend::native), fused_tape(crane, Backend::tape);
  KernelPlusEigen peer(crane);
  const std::vector<double> newton = alternate({loop(fused), loop(fused_tape), loop(peer)}, 20000);
  double difference = 0;
  for (std::uint32_t i = 0; i < Crane::unknowns; ++i)
    difference = std::max(difference, std::abs(fused.dx()[i] - peer.dx()[i]));
  fmt::print(
      "crane, Newton iteration: fused {:.1f} ns ({}; on the tape {:.1f} ns), native kernel + Eigen "
      "LU {:.1f} ns\n",
      newton[0], fused.describe(), newton[1], newton[2]);
  fmt::print(
      "  fused {:.1f}x kernel + Eigen (at least 8); largest difference of the steps {:.1e}\n",
      newton[2] / newton[0], difference);
}

void report_disks() {
  for (const std::uint32_t n : {1000u, 10000u}) {
    const auto start = std::chrono::steady_clock::now();
    const Disks disks = make_disks(n);
    Runner tape(compile::compile(disks.residual, disks.layout, Options{.backend = Backend::tape}),
                disks.point);
    const double set_up =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    Runner native(
        compile::compile(disks.residual, disks.layout, Options{.backend = Backend::native}),
        disks.point);
    const std::vector<double> ns = alternate({loop(native), loop(tape)}, 200, 15);
    fmt::print(
        "{} disks, residual: native {:.1f} us, tape {:.1f} us (at most 200 for 10 000); set up in "
        "{:.1f} ms; rows {}\n",
        n, 1e-3 * ns[0], 1e-3 * ns[1], set_up,
        native.rows() == tape.rows() ? "equal bit for bit" : "DIFFER");
  }
}

template <class F>
void measure(benchmark::State& state, F f) {
  for (auto _ : state) f();
}

void register_benchmarks() {
  const Crane crane = make_crane();
  for (const auto& [name, backend] :
       {std::pair{"native", Backend::native}, std::pair{"tape", Backend::tape}}) {
    auto kernel = std::make_shared<Runner>(residual_and_jacobian(crane, backend), crane.point);
    benchmark::RegisterBenchmark(
        fmt::format("crane/residual_and_jacobian/{}", name).c_str(),
        [kernel](benchmark::State& state) { measure(state, [&] { (*kernel)(); }); });
    auto fused = std::make_shared<FusedIteration>(crane, backend);
    benchmark::RegisterBenchmark(
        fmt::format("crane/newton_iteration/{}", name).c_str(),
        [fused](benchmark::State& state) { measure(state, [&] { (*fused)(); }); });
  }
  auto peer = std::make_shared<KernelPlusEigen>(crane);
  benchmark::RegisterBenchmark(
      "crane/newton_iteration/kernel_and_eigen",
      [peer](benchmark::State& state) { measure(state, [&] { (*peer)(); }); });
}

}  // namespace
}  // namespace daedal::bench

int main(int argc, char** argv) {
  daedal::bench::register_benchmarks();
  benchmark::Initialize(&argc, argv);
  daedal::bench::report_crane();
  daedal::bench::report_disks();
  if (argc > 1 && std::string_view(argv[1]) == "--all") benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return EXIT_SUCCESS;
}
