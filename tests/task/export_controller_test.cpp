// Controllers as C: the commands of the simulation, bit for bit, from the measurements of the simulation; what is refused.
#include "daedal/emit/files.hpp"
#include "daedal/expr/elementary.hpp"
#include "daedal/task/export_c.hpp"
#include "daedal/task/simulate.hpp"
#include "support/page_blocks.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {
namespace {

using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string text_after(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word);
  return at == std::string::npos ? "" : text.substr(at + word.size());
}

Model controlled(const std::string& text, const std::string& controller) {
  LoadOptions options;
  options.controllers = {controller};
  return load_text(text, "model.daedal", options);
}

CExport exported_of(const Model& model) {
  ExportOptions options;
  options.function = CFunction::controller;
  return export_c(model, options);
}

/// An exported controller, compiled without warnings and loaded.
class Compiled {
 public:
  explicit Compiled(const CExport& code) : code_(code), state_(10'000) {
    folder_ = std::filesystem::temp_directory_path() /
              ("daedal_controller_" + std::to_string(::getpid()) + "_" + std::to_string(count_++));
    std::filesystem::create_directory(folder_);
    const std::string path = (folder_ / code.name).string();
    emit::write_text(code.header, path + ".h");
    emit::write_text(code.source, path + ".c");
    EXPECT_EQ(std::system(("cc -std=c99 -Wall -Wextra -Wpedantic -Werror -O2 -ffp-contract=off "
                           "-shared -fPIC -o " +
                           path + ".so " + path + ".c -lm")
                              .c_str()),
              0);
    handle_ = dlopen((path + ".so").c_str(), RTLD_NOW);
    if (handle_ == nullptr) return;
    init_ = reinterpret_cast<void (*)(void*)>(dlsym(handle_, (code.name + "_init").c_str()));
    step_ = reinterpret_cast<int (*)(void*, const double*, double*)>(
        dlsym(handle_, (code.name + "_step").c_str()));
    init_(state_.data());
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    if (handle_ != nullptr) dlclose(handle_);
    std::filesystem::remove_all(folder_);
  }
  bool loaded() const { return handle_ != nullptr; }
  /// What it calls of other libraries, but for functions of math.h and moving bytes: nothing allocates.
  std::string foreign_symbols() const {
    const std::string path = (folder_ / code_.name).string();
    EXPECT_EQ(
        std::system(("nm -u " + path +
                     ".so | grep -vwE '(fma|rint|trunc|floor|sqrt|frexp|ldexp|fabs|memcpy|memset|"
                     "memmove|__stack_chk_fail)(@.*)?' | grep -vE ' w | _(ITM|_cxa|_gmon)' > " +
                     path + ".symbols")
                        .c_str()) &
            0xff,
        0);
    std::ifstream symbols(path + ".symbols");
    return {std::istreambuf_iterator<char>(symbols), {}};
  }
  std::vector<std::string> measured() const { return code_.arguments[0].second; }
  std::vector<std::string> commands() const { return code_.arguments[1].second; }
  int step(const std::vector<double>& measured, std::vector<double>& commands) {
    return step_(state_.data(), measured.data(), commands.data());
  }

 private:
  static inline int count_ = 0;
  const CExport& code_;
  std::filesystem::path folder_;
  std::vector<double> state_;
  void* handle_ = nullptr;
  void (*init_)(void*) = nullptr;
  int (*step_)(void*, const double*, double*) = nullptr;
};

/// One step of Runge-Kutta and one row from sample to sample.
Simulation sampled_run(const Model& model, double period, std::size_t samples) {
  SimulateOptions options;
  options.method = "rk4";
  options.step = options.every = period;
  options.until = period * static_cast<double>(samples);
  options.global_error = false;
  options.history = false;
  return simulate(model, options);
}

/// What the controller c measures of x is its output seen_x, of x' seen_x_rate. States in rows are near those at samples: rows
/// are projected onto the constraints.
std::vector<double> column_of(const Table& table, const std::string& controller,
                              const std::string& name) {
  std::string seen = controller + ".seen_" + name;
  if (seen.ends_with("'")) seen.replace(seen.size() - 1, 1, "_rate");
  EXPECT_TRUE(table.find(seen)) << seen;
  return table.column(seen);
}

struct Loop {
  std::string name, text, controller;
  double period;
  std::size_t samples = 100'000;
  std::size_t late = 0;  // rows after which a command acts
};

