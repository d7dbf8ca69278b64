// Units: conversion on reading, and what is refused.
#include "daedal/base/diagnostic.hpp"
#include "daedal/units/dimension.hpp"
#include "elaborated.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace daedal::model {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& text, const Overrides& overrides = {}) {
  try {
    const Elaborated m("model m\n" + text, overrides);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "accepted";
}

std::string strict_refusal(const std::string& text) {
  Overrides strict;
  strict.strict_units = true;
  return refusal(text, strict);
}

std::string refusal_with(const std::string& controller, const std::string& text) {
  Overrides overrides;
  overrides.controllers = {controller};
  return refusal(text, overrides);
}

TEST(Units, numbers_beside_a_unit_are_the_same_as_in_si) {
  const std::vector<std::pair<std::string, double>> parameters{
      {"500 [mm]", 0.5},  {"35 [mm]", 0.035},
      {"2 [kN]", 2000},   {"250 [g]", 0.25},
      {"3 [min]", 180},   {"30 [deg]", 30 * std::numbers::pi / 180},
      {"2 [bar]", 2e5},   {"36 [km/h]", 10},
      {"4 [cm^2]", 4e-4}, {"60 [rpm]", 60 * std::numbers::pi / 30},
      {"12 [%]", 0.12},   {"1 [rev]", 2 * std::numbers::pi},
      {"7 [N*mm]", 7e-3}, {"1.5 [m]", 1.5},
      {"2 [GPa]", 2e9},   {"4 [mol/L]", 4000}};
  for (const auto& [text, si] : parameters) {
    const Elaborated m("model m\nparameter a = " + text + "\nvariable x = 1\nequation x' = -x\n");
    EXPECT_DOUBLE_EQ(m.symbol("a").value, si) << text;  // one rounding
  }
}

TEST(Units, arrays_starts_and_the_command_line_convert) {
  const std::string text =
      "model m\nparameter l[1..2] = [100, 200] [mm], k = 1 [kN/m]\ncoordinate x = 30 [mm]\n"
      "coordinate phi = 90 [deg]\nkinetic 0.1*(x'^2)/2\nkinetic 0.1*phi'^2\n";
  const Elaborated m(text);
  EXPECT_EQ(m.symbol("l[2]").value, 0.2);
  EXPECT_EQ(m.start("x"), 0.03);
  EXPECT_EQ(m.start("phi"), std::numbers::pi / 2);
  EXPECT_EQ(m.symbol("phi").unit, "rad");
  EXPECT_EQ(m.symbol("x").unit, "m");
  EXPECT_EQ(m.symbol("k").unit, "N/m");
  Overrides overrides;
  overrides.parameters = {{"l", "[300, 400]"}, {"k", "5[N/m]"}};
  const Elaborated other(text, overrides);
  EXPECT_EQ(other.symbol("l[1]").value, 0.3);  // a number alone is in the declared unit
  EXPECT_EQ(other.symbol("k").value, 5);
}

// `initial x = 20` of a coordinate in mm is 20 m; a unit beside it was refused, and the help said "that of the declaration".
TEST(Units, start_values_may_have_their_own) {
  const std::string text =
      "model m\ncoordinate x = 10 [mm], phi [deg]\nkinetic x'^2/2 + phi'^2/2\n";
  const Elaborated m(text + "initial x = 20 [mm], x' = 3 [cm/s], phi = 20 [deg] fixed\n");
  EXPECT_EQ(m.start("x"), 0.02);
  EXPECT_EQ(m.start("x'"), 0.03);
  EXPECT_EQ(m.start("phi"), 20 * std::numbers::pi / 180);
  for (const Diagnostic& warning : m->warnings)
    EXPECT_THAT(warning.message, testing::Not(HasSubstr("the start value of")));
  const Elaborated bare(text + "initial x' = 20, phi = 0\n");
  EXPECT_EQ(bare.start("x'"), 20);
  ASSERT_FALSE(bare->warnings.empty());
  EXPECT_EQ(
      render(bare->warnings[0]),
      "model.daedal:4:14: warning: the start value of 'x'' is in m/s, and 'x' is declared in mm\n"
      "    initial x' = 20, phi = 0\n"
      "                 ^~\n"
      "  help: state its unit:  initial x' = 20 [mm/s]");
  EXPECT_THAT(refusal("coordinate x [mm]\nkinetic x'^2/2\ninitial x = 20 [g]\n"),
              HasSubstr("'x' is in m, its start value in kg"));
  Overrides overrides;
  overrides.starts = {{"x", "25 mm"}, {"phi'", "2 [rpm]"}};
  const Elaborated asked(text, overrides);
  EXPECT_EQ(asked.start("x"), 0.025);
  EXPECT_DOUBLE_EQ(asked.start("phi'"), 2 * std::numbers::pi / 30);
}

