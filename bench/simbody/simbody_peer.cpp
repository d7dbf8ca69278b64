// simbody_peer fourbar|chain ACCURACY: the four-bar for 5 s and the closed chain of 50 links for 1 s in Simbody: joint angles,
// articulated bodies, the loop closed by two constraints, Runge-Kutta-Merson with projection. Prints the time of a run, the
// angles at the end and the largest error of the loop.
#include "bench/support/timing.hpp"

#include <SimTKsimbody.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace SimTK;

struct Link {
  double length, mass, angle;  // of the link itself at the start, not against the one before
};

/// Links end to end from the origin, the last end held at (x, 0).
struct Loop {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  std::vector<MobilizedBody::Pin> pins;
  std::vector<Constraint> closure;

  Loop(const std::vector<Link>& links, double x, Vec3 gravity) {
    Force::UniformGravity(forces, matter, gravity);
    MobilizedBody parent = matter.Ground();
    double before = 0;
    for (const Link& link : links) {
      const Vec3 centre(link.length / 2, 0, 0);
      const double about_centre = link.mass * link.length * link.length / 12;
      const Inertia inertia = Inertia(Vec3(1e-3 * about_centre, about_centre, about_centre))
                                  .shiftFromMassCenter(centre, link.mass);
      const Body::Rigid body(MassProperties(link.mass, centre, inertia));
      pins.emplace_back(parent, Transform(Vec3(before, 0, 0)), body, Transform());
      parent = pins.back();
      before = link.length;
    }
    const Vec3 end(before, 0, 0);
    closure.push_back(Constraint::PointInPlane(matter.Ground(), UnitVec3(1, 0, 0), x, parent, end));
    closure.push_back(Constraint::PointInPlane(matter.Ground(), UnitVec3(0, 1, 0), 0, parent, end));
  }

  State start(const std::vector<Link>& links) {
    system.realizeTopology();
    State state = system.getDefaultState();
    double before = 0;
    for (std::size_t i = 0; i < links.size(); ++i) {
      pins[i].setAngle(state, links[i].angle - before);
      before = links[i].angle;
    }
    system.realize(state, Stage::Instance);
    system.projectQ(state, 1e-13);
    return state;
  }

  double loop_error(const State& state) const {
    system.realize(state, Stage::Velocity);
    double largest = 0;
    for (const Constraint& c : closure)
      largest = std::max(largest, c.getPositionErrorsAsVector(state).normInf());
    return largest;
  }
};

int measure(Loop& loop, const std::vector<Link>& links, double until, double accuracy,
            bool constant_torque) {
  if (constant_torque)
    Force::MobilityConstantForce(loop.forces, loop.pins.front(), MobilizerUIndex(0), 0.5);
  const State start = loop.start(links);
  RungeKuttaMersonIntegrator integrator(loop.system);
  integrator.setAccuracy(accuracy);
  integrator.setConstraintTolerance(1e-12);
  integrator.setFinalTime(until);
  const double seconds = bench::median_seconds(
      [&] {
        integrator.initialize(start);
        while (integrator.getTime() < until) integrator.stepTo(until);
      },
      3, 0.1);
  std::vector<std::pair<std::string, double>> numbers = {
      {"seconds", seconds}, {"drift", loop.loop_error(integrator.getState())}};
  double angle = 0;
  for (std::size_t i = 0; i < loop.pins.size(); ++i) {
    angle += loop.pins[i].getAngle(integrator.getState());
    numbers.emplace_back("q[" + std::to_string(i + 1) + "]", angle);
  }
  bench::print_json(numbers);
  return 0;
}

/// Angles of coupler and rocker (from the ground to the coupler) that close the loop of the four-bar: Newton's method.
Vec2 closed_angles(double crank, Vec2 angles) {
  for (int iteration = 0; iteration < 20; ++iteration) {
    const double c2 = 1.2 * std::cos(angles[0]), s2 = 1.2 * std::sin(angles[0]);
    const double c3 = std::cos(angles[1]), s3 = std::sin(angles[1]);
    const Vec2 gap(0.5 * std::cos(crank) + c2 - c3 - 1.3, 0.5 * std::sin(crank) + s2 - s3);
    angles -= Mat22(-s2, s3, c2, -c3).invert() * gap;
  }
  return angles;
}

int four_bar(double accuracy) {
  const Vec2 angles = closed_angles(Pi / 3, {0.492, 1.563});
  const std::vector<Link> links = {
      {0.5, 1, Pi / 3}, {1.2, 2, angles[0]}, {1.0, 1.5, angles[1] - Pi}};
  Loop loop(links, 1.3, Vec3(0, -9.81, 0));
  return measure(loop, links, 5, accuracy, true);
}

int chain(double accuracy) {
  constexpr int n = 50;
  constexpr double length = 0.1, half = 0.5;
  std::vector<Link> links;
  double width = 0;
  for (int i = 1; i <= n; ++i) {
    const double angle = half * (2 * i - 1 - n) / n;
    links.push_back({length, 0.4, angle});
    width += length * std::cos(angle);
  }
  Loop loop(links, width, Vec3(3, -9, 0));
  return measure(loop, links, 1, accuracy, false);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const double accuracy = std::atof(argv[2]);
  return std::string(argv[1]) == "fourbar" ? four_bar(accuracy) : chain(accuracy);
}
