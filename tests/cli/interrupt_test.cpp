// Ctrl-C ends every command within 0.2 s, and what it leaves is absent or complete.
//
// On a machine that others use the clock on the wall says little. What the program computes after the signal is the measure: below
// 0.2 s whatever else runs. Waiting is no computing, so the wall clock is looked at too, in units of how long a second of
// computing took before the signal.
#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::test {
namespace {

constexpr double bound = 0.2;     // [s], of "ends within 0.2 s"
constexpr double unevenness = 5;  // of the share of the processor that others leave
constexpr double longest =
    2;  // [s] of computing: those that would take longer are interrupted before
constexpr double earliest = 0.05;  // [s] of computing: the program has started and listens

struct LongCommand {
  const char* name;
  const char* words;
  bool refused = false;  // after long work
};
void PrintTo(const LongCommand& command, std::ostream* out) { *out << command.name; }

constexpr LongCommand commands[] = {
    {"check", "check chain -p N=5000"},
    {"check_print", "check chain -p N=5000 --print"},
    {"check_units", "check chain -p N=5000 --units --json"},
    {"explain", "explain chain -p N=3000"},
    {"explain_json", "explain chain -p N=3000 --json"},
    {"explain_inverse", "explain torsional_oscillator -p N=500 --inverse --json"},
    {"simulate", "simulate chain -p N=100 --until 1000 --csv out.csv --report out.html"},
    {"simulate_cable",
     "simulate elevator_cable -p N=100 --until 100 --method radau5 --csv out.csv"},
    {"simulate_pendulum", "simulate pendulum --until 1e6 --every 1 --csv out.csv --json"},
    {"simulate_start", "simulate chain -p N=5000 --csv out.csv"},
    {"simulate_runs",
     "simulate cable_robot --model cable_robot_generalised --controller two_degrees "
     "--plant 'tau_T=normal(0.03, 0.003)' --runs 100000 --csv out.csv --json"},
    {"analyse", "analyse torsional_oscillator -p N=100 --report out.html"},
    {"analyse_chain", "analyse chain -p N=1000"},
    {"analyse_beam", "analyse flexible_link -p N=6 --json"},
    {"analyse_response",
     "analyse torsional_oscillator -p N=60 --response 0.1:100:10000 --csv out.csv"},
    {"analyse_locus", "analyse manipulator_2link --locus k=0.3:0.6:2000 --csv out.csv"},
    {"analyse_map",
     "analyse manipulator_2link --map k=0.3:0.6:100,d=1e-5:3e-5:100 --threads 1 --csv out.csv "
     "--json"},
    {"analyse_sensitivity", "analyse flexible_link -p N=5 --sensitivity all"},
    {"analyse_along", "analyse manipulator_2link --along 0:1:3000 --csv out.csv"},
    {"analyse_vary", "analyse manipulator_2link --vary k=0.3:0.6 --samples 5000 --csv out.csv"},
    {"analyse_against",
     "analyse manipulator_2link --vary k=0.3:0.6 --against d=1e-5:3e-5 --lines 500"},
    {"analyse_redefine", "analyse flexible_link -p N=3 --redefine tip:rigid --samples 2000 --json"},
    {"analyse_linear_motion",
     "analyse manipulator_2link --linear-motion 1e5 --disturb beta=0.01 --csv out.csv"},
    {"analyse_loop",
     "analyse looper --controller tension --locus tension.target=0.09:0.1:3000 --csv out.csv"},
    {"control", "control torsional_oscillator -p N=60 -p d=0.5 --report out.html"},
    {"invert", "invert flexible_link -p N=2 --csv out.csv --report out.html"},
    {"invert_disks", "invert torsional_oscillator -p N=1500", true},
    {"invert_formulations", "invert manipulator_2link --formulations --step 0.002"},
    {"invert_receding", "invert manipulator_2link --receding --csv out.csv --json"},
    {"compare", "compare pendulum --until 1000 --report out.html"},
    {"compare_controllers",
     "compare cable_robot --model cable_robot_generalised --controllers "
     "two_degrees,two_degrees --until 1e4 --csv out.csv"},
    {"export_stepper", "export c elevator_cable -p N=60 --forward --step 0.01"},
    {"export_accelerations", "export c elevator_cable -p N=100 --accelerations --json"},
    {"run", "run experiments.daedal --csv out.csv --report out.html --json"},
};

constexpr const char* experiments = R"(model pendulum
coordinate x = 1, y = 0
kinetic (x'^2 + y'^2)/2
potential 9.81*y
constraint rod: x^2 + y^2 = 1
experiment brief: simulate(until = 1)
experiment long: simulate(until = 1e6, every = 1)
experiment never: simulate(until = 1)
)";

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// The program at work, in a process of its own.
class Process {
 public:
  Process(const Folder& folder, const std::string& words) : child_(fork()) {
    if (child_ != 0) return;
    const std::string line = "cd '" + folder.path("") + "' && exec '" + tested_program + "' " +
                             words + " > .out 2> .err";
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }

  /// [s] of the processor, on all threads.
  double computed() {
    clockid_t clock = 0;
    timespec time = {};
    if (!ended_ && clock_getcpuclockid(child_, &clock) == 0 && clock_gettime(clock, &time) == 0)
      return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    return at_end_;
  }

  /// Until it has computed so long, or has ended; whether it has not.
  bool works_until(double computing) {
    while (!wait(WNOHANG) && computed() < computing) usleep(1000);
    return !ended_;
  }

  void signal(int number) const { kill(child_, number); }
  void join() { wait(0); }
  int status() const { return status_; }

 private:
  bool wait(int how) {
    rusage usage = {};
    if (ended_ || wait4(child_, &status_, how, &usage) != child_) return ended_;
    ended_ = true;
    at_end_ = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    return true;
  }

  pid_t child_;
  int status_ = 0;
  double at_end_ = 0;
  bool ended_ = false;
};

/// Uninterrupted, but for what takes longer than `longest`.
struct Whole {
  double duration = longest;  // [s] of computing
  int code = 130;             // of its end; one that never comes is that of an interrupted one
};
Whole whole_run(const LongCommand& command) {
  const Folder folder;
  folder.write("experiments.daedal", experiments);
  Process process(folder, command.words);
  const bool too_long = process.works_until(longest);
  if (too_long) process.signal(SIGKILL);
  process.join();
  if (too_long) return {};
  EXPECT_EQ(WEXITSTATUS(process.status()) >= 2, command.refused) << folder.read(".err");
  return {process.computed(), WEXITSTATUS(process.status())};
}

/// Rows of one length, each to its end; the header may have commas in its names.
bool is_table(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::optional<std::ptrdiff_t> commas;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const auto here = std::count(line.begin(), line.end(), ',');
    if (here != commas.value_or(here)) return false;
    commas = here;
  }
  return text.ends_with('\n');
}

/// All files are what they were, or complete.
void expect_whole_files(const Folder& folder, bool json) {
  for (const auto& entry : std::filesystem::directory_iterator(folder.path(""))) {
    const std::string name = entry.path().filename(), text = folder.read(name);
    if (name == "experiments.daedal" || text == "earlier\n") continue;
    if (name == ".out") {
      EXPECT_TRUE(json ? nlohmann::json::accept(text) : text.empty() || text.ends_with('\n'))
          << text.substr(0, 1000);
    } else if (name == ".err") {
      EXPECT_TRUE(text.empty() || text.ends_with('\n'))
          << text;  // empty: the answer is what is there
    } else if (name.ends_with(".csv")) {
      EXPECT_TRUE(is_table(text)) << name;
    } else if (name.ends_with(".html")) {
      EXPECT_TRUE(text.ends_with("</html>\n")) << name;
    } else if (name.ends_with(".c")) {
      EXPECT_TRUE(text.ends_with("}\n"));
      EXPECT_TRUE(std::filesystem::exists(folder.path(entry.path().stem().string() + ".h")));
    } else {
      EXPECT_TRUE(name.ends_with(".h")) << name << " is left";  // a part of a file, for example
    }
  }
}

class SlowInterrupt : public ::testing::TestWithParam<LongCommand> {};

TEST_P(SlowInterrupt, ends_a_command_within_a_fifth_of_a_second_and_leaves_nothing_half_written) {
  const auto& [name, words, refused] = GetParam();
  const auto [duration, code] = whole_run(GetParam());
  std::seed_seq seed(name, name + std::string_view(name).size());  // printed as the test's name
  std::mt19937 random(seed);
  const double at = std::uniform_real_distribution<double>(earliest, duration)(random);

  const Folder folder;
  folder.write("experiments.daedal", experiments);
  folder.write("out.csv", "earlier\n");
  folder.write("out.html", "earlier\n");
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  Process process(folder, words);
  const bool interrupted = process.works_until(at);
  const double before = process.computed(), request = elapsed();
  if (interrupted) process.signal(SIGINT);
  process.join();
  const double computed = process.computed() - before, waited = elapsed() - request;
  std::printf("%.2f s of computing, interrupted at %.3f s: computed %.3f s, ended after %.3f s\n",
              duration, before, computed, waited);
  ASSERT_TRUE(WIFEXITED(process.status())) << WTERMSIG(process.status());
  EXPECT_THAT(WEXITSTATUS(process.status()), testing::AnyOf(130, code))  // it may come too late
      << folder.read(".err");
  EXPECT_LT(computed, bound);
  EXPECT_LT(waited, bound * unevenness * std::max(1.0, request / before));
  expect_whole_files(folder, std::string_view(words).ends_with("--json"));
}

INSTANTIATE_TEST_SUITE_P(Command, SlowInterrupt, ::testing::ValuesIn(commands),
                         [](const auto& command) { return std::string(command.param.name); });

}  // namespace
}  // namespace daedal::test