void PrintTo(const Loop& loop, std::ostream* out) { *out << loop.name; }

class ExportedController : public testing::TestWithParam<Loop> {};

TEST_P(ExportedController, commands_what_the_simulation_does) {
  if (!expr::elementary::has_common_bits()) GTEST_SKIP() << "a processor without fused operations";
  const Loop& loop = GetParam();
  const Model model = controlled(loop.text, loop.controller);
  const CExport code = exported_of(model);
  Compiled exported(code);
  ASSERT_TRUE(exported.loaded());
  EXPECT_EQ(exported.foreign_symbols(), "");
  const Simulation run = sampled_run(model, loop.period, loop.samples);
  ASSERT_TRUE(run.holds) << run.reason;
  const Table& table = *run.table();
  std::vector<std::vector<double>> inputs, outputs;
  // with noise, measurements that are equal are one that was kept
  const bool flagged =
      !exported.measured().empty() && exported.measured().back().ends_with(".fresh");
  for (const std::string& name : exported.measured())
    inputs.push_back(name.ends_with(".fresh") ? std::vector<double>(loop.samples)
                                              : column_of(table, loop.controller, name));
  for (const std::string& name : exported.commands()) outputs.push_back(table.column(name));
  std::vector<double> measured(inputs.size()), commands(outputs.size());
  double smallest = 0, largest = 0;
  for (std::size_t k = 0; k + loop.late < loop.samples; ++k) {
    for (std::size_t i = 0; i < inputs.size(); ++i) measured[i] = inputs[i][k];
    if (flagged) measured.back() = k == 0 || inputs[0][k] != inputs[0][k - 1] ? 1 : 0;
    ASSERT_EQ(exported.step(measured, commands), 0) << "sample " << k;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(commands[i]),
                std::bit_cast<std::uint64_t>(outputs[i][k + loop.late]))
          << exported.commands()[i] << " at sample " << k << ": " << commands[i] << ", not "
          << outputs[i][k + loop.late];
    smallest = std::min(smallest, commands[0]);
    largest = std::max(largest, commands[0]);
  }
  EXPECT_GT(largest - smallest, 0);  // something was commanded
}

const std::string carriage =
    "model carriage\nparameter m = 1\ncoordinate x = 1, theta = 0.3\nkinetic m/2*x'^2 + "
    "theta'^2/2\n"
    "potential -cos(theta)\ninput u\nforce u on x\n";

std::string carriage_with(const std::string& block) {
  return carriage + "controller c every 10 ms\n" + block;
}

const std::string crane =
    "model crane\n"
    "parameter m = 18.9 [kg], g = 9.81 [m/s^2], tau_T = 0.03 [s], tau_L = 0.02 [s], tf = 10 [s]\n"
    "coordinate x_T = 15 [m], L = 4 [m], x_P = 15 [m], z_P = 4 [m]\n"
    "kinetic   m/2 * (x_P'^2 + z_P'^2)\npotential -m*g*z_P\ninput     u_T [m/s], u_L [m/s]\n"
    "drive     x_T by u_T velocity(lag = tau_T)\ndrive     L   by u_L velocity(lag = tau_L)\n"
    "constraint cable: z_P^2 + (x_P - x_T)^2 = L^2\noutput    z = [x_P, z_P]\n"
    "servo     z = line([15, 4], [11, 7], rest_to_rest(t/tf, smoothness = 4))\n"
    "initial x_T = 14.5, x_P = 14.5\n";

std::string pendulum_with(const std::string& observer) {
  return "model pendulum\nparameter m = 1, l = 1, g = 9.81\ncoordinate x = 0.1, y = -1\n"
         "kinetic m/2*(x'^2 + y'^2)\npotential m*g*y\nconstraint rod: norm([x, y]) = l\n"
         "input u\nforce u on x\ncontroller c every 10 ms\n"
         "measure s = dropout(x + noise(0.01), 0.3)\noutput seen_s = s\nobserve " +
         observer +
         "(process = 1e-3, start = 0.1)\n"
         "command u = delay(-3*x - 2*x' + 0.2*sin(3*t), time = 0.01)\n";
}