TEST(Units, arguments_and_bounds_may_have_their_own) {
  const Elaborated m(
      "model arm\nparameter l [mm]\ncoordinate a [rad], y (nominal = 2 [cm]) [mm]\n"
      "kinetic a'^2/2 + y'^2/2\nmodel m\n"
      "parameter m = 1 [kg]\ncoordinate x = 0.1 [m]\ninput u [N]\nkinetic m/2*x'^2\nforce u on x\n"
      "part p = arm(l = 0.6 [m])\n"
      "part b = planar_body(mass = 250 [g], inertia = 2 [g*m^2], position = [10, 20] [cm])\n"
      "limit x in [1, 3] [mm]\n"
      "experiment e: simulate(until = 500 [ms], m = 900 [g], u = 2 [kN])\n");
  EXPECT_EQ(m.symbol("p.l").value, 0.6);
  EXPECT_EQ(m.symbol("p.y").nominal, 0.02);
  EXPECT_EQ(m.symbol("b.mass").value, 0.25);
  EXPECT_EQ(m.symbol("b.inertia").value, 0.002);
  EXPECT_EQ(m.start("b.r[2]"), 0.2);
  EXPECT_EQ(m->graph->constant_value(m->limits[0].low), 0.001);
  EXPECT_EQ(m->graph->constant_value(m->limits[0].high), 0.003);
  EXPECT_EQ(m->experiments[0].options[0].numbers, std::vector<double>{0.5});
  EXPECT_EQ(m->experiments[0].options[1].text, "900 [g]");
  EXPECT_EQ(m->experiments[0].inputs.at("u"), "2 [kN]");
  const std::string names = "parameter m = 1 [kg], l = 1 [m]\ncoordinate x [m]\nkinetic m/2*x'^2\n";
  for (const auto& [line, message] : std::vector<std::pair<std::string, std::string>>{
           {"limit x in [0, 3] [kg]", "'x' is in m, its bound in kg"},
           {"limit x in [0, 3] [furlong]", "there is no unit 'furlong'"},
           {"part b = planar_body(mass = 3 [mm], inertia = 1)",
            "'mass' of 'planar_body' is in kg, its value in m"},
           {"part b = planar_body(mass = 2*m [g], inertia = 1)",
            "a unit such as g converts numbers, and this is a formula: 2*m"},
           {"experiment e: simulate(until = 3 [mm])",
            "'until' of experiment 'e' is in s, not in m"}})
    EXPECT_THAT(refusal(names + line + "\n"), HasSubstr("error: " + message)) << line;
}

TEST(Units, what_the_command_line_gives_is_told_in_its_own_words) {
  const auto said = [](const std::string& value) {
    Overrides overrides;
    overrides.parameters = {{"l", value}};
    return refusal("parameter l = 500 [mm]\nvariable x = l\nequation x' = -x\n", overrides);
  };
  EXPECT_EQ(said("0.6 kg"),
            "error: parameters l: 'l' is in m, the value in kg\n"
            "  help: a unit of the same kind fits, as in  l='1 m'");
  for (const char* text : {"0.6 parsec", "0.6 [parsec]", "0.6[parsec]"})
    EXPECT_THAT(said(text), HasSubstr("parameters l: there is no unit 'parsec'")) << text;
  EXPECT_THAT(said("2 pi"), HasSubstr("a product needs its '*'"));
  EXPECT_EQ(said("600 [mm]"), "accepted");
}

TEST(Units, of_names_in_elements_are_those_of_the_element) {
  EXPECT_THAT(refusal("parameter k = 1 [N/m]\npart b = planar_body(mass = 1, inertia = 1)\n"
                      "potential k*b.r[1]\n"),
              HasSubstr("'b.r[1]' is in m (of planar_body)"));
}

TEST(Units, multipliers_of_joints_are_known_and_listed) {
  const Elaborated m(
      "model m\nparameter l = 1 [m]\n"
      "part b = spatial_body(mass = 1, inertia = [1, 1, 1], position = [l, 0, 0])\n"
      "part hinge = revolute(b = b, point_b = [-1, 0, 0])\n"
      "part c = spatial_body(mass = 1, inertia = [1, 1, 1], position = [l, 0, 0])\n"
      "part slide = prismatic(b = c, point_a = [1, 0, 0])\n");
  const auto listed = [&](const std::string& name) {
    for (const UnitOfName& unit : m->units)
      if (unit.name.starts_with(name)) return unit.unit;
    return std::string("not listed");
  };
  EXPECT_EQ(listed("hinge.point"), "N");
  EXPECT_EQ(listed("hinge.axis"), "N*m");
  EXPECT_EQ(listed("slide.line"), "N");
  EXPECT_EQ(listed("slide.turn"), "N*m");
}

