// Closed loops against the figures of [Druecker2022, chapters 3 and 4], recomputed independently by SciPy (DOP853, relative
// tolerance 1e-11) with gains from a Riccati solver of its own; the text of the loops is that of the library.
#include "daedal/study/analyse.hpp"
#include "daedal/study/control.hpp"
#include "daedal/task/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {
namespace {

// References are printed to ten digits and computed to nine; runs have a tolerance of 1e-12 of a step.
constexpr double printed = 1e-8, accurate = 1e-9, exact = 1e-12;
constexpr double row = 0.0101;         // [s] between rows, and the printed digits of a time
constexpr double between_rows = 1e-5;  // relative, by which a smooth maximum between rows is missed
constexpr double degree = std::numbers::pi / 180;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
    text.replace(at, from.size(), to), at += to.size();
  return text;
}

/// The crane in generalised coordinates without its experiments, and what is added to it.
std::string crane(const std::string& added) {
  std::ifstream file(DAEDAL_SOURCE_DIR "/models/cable_robot/cable_robot.daedal");
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  const std::size_t from = text.find("model cable_robot_generalised"),
                    to = text.find("\nexperiment sway_free", from);
  EXPECT_LT(to, text.size());
  return text.substr(from, to - from) + "\n" + added + "\n";
}

class Loop {
 public:
  Loop(const std::string& text, const std::string& experiment, const LoadOptions& options = {})
      : answer_(run(load_text(text, "crane.daedal", options), experiment)) {
    EXPECT_TRUE(answer_->holds);
  }
  Loop(const Model& model, const std::string& experiment) : answer_(run(model, experiment)) {
    EXPECT_TRUE(answer_->holds);
  }

  const Table& table() const { return *answer_->table(); }
  std::vector<double> operator[](const std::string& column) const {
    EXPECT_TRUE(table().find(column)) << column;
    return table().column(column);
  }
  /// At the row nearest to t; the last of them at a jump.
  double operator()(const std::string& column, double t) const {
    const std::vector<double> times = (*this)["t"];
    std::size_t nearest = 0;
    for (std::size_t r = 0; r < times.size(); ++r)
      if (std::abs(times[r] - t) <= std::abs(times[nearest] - t) + 1e-9) nearest = r;
    EXPECT_NEAR(times[nearest], t, accurate);
    return table().at(nearest, *table().find(column));
  }
  const FiguresOfMerit& figures() const {
    return *dynamic_cast<const Simulation&>(*answer_).figures;
  }
  const OutputFigures& figures(const std::string& output) const {
    for (const OutputFigures& f : figures().outputs)
      if (f.output == output) return f;
    throw std::out_of_range(output);
  }

 private:
  std::shared_ptr<const Answer> answer_;
};

