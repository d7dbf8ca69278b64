// Inverse models of mechanisms, small, as text: equations after [Druecker2022].
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace daedal::structure::test {

using SharedDae = std::shared_ptr<const derive::Dae>;

inline derive::Dae forward_of(const model::Library& library,
                              const model::Overrides& overrides = {}) {
  return derive::derive(std::make_shared<model::Model>(model::elaborate(library, overrides)));
}
inline SharedDae forward_text(const std::string& text) {
  return std::make_shared<derive::Dae>(forward_of(model::load_text(text)));
}
inline SharedDae inverse_text(const std::string& text) {
  return std::make_shared<derive::Dae>(derive::inverse(forward_of(model::load_text(text))));
}
inline model::Library library_file(const std::string& folder) {
  return model::load(std::string(DAEDAL_SOURCE_DIR) + "/models/" + folder + "/" + folder +
                     ".daedal");
}

inline SharedDae torsional_oscillator(long disks) {
  model::Overrides overrides;
  overrides.parameters["N"] = std::to_string(disks);
  return std::make_shared<derive::Dae>(
      derive::inverse(forward_of(library_file("torsional_oscillator"), overrides)));
}

/// Trolley and winch with velocity drives, load on a cable.
inline const std::string crane_head =
    "model crane\nparameter m = 18.9, g = 9.81, tau_T = 0.03, tau_L = 0.02\n"
    "let way = rest_to_rest(t/10, smoothness = 4)\nlet x_d = 15 - 4*way\nlet z_d = 4 + 3*way\n"
    "input u_T, u_L\n";
inline const std::string crane_generalised =
    crane_head +
    "coordinate x_T = 15, L = 4, phi\nlet P = [x_T + L*sin(phi), L*cos(phi)]\n"
    "kinetic m/2*dot(P', P')\npotential -m*g*P[2]\n"
    "drive x_T by u_T velocity(lag = tau_T), L by u_L velocity(lag = tau_L)\n"
    "servo path: P = [x_d, z_d]\n";
inline const std::string crane_redundant =
    crane_head +
    "coordinate x_T = 15, L = 4, x_P = 15, z_P = 4\nkinetic m/2*(x_P'^2 + z_P'^2)\npotential "
    "-m*g*z_P\n"
    "drive x_T by u_T velocity(lag = tau_T), L by u_L velocity(lag = tau_L)\n"
    "constraint cable: z_P^2 + (x_P - x_T)^2 = L^2\nservo path: [x_P, z_P] = [x_d, z_d]\n";
/// The load's motion inserted: what is left are two equations of motion and the cable.
inline const std::string crane_substituted =
    crane_head +
    "variable x_T = 15, L = 4, lambda = -1\n"
    "equation trolley: tau_T*x_T'' + x_T' = u_T\nequation winch: tau_L*L'' + L' = u_L\n"
    "servo motion_x: x_d'' = 2*(x_d - x_T)*lambda\nservo motion_z: z_d'' = g + 2*z_d*lambda\n"
    "equation cable: z_d^2 + (x_d - x_T)^2 = L^2\n";

enum class Tilt { given, by_desired_accelerations, by_unknown_accelerations };
/// Platform on two cables; `trolley_width` is 0.35 for parallel cables.
inline std::string platform_robot(double trolley_width, Tilt tilt) {
  const char* servo = tilt == Tilt::given                      ? "delta = -0.01*x_d''"
                      : tilt == Tilt::by_desired_accelerations ? "x_d'' = tan(delta)*(-g + z_d'')"
                                                               : "x_P'' = tan(delta)*(-g + z_P'')";
  return fmt::format(
      "model platform\nparameter m = 18.9, I_P = 0.408555, g = 9.81, tau_T = 0.03, tau_L = 0.02\n"
      "parameter L_Tx = {}, L_Px = 0.35, L_Pz = 0.37\n"
      "let x_d = 16 - 5*rest_to_rest(t/10, smoothness = 6)\nlet z_d = 5.68\n"
      "coordinate x_T = 16, L[1..2] = 5.5, x_P = 16, z_P = 5.68, delta\n"
      "kinetic m/2*(x_P'^2 + z_P'^2) + I_P/2*delta'^2\npotential -m*g*z_P\n"
      "let corner(side) = [x_P + side*L_Px/2*cos(delta) - L_Pz/2*sin(delta), "
      "z_P - side*L_Px/2*sin(delta) - L_Pz/2*cos(delta)]\n"
      "let cable(side) = corner(side) - [x_T + side*L_Tx/2, 0]\n"
      "constraint left: dot(cable(-1), cable(-1)) = L[1]^2\n"
      "constraint right: dot(cable(1), cable(1)) = L[2]^2\ninput u_T, u_1, u_2\n"
      "drive x_T by u_T velocity(lag = tau_T), L[1] by u_1 velocity(lag = tau_L), L[2] by u_2 "
      "velocity(lag = tau_L)\n"
      "servo along: x_P = x_d\nservo height: z_P = z_d\nservo tilt: {}\n",
      trolley_width, servo);
}

/// Masses 1 and 2 on the ground, mass 3 on an incline on mass 2, springs and dampers between; the force acts on mass 1, the
/// horizontal position of mass 3 is prescribed.
inline const char* mass_on_car_lengths =
    "coordinate x1 = 1, s1, s2\nlet x2 = x1 + s1\nlet z = x2 + s2*cos(alpha)\n";
inline const char* mass_on_car_output =
    "coordinate x1 = 1, z = 1, s2\nlet x2 = z - s2*cos(alpha)\nlet s1 = x2 - x1\n";
inline std::string mass_on_car(const char* coordinates, double alpha, double damping) {
  return fmt::format(
      "model mass_on_car\nparameter m1 = 1, m2 = 1, m3 = 3, k = 3, d = {}, alpha = {}*pi/180\n{}"
      "kinetic m1/2*x1'^2 + m2/2*x2'^2 + m3/2*(z'^2 + (s2'*sin(alpha))^2)\npotential k/2*(s1^2 + "
      "s2^2)\n"
      "dissipation d/2*(s1'^2 + s2'^2)\ninput u\nforce u on x1\nservo path: z = 1 + "
      "3*rest_to_rest(t/8, smoothness = 6)\n",
      damping, alpha, coordinates);
}
inline std::string three_masses(double damping) {
  return fmt::format(
      "model three_masses\nparameter m1 = 1, m2 = 1, m3 = 3, k = 3, d = {}\ncoordinate x1, x2, x3\n"
      "kinetic m1/2*x1'^2 + m2/2*x2'^2 + m3/2*x3'^2\npotential k/2*((x2 - x1)^2 + (x3 - x2)^2)\n"
      "dissipation d/2*((x2' - x1')^2 + (x3' - x2')^2)\ninput u\nforce u on x1\n"
      "servo path: x3 = 1 + 3*rest_to_rest(t/8, smoothness = 6)\n",
      damping);
}

/// Three disks; the angle of the second is prescribed by its actuator, the speed of the third is the output.
inline std::string torsional_position_drive(const char* actuator) {
  return fmt::format(
      "model position_drive\nparameter I = 0.12, k = 2\ncoordinate phi[1..3]\nkinetic sum(i in "
      "1..3: I/2*phi[i]'^2)\n"
      "potential sum(i in 1..2: k/2*(phi[i+1] - phi[i])^2)\ninput u\n{}\nservo speed: phi[3]' = "
      "rest_to_rest(t/6, "
      "smoothness = 4)\n",
      actuator);
}

}  // namespace daedal::structure::test