TEST(Units, of_derivatives_are_products) {
  EXPECT_EQ(derivative_unit("m", 1), "m/s");
  EXPECT_EQ(derivative_unit("m/s", 1), "m/s^2");
  EXPECT_EQ(derivative_unit("rad", 2), "rad/s^2");
  EXPECT_EQ(derivative_unit("", 1), "");
}

TEST(Units, that_are_not_stated_are_found) {
  const Elaborated m(
      "model m\nparameter m = 1 [kg], g = 9.81, L = 2 [m]\ncoordinate x = L [m], y\n"
      "kinetic m/2*(x'^2 + y'^2)\npotential m*g*y\nconstraint rod: x^2 + y^2 = L^2\n"
      "output pull = L*rod.force\n");
  EXPECT_EQ(m.symbol("y").unit, "m");
  EXPECT_EQ(m.symbol("g").unit, "m/s^2");
  EXPECT_EQ(m.symbol("rod").unit, "N/m");
  EXPECT_EQ(m->outputs[0].unit, "N");
}

TEST(Units, a_model_without_any_is_not_checked) {
  EXPECT_EQ(refusal("coordinate x = 1, y = 2\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + t\n"),
            "accepted");
}

TEST(Units, a_formula_of_numbers_and_time_is_a_number) {
  // sin(2*pi*t) [N] had a value in 1: pi was no number
  for (const char* signal : {"2*sin(t)", "sin(2*pi*50*t)", "sign(sin(2*pi*t))", "1 + sign(sin(t))",
                             "if t < 1 then 0 else 100*sin(pi*t)", "3*exp(-t/2)*cos(pi)"})
    EXPECT_EQ(refusal(fmt::format("coordinate x [m]\nparameter m = 1 [kg]\ninput u = {} [N]\n"
                                  "kinetic m/2*x'^2\nforce u on x\n",
                                  signal)),
              "accepted")
        << signal;
}

TEST(Units, contradictions_are_refused_with_both_units_and_the_place) {
  EXPECT_EQ(refusal("parameter l = 500 [mm], m = 1 [kg], g = 9.81 [m/s^2]\ncoordinate y = 1 [m]\n"
                    "kinetic m/2*y'^2\npotential m*g*y + l\n"),
            "model.daedal:5:19: error: the potential energy is in m, not in J\n"
            "    potential m*g*y + l\n"
            "                      ^\n"
            "  'l' is in m (line 2)");
}

// Lengths and masses of 1 are left out on purpose; nothing that is stated is contradicted, and pictures change no number.
TEST(Units, what_contradicts_no_stated_unit_is_a_warning) {
  const std::string names =
      "parameter m = 1 [kg]\ncoordinate x = 1 [m], a [rad]\nkinetic m/2*x'^2 + a'^2/2\n";
  const std::vector<std::pair<std::string, std::string>> doubtful{
      {"parameter w = 1\ninitial x' = w/2, a' = -w", "'a'' is in 1/s, its start value in m/s"},
      {"potential -cos(a)", "the potential energy is in 1, not in J"},
      {"let P = [cos(a), sin(a)]\npotential -P[1]", "the potential energy is in 1, not in J"},
      {"force -x on x", "the force on 'x' is in m, not in N"},
      {"draw disc [sin(a), x] radius 0.1", "the point '[sin(a), x]' is in 1, not in m"},
      {"draw disc [x, x] radius m", "the length 'm' is in kg, not in m"}};
  for (const auto& [line, message] : doubtful) {
    SCOPED_TRACE(line);
    const Elaborated m("model m\n" + names + line + "\n");
    ASSERT_EQ(m->warnings.size(), 1u) << render(m->warnings);
    EXPECT_EQ(m->warnings[0].severity, Severity::warning);
    EXPECT_EQ(m->warnings[0].message, message);
    EXPECT_THAT(strict_refusal(names + line + "\n"), HasSubstr("error: " + message));
  }
}