/// After `from`, from when on |values| stay below `bound` [s].
double settled(const std::vector<double>& times, const std::vector<double>& values, double bound,
               double from) {
  double last = from;
  for (std::size_t r = 0; r < times.size(); ++r)
    if (times[r] > from && std::abs(values[r]) >= bound) last = times[r];
  return last - from;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

/// Of a column, from a time on.
double largest_from(double from, const Loop& loop, const std::string& column) {
  const std::vector<double> times = loop["t"], values = loop[column];
  double most = 0;
  for (std::size_t r = 0; r < times.size(); ++r)
    if (times[r] > from) most = std::max(most, std::abs(values[r]));
  return most;
}

const std::string precise = "every = 0.01, method = dop853, tolerance = 1e-12";
const std::string law = "lqr(Q = 1000, R = 100, at = rest(x_T = pf[1], L = pf[2])";

// ---- section 4.2.7, figure 4.15: the sway that the trolley has excited

TEST(Feedback, damps_the_sway_of_a_crane) {
  const std::string text = crane(
      "experiment lqr: simulate(until = 30, controller = regulator, initial(L = L0), " + precise +
      ")\nexperiment smc: simulate(until = 30, controller = sliding_stop, initial(L = L0), " +
      precise + ")");
  const Loop lqr(text, "lqr"), smc(text, "smc");
  const double times[] = {7, 8, 10, 15, 20};
  const double by_lqr[] = {-3.6827578648, 1.4475322626, -1.2644212706, -0.0235288814, 0.1008047096};
  const double by_smc[] = {-2.0545554653, -0.3911022177, 0.2380339964, 0.0054304831, 5.719e-5};
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(lqr("phi", times[k]) / degree, by_lqr[k], printed);
    EXPECT_NEAR(smc("phi", times[k]) / degree, by_smc[k], printed);
  }
  EXPECT_NEAR(lqr("phi", 6) / degree, -0.5144523714, printed);
  EXPECT_NEAR(lqr("phi'", 6), -0.1453885075, accurate);
  EXPECT_NEAR(lqr("u_T", 6), 0.1137060007, accurate);
  EXPECT_NEAR(largest_from(6, smc, "u_T"), 0.2607504202, between_rows);
  const auto settling = [](const Loop& loop, double bound) {
    return settled(loop["t"], loop["phi"], bound * degree, 6);
  };
  EXPECT_NEAR(settling(lqr, 0.5), 8.42, row);
  EXPECT_NEAR(settling(lqr, 0.1), 14.01, row);
  EXPECT_NEAR(settling(lqr, 0.05), 17.46, row);
  EXPECT_NEAR(settling(smc, 0.5), 1.92, row);
  EXPECT_NEAR(settling(smc, 0.1), 5.49, row);
  EXPECT_NEAR(settling(smc, 0.05), 6.39, row);
}

TEST(Feedback, designed_at_another_length_damps_otherwise) {
  const std::string text = replaced(
      crane("experiment lqr: simulate(until = 30, controller = regulator, initial(L = L0), " +
            precise + ")"),
      "at = rest(x_T = 15, L = L0)", "at = rest(x_T = 15, L = 7)");
  const Loop lqr(text, "lqr");
  const auto settling = [&](double bound) {
    return settled(lqr["t"], lqr["phi"], bound * degree, 6);
  };
  EXPECT_NEAR(settling(0.5), 7.96, row);
  EXPECT_NEAR(settling(0.1), 14.62, row);
  EXPECT_NEAR(settling(0.05), 16.48, row);
  EXPECT_NEAR(largest_from(6, lqr, "u_T"), 0.3034749443, between_rows);
}

// ---- figures 4.17 and 4.18: the crane starts 0.5 m beside its plan

const std::string offset = "p0 = [plan, 4.5], pf = [15, 6], tf = 15, initial(x_T = 11, L = 4.5)";