/// A load on a cable, of which nobody measures the place: drives, a constraint, a reaction that is measured.
std::string crane_with(const std::string& observer) {
  return crane +
         "controller c every 10 ms\nmeasure a = x_T + noise(1e-3), b = L + noise(1e-3), f = "
         "cable.force/1000 + "
         "noise(1e-3)\noutput seen_a = a\noutput seen_b = b\noutput seen_f = f\nobserve " +
         observer +
         "(process = 1e-4, start = 0.01)\ncommand [u_T, u_L] = [0.3*sin(t), 0.1*sin(0.7*t)] - "
         "0.1*[x_T' + x_P - x_T, L - 4]\n";
}

const std::string arm =
    "model arm\nparameter g = 9.81\ncoordinate a = 0.4, b = 0.3\n"
    "kinetic (cos(a)*a')^2/2 + (sin(a)*a')^2/2 + ((cos(a)*a' + cos(a + b)*(a' + b'))^2 + "
    "(sin(a)*a' + sin(a + b)*(a' + b'))^2)/2\n"
    "potential g*(2*sin(a) + sin(a + b))\ninput u1, u2\nforce u1 on a\nforce u2 on b\n";

std::string arm_with(const std::string& block) {
  return arm +
         "controller c every 5 ms\nmeasure a, b, a', b'\noutput seen_a = a\noutput seen_b = b\n"
         "output seen_a_rate = a'\noutput seen_b_rate = b'\n" +
         block;
}