// Beside F the amplitude sin(t) fitted anything, so that a torque was a force.
TEST(Units, a_function_of_time_beside_a_parameter_is_a_number) {
  const std::string names =
      "parameter m = 1 [kg], F = 1 [N*m], k = 2 [N/m], tf = 2 [s]\ncoordinate x = 1 [m]\n"
      "kinetic m/2*x'^2\n";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"input u = F*sin(t) [N]", "input 'u' is in N, its value in J"},
      {"input u = F*(2*sin(t)) [N]", "input 'u' is in N, its value in J"},
      {"input u = F*sin(t)^2*cos(2*t) [N]", "input 'u' is in N, its value in J"},
      {"input u = F*(1 - exp(-t/2)) [N]", "input 'u' is in N, its value in J"},
      {"input u[1..2] = F*[cos(t), sin(t)] [N]", "input 'u' is in N, its value in J"},
      {"potential k*sin(t)", "the potential energy is in N/m, not in J"},
      {"potential F*exp(-t)*x", "the potential energy is in kg*m^3/s^2, not in J"},
      {"force k*(if t < 1 then 1 else 0) on x", "the force on 'x' is in N/m, not in N"},
      {"force F*sign(sin(t)) on x", "the force on 'x' is in N*m, not in N"},
      {"servo s: x = F*rest_to_rest(t/tf, smoothness = 4)",
       "the sides of servo 's' are in m and J"},
      {"servo s: x = F*rest_to_rest(t/2, smoothness = 4)",
       "the sides of servo 's' are in m and J"}};
  for (const auto& [line, message] : wrong)
    EXPECT_THAT(refusal(names + line + "\n"), HasSubstr(message)) << line;
  for (const char* line :
       {"input u = 3*sin(t) [N]", "input u = k*0.3*sin(t) [N]", "force k*x*sin(t) on x",
        "servo x = 1 + 0.5*rest_to_rest(t/tf, smoothness = 4)",
        "servo x = 2*rest_to_rest(t, smoothness = 4)",
        "let s = sin(t)\nforce k*s*x on x\ninput u = s [N]",
        "input u = F/2*(if t < 1 then 0.3 else 0.7) [N*m]"})
    EXPECT_EQ(refusal(names + line + "\n"), "accepted") << line;
}

TEST(Units, controllers_command_in_the_unit_of_the_input) {
  const std::string names =
      "parameter m = 1 [kg]\ncoordinate z = 1 [m]\nkinetic m/2*z'^2\ninput F [N]\nforce F on z\n";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"parameter k = 5 [N/m]\ncommand F = -k*z'", "'F' is in N, its command in kg*m/s^3"},
      {"parameter k = 5 [N/m]\nlet e = z - k\ncommand F = 1",
       "'z' in m and 'k' in N/m cannot be subtracted in let 'e'"},
      {"parameter k = 5 [N/m]\nmeasure s = lowpass(z, 0.01), z'\ncommand F = -k*(s + z')",
       "'s' in m and 'z'' in m/s cannot be added in the command of 'F'"},
      {"parameter k = 5 [N/m]\ncommand F = -k*derivative(z, filter = 0.01)",
       "'F' is in N, its command in kg*m/s^3"},
      {"parameter k = 5 [N/m]\ncommand F = -k*integral(z)", "'F' is in N, its command in N*s"},
      {"parameter k = 5 [N/m]\ncommand F = pid(z', kp = k)",
       "'F' is in N, its command in kg*m/s^3"},
      {"parameter h = 5 [m]\ncommand F = saturate(z', -1, h)",
       "'z'' in m/s and 'h' in m cannot be arguments of one saturate"},
      {"parameter T = 10 [ms]\nmeasure z\nlet z1 = 2*z [kg]\ncommand F = z1",
       "'F' is in N, its command in kg"},
      {"parameter k = 5 [furlong]\ncommand F = 1", "there is no unit 'furlong'"}};
  for (const auto& [lines, message] : wrong)
    for (const char* clock : {"", " every 10 ms"})
      EXPECT_THAT(refusal_with("c", names + "controller c" + clock + "\n" + lines + "\n"),
                  HasSubstr("error: " + message))
          << lines << clock;
  EXPECT_EQ(refusal_with("c", names + "parameter k = 1 [m/s]\ncontroller c every 1 ms\nmeasure z\n"
                                      "state i = 0 next i + 0.001*z\nstate j = k next j + z\n"
                                      "command F = i\n"),
            "accepted");  // j states no unit, and is only told
  EXPECT_EQ(refusal_with("c", names + "controller c\ncommand F = -z - z'\n"),
            "accepted");  // gains of 1 are left out
  EXPECT_EQ(refusal_with("c", names + "controller c\nparameter k = 5 [N/m], d = 1 [N*s/m]\n"
                                      "command F = saturate(-k*lowpass(z, 0.1) - d*z', -50, 50)\n"),
            "accepted");
}