TEST(Feedback, returns_to_the_plan) {
  const std::string text = crane(
      "experiment ffw: simulate(until = 25, controller = forward, " + offset + ", " + precise +
      ")\nexperiment lqr: simulate(until = 25, controller = two_degrees, " + offset + ", " +
      precise + ")\nexperiment smc: simulate(until = 25, controller = sliding, " + offset + ", " +
      precise + ")");
  const Loop ffw(text, "ffw"), lqr(text, "lqr"), smc(text, "smc");
  EXPECT_NEAR(lqr("u_T", 0), 1.5811388301, accurate);
  EXPECT_NEAR(lqr.figures().inputs.at(0).peak, 1.5811388301, accurate);
  EXPECT_EQ(lqr.figures().inputs[0].peak_at, 0);
  EXPECT_NEAR(smc("u_T", 0), 0.01125, accurate);
  EXPECT_NEAR(ffw("u_T", 0), 0, exact);
  const auto off = [&](const Loop& loop, double t) {  // the plan is that of the load 0.5 m behind
    return loop("z[1]", t) - ffw("z[1]", t) - 0.5;
  };
  const double times[] = {1, 2, 5, 10, 15};
  const double by_lqr[] = {-0.3860529474, -0.0153523941, -0.1388559565, -0.0708472534,
                           -0.0410494658};
  const double by_smc[] = {-0.4833404411, -0.3764070373, -0.0377432960, -8.285346e-4, -3.688588e-5};
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(off(lqr, times[k]), by_lqr[k], accurate);
    EXPECT_NEAR(off(smc, times[k]), by_smc[k], accurate);
  }
  std::vector<double> sway = lqr["phi"];
  const std::vector<double> planned = ffw["phi"];
  for (std::size_t r = 0; r < sway.size(); ++r) sway[r] -= planned[r];
  EXPECT_NEAR(largest(sway) / degree, 2.5823390915, 1e-4);  // between rows it is larger
  EXPECT_NEAR(settled(lqr["t"], sway, 0.3 * degree, 0), 17.38, row);
  std::vector<double> calmer = smc["phi"];
  for (std::size_t r = 0; r < calmer.size(); ++r) calmer[r] -= planned[r];
  EXPECT_NEAR(largest(calmer) / degree, 0.6633907075, 1e-4);  // as above
  EXPECT_NEAR(settled(smc["t"], calmer, 0.3 * degree, 0), 4.57, row);

  const auto distances = [](const Loop& loop) {
    std::vector<double> apart = loop["x_P"];
    const std::vector<double> z = loop["z_P"], x_d = loop["x_d"], z_d = loop["z_d"];
    for (std::size_t r = 0; r < apart.size(); ++r)
      apart[r] = std::hypot(apart[r] - x_d[r], z[r] - z_d[r]);
    return apart;
  };
  // The reference is the mean of the rows up to 15 s, 0.01 s apart: by the trapezoidal rule it is 1.1e-4 less.
  const auto mean = [](const std::vector<double>& t, const std::vector<double>& values) {
    double sum = 0, rows = 0;
    for (std::size_t r = 0; r < t.size() && t[r] < 15 + 1e-6; ++r) sum += values[r], rows += 1;
    return sum / rows;
  };
  const std::vector<double> by_ffw = distances(ffw), lqr_off = distances(lqr),
                            smc_off = distances(smc);
  EXPECT_NEAR(mean(ffw["t"], by_ffw), 0.5, accurate);
  EXPECT_NEAR(mean(lqr["t"], lqr_off), 0.1000554478, accurate);
  EXPECT_NEAR(mean(smc["t"], smc_off), 0.0998483082, accurate);
  EXPECT_NEAR(settled(lqr["t"], lqr_off, 0.05, 0), 12.59, row);
  EXPECT_NEAR(settled(smc["t"], smc_off, 0.05, 0), 4.71, row);
}

// Held from the state at each sample, and acting one sample later. The gains are those of the continuous law.
TEST(Feedback, with_a_clock_acts_from_sample_to_sample) {
  std::string clocked = replaced(
      "controller sampled every 10 ms\ncommand [u_T, u_L] = LAW\n"
      "controller late every 10 ms\ncommand [u_T, u_L] = delay(LAW, 1)\n"
      "controller dead every 10 ms\ncommand [u_T, u_L] = delay(LAW, time = 0.01)\n",
      "LAW", "path.u + " + law + ", period = 0)");
  clocked += replaced(
      "controller slides every 10 ms\ncommand [u_T, u_L] = LAW\n"
      "controller slides_late every 10 ms\ncommand [u_T, u_L] = delay(LAW, 1)\n",
      "LAW",
      "sliding_mode(Theta = [1, 0, 1.5; 0, 1, 0], Lambda = [0.5, 0, -5; 0, 0.5, 0], kappa = 1, "
      "width = 1)");
  for (const std::string name : {"sampled", "late", "dead", "slides", "slides_late"})
    clocked += "experiment of_" + name + ": simulate(until = 15, controller = " + name + ", " +
               offset + ", every = 0.1, method = dop853, tolerance = 1e-12)\n";
  const std::string text =
      crane(clocked + "experiment ffw: simulate(until = 25, controller = forward, " + offset +
            ", every = 0.1, method = dop853, tolerance = 1e-12)");
  const Loop ffw(text, "ffw"), sampled(text, "of_sampled"), late(text, "of_late"),
      dead(text, "of_dead"), slides(text, "of_slides"), slides_late(text, "of_slides_late");
  const auto off = [&](const Loop& loop, double t) {
    return loop("z[1]", t) - ffw("z[1]", t) - 0.5;
  };
  const double times[] = {1, 2, 5, 15};
  const double at_once[] = {-0.3848700640, -0.0136769291, -0.1390479882, -0.0407702101};
  const double later[] = {-0.3854352623, -0.0139074730, -0.1394593108, -0.0405739283};
  const double sliding[] = {-0.4845573464, -0.3814790259, -0.0545115088, 0.0211720004};
  const double sliding_late[] = {-0.4868912616, -0.3917745423, -0.0862520609, 0.0654189565};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(off(slides, times[k]), sliding[k], accurate);
    EXPECT_NEAR(off(slides_late, times[k]), sliding_late[k], accurate);
    EXPECT_NEAR(off(sampled, times[k]), at_once[k], accurate);
    EXPECT_NEAR(off(late, times[k]), later[k], accurate);
    EXPECT_NEAR(off(dead, times[k]), later[k], accurate);  // a sample late is a dead time of one
  }
}

