// Native code gives the bits of the tape, whatever the moment of the change.
#include "compile/needs_native.hpp"
#include "compile/random_function.hpp"
#include "daedal/compile/kernel.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace daedal::compile {
namespace {

using testing::bits;
using testing::random_function;
using testing::RandomFunction;

const Options on_tape{.backend = Backend::tape}, in_native_code{.backend = Backend::native};

void expect_same_bits(const std::vector<double>& x, const std::vector<double>& y) {
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(bits(x[i]), bits(y[i])) << "row " << i << ": " << x[i] << " " << y[i];
}

TEST(Native, equals_the_tape_bit_for_bit) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const RandomFunction random =
        random_function(seed, 12, 20 + 10 * static_cast<std::uint32_t>(seed), 15);
    const auto native = compile(random.function, random.layout, in_native_code);
    NEEDS_NATIVE(native);
    ASSERT_EQ(native->running(), Backend::native);
    const auto tape = compile(random.function, random.layout, on_tape);
    for (const double scale : {1.0, -0.3, 1e-8, 40.0, 1e6}) {
      std::vector<double> point = random.point;
      for (double& x : point) x *= scale;
      expect_same_bits(testing::evaluate(*native, point), testing::evaluate(*tape, point));
    }
  }
}

TEST(Native, long_programs_cut_into_functions_give_the_same_bits) {
  const RandomFunction random = random_function(77, 40, 3000, 60);
  Options small_pieces = in_native_code;
  small_pieces.chunk = 100;
  const auto native = compile(random.function, random.layout, small_pieces);
  NEEDS_NATIVE(native);
  ASSERT_GT(native->operations(), 2000u);
  expect_same_bits(
      testing::evaluate(*native, random.point),
      testing::evaluate(*compile(random.function, random.layout, on_tape), random.point));
}

TEST(Native, parameters_prepared_by_the_tape_are_seen_by_native_code) {
  const RandomFunction random = random_function(8, 30, 200, 20);
  const auto native = compile(random.function, random.layout, in_native_code);
  NEEDS_NATIVE(native);
  const auto tape = compile(random.function, random.layout, on_tape);
  Workspace native_work = native->workspace(), tape_work = tape->workspace();
  std::vector<double> point = random.point, x(native->rows()), y(native->rows());
  for (int round = 0; round < 5; ++round) {
    for (double& v : point) v = 0.9 * v + 0.1;
    native->prepare(point.data(), native_work);
    tape->prepare(point.data(), tape_work);
    native->evaluate(point.data(), x.data(), native_work);
    tape->evaluate(point.data(), y.data(), tape_work);
    expect_same_bits(x, y);
  }
}

// A process that may open no file cannot load the module, as if it were not there: a kernel asked for native code waits for
// nothing, runs on the tape and gives its bits.
[[noreturn]] void exit_by_whether_tape_runs_without_files() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_NOFILE, &none);
  const RandomFunction random = random_function(3, 12, 40, 5);
  const auto tape = compile(random.function, random.layout, on_tape);
  const std::vector<double> expected = testing::evaluate(*tape, random.point);
  bool good = true;
  for (const Options& options : {in_native_code, Options{}}) {
    const auto kernel = compile(random.function, random.layout, options);
    good &= !kernel->wait_native() && kernel->running() == Backend::tape;
    good &= testing::evaluate(*kernel, random.point) == expected;
  }
  std::_Exit(good ? 0 : 1);  // no destructors: leak checkers would open files
}

TEST(NativeDeathTest, without_the_module_kernels_stay_on_the_tape_and_say_so) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_by_whether_tape_runs_without_files(), ::testing::ExitedWithCode(0), "");
}

TEST(Native, asked_for_the_tape_kernels_stay_there) {
  const RandomFunction random = random_function(22, 20, 400, 30);
  const auto kernel = compile(random.function, random.layout, on_tape);
  Workspace work = kernel->workspace();
  kernel->prepare(random.point.data(), work);
  std::vector<double> rows(kernel->rows());
  for (int i = 0; i < 5000; ++i) kernel->evaluate(random.point.data(), rows.data(), work);
  EXPECT_FALSE(kernel->wait_native());
  EXPECT_EQ(kernel->running(), Backend::tape);
}

// Threads share one kernel, each with a workspace of its own, while the background thread changes the back end under
// them: every answer has the same bits.
TEST(Native, threads_get_the_same_bits_while_the_back_end_changes) {
  const RandomFunction random = random_function(21, 20, 400, 30);
  const std::vector<double> truth =
      testing::evaluate(*compile(random.function, random.layout, on_tape), random.point);
  const auto kernel = compile(random.function, random.layout, Options{});
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Workspace work = kernel->workspace();
      kernel->prepare(random.point.data(), work);
      std::vector<double> rows(kernel->rows());
      while (!stop) {
        kernel->evaluate(random.point.data(), rows.data(), work);
        for (std::size_t i = 0; i < rows.size(); ++i) wrong += bits(rows[i]) != bits(truth[i]);
      }
    });
  }
  const bool native = kernel->wait_native();
  EXPECT_EQ(native, bool{DAEDAL_NATIVE_BACKEND});
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(kernel->running(), native ? Backend::native : Backend::tape);
}

TEST(Native, a_hot_kernel_changes_by_itself) {
  const RandomFunction random = random_function(22, 20, 400, 30);
  const auto kernel = compile(random.function, random.layout, Options{});
  NEEDS_NATIVE(compile(random.function, random.layout, in_native_code));
  Workspace work = kernel->workspace();
  kernel->prepare(random.point.data(), work);
  std::vector<double> rows(kernel->rows());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (kernel->running() == Backend::tape && std::chrono::steady_clock::now() < deadline)
    kernel->evaluate(random.point.data(), rows.data(), work);
  EXPECT_EQ(kernel->running(), Backend::native);
}

// Evaluates until the background thread has got the kernel.
std::shared_ptr<const Kernel> make_hot_kernel(std::uint64_t seed) {
  const RandomFunction random = random_function(seed, 20, 1500, 30);
  auto kernel = compile(random.function, random.layout, Options{});
  Workspace work = kernel->workspace();
  std::vector<double> rows(kernel->rows());
  kernel->prepare(random.point.data(), work);
  for (int i = 0; i < 5000; ++i) kernel->evaluate(random.point.data(), rows.data(), work);
  return kernel;
}

TEST(Native, a_kernel_may_die_while_it_is_being_compiled) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) make_hot_kernel(seed);
}

TEST(NativeDeathTest, the_process_may_exit_while_a_kernel_is_being_compiled) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static std::shared_ptr<const Kernel> kernel = make_hot_kernel(4);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        const auto kernel = make_hot_kernel(5);
        std::this_thread::sleep_for(
            std::chrono::milliseconds(15));  // in the middle of loading or compiling
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace daedal::compile