TEST(Units, thirty_wrong_models_are_refused) {
  const std::string names =
      "parameter m = 1 [kg], l = 2 [m], k = 3 [N/m], d = 1 [N*s/m], tau = 1 [s], J = 1 [kg*m^2]\n"
      "coordinate x = 1 [m], phi = 0 [rad]\ninput u [N], w [m/s]\n"
      "kinetic m/2*x'^2 + J/2*phi'^2\n";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"kinetic m/2*x'", "the kinetic energy is in N*s, not in J"},
      {"kinetic m*x", "the kinetic energy is in kg*m, not in J"},
      {"potential k*x", "the potential energy is in N, not in J"},
      {"potential k/2*phi^2", "the potential energy is in N/m, not in J"},
      {"potential k/2*x^2 + l", "the potential energy is in m, not in J"},
      {"dissipation d/2*x^2", "the dissipation is in J*s, not in W"},
      {"dissipation k/2*x^2", "the dissipation is in J, not in W"},
      {"potential k/2*(x + phi)^2", "'x' in m and 'phi' in 1 cannot be added"},
      {"potential k*l*x*sin(x)", "the argument of sin has no unit, and 'x' is in m"},
      {"potential k*l^2*exp(tau)", "the argument of exp has no unit, and 'tau' is in s"},
      {"constraint c: x^2 = l", "the sides of constraint 'c' are in m^2 and m"},
      {"constraint c: x = phi", "the sides of constraint 'c' are in m and 1"},
      {"constraint c: x^2 = 2*l", "the sides of constraint 'c' are in m^2 and m"},
      {"constraint c: [x, l] = [l, phi]", "the sides of constraint 'c' are in m and 1"},
      {"force u on phi", "the force on 'phi' is in N, not in N*m"},
      {"force k on x", "the force on 'x' is in N/m, not in N"},
      {"torque u about phi", "the torque about 'phi' is in N, not in N*m"},
      {"force [u, l] at [x, x]", "the force at '[x, x]' is in m, not in N"},
      {"drive x by u velocity()", "'u' is in N, the velocity of 'x' in m/s"},
      {"drive x by w position()", "'w' is in m/s, the position of 'x' in m"},
      {"drive x by w velocity(lag = l)", "lag of a drive is in s, not in m"},
      {"servo s: x = tau", "the sides of servo 's' are in m and s"},
      {"variable v [m]\nequation e: v' = l", "the sides of equation 'e' are in m/s and m"},
      {"initial x' = l", "'x'' is in m/s, its start value in m"},
      {"limit x in [0, tau]", "'x' is in m, its bound in s"},
      {"event e: when x > tau then set x' = 0", "'x' in m and 'tau' in s cannot be compared"},
      {"event e: when x > l then set x' = x", "'x'' is in m/s, what it is set to in m"},
      {"output o = x [s]", "output 'o' is stated in s, its value is in m"},
      {"let a = x [kg]", "'a' is stated in kg, its value is in m"},
      {"parameter q = l [kg]", "parameter 'q' is in kg, its value in m"},
      {"part b = planar_body(mass = l, inertia = J)",
       "'mass' of 'planar_body' is in kg, its value in m"},
      {"part s = spring(b = b, stiffness = m)\npart b = planar_body(mass = m, inertia = J)",
       "'stiffness' of 'spring' is in N/m, its value in kg"},
      {"experiment e: simulate(until = l)", "'until' of experiment 'e' is in s, not in m"},
      {"output o = atan2(x, phi)", "'x' in m and 'phi' in 1 cannot be arguments of one atan2"},
      {"output o = norm([x, phi])", "norm adds m^2 and 1"},
      {"output o = if x > 0 then x else phi", "cannot be branches of one 'if'"},
      {"parameter q = 1 [Nm]", "there is no unit 'Nm'"},
      {"parameter q = 1 [furlong]", "there is no unit 'furlong'"},
      {"parameter q = 2*l [mm]", "a unit such as mm converts numbers"},
  };
  for (const auto& [line, message] : wrong) {
    const std::string said = refusal(names + line + "\n");
    EXPECT_THAT(said, HasSubstr(message)) << line;
    EXPECT_THAT(said, HasSubstr("model.daedal:")) << line;
  }
}

}  // namespace
}  // namespace daedal::model