// ---- example 3.7, figure 4.16: lag of feedback alone, and a plant with other parameters than the controller's model

// `positions` knows where the load should be at rest, and nothing of its motion.
TEST(Feedback, alone_lags_behind_the_plan) {
  const std::string text =
      crane("experiment of_whole: simulate(until = 15, controller = whole, " + precise +
            ")\nexperiment of_positions: simulate(until = 15, controller = positions, " + precise +
            ")\nexperiment ffw: simulate(until = 15, controller = forward, " + precise + ")");
  const Loop whole(text, "of_whole"), positions(text, "of_positions"), ffw(text, "ffw");
  EXPECT_NEAR(whole("z[1]", 5), 13.2323302852, accurate);
  const auto most = [&](const Loop& loop) {
    std::vector<double> off = loop["z[1]"];
    const std::vector<double> plan = ffw["z[1]"];
    for (std::size_t r = 0; r < off.size(); ++r) off[r] -= plan[r];
    return largest(off);
  };
  EXPECT_NEAR(ffw("z[1]", 5), 13, accurate);
  EXPECT_NEAR(most(whole), 0.2779891991, between_rows);  // at rows
  // printed to six digits; rows every 0.01 s
  EXPECT_NEAR(*whole.figures("z[1]").lag, 0.280222, 1e-6);
  EXPECT_NEAR(*positions.figures("z[1]").lag, 1.121599, 1e-6);
  EXPECT_NEAR(whole.figures("z[1]").peak, 0.2779891991, between_rows);
  EXPECT_NEAR(whole.figures("z[1]").peak_at, 6.18, row);
  EXPECT_NEAR(positions.figures("z[1]").peak_at, 5.51, row);
  EXPECT_NEAR(*ffw.figures("z[1]").lag, 0, 1e-6);  // the same digits
  EXPECT_NEAR(positions("z[1]", 5), 14.0994441212, accurate);
  EXPECT_NEAR(most(positions), 1.1517258877, between_rows);
}

TEST(Feedback, knows_nothing_of_what_the_plant_is_like) {
  std::string experiments;
  for (const std::string name : {"forward", "two_degrees", "sliding"}) {
    experiments += "experiment slow_" + name + ": simulate(until = 15, controller = " + name +
                   ", plant(tau_T = 0.036, tau_L = 0.024), " + precise + ")\n" +
                   "experiment weak_" + name + ": simulate(until = 15, controller = " + name +
                   ", plant(tau_T = 0.036, tau_L = 0.024, share = 0.95), " + precise + ")\n";
  }
  experiments += "experiment plan: simulate(until = 15, controller = forward, " + precise + ")\n";
  const std::string text = replaced(replaced(crane(experiments), "drive     x_T by u_T",
                                             "let given = share*u_T\ndrive     x_T by given"),
                                    "\ncoordinate x_T", "\nparameter share = 1\ncoordinate x_T");
  const Loop plan(text, "plan");
  const auto most = [&](const Loop& loop, const std::string& column) {
    std::vector<double> off = loop[column];
    const std::vector<double> desired = plan[column];
    for (std::size_t r = 0; r < off.size(); ++r) off[r] -= desired[r];
    return largest(off);
  };
  struct Row {
    const char* experiment;
    double x, z, at_15;
  };
  const Row rows[] = {{"slow_forward", 5.958324e-3, 2.952202e-3, 8.0430e-5},
                      {"slow_two_degrees", 5.720553e-4, 2.899625e-4, -2.2352e-5},
                      {"slow_sliding", 5.805020e-2, 6.076929e-2, -5.5830e-4},
                      {"weak_forward", 0.2000969523, 2.952198e-3, 0.2000817868},
                      {"weak_two_degrees", 1.4496607e-2, 2.936795e-4, -3.1533e-5},
                      {"weak_sliding", 1.2190518735, 6.084684e-2, 0.3578982592}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.experiment);
    const Loop loop(text, row.experiment);
    EXPECT_NEAR(most(loop, "z[1]"), row.x, between_rows * row.x);
    EXPECT_NEAR(most(loop, "z[2]"), row.z, between_rows * row.z);
    EXPECT_NEAR(loop("z[1]", 15) - plan("z[1]", 15), row.at_15, printed);
  }
}