INSTANTIATE_TEST_SUITE_P(
    Of, ExportedController,
    testing::Values(
        Loop{"pid",
             carriage_with(
                 "measure x + noise(1e-3)\noutput seen_x = x\n"
                 "command u = pid(sin(t) - x, kp = 30, ki = 10, kd = 8, filter = 0.05, low = -9, "
                 "high = 9, unwind = 0.5)\n"),
             "c", 0.01},
        Loop{"crane",
             crane + "controller c every 100 us\nmeasure x_T, x_T', L, L', x_P, x_P', z_P, z_P'\n"
                     "output seen_x_T = x_T\noutput seen_x_T_rate = x_T'\noutput seen_L = L\n"
                     "output seen_L_rate = L'\noutput seen_x_P = x_P\noutput seen_x_P_rate = x_P'\n"
                     "output seen_z_P = z_P\noutput seen_z_P_rate = z_P'\n"
                     "command [u_T, u_L] = path.u + lqr(Q = 1000, R = 100, at = rest(x_T = 11, L = "
                     "7))\n",
             "c", 100 * 1e-6},  // as a number of microseconds is read
        Loop{"inverse_steps_of_the_crane",
             crane +
                 "controller c every 10 ms\nmeasure x_T, x_T', L, L', x_P, x_P', z_P, z_P'\n"
                 "output seen_x_T = x_T\noutput seen_x_T_rate = x_T'\noutput seen_L = L\n"
                 "output seen_L_rate = L'\noutput seen_x_P = x_P\noutput seen_x_P_rate = x_P'\n"
                 "output seen_z_P = z_P\noutput seen_z_P_rate = z_P'\n"
                 "command [u_T, u_L] = inverse.u + lqr(Q = 1000, R = 100, at = rest(x_T = 11, L "
                 "= 7), reference = inverse.x)\n",
             "c", 0.01},
        Loop{"delays",
             carriage_with("measure s = delay(x + noise(1e-3), 2)\noutput seen_s = s\n"
                           "command u = delay(saturate(-2*s - 0.3*derivative(s, filter = 0.1), -1, "
                           "1), 3) + previous(0.1*cos(t))\n"),
             "c", 0.01},
        // blocks within the line of a state wrote into a list that they had made move
        Loop{"state_of_blocks",
             carriage_with("measure x + noise(0.01)\noutput seen_x = x\n"
                           "state i = 0 next i + 0.01*(lowpass(x, 0.1) + integral(0.1*x) + "
                           "previous(x) + delay(x, 3) - i)\n"
                           "command u = -2*x - i - derivative(x, filter = 0.1)\n"),
             "c", 0.01},
        Loop{"rest_to_rest",
             carriage_with(
                 "measure x\noutput seen_x = x\nlet s = mod(t, 7)/5\n"
                 "command u = 30*(rest_to_rest(s, smoothness = 3) - x) + "
                 "rest_to_rest(0.2*t, smoothness = 2)''*0.1 - 8*derivative(x, filter = 0.05)\n"),
             "c", 0.01},
        Loop{"notch",
             carriage_with("measure x\noutput seen_x = x\ncommand u = notch(-x - 0.8*derivative(x, "
                           "filter = 0.1), omega = 7, depth = 0.05, width = 0.7)\n"),
             "c", 0.01},
        Loop{"lead_lag",
             carriage_with("measure x + noise(0.01)\noutput seen_x = x\n"
                           "command u = lead_lag(-x, lead = 1, lag = 0.05) - "
                           "rate_limit(washout(x, 0.3), 2)\n"),
             "c", 0.01},
        Loop{"kalman",
             carriage_with(
                 "measure a = x + noise(1e-2), b = theta + noise(1e-2)\noutput seen_a = a\n"
                 "output seen_b = b\n"
                 "observe kalman(process = 1e-3, start = 0.1)\n"
                 "command u = saturate(0.5*sin(t) - 2*x - 2*x', -1, 1)\n"),
             "c", 0.01},
        Loop{"kalman_on_constraints",
             "model pendulum\nparameter m = 1, l = 1, g = 9.81\ncoordinate x = 0.1, y = -1\n"
             "kinetic m/2*(x'^2 + y'^2)\npotential m*g*y\nconstraint rod: norm([x, y]) = l\n"
             "input u\nforce u on x\ncontroller c every 10 ms\n"
             "measure s = dropout(x + noise(0.01), 0.3)\noutput seen_s = s\n"
             "observe kalman(process = 1e-3, start = 0.1)\n"
             "command u = delay(-3*x - 2*x' + 0.2*sin(3*t), time = 0.01)\n",
             "c", 0.01, 100'000, 1},
        Loop{"ukf",
             carriage_with(
                 "measure a = x + noise(1e-2), b = theta + noise(1e-2)\noutput seen_a = a\n"
                 "output seen_b = b\n"
                 "observe ukf(process = 1e-3, start = 0.1, alpha = 0.5, beta = 2)\n"
                 "command u = saturate(0.5*sin(t) - 2*x - 2*x', -1, 1)\n"),
             "c", 0.01},
        Loop{"ekf",
             carriage_with(
                 "measure a = x + noise(1e-2), b = theta + noise(1e-2)\noutput seen_a = a\n"
                 "output seen_b = b\n"
                 "observe ekf(process = 1e-3, start = 0.1, substeps = 2)\n"
                 "command u = saturate(0.5*sin(t) - 2*x - 2*x', -1, 1)\n"),
             "c", 0.01},
        Loop{"ukf_on_constraints", pendulum_with("ukf"), "c", 0.01, 100'000, 1},
        Loop{"ekf_on_constraints", pendulum_with("ekf"), "c", 0.01, 100'000, 1},
        Loop{"ukf_of_the_crane", crane_with("ukf"), "c", 0.01},
        Loop{"ekf_of_the_crane", crane_with("ekf"), "c", 0.01},
        Loop{"ukf_of_equations_that_are_not_linear",
             "model m\nvariable x = 0.5, y = 0.4\ninput u\nequation x' = u - y\n"
             "equation y^3 + y + 0.1*x'^3 = x\ncontroller c every 10 ms\n"
             "measure a = x + noise(1e-2)\noutput seen_a = a\n"
             "observe ukf(process = 1e-3, start = 0.1)\ncommand u = 0.3*sin(t) - x\n",
             "c", 0.01, 10'000},
        Loop{"gravity_compensation",
             arm_with("command [u1, u2] = gravity_compensation() - 30*[a, b + 0.5*sin(t)] - "
                      "5*[a', b']\n"),
             "c", 0.005},
        Loop{"computed_torque",
             arm_with("command [u1, u2] = computed_torque([a, b], -100*[a - 0.3*sin(t), b] - "
                      "20*[a', b'])\n"),
             "c", 0.005},
        Loop{"feedback_linearisation",
             arm_with("command [u1, u2] = feedback_linearisation([cos(a) + cos(a + b), sin(a) + "
                      "sin(a + b)], reference = [1.2 + 0.1*sin(t), 0.9], gains = [100, 20])\n"),
             "c", 0.005},
        Loop{"acceleration",
             arm_with("command [u1, u2] = 0.1*acceleration([a, b], [sin(t), 0]) - [20*a, 20*b] - "
                      "5*[a', b']\n"),
             "c", 0.005},
        Loop{"mass_matrix",
             arm_with("let M = mass_matrix()\ncommand [u1, u2] = gravity_compensation() - "
                      "M*(100*[a - 0.2*sin(t), b] + 20*[a', b'])\n"),
             "c", 0.005},
        Loop{"functions",
             carriage_with(
                 "measure x + noise(0.01), a = theta + noise(0.1)\noutput seen_x = x\n"
                 "output seen_a = a\nstate i = 0.5 next i + 0.01*(sin(a) - i)\n"
                 "let p = atan2(sin(a), 1 + x^2) + tan(0.3*a) + tanh(a) + asin(0.5*sin(a))\n"
                 "let q = exp(-x^2) + log(1 + a^2) + sqrt(1 + x^2)^1.5 + cosh(a) + hold(a, x > 0)\n"
                 "command u = -x - 0.5*derivative(x, filter = 0.1) + 0.01*(p + q)*cos(a) + i + "
                 "quantise(a, 0.01)\n"),
             "c", 0.01}),
    [](const auto& instance) { return instance.param.name; });

// Backward differentiation of order 4, against the inverse model's own solution.
TEST(InverseStep, inputs_converge_with_order_4) {
  std::vector<double> errors;
  for (const char* period : {"160 ms", "80 ms", "40 ms"}) {
    const Model model = controlled(
        crane + "controller c every " + period +
            "\nstate trolley = 0 next inverse.u[1] - path.u[1]\nstate winch = 0 next inverse.u[2] "
            "- "
            "path.u[2]\nstate way = 0 next inverse.x[1] - path.x[1]\noutput e1 = trolley\n"
            "output e2 = winch\noutput e3 = way\ncommand [u_T, u_L] = inverse.u\n",
        "c");
    SimulateOptions options;
    options.until = 9;
    options.every = 0.04;
    const Simulation run = simulate(model, options);
    ASSERT_TRUE(run.holds) << run.reason;
    // at its start the motion has four derivatives, of which the inputs contain all; below 40 ms rounding is larger
    const std::vector<double> t = run.table()->column("t");
    double largest = 0;
    for (const std::string column : {"c.e1", "c.e2", "c.e3"}) {
      const std::vector<double> error = run.table()->column(column);
      for (std::size_t k = 0; k < t.size(); ++k)
        if (t[k] > 4) largest = std::max(largest, std::abs(error[k]));
    }
    errors.push_back(largest);
  }
  for (std::size_t k = 1; k < errors.size(); ++k) {
    EXPECT_GT(std::log2(errors[k - 1] / errors[k]), 3.7) << errors[k - 1] << ", " << errors[k];
    EXPECT_LT(std::log2(errors[k - 1] / errors[k]), 4.6) << errors[k - 1] << ", " << errors[k];
  }
}

TEST(InverseStep, says_what_it_cannot_do) {
  const auto fault_of = [](const std::string& controller) {
    try {
      controlled(crane + controller, "c");
    } catch (const ModelError& error) {
      return error.diagnostics().front().message;
    }
    return std::string("no fault");
  };
  EXPECT_EQ(fault_of("controller c\ncommand [u_T, u_L] = inverse.u\n"),
            "inverse needs a clock, and controller 'c' is continuous");
  EXPECT_EQ(fault_of("controller c every 10 ms\ncommand [u_T, u_L] = inverse.w\n"),
            "the desired motion has no 'w'");
}

// ---- the library

struct Kept {
  std::string folder, controller, clock;  // `clock`: where the model has a continuous one
  double period;
  std::size_t samples;
  std::map<std::string, std::string> starts;
};

void PrintTo(const Kept& kept, std::ostream* out) {
  *out << kept.folder << ", " << kept.controller;
}

/// The model with a clock, and with outputs seen_0, seen_1, ... of these: values of the samples, which measure lines keep. Rates of
/// lets are those of what is measured.
std::string showing(const Kept& kept, std::string text, const std::vector<std::string>& measured) {
  const std::size_t at = text.find("\ncontroller " + kept.controller + " ");
  std::size_t end = text.find("\n\n", at);
  std::string block = text.substr(at, end - at);
  std::size_t line = block.find('\n', 1);
  if (!kept.clock.empty()) {
    block.insert(line, " every " + kept.clock);
    line = block.find('\n', 1);
    const std::string rates = "angle'";
    if (const std::size_t rate = block.find(rates); rate != std::string::npos)
      block.replace(rate, rates.size(), "[arm[1].q[1]', arm[2].q[1]', arm[3].q[1]']");
  }
  std::string outputs, measure;
  for (std::size_t k = 0; k < measured.size(); ++k) {
    if (measured[k].ends_with(".fresh")) continue;
    outputs += "\noutput seen_" + std::to_string(k) + " = " + measured[k];
    measure += (k == 0 ? "\nmeasure " : ", ") + measured[k];
  }
  if (block.find("\nmeasure ") == std::string::npos) block.insert(line, measure);
  return text.replace(at, end - at, block + outputs);
}

class LibraryController : public testing::TestWithParam<Kept> {};

TEST_P(LibraryController, commands_what_the_simulation_doesSlow) {
  if (!expr::elementary::has_common_bits()) GTEST_SKIP() << "a processor without fused operations";
  const Kept& kept = GetParam();
  const std::string path =
      DAEDAL_SOURCE_DIR "/models/" + kept.folder + "/" + kept.folder + ".daedal";
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  LoadOptions options;
  options.controllers = {kept.controller};
  options.starts = kept.starts;
  if (kept.folder == "cable_robot") options.model = "cable_robot_generalised";
  const auto loaded = [&](const std::vector<std::string>& measured) {
    return load_text(showing(kept, text, measured), path, options);
  };
  const std::vector<std::string> names = exported_of(loaded({})).arguments[0].second;
  const Model model = loaded(names);
  const CExport code = exported_of(model);
  ASSERT_EQ(code.arguments[0].second, names);
  Compiled exported(code);
  ASSERT_TRUE(exported.loaded());
  EXPECT_EQ(exported.foreign_symbols(), "");
  const Simulation run = sampled_run(model, kept.period, kept.samples);
  ASSERT_TRUE(run.holds) << run.reason;
  const Table& table = *run.table();
  std::vector<std::vector<double>> inputs, outputs;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::size_t of =
        names[k].ends_with(".fresh")
            ? static_cast<std::size_t>(
                  std::ranges::find(names, names[k].substr(0, names[k].size() - 6)) - names.begin())
            : k;
    inputs.push_back(table.column(kept.controller + ".seen_" + std::to_string(of)));
    if (of == k) continue;
    std::vector<double>& flag =
        inputs.back();  // with noise, measurements that are equal are one that was kept
    for (std::size_t i = flag.size(); i-- > 0;) flag[i] = i == 0 || flag[i] != flag[i - 1] ? 1 : 0;
  }
  for (const std::string& name : exported.commands()) outputs.push_back(table.column(name));
  std::vector<double> measured(inputs.size()), commands(outputs.size());
  for (std::size_t k = 0; k < kept.samples; ++k) {
    for (std::size_t i = 0; i < inputs.size(); ++i) measured[i] = inputs[i][k];
    ASSERT_EQ(exported.step(measured, commands), 0) << "sample " << k;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(commands[i]),
                std::bit_cast<std::uint64_t>(outputs[i][k]))
          << exported.commands()[i] << " at sample " << k << ": " << commands[i] << ", not "
          << outputs[i][k];
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, LibraryController,
    testing::Values(
        Kept{"acrobot", "swing", "", 0.005, 4000, {{"th1", "0.1"}}},
        Kept{"cable_robot", "observed", "", 0.01, 20'000, {}},
        Kept{"cable_robot_platform", "observing", "", 0.01, 20'000, {{"delta", "-0.03"}}},
        Kept{"cart_pendulum", "computer", "", 0.01, 20'000, {}},
        Kept{"cart_pendulum", "swing", "", 0.005, 4000, {{"theta", "3.04"}}},
        Kept{"looper", "tension", "", 0.01, 2000, {}},
        Kept{"delta_robot", "pd", "1 ms", 0.001, 100'000, {}},
        Kept{"delta_robot", "pid", "1 ms", 0.001, 100'000, {}},
        Kept{"delta_robot", "linearised", "1 ms", 0.001, 100'000, {}}),
    [](const auto& instance) { return instance.param.folder + "_" + instance.param.controller; });

// Filters forget nothing in a sample that is passed over, and time goes on.
TEST(ExportedControllerStatus, garbage_keeps_states_and_commands) {
  const CExport code = exported_of(
      controlled(carriage_with("measure x\ncommand u = integral(x) + t + sqrt(x)\n"), "c"));
  Compiled exported(code);
  ASSERT_TRUE(exported.loaded());
  std::vector<double> command(1);
  ASSERT_EQ(exported.step({4}, command), 0);
  EXPECT_EQ(command[0], 2);
  EXPECT_EQ(exported.step({nan}, command), 1);
  EXPECT_EQ(command[0], 2);
  EXPECT_EQ(exported.step({-std::numeric_limits<double>::infinity()}, command), 1);
  EXPECT_EQ(exported.step({-1}, command), 2);  // sqrt
  EXPECT_EQ(command[0], 2);
  ASSERT_EQ(exported.step({9}, command), 0);
  EXPECT_EQ(command[0], 0.01 * 4 + 4 * 0.01 + 3);
}

TEST(ExportedControllerStatus, a_bad_first_sample_commands_nothing) {
  const CExport code = exported_of(controlled(carriage_with("measure x\ncommand u = x\n"), "c"));
  Compiled exported(code);
  ASSERT_TRUE(exported.loaded());
  std::vector<double> command{7};
  EXPECT_EQ(exported.step({nan}, command), 1);
  EXPECT_EQ(command[0], 0);
}

// Nothing in this loop depends on time, so a sample that is passed over might as well not have been.
TEST(ExportedControllerStatus, garbage_keeps_the_estimate) {
  const CExport code =
      exported_of(controlled(carriage_with("measure a = x + noise(0.1), b = theta + noise(0.1)\n"
                                           "observe kalman(process = 0.01, start = 0.1)\n"
                                           "command u = -2*x - x' + 0.1*integral(theta)\n"),
                             "c"));
  Compiled disturbed(code), quiet(code);
  ASSERT_TRUE(disturbed.loaded() && quiet.loaded());
  std::vector<double> u(1), v(1);
  for (int k = 0; k < 100; ++k) {
    const std::vector<double> measured{std::sin(0.1 * k), std::cos(0.1 * k)};
    ASSERT_EQ(disturbed.step(measured, u), 0);
    ASSERT_EQ(quiet.step(measured, v), 0);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(u[0]), std::bit_cast<std::uint64_t>(v[0])) << k;
    if (k % 7 == 0) {
      ASSERT_EQ(disturbed.step({nan, 1}, u), 1);
      ASSERT_EQ(u[0], v[0]);
    }
  }
}

TEST(ExportedControllerText, names_arguments_units_and_dead_times) {
  const CExport code = exported_of(
      controlled("model m \"a mass\"\ncoordinate x [m]\nkinetic x'^2/2\ninput u [N]\nforce u on x\n"
                 "controller c \"holds\" every 2 ms\ncommand u = delay(-x - x', time = 0.004)\n",
                 "c"));
  EXPECT_EQ(code.name, "m_c");
  EXPECT_THAT(code.header, HasSubstr(" *   x [m]\n *   x' [m/s]\n"));
  EXPECT_THAT(code.header, HasSubstr(" *   u [N], acts 0.004 s after its sample: a delay of the "
                                     "machine, which this function does not make\n"));
  EXPECT_THAT(code.header, HasSubstr("with T = 0.002 s"));
  EXPECT_EQ(text_after(summary(code), "measured "),
            "x, x'\n  commands u\n  wrote    ./m_c.c, "
            "./m_c.h: 0 states\n");
}

// Controller and plant in C make the motion of the simulation.
TEST(ExportedPlant, closes_the_loop) {
  const std::string text = carriage_with(
      "measure x, a = theta\nlet e = 0.2*sin(2*t) - x\n"
      "command u = pid(e, kp = 20, ki = 3, kd = 6, filter = 0.05) + 0.1*a\n");
  const Model model = controlled(text, "c");
  ExportOptions of_plant;
  of_plant.function = CFunction::plant;
  const CExport controller = exported_of(model), plant = export_c(model, of_plant);
  EXPECT_EQ(plant.arguments,
            (decltype(plant.arguments){{"signals", {"u"}}, {"results", {"x", "a"}}}));
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("daedal_plant_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  for (const CExport* code : {&controller, &plant}) {
    emit::write_text(code->header, path(code->name + ".h"));
    emit::write_text(code->source, path(code->name + ".c"));
  }
  emit::write_text(
      "#include \"carriage_c.h\"\n#include \"carriage_c_plant.h\"\n#include <stdio.h>\n"
      "int main(void) {\n  static carriage_c_state c;\n  static carriage_c_plant_state p;\n"
      "  double measured[2] = {1.0, 0.3}, u[1], signals[CARRIAGE_C_PLANT_STAGES];\n  int k, i;\n"
      "  carriage_c_init(&c);\n  carriage_c_plant_init(&p, 0.0);\n"
      "  for (k = 0; k < 300; ++k) {\n"
      "    if (carriage_c_step(&c, measured, u) != CARRIAGE_C_OK) return 1;\n"
      "    for (i = 0; i < CARRIAGE_C_PLANT_STAGES; ++i) signals[i] = u[0];\n"
      "    if (carriage_c_plant_step(&p, signals, measured).status != CARRIAGE_C_PLANT_OK) return "
      "2;\n"
      "  }\n  printf(\"%.17g %.17g\\n\", measured[0], measured[1]);\n  return 0;\n}\n",
      path("main.c"));
  EXPECT_EQ(std::system(("cd " + folder.string() +
                         " && cc -std=c99 -Wall -Wextra -Wpedantic -Werror -O1 -ffp-contract=off "
                         "*.c -lm && ./a.out > printed")
                            .c_str()),
            0);
  std::ifstream printed(path("printed"));
  double x = nan, a = nan;
  printed >> x >> a;
  SimulateOptions options;
  options.until = 3;
  options.tolerance = 1e-11;
  const Simulation run = simulate(model, options);
  const double tolerance =
      1e-8;  // of Newton's method, 1e-10 a step, in 300 steps; both methods are more accurate
  EXPECT_NEAR(x, run.table()->column("x").back(), tolerance);
  EXPECT_NEAR(a, run.table()->column("theta").back(), tolerance);
  std::filesystem::remove_all(folder);
}

TEST(ExportedPlant, does_not_play_a_sensor_that_remembers) {
  ExportOptions of_plant;
  of_plant.function = CFunction::plant;
  try {
    export_c(controlled(carriage_with("measure s = lowpass(x, 0.1)\ncommand u = -s\n"), "c"),
             of_plant);
    ADD_FAILURE() << "no fault";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "model.daedal:8:12: error: controller 'c': the sensor of 's' remembers, which the "
                 "plant does not\n    controller c every 10 ms\n               ^\n"
                 "  help: measure the quantity itself, and let a program around the plant play the "
                 "sensor");
  }
}

/// The program of the page, run after it is built as the page says; what it prints.
TEST(ExportedControllerPage, shows_a_program_that_runs) {
  std::string text, program;
  for (const model::PageBlock& block :
       model::page_blocks(DAEDAL_SOURCE_DIR "/docs/methods/controllers_in_c.md")) {
    if (block.kind == "daedal") text = block.text;
    if (block.kind == "c" && program.empty()) program = block.text;
  }
  const CExport code = exported_of(controlled(text, "place"));
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       ("daedal_controller_page_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  emit::write_text(code.header, path("cart_place.h"));
  emit::write_text(code.source, path("cart_place.c"));
  emit::write_text(program, path("main.c"));
  EXPECT_EQ(std::system(("cd " + folder.string() +
                         " && cc -std=c99 -Wall -Wextra -Wpedantic -Werror -O2 -ffp-contract=off "
                         "main.c cart_place.c -lm && ./a.out > printed")
                            .c_str()),
            0);
  std::ifstream printed(path("printed"));
  std::string line;
  EXPECT_TRUE(std::getline(printed, line));
  EXPECT_EQ(line, "0.100");  // 1.5 s after it has arrived, to the digits printed
  std::filesystem::remove_all(folder);
}

std::string refusal(const std::string& text, const std::string& controller) {
  try {
    exported_of(controlled(text, controller));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(ExportedControllerRefusal, says_why) {
  EXPECT_THAT(refusal(carriage_with("measure a = x + noise(0.1)\nobserve kalman(process = 1, start "
                                    "= 1)\ncommand u = delay(-x, time = 0.011)\n"),
                      "c"),
              HasSubstr("error: controller 'c': its observer must know 'u', which acts late or is "
                        "commanded elsewhere\n"));
  EXPECT_EQ(refusal(carriage + "controller c\ncommand u = -x\n", "c"),
            "model.daedal:8:12: error: controller 'c' is continuous: a function of C is called at "
            "samples\n    controller c\n               ^\n"
            "  help: give it a clock:  controller c every 10 ms");
  EXPECT_EQ(
      refusal(carriage_with("command u = -x + noise(0.1)\n"), "c"),
      "model.daedal:8:12: error: controller 'c' draws random numbers for what it computes, and "
      "C code has none\n    controller c every 10 ms\n               ^\n"
      "  help: write noise and dropout of a sensor in a  measure  line");
}

}  // namespace
}  // namespace task
}  // namespace daedal
