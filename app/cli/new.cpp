// daedal new: a commented model to start from.
#include "commands.hpp"
#include "daedal/task/model.hpp"
#include "request.hpp"
#include "show.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

namespace daedal::cli {

namespace {

constexpr const char* model_text =
    R"(# Comments start with '#'. The order of the lines does not matter.
model {0} "a mass on a rod, with a torque at its pivot"

# Quantities with values and units; on the command line  -p L=2
parameter m = 1 [kg], L = 1 [m], d = 0.1 [N*m*s/rad], g = 9.81 [m/s^2]

# What moves, with start values; phi' is its velocity, phi'' its acceleration
coordinate phi "angle from the vertical" = 0.5 [rad]

# Names for expressions
let bob = L*[sin(phi), -cos(phi)]

# Energies, and half the dissipated power
kinetic     m/2*dot(bob', bob')
potential   m*g*bob[2]
dissipation d/2*phi'^2

# Inputs, where they act, and what is measured
input  u "torque at the pivot" = 0 [N*m]
torque u about phi
output z = phi [rad]

# With other coordinates a constraint would hold the rod:  constraint rod: x^2 + y^2 = L^2
# Bodies and joints are parts:  part link = planar_body(mass = 1, inertia = 0.1)

# The desired motion of the output, for  daedal invert
servo z = 0.5 + rest_to_rest(t/2, smoothness = 2)

# A picture for reports, and experiments for  daedal run
draw line [0, 0] -> bob, disc bob radius 0.05*L
experiment swing: simulate(until = 10)
experiment lift:  invert(until = 2)
)";

}  // namespace

int new_model(const Arguments& a) {
  std::filesystem::path path = a.new_model;
  if (path.extension() != ".daedal") path += ".daedal";
  const std::string name = path.stem().string();
  const std::string text = fmt::format(fmt::runtime(model_text), name);
  try {
    task::load_text(text, path.string());
  } catch (const ModelError&) {
    fault({}, fmt::format("'{}' is no name of a model", name),
          "a name has letters, digits and '_', and starts with a letter:  daedal new my_crane");
  }
  std::FILE* file = std::fopen(path.c_str(), "wx");
  if (file == nullptr)
    fault({},
          errno == EEXIST
              ? fmt::format("'{}' exists, and is not overwritten", path.string())
              : fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno)),
          errno == EEXIST ? "choose another name" : "");
  const bool written = std::fputs(text.c_str(), file) >= 0;
  if (std::fclose(file) != 0 || !written) {
    std::remove(path.c_str());
    fault({}, fmt::format("cannot write '{}'", path.string()), "");
  }
  if (a.json)
    print_json({{"model", name}, {"file", path.string()}});
  else if (!a.quiet)
    fmt::print("{0} is a pendulum to change\nnext:  daedal simulate {0},  daedal run {0}\n",
               path.string());
  return 0;
}

}  // namespace daedal::cli