// ---- section 4.2.8, figure 4.22: a regulator in redundant coordinates

TEST(Feedback, tilts_a_platform) {
  std::ifstream file(DAEDAL_SOURCE_DIR "/models/cable_robot_platform/cable_robot_platform.daedal");
  std::stringstream all;
  all << file.rdbuf();
  const std::string text_of_model = all.str();
  // The distance of the winches that follows from (4.14) is the default of the model.
  const Loop loop(load_text(replaced(text_of_model, "until = 120, every = 0.5",
                                     "until = 120, every = 0.5, tolerance = 1e-11"),
                            "model.daedal"),
                  "tilt_lqr");
  const double times[] = {5, 10, 20, 30, 45, 60};
  const double tilt[] = {1.6563643993, 2.7469477581, 3.9579682718,
                         4.5370749419, 4.8497837282, 4.9527960218};
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(loop("delta", times[k]) / degree, tilt[k], printed);
  std::vector<double> off = loop["delta"];
  for (double& delta : off) delta -= 5 * degree;
  EXPECT_NEAR(settled(loop["t"], off, 0.05 * 5 * degree, 0), 38.15, 0.5);  // rows every 0.5 s
  EXPECT_NEAR(settled(loop["t"], off, 0.02 * 5 * degree, 0), 50.6, 0.5);   // the same
  // Against the end of a run that is long enough; references are given on rows 0.05 s apart.
  const Loop longer(
      load_text(replaced(text_of_model, "until = 120, every = 0.5", "until = 400, every = 0.05"),
                "model.daedal", {.parameters = {{"L_Tx", "0.818935"}}}),
      "tilt_lqr");
  constexpr double their_row = 0.0501;
  EXPECT_NEAR(*longer.figures("z[3]").settling_5, 38.15, their_row);
  EXPECT_NEAR(*longer.figures("z[3]").settling_2, 50.6, their_row);
  EXPECT_NEAR(longer.figures("z[3]").scale, 5 * degree, 1e-5);  // exp(-0.0274 400) is left

  // with parallel cables
  const Loop parallel(load_text(replaced(text_of_model, "until = 120, every = 0.5",
                                         "until = 120, every = 0.05, tolerance = 1e-11"),
                                "model.daedal", {.parameters = {{"L_Tx", "0.35"}}}),
                      "tilt_lqr");
  const double parallel_tilt[] = {1.4977032190, 2.5474255452, 3.7912480324,
                                  4.3995195803, 4.7879950597, 4.9247065590};
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(parallel("delta", times[k]) / degree, parallel_tilt[k], printed);
  off = parallel["delta"];
  for (double& delta : off) delta -= 5 * degree;
  EXPECT_NEAR(settled(parallel["t"], off, 0.05 * 5 * degree, 0), 42.45, their_row);
  EXPECT_NEAR(settled(parallel["t"], off, 0.02 * 5 * degree, 0), 55.75, their_row);
}

}  // namespace
}  // namespace task
}  // namespace daedal
