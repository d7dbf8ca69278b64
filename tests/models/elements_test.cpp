// Built-in elements against energies written by hand in as many coordinates as the mechanism has freedoms: positions that
// satisfy the joints, accelerations at random points, trajectories.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/model_point.hpp"
#include "support/page_blocks.hpp"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace daedal::test {
namespace {

/// One mechanism twice. `coordinates` says what each coordinate of the elements is in the model written by hand.
struct Mechanism {
  std::string name;
  std::string elements, by_hand;
  std::vector<std::pair<std::string, std::string>> coordinates;
};

const std::string helpers = R"(
let rot(a) = [cos(a), -sin(a); sin(a), cos(a)]
let turning(R, V) = [R[1,3]*V[1,2] + R[2,3]*V[2,2] + R[3,3]*V[3,2],
                     R[1,1]*V[1,3] + R[2,1]*V[2,3] + R[3,1]*V[3,3],
                     R[1,2]*V[1,1] + R[2,2]*V[2,1] + R[3,2]*V[3,1]]     # of R, in its own axes; V = R'
let about(n, a) = cat([cos(a/2)], sin(a/2)*n)
let product(u, v) = cat([u[1]*v[1] - dot(u[2..4], v[2..4])],
                        u[1]*v[2..4] + v[1]*u[2..4] + cross(u[2..4], v[2..4]))
let sq(v) = dot(v, v)
)";

// Rodrigues' formula, for the hand-written models alone.
const std::string rodrigues = R"(
let skew(n) = [0, -n[3], n[2]; n[3], 0, -n[1]; -n[2], n[1], 0]
let spin(n, a) = [1, 0, 0; 0, 1, 0; 0, 0, 1] + sin(a)*skew(n) + (1 - cos(a))*skew(n)*skew(n)
)";

std::vector<Mechanism> mechanisms() {
  return {
      {"double_pendulum",
       R"(model m
part rod[k in 1..2] = planar_body(mass = k, inertia = 0.1*k)
part top = revolute(b = rod[1], point_a = [0.2, 0.1], point_b = [-0.5, 0])
part middle = revolute(a = rod[1], b = rod[2], point_a = [0.5, 0], point_b = [-0.3, 0.1])
potential top.angle^2
dissipation 0.3*middle.angle'^2
)",
       R"(coordinate q[1..2]
let c1 = [0.2, 0.1] + rot(q[1])*[0.5, 0]
let c2 = [0.2, 0.1] + rot(q[1])*[1, 0] - rot(q[2])*[-0.3, 0.1]
kinetic sq(c1')/2 + 0.1/2*q[1]'^2 + sq(c2') + 0.1*q[2]'^2
potential 9.81*(c1[2] + 2*c2[2]) + q[1]^2
dissipation 0.3*(q[2]' - q[1]')^2
)",
       {{"rod[1].r", "c1"}, {"rod[1].phi", "q[1]"}, {"rod[2].r", "c2"}, {"rod[2].phi", "q[2]"}}},

      {"cart_on_an_incline_with_spring_damper_and_loads",
       R"(model m
part cart = planar_body(mass = 2, inertia = 0.4, gravity = [0, -5])
part rod = planar_body(mass = 0.5, inertia = 0.02, gravity = [0, -5])
part rail = prismatic(b = cart, axis_a = [4, 3], point_a = [0.1, 0.2], point_b = [0, -0.1], angle = 0.3)
part pin = revolute(a = cart, b = rod, point_a = [0.2, 0], point_b = [0, 0.4])
part k = spring(b = rod, stiffness = 30, length = 0.5, point_a = [1, 1], point_b = [0, -0.4])
part d = damper(a = cart, b = rod, damping = 2, point_a = [-0.5, 0.1], point_b = [0.1, 0])
part motor = couple(a = cart, b = rod, moment = 0.7)
force [1, 2] at rod.point([0.1, 0.2])
)",
       R"(coordinate q[1..2]
let along = [0.8, 0.6]
let c1 = [0.1, 0.2] + q[1]*along - rot(0.3)*[0, -0.1]
let pin = c1 + rot(0.3)*[0.2, 0]
let c2 = pin - rot(q[2])*[0, 0.4]
let end = c2 + rot(q[2])*[0, -0.4]
let length = norm(c2 + rot(q[2])*[0.1, 0] - c1 - rot(0.3)*[-0.5, 0.1])
kinetic sq(c1') + sq(c2')/4 + 0.01*q[2]'^2
potential 5*(2*c1[2] + 0.5*c2[2]) + 15*(norm(end - [1, 1]) - 0.5)^2
dissipation length'^2
torque 0.7 about q[2]
force [1, 2] at c2 + rot(q[2])*[0.1, 0.2]
)",
       {{"cart.r", "c1"}, {"cart.phi", "0.3 + 0*q[1]"}, {"rod.r", "c2"}, {"rod.phi", "q[2]"}}},

      {"welded_bodies_slide_on_a_line_and_a_turning_support",
       R"(model m
part arm = planar_support(position = [0.1*sin(t), 0], angle = 0.2*t)
part left = planar_body(mass = 1, inertia = 0.1)
part right = planar_body(mass = 3, inertia = 0.2)
part weld = fixed(a = left, b = right, point_a = [0.4, 0], point_b = [0, -0.3], angle = 0.5)
part slot = point_on_line(a = arm, b = left, axis_a = [1, 2], point_a = [0, 0.1], point_b = [-0.2, 0])
)",
       R"(coordinate q[1..2]
let along = [1, 2]/sqrt(5)
let P = [0.1*sin(t), 0] + rot(0.2*t)*([0, 0.1] + q[1]*along)
let c1 = P - rot(q[2])*[-0.2, 0]
let c2 = c1 + rot(q[2])*[0.4, 0] - rot(q[2] + 0.5)*[0, -0.3]
kinetic sq(c1')/2 + 0.05*q[2]'^2 + 3/2*sq(c2') + 0.1*q[2]'^2
potential 9.81*(c1[2] + 3*c2[2])
)",
       {{"left.r", "c1"}, {"left.phi", "q[2]"}, {"right.r", "c2"}, {"right.phi", "q[2] + 0.5"}}},

      {"massless_rod_in_the_plane",
       R"(model m
part bob = planar_body(mass = 2, inertia = 0.3)
part cable = distance(b = bob, length = 1.5, point_a = [0.3, 0], point_b = [0, 0.2])
)",
       R"(coordinate q[1..2]
let c = [0.3, 0] + 1.5*[cos(q[1]), sin(q[1])] - rot(q[2])*[0, 0.2]
kinetic sq(c') + 0.15*q[2]'^2
potential 2*9.81*c[2]
)",
       {{"bob.r", "c"}, {"bob.phi", "q[2]"}}},

      {"heavy_top",
       R"(model m
part top = spatial_body(mass = 1.5, inertia = [0.1, 0.2, 0.15])
part foot = spherical(b = top, point_a = [0.1, 0, 0.2], point_b = [0.05, 0.1, -0.4])
)",
       R"(coordinate q[1..3] = 1
let R = rotz(q[1])*rotx(q[2])*rotz(q[3])
let c = [0.1, 0, 0.2] - R*[0.05, 0.1, -0.4]
let w = turning(R, R')
kinetic 0.75*sq(c') + (0.1*w[1]^2 + 0.2*w[2]^2 + 0.15*w[3]^2)/2
potential 1.5*9.81*c[3]
)",
       {{"top.r", "c"},
        {"top.p",
         "product(product(about([0, 0, 1], q[1]), about([1, 0, 0], q[2])), about([0, 0, 1], "
         "q[3]))"}}},

      {"two_bodies_on_tilted_axes",
       R"(model m
part a = spatial_body(mass = 2, inertia = [0.3, 0.02, -0.01; 0.02, 0.2, 0.03; -0.01, 0.03, 0.4])
part b = spatial_body(mass = 1, inertia = [0.1, 0.2, 0.25])
part hinge = revolute(b = a, axis_a = [1, 2, 2], point_b = [0.3, 0, 0.1])
part wrist = revolute(a = a, b = b, axis_a = [3, 0, 4], axis_b = [3, 0, 4], point_a = [0, 0.2, 0], point_b = [0, 0, -0.3])
potential 2*hinge.angle^2
torque 0.4 about wrist.angle
)",
       rodrigues + R"(coordinate q[1..2]
let n1 = [1, 2, 2]/3;  let n2 = [0.6, 0, 0.8]
let R1 = spin(n1, q[1]);  let R2 = R1*spin(n2, q[2])
let c1 = -R1*[0.3, 0, 0.1]
let c2 = c1 + R1*[0, 0.2, 0] - R2*[0, 0, -0.3]
let w1 = n1*q[1]'
let w2 = turning(R2, R2')
let J = [0.3, 0.02, -0.01; 0.02, 0.2, 0.03; -0.01, 0.03, 0.4]
kinetic sq(c1') + dot(w1, J*w1)/2 + sq(c2')/2 + (0.1*w2[1]^2 + 0.2*w2[2]^2 + 0.25*w2[3]^2)/2
potential 9.81*(2*c1[3] + c2[3]) + 2*q[1]^2
force 0.4 on q[2]
)",
       {{"a.r", "c1"},
        {"a.p", "about(n1, q[1])"},
        {"b.r", "c2"},
        {"b.p", "product(about(n1, q[1]), about(n2, q[2]))"}}},

      {"universal_joint",
       R"(model m
part rod = spatial_body(mass = 1, inertia = [0.1, 0.2, 0.15])
part cross = universal(b = rod, axis_a = [2, 0, 0], axis_b = [0, 1, 0], point_b = [0.1, 0, 0.5])
part motor = couple(b = rod, moment = [0.2, 0.3, -0.1])
)",
       R"(coordinate q[1..2]
let R = rotx(q[1])*roty(q[2])
let c = -R*[0.1, 0, 0.5]
let w = turning(R, R')
kinetic sq(c')/2 + (0.1*w[1]^2 + 0.2*w[2]^2 + 0.15*w[3]^2)/2
potential 9.81*c[3]
force 0.2 on q[1]                                                # moment . axis
force dot([0.2, 0.3, -0.1], rotx(q[1])*[0, 1, 0]) on q[2]
)",
       {{"rod.r", "c"}, {"rod.p", "product(about([1, 0, 0], q[1]), about([0, 1, 0], q[2]))"}}},

      {"slider_in_space_with_a_welded_body_and_spring",
       R"(model m
part a = spatial_body(mass = 2, inertia = [0.3, 0.2, 0.4])
part b = spatial_body(mass = 1, inertia = [0.1, 0.1, 0.1])
part ball = spherical(b = a, point_b = [0, 0, 1])
part rail = prismatic(a = a, b = b, axis_a = [2, -1, 2], point_a = [0.1, 0, 0], point_b = [0, 0.2, 0], orientation = [4, 0, 3, 0])
part c = spatial_body(mass = 0.5, inertia = [0.02, 0.03, 0.04])
part weld = fixed(a = b, b = c, point_a = [0.2, 0, 0], point_b = [0, 0, 0.1], orientation = [1, 1, 0, 0])
part k = spring(a = a, b = b, stiffness = 40, length = 0.2, point_a = [1, 0, 0])
part d = damper(b = c, damping = 0.5, point_a = [0, 1, 0])
)",
       R"(coordinate q[1..4] = 1
let R = rotz(q[1])*rotx(q[2])*roty(q[3])
let pR = product(product(about([0, 0, 1], q[1]), about([1, 0, 0], q[2])), about([0, 1, 0], q[3]))
let B = R*roty(2*atan2(3, 4));  let C = B*rotx(pi/2)
let ca = -R*[0, 0, 1]
let cb = ca + R*([0.1, 0, 0] + q[4]*[2, -1, 2]/3) - B*[0, 0.2, 0]
let cc = cb + B*[0.2, 0, 0] - C*[0, 0, 0.1]
let w = turning(R, R');  let wb = turning(B, B');  let wc = turning(C, C')
kinetic sq(ca') + (0.3*w[1]^2 + 0.2*w[2]^2 + 0.4*w[3]^2)/2
kinetic sq(cb')/2 + 0.05*sq(wb) + sq(cc')/4 + (0.02*wc[1]^2 + 0.03*wc[2]^2 + 0.04*wc[3]^2)/2
potential 9.81*(2*ca[3] + cb[3] + 0.5*cc[3]) + 20*(norm(cb - ca - R*[1, 0, 0]) - 0.2)^2
dissipation 0.25*norm(cc - [0, 1, 0])'^2
)",
       {{"a.r", "ca"},
        {"a.p", "pR"},
        {"b.r", "cb"},
        {"b.p", "product(pR, [0.8, 0, 0.6, 0])"},
        {"c.r", "cc"},
        {"c.p", "product(product(pR, [0.8, 0, 0.6, 0]), [sqrt(1/2), sqrt(1/2), 0, 0])"}}},

      {"sleeve_that_turns_and_slides",
       R"(model m
part rod = spatial_body(mass = 2, inertia = [0.3, 0.2, 0.4])
part sleeve = cylindrical(b = rod, axis_a = [1, 2, 2], point_a = [0.1, 0, 0.2], point_b = [0.3, 0, 0.1])
potential 20*sleeve.displacement^2 + 2*sleeve.angle^2
)",
       rodrigues + R"(coordinate q[1..2]
let n = [1, 2, 2]/3
let R = spin(n, q[1])
let c = [0.1, 0, 0.2] + q[2]*n - R*[0.3, 0, 0.1]
kinetic sq(c') + (0.3*n[1]^2 + 0.2*n[2]^2 + 0.4*n[3]^2)/2*q[1]'^2
potential 2*9.81*c[3] + 20*q[2]^2 + 2*q[1]^2
)",
       {{"rod.r", "c"}, {"rod.p", "about(n, q[1])"}}},

      {"puck_on_a_tilted_plane_of_a_turning_support",
       R"(model m
part table = spatial_support(position = [0.1*t, 0, 0], orientation = [cos(t/4), 0, 0, sin(t/4)])
part puck = spatial_body(mass = 1.5, inertia = [0.1, 0.2, 0.15])
part ice = planar(a = table, b = puck, axis_a = [3, 0, 4], point_a = [0, 0.1, 0], point_b = [0.1, 0.2, 0.3])
potential 3*dot(ice.displacement, ice.displacement)
dissipation 0.2*ice.angle'^2
)",
       rodrigues + R"(coordinate q[1..3]
let n = [0.6, 0, 0.8]
let R = rotz(t/2)*spin(n, q[3])
let c = [0.1*t, 0, 0] + rotz(t/2)*([0, 0.1, 0] + q[1]*[0.8, 0, -0.6] + q[2]*[0, 1, 0]) - R*[0.1, 0.2, 0.3]
let w = turning(R, R')
kinetic 0.75*sq(c') + (0.1*w[1]^2 + 0.2*w[2]^2 + 0.15*w[3]^2)/2
potential 1.5*9.81*c[3] + 3*(q[1]^2 + q[2]^2)
dissipation 0.2*q[3]'^2
)",
       {{"puck.r", "c"}, {"puck.p", "product(about([0, 0, 1], t/2), about(n, q[3]))"}}},

      {"bead_on_a_moving_line_in_space",
       R"(model m
part arm = spatial_support(position = [0, 0, 0.1*t], orientation = [cos(t/4), 0, 0, sin(t/4)])
part bead = spatial_body(mass = 1, inertia = [0.1, 0.2, 0.3])
part line = point_on_line(a = arm, b = bead, axis_a = [1, 2, 2], point_a = [0.1, 0, 0], point_b = [0, 0.1, 0])
part tether = distance(b = bead, length = 2, point_a = [0, 0, 1], point_b = [0, 0.1, 0])
part ball = spherical(b = probe, a = bead, point_a = [0.1, 0, 0], point_b = [0, 0, 0.2])
part probe = spatial_body(mass = 0.1, inertia = [0.01, 0.02, 0.01])
)",
       R"(coordinate q[1..6] = 1
let n = rotz(t/2)*[1, 2, 2]/3;  let o = [0, 0, 0.1*t] + rotz(t/2)*[0.1, 0, 0]
let e = o - [0, 0, 1]                                             # |e + s n| = 2
let s = -dot(e, n) + sqrt(dot(e, n)^2 - sq(e) + 4)
let R = rotz(q[1])*rotx(q[2])*rotz(q[3]);  let S = rotz(q[4])*rotx(q[5])*rotz(q[6])
let c = o + s*n - R*[0, 0.1, 0]
let cp = c + R*[0.1, 0, 0] - S*[0, 0, 0.2]
let w = turning(R, R');  let wp = turning(S, S')
kinetic sq(c')/2 + (0.1*w[1]^2 + 0.2*w[2]^2 + 0.3*w[3]^2)/2
kinetic 0.05*sq(cp') + (0.01*wp[1]^2 + 0.02*wp[2]^2 + 0.01*wp[3]^2)/2
potential 9.81*(c[3] + 0.1*cp[3])
)",
       {{"bead.r", "c"},
        {"bead.p",
         "product(product(about([0, 0, 1], q[1]), about([1, 0, 0], q[2])), about([0, 0, 1], "
         "q[3]))"},
        {"probe.r", "cp"},
        {"probe.p",
         "product(product(about([0, 0, 1], q[4]), about([1, 0, 0], q[5])), about([0, 0, 1], "
         "q[6]))"}}},

      {"sun_and_planet_wheels_with_a_rack",
       R"(model m
part sun = planar_body(mass = 2, inertia = 0.3)
part planet = planar_body(mass = 0.5, inertia = 0.02)
part arm = planar_body(mass = 0.4, inertia = 0.05)
part bar = planar_body(mass = 1, inertia = 0.1)
part bearing = revolute(b = sun)
part hub = revolute(b = arm, point_b = [-0.15, 0])
part pin = revolute(a = arm, b = planet, point_a = [0.15, 0])
part guide = prismatic(b = bar, axis_a = [0, 1], point_a = [1, 0])
part wheels = gear(a = pin.angle, b = bearing.angle - hub.angle, ratio = -2, phase = 0.1)
part rack = rack_and_pinion(a = bearing.angle, b = guide.displacement, radius = 0.2)
potential 3*hub.angle^2
torque 0.4 about bearing.angle
)",
       R"(coordinate q[1..2]
let planet = 3*q[2] - 2*q[1] + 0.1
let c1 = 0.15*[cos(q[2]), sin(q[2])];  let c2 = 2*c1
let bar = [1, 0.2*q[1]]
kinetic 0.15*q[1]'^2 + sq(c2')/4 + 0.01*planet'^2 + 0.2*sq(c1') + 0.025*q[2]'^2 + sq(bar')/2
potential 9.81*(0.5*c2[2] + 0.4*c1[2] + bar[2]) + 3*q[2]^2
torque 0.4 about q[1]
)",
       {{"sun.r", "0*q"},
        {"sun.phi", "q[1]"},
        {"arm.r", "c1"},
        {"arm.phi", "q[2]"},
        {"planet.r", "c2"},
        {"planet.phi", "planet"},
        {"bar.r", "bar"},
        {"bar.phi", "0*q[1]"}}},

      {"rope_around_two_discs",
       R"(model m
part slider = planar_body(mass = 2, inertia = 0.3)
part bob = planar_body(mass = 1, inertia = 0.1)
part rail = prismatic(b = slider, point_a = [-1.7, 0])
part hoist = rope(a = slider, b = bob, length = 8, pulleys = 2, over = [0, 0.4, 0.5, 1.5],
                  radius = [0.1, -0.15], point_a = [0.2, -0.1], point_b = [0, 0.3])
potential 200*rail.displacement^2
)",
       R"(coordinate q[1..3]
let slider = [-1.7 + 0.5*q[1], 0]
let d1 = [0, 0.4] - slider - [0.2, -0.1];  let l1 = sqrt(sq(d1) - 0.1^2)
let d2 = [0.5, 1.1];  let l2 = sqrt(sq(d2) - 0.25^2)
let a1 = atan2(d1[2], d1[1]) - atan2(0.1, l1)                     # directions of the pieces
let a2 = atan2(d2[2], d2[1]) + atan2(0.25, l2)
let l3 = 8 - l1 - l2 - 0.1*(a2 - a1) - 0.15*(a2 - q[2])
let end = [0.5, 1.5] + 0.15*[-sin(q[2]), cos(q[2])] + l3*[cos(q[2]), sin(q[2])]
let c = end - rot(q[3])*[0, 0.3]
kinetic sq(slider') + sq(c')/2 + 0.05*q[3]'^2
potential 9.81*c[2] + 50*q[1]^2
)",
       {{"slider.r", "slider"}, {"slider.phi", "0*q[1]"}, {"bob.r", "c"}, {"bob.phi", "q[3]"}}},

      {"cam_in_the_plane",
       R"(model m
let curve(angle) = 0.5 + 0.1*cos(angle) + 0.05*sin(2*angle)
part shaft = planar_body(mass = 1.2, inertia = 0.2)
part follower = planar_body(mass = 0.7, inertia = 0.05)
part bearing = revolute(b = shaft, point_b = [0.05, 0])
part contact = cam(a = shaft, b = follower, profile = curve, point_a = [0.1, 0.2], point_b = [0, -0.3])
)",
       R"(coordinate q[1..3]
let c1 = -rot(q[1])*[0.05, 0]
let radius = 0.5 + 0.1*cos(q[2]) + 0.05*sin(2*q[2])
let P = c1 + rot(q[1])*([0.1, 0.2] + radius*[cos(q[2]), sin(q[2])])
let c2 = P - rot(q[3])*[0, -0.3]
kinetic 0.6*sq(c1') + 0.1*q[1]'^2 + 0.35*sq(c2') + 0.025*q[3]'^2
potential 9.81*(1.2*c1[2] + 0.7*c2[2])
)",
       {{"shaft.r", "c1"}, {"shaft.phi", "q[1]"}, {"follower.r", "c2"}, {"follower.phi", "q[3]"}}},

      {"bushing_in_the_plane",
       R"(model m
part frame = planar_body(mass = 2, inertia = 0.3)
part arm = planar_body(mass = 1, inertia = 0.1)
part pin = revolute(b = frame, point_b = [0.1, 0.2])
part mount = bushing(a = frame, b = arm, point_a = [0.3, 0], point_b = [-0.2, 0.1], angle = 0.4,
                     stiffness = [30, 50], damping = [1, 2], turn_stiffness = 3, turn_damping = 0.2)
)",
       R"(coordinate q[1..4]
let c1 = -rot(q[1])*[0.1, 0.2];  let c2 = [q[2], q[3]]
let s = rot(-q[1])*(c2 + rot(q[4])*[-0.2, 0.1] - c1) - [0.3, 0]
kinetic sq(c1') + 0.15*q[1]'^2 + sq(c2')/2 + 0.05*q[4]'^2
potential 9.81*(2*c1[2] + c2[2]) + 15*s[1]^2 + 25*s[2]^2 + 1.5*(q[4] - q[1] - 0.4)^2
dissipation 0.5*s[1]'^2 + s[2]'^2 + 0.1*(q[4] - q[1])'^2
)",
       {{"frame.r", "c1"}, {"frame.phi", "q[1]"}, {"arm.r", "c2"}, {"arm.phi", "q[4]"}}},

      {"screw_geared_to_a_wheel",
       R"(model m
part nut = spatial_body(mass = 2, inertia = [0.3, 0.2, 0.4])
part wheel = spatial_body(mass = 1, inertia = [0.1, 0.15, 0.2])
part spindle = screw(b = nut, pitch = 0.3, axis_a = [1, 2, 2], point_a = [0.1, 0, 0.2], point_b = [0.3, 0, 0.1])
part hinge = revolute(b = wheel, axis_a = [3, 0, 4], point_b = [0, 0.1, 0.2])
part wheels = gear(a = spindle.angle, b = hinge.angle, ratio = -1.5, teeth = 2)
potential 2*hinge.angle^2
torque 0.3 about spindle.angle
)",
       rodrigues + R"(coordinate q
let n = [1, 2, 2]/3;  let m = [0.6, 0, 0.8];  let w = -q/1.5
let c = [0.1, 0, 0.2] + 0.3/(2*pi)*q*n - spin(n, q)*[0.3, 0, 0.1]
let cw = -spin(m, w)*[0, 0.1, 0.2]
kinetic sq(c') + (0.3*n[1]^2 + 0.2*n[2]^2 + 0.4*n[3]^2)/2*q'^2
kinetic sq(cw')/2 + (0.1*m[1]^2 + 0.15*m[2]^2 + 0.2*m[3]^2)/2*w'^2
potential 9.81*(2*c[3] + cw[3]) + 2*w^2
force 0.3 on q
)",
       {{"nut.r", "c"}, {"nut.p", "about(n, q)"}, {"wheel.r", "cw"}, {"wheel.p", "about(m, w)"}}},

      {"rope_in_space",
       R"(model m
part slider = spatial_body(mass = 2, inertia = [0.3, 0.2, 0.4])
part bob = spatial_body(mass = 1, inertia = [0.1, 0.2, 0.15])
part rail = prismatic(b = slider, axis_a = [2, -1, 2])
part hoist = rope(a = slider, b = bob, length = 7, pulleys = 2, over = cat([0, 0.3, 2], [1, 1, 2]),
                  point_a = [0, 0.1, 0], point_b = [0, 0, 0.2])
potential 10*rail.displacement^2
)",
       R"(coordinate q[1..6] = 1
let slider = q[1]*[2, -1, 2]/3
let left = 7 - norm([0, 0.3, 2] - slider - [0, 0.1, 0]) - norm([1, 0.7, 0])
let R = rotz(q[4])*rotx(q[5])*rotz(q[6])
let c = [1, 1, 2] + left*[cos(q[2])*cos(q[3]), cos(q[2])*sin(q[3]), -sin(q[2])] - R*[0, 0, 0.2]
let w = turning(R, R')
kinetic sq(slider') + sq(c')/2 + (0.1*w[1]^2 + 0.2*w[2]^2 + 0.15*w[3]^2)/2
potential 9.81*(2*slider[3] + c[3]) + 10*q[1]^2
)",
       {{"slider.r", "slider"},
        {"slider.p", "[1, 0, 0, 0] + 0*q[1..4]"},
        {"bob.r", "c"},
        {"bob.p",
         "product(product(about([0, 0, 1], q[4]), about([1, 0, 0], q[5])), about([0, 0, 1], "
         "q[6]))"}}},

      {"cam_and_bushing_in_space",
       R"(model m
let curve(angle) = 0.5 + 0.1*cos(angle) + 0.05*sin(2*angle)
part shaft = spatial_body(mass = 1.2, inertia = [0.3, 0.2, 0.4])
part follower = spatial_body(mass = 0.7, inertia = [0.1, 0.2, 0.15])
part hinge = revolute(b = shaft, axis_a = [1, 2, 2], point_b = [0.05, 0, 0])
part contact = cam(a = shaft, b = follower, profile = curve, axis_a = [1, 2, 2],
                   point_a = [0.1, 0, 0.2], point_b = [0, 0.1, 0])
part mount = bushing(a = shaft, b = follower, orientation = [2, 1, 0, 0], point_a = [0.2, 0, 0.1], point_b = [0, 0, 0.1],
                     stiffness = [30, 40, 50], damping = [1, 2, 3], turn_stiffness = [2, 3, 4],
                     turn_damping = [0.1, 0.2, 0.3])
)",
       rodrigues + R"(coordinate q[1..6] = 0.3
let n = [1, 2, 2]/3;  let x = [8, -2, -2]/sqrt(72);  let y = cross(n, x)
let A = spin(n, q[1]);  let B = rotz(q[4])*rotx(q[5])*rotz(q[6])
let c1 = -A*[0.05, 0, 0]
let radius = 0.5 + 0.1*cos(q[2]) + 0.05*sin(2*q[2])
let c2 = c1 + A*([0.1, 0, 0.2] + radius*(cos(q[2])*x + sin(q[2])*y) + q[3]*n) - B*[0, 0.1, 0]
let w1 = turning(A, A');  let w2 = turning(B, B')
kinetic 0.6*sq(c1') + (0.3*w1[1]^2 + 0.2*w1[2]^2 + 0.4*w1[3]^2)/2
kinetic 0.35*sq(c2') + (0.1*w2[1]^2 + 0.2*w2[2]^2 + 0.15*w2[3]^2)/2
potential 9.81*(1.2*c1[3] + 0.7*c2[3])
let s = transpose(A)*(c2 + B*[0, 0, 0.1] - c1) - [0.2, 0, 0.1]
let E = transpose(A)*B*rotx(-2*atan2(1, 2))                       # as seen from a, without `orientation`
let e0 = sqrt(1 + E[1,1] + E[2,2] + E[3,3])/2
let turn = [E[3,2] - E[2,3], E[1,3] - E[3,1], E[2,1] - E[1,2]]/(2*e0)
let w = E*turning(E, E')
potential 15*s[1]^2 + 20*s[2]^2 + 25*s[3]^2 + turn[1]^2 + 1.5*turn[2]^2 + 2*turn[3]^2
dissipation s[1]'^2/2 + s[2]'^2 + 1.5*s[3]'^2 + 0.05*w[1]^2 + 0.1*w[2]^2 + 0.15*w[3]^2
)",
       {{"shaft.r", "c1"},
        {"shaft.p", "about(n, q[1])"},
        {"follower.r", "c2"},
        {"follower.p",
         "product(product(about([0, 0, 1], q[4]), about([1, 0, 0], q[5])), about([0, 0, 1], "
         "q[6]))"}}},
  };
}

model::Model elaborated(const std::string& text) {
  return model::elaborate(model::load_text(text, "m.daedal"));
}

/// The model written by hand, with an output for each coordinate of the elements and its first two derivatives.
model::Model by_hand(const Mechanism& mechanism) {
  std::string text = "model m\n" + helpers + mechanism.by_hand;
  for (std::size_t i = 0; i < mechanism.coordinates.size(); ++i) {
    const std::string name = "z" + std::to_string(i), e = mechanism.coordinates[i].second;
    text += "output " + name + " = " + e + ", " + name + "_d = der(" + e + "), " + name +
            "_dd = der(" + e + ", 2)\n";
  }
  return elaborated(text);
}

/// Entries of each coordinate: its name among the elements, and the suffix of its output.
struct Entry {
  std::string coordinate, output, suffix;
};

std::vector<Entry> entries(const Mechanism& mechanism) {
  std::vector<Entry> list;
  for (std::size_t i = 0; i < mechanism.coordinates.size(); ++i) {
    const std::string& name = mechanism.coordinates[i].first;
    const std::string output = "z" + std::to_string(i);
    const bool planar = mechanism.elements.find("planar_body") != std::string::npos;
    const int count = name.ends_with(".phi") ? 0 : name.ends_with(".p") ? 4 : planar ? 2 : 3;
    if (count == 0) list.push_back({name, output, ""});
    for (int k = 1; k <= count; ++k) {
      const std::string suffix = "[" + std::to_string(k) + "]";
      list.push_back({name + suffix, output, suffix});
    }
  }
  return list;
}

class ElementsOf : public ::testing::TestWithParam<Mechanism> {};

TEST_P(ElementsOf, move_as_the_energies_written_by_hand_say) {
  const Mechanism& mechanism = GetParam();
  ModelPoint hand(by_hand(mechanism)), elements(elaborated(mechanism.elements));
  std::mt19937 random(20);
  std::uniform_real_distribution<double> number(-1.2, 1.2);
  for (int round = 0; round < 10; ++round) {
    const double t = number(random) + 1.2;
    hand.set({{"t", t}});
    elements.set({{"t", t}});
    for (const model::Symbol& symbol : hand.model().symbols)
      if (symbol.kind == model::SymbolKind::coordinate)
        hand.set({{symbol.name, number(random)}, {symbol.name + "'", number(random)}});
    hand.solve();
    for (const Entry& entry : entries(mechanism))
      elements.set({{entry.coordinate, hand.output(entry.output + entry.suffix)},
                    {entry.coordinate + "'", hand.output(entry.output + "_d" + entry.suffix)}});
    const auto solution = elements.solve();
    double largest = 1;
    for (const auto& [name, value] : solution) largest = std::max(largest, std::abs(value));
    for (const auto& [name, residual] : elements.residuals())
      EXPECT_NEAR(residual, 0, rounding(100, 100 * largest)) << name;
    for (const Entry& entry : entries(mechanism)) {
      const std::string name = entry.coordinate + "''";
      EXPECT_NEAR(solution.at(name), hand.output(entry.output + "_dd" + entry.suffix),
                  rounding(100, 100 * largest))
          << name;
    }
  }
}

// Inverse dynamics two ways: the generalised forces that the accelerations take by hand are those of the elements, by the
// principle of virtual work, tau = (dz/dq)^T r(z, z', z''), whatever the multipliers: the joints do no work.
TEST_P(ElementsOf, take_the_forces_that_the_energies_written_by_hand_say) {
  const Mechanism& mechanism = GetParam();
  ModelPoint hand(by_hand(mechanism)), elements(elaborated(mechanism.elements));
  const std::vector<Entry> list = entries(mechanism);
  std::vector<std::string> free;
  for (const model::Symbol& symbol : hand.model().symbols)
    if (symbol.kind == model::SymbolKind::coordinate) free.push_back(symbol.name);
  std::mt19937 random(21);
  std::uniform_real_distribution<double> number(-1.2, 1.2);
  for (int round = 0; round < 10; ++round) {
    const double t = number(random) + 1.2;
    hand.set({{"t", t}});
    elements.set({{"t", t}});
    std::vector<double> rates;
    for (const std::string& q : free) {
      rates.push_back(number(random));
      hand.set({{q, number(random)}, {q + "'", rates.back()}, {q + "''", number(random)}});
    }
    for (const Entry& entry : list)
      elements.set({{entry.coordinate, hand.output(entry.output + entry.suffix)},
                    {entry.coordinate + "'", hand.output(entry.output + "_d" + entry.suffix)},
                    {entry.coordinate + "''", hand.output(entry.output + "_dd" + entry.suffix)}});
    for (const model::Relation& constraint : elements.model().constraints)
      elements.set({{constraint.name, number(random)}});
    const auto forces = hand.residuals(), loads = elements.residuals();
    double largest = 1;
    for (const auto& [name, load] : loads) largest = std::max(largest, std::abs(load));
    for (std::size_t j = 0; j < free.size(); ++j) {
      // z' is linear in q': its change with one rate is a column of dz/dq
      double work = 0;
      for (const Entry& entry : list) {
        hand.set({{free[j] + "'", rates[j] + 1}});
        const double faster = hand.output(entry.output + "_d" + entry.suffix);
        hand.set({{free[j] + "'", rates[j]}});
        work += loads.at("motion of " + entry.coordinate) *
                (faster - hand.output(entry.output + "_d" + entry.suffix));
      }
      EXPECT_NEAR(work, forces.at("motion of " + free[j]), rounding(1000, 100 * largest))
          << free[j] << " in round " << round;
    }
  }
}

/// At 1 s, by Taylor series at rounding.
std::vector<double> end_of(model::Model model, const std::vector<std::string>& columns) {
  const auto dae = std::make_shared<const derive::Dae>(
      derive::derive(std::make_shared<const model::Model>(std::move(model))));
  const solve::Prepared prepared = solve::prepare(dae, {});
  const solve::Trajectory run =
      solve::simulate(prepared.problem, prepared.start,
                      {.until = 1, .every = 1, .method = solve::TaylorOptions{.tolerance = 1e-16}});
  EXPECT_EQ(run.status, solve::Status::completed) << run.reason;
  std::vector<double> values;
  for (const std::string& column : columns)
    values.push_back(run.table.at(run.table.rows() - 1, run.table.find(column).value()));
  return values;
}

/// Both start at the same point, not far from that of all coordinates 0.3 with velocities 0.5.
TEST_P(ElementsOf, arrive_where_the_energies_written_by_hand_lead) {
  const Mechanism& mechanism = GetParam();
  const std::vector<Entry> list = entries(mechanism);
  model::Model hand = by_hand(mechanism);
  ModelPoint point(hand);
  for (const model::Symbol& symbol : hand.symbols) {
    if (symbol.kind != model::SymbolKind::coordinate) continue;
    point.set({{symbol.name, 0.3}, {symbol.name + "'", 0.5}});
  }
  std::string elements = mechanism.elements;
  std::vector<std::string> columns, outputs;
  for (const Entry& entry : list) {
    columns.push_back(entry.coordinate);
    outputs.push_back(entry.output + entry.suffix);
    std::ostringstream line;
    line.precision(17);
    line << "initial " << entry.coordinate << " = " << point.output(entry.output + entry.suffix)
         << ", " << entry.coordinate << "' = " << point.output(entry.output + "_d" + entry.suffix)
         << "\n";
    elements += line.str();
  }
  hand.starts.clear();
  for (expr::SymbolId s = 1; s < hand.symbols.size(); ++s) {
    if (hand.symbols[s].kind != model::SymbolKind::coordinate) continue;
    hand.starts.push_back({{s, 0}, 0.3, false, {}});
    hand.starts.push_back({{s, 1}, 0.5, false, {}});
  }
  const std::vector<double> expected = end_of(hand, outputs),
                            found = end_of(elaborated(elements), columns);
  for (std::size_t i = 0; i < list.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], rounding(100, 100 * std::max(1.0, std::abs(expected[i]))))
        << columns[i];

  // The default method projects after every step: coordinates of size 10 satisfy the constraints to rounding.
  const auto dae = std::make_shared<const derive::Dae>(
      derive::derive(std::make_shared<const model::Model>(elaborated(elements))));
  const solve::Prepared prepared = solve::prepare(dae, {});
  const solve::Trajectory run =
      solve::simulate(prepared.problem, prepared.start, {.until = 1, .global_error = false});
  ASSERT_EQ(run.status, solve::Status::completed) << run.reason;
  EXPECT_LE(run.drift.at(0).largest, rounding(100, 10)) << run.drift[0].constraint;
}

INSTANTIATE_TEST_SUITE_P(mechanisms, ElementsOf, ::testing::ValuesIn(mechanisms()),
                         [](const auto& m) { return m.param.name; });

// T = 1/2 p'^T M p' with the term along p: regular on the unit sphere whatever the inertia, whose part in it is 4 L^T J L.
TEST(SpatialBody, has_a_regular_mass_matrix) {
  ModelPoint point(
      elaborated("model m\npart b = spatial_body(mass = 2, inertia = [1, 2, 3], orientation = [1, "
                 "2, 3, 4])\n"));
  const Eigen::MatrixXd M = point.mass_matrix();
  const Eigen::VectorXd eigenvalues = M.selfadjointView<Eigen::Lower>().eigenvalues();
  Eigen::VectorXd expected(7);
  expected << 2, 2, 2, 4, 8, 8, 12;  // m; 4 J_i; 4 (J_1 + J_2 + J_3)/3
  EXPECT_LE((eigenvalues - expected).cwiseAbs().maxCoeff(), 1e-13);
}

// Five equations for a hinge, not six: no constraint of a tree of joints follows from the others.
TEST(SpatialJoints, are_free_of_redundancy) {
  for (const auto& [joint, equations] :
       std::vector<std::pair<std::string, int>>{{"spherical", 3},
                                                {"revolute", 5},
                                                {"cylindrical", 4},
                                                {"planar", 3},
                                                {"universal", 4},
                                                {"prismatic", 5},
                                                {"fixed", 6},
                                                {"point_on_line", 2}}) {
    const model::Model m = elaborated(
        "model m\npart b = spatial_body(mass = 1, inertia = [1, 1, 1])\npart j = " + joint +
        "(b = b)\n");
    EXPECT_EQ(m.constraints.size(), 1u + equations) << joint;
    if (joint == "universal" || joint == "fixed") continue;  // start elsewhere, or have no motion
    const auto dae = std::make_shared<const derive::Dae>(
        derive::derive(std::make_shared<const model::Model>(m)));
    EXPECT_NO_THROW(solve::prepare(dae, {})) << joint;
  }
}

// A planar four-bar in the x-y plane, of bodies in the plane and of bodies in space, the last joint of the latter with the
// two equations that are left: no redundancy, and the same motion. Closed as given; by Taylor series at rounding, for 1 s.
TEST(SpatialJoints, a_planar_revolute_closes_a_planar_loop) {
  const auto text = [](bool space) {
    const std::string body =
        space ? "spatial_body(inertia = [0.1, 0.1, 0.02], gravity = [0, -9.81, 0], "
              : "planar_body(inertia = 0.02, ";
    const auto at = [&](const std::string& x, const std::string& y) {
      return "[" + x + ", " + y + (space ? ", 0]" : "]");
    };
    return "model m\npart crank = " + body + "mass = 1, position = " + at("0", "0.5") + ")\n" +
           "part coupler = " + body + "mass = 2, position = " + at("0.6", "1.2") + ")\n" +
           "part rocker = " + body + "mass = 1, position = " + at("1.35", "0.7") + ")\n" +
           "part j1 = revolute(b = crank, point_b = " + at("0", "-0.5") + ")\n" +
           "part j2 = revolute(a = crank, b = coupler, point_a = " + at("0", "0.5") +
           ", point_b = " + at("-0.6", "-0.2") + ")\n" +
           "part j3 = revolute(a = coupler, b = rocker, point_a = " + at("0.6", "0.2") +
           ", point_b = " + at("-0.15", "0.7") + ")\n" +
           "part j4 = revolute(b = rocker, point_a = " + at("1.5", "0") +
           ", point_b = " + at("0.15", "-0.7") + (space ? ", planar = 1)\n" : ")\n") +
           "dissipation 0.1*j4.angle'^2\n";
  };
  const model::Model space = elaborated(text(true));
  EXPECT_EQ(space.constraints.size(), 3u + 3 * 5 + 2);
  const std::vector<std::string> columns{"crank.r[1]", "crank.r[2]", "rocker.r[1]", "rocker.r[2]"};
  const std::vector<double> expected = end_of(elaborated(text(false)), columns),
                            found = end_of(space, columns);
  for (std::size_t i = 0; i < columns.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-12) << columns[i];  // rounding over some 30 steps
}

// One equation for a wheel, a rope or a cam, five for a screw, one where other joints guide it; none of a bushing.
TEST(Elements, wheels_ropes_and_cams_count_their_equations) {
  const std::string plane =
      "model m\nlet curve(angle) = 1 + 0.1*cos(angle)\npart b = planar_body(mass = 1, inertia = "
      "1)\n"
      "part c = planar_body(mass = 1, inertia = 1, position = [1, 0])\npart j = ";
  const std::string space =
      "model m\nlet curve(angle) = 1 + 0.1*cos(angle)\n"
      "part b = spatial_body(mass = 1, inertia = [1, 1, 1], position = [1, 0, 0])\npart j = ";
  for (const auto& [text, equations] : std::vector<std::pair<std::string, std::size_t>>{
           {plane + "gear(a = b.phi, b = c.phi, ratio = 1.5)", 1},
           {plane + "gear(a = b, b = c, ratio = 1.5)", 1},
           {plane + "rack_and_pinion(a = b.phi, b = c.r[1], radius = 0.1)", 1},
           {plane + "rope(a = b, b = c, length = 3, over = [0, 1])", 1},
           {plane +
                "rope(a = b, b = c, length = 5, pulleys = 2, over = [0, 1, 1, 2], radius = 0.1)",
            1},
           {plane + "cam(a = b, b = c, profile = curve)", 1},
           {plane + "bushing(a = b, b = c, stiffness = 10)", 0},
           {space + "screw(b = b, pitch = 0.1)", 1 + 5},
           {space + "screw(b = b, pitch = 0.1, guided = 1)", 1 + 1},
           {space + "rope(b = b, length = 3, over = [0, 1, 1])", 1 + 1},
           {space + "cam(b = b, profile = curve)", 1 + 1},
           {space + "bushing(b = b, stiffness = 10)", 1}}) {
    const auto m = std::make_shared<const model::Model>(elaborated(text + "\n"));
    EXPECT_EQ(m->constraints.size(), equations) << text;
    const auto dae = std::make_shared<const derive::Dae>(derive::derive(m));
    EXPECT_NO_THROW(solve::prepare(dae, {})) << text;
  }
}

// J_1 and the reduced J_2/i^2 under a constant torque, beyond the +-pi of both angles: six turns of the pinion.
TEST(Gear, counts_the_turns_of_joints_in_space) {
  const std::vector<double> end =
      end_of(elaborated(R"(model m
part pinion = spatial_body(mass = 1, inertia = [1, 1, 0.02], angular_velocity = [0, 0, 30], gravity = [0, 0, 0])
part wheel = spatial_body(mass = 1, inertia = [0.1, 1, 1], angular_velocity = [-12, 0, 0], gravity = [0, 0, 0])
part shaft = revolute(b = pinion)
part axle = revolute(b = wheel, axis_a = [1, 0, 0])
part wheels = gear(a = shaft.angle, b = axle.angle, ratio = -2.5, teeth = 20)
torque 0.72 about shaft.angle
)"),
             {"pinion.p[1]", "pinion.p[4]", "wheel.p[1]", "wheel.p[2]"});
  const double angle = 30 + 0.72 / (0.02 + 0.1 / 6.25) / 2, other = -angle / 2.5;
  const double expected[] = {std::cos(angle / 2), std::sin(angle / 2), std::cos(other / 2),
                             std::sin(other / 2)};
  for (std::size_t i = 0; i < end.size(); ++i)
    EXPECT_NEAR(end[i], expected[i], rounding(100, 100 * angle)) << i;
}

// The wheels given as bodies on a carrier. w_sun = 3 w_arm and w_planet = -3 w_arm (Willis, 80, 20 and 40 teeth), so that the arm's
// acceleration is 3 tau/(9 J_sun + 9 J_planet + J_arm + m_planet 0.1^2); 40 turns of the sun later the drift is that of rounding.
TEST(Gear, between_bodies_makes_an_epicyclic_train) {
  const std::string train = R"(model m
part ring = planar_support()
part sun = planar_body(mass = 1, inertia = 1e-3, gravity = [0, 0])
part planet = planar_body(mass = 0.3, inertia = 1e-4, position = [0.1, 0], gravity = [0, 0])
part arm = planar_body(mass = 0.5, inertia = 5e-3, gravity = [0, 0])
part sun_bearing = revolute(b = sun)
part arm_bearing = revolute(b = arm)
part pin = revolute(a = arm, b = planet, point_a = [0.1, 0])
torque 1 about sun.phi
)";
  const std::string wheels =
      "part inner = gear(a = planet, b = sun, carrier = arm, ratio = -2)\n"
      "part outer = gear(a = planet, b = ring, carrier = arm, ratio = 4)\n";
  const double acceleration = 3.0 / (9 * 1e-3 + 9 * 1e-4 + 5e-3 + 0.3 * 0.01);
  const std::vector<double> end =
      end_of(elaborated(train + wheels), {"arm.phi", "sun.phi", "planet.phi"});
  const double angle = acceleration / 2, expected[] = {angle, 3 * angle, -3 * angle};
  for (std::size_t i = 0; i < end.size(); ++i)
    EXPECT_NEAR(end[i], expected[i], rounding(100, 100 * angle)) << i;

  const auto dae = std::make_shared<const derive::Dae>(
      derive::derive(std::make_shared<const model::Model>(elaborated(train + wheels))));
  const solve::Prepared prepared = solve::prepare(dae, {});
  const solve::Trajectory run =
      solve::simulate(prepared.problem, prepared.start, {.until = 1, .global_error = false});
  ASSERT_EQ(run.status, solve::Status::completed) << run.reason;
  EXPECT_LE(run.drift.at(0).largest, rounding(100, 3 * angle)) << run.drift[0].constraint;

  // the same as between the angles of the joints
  const std::vector<double> by_angles = end_of(
      elaborated(train + "part inner = gear(a = pin.angle, b = sun.phi - arm.phi, ratio = -2)\n"
                         "part outer = gear(a = pin.angle, b = -arm.phi, ratio = 4)\n"),
      {"arm.phi", "sun.phi", "planet.phi"});
  for (std::size_t i = 0; i < end.size(); ++i)
    EXPECT_NEAR(end[i], by_angles[i], rounding(100, 100 * angle)) << i;
}

// Atwood's machine on discs: |a| = g (m_2 - m_1)/(m_1 + m_2) and the tension 2 g m_1 m_2/(m_1 + m_2), whatever the radii.
TEST(Rope, accelerations_and_tension_of_atwoods_machine) {
  ModelPoint point(elaborated(R"(model m
part left = planar_body(mass = 3, inertia = 0.1)
part right = planar_body(mass = 5, inertia = 0.1)
part hoist = rope(a = left, b = right, length = 3.8 + 0.15*pi, pulleys = 2,
                  over = [0, 0, 0.8, 0], radius = -0.15)
)"));
  const auto solution =
      point.set({{"left.r[1]", -0.15}, {"left.r[2]", -2}, {"right.r[1]", 0.95}, {"right.r[2]", -1}})
          .solve();
  EXPECT_NEAR(point.residuals().at("hoist.rope"), 0, rounding(20, 4));
  EXPECT_NEAR(solution.at("left.r[2]''"), 9.81 / 4, rounding(100, 10));
  EXPECT_NEAR(solution.at("right.r[2]''"), -9.81 / 4, rounding(100, 10));
  EXPECT_NEAR(solution.at("left.r[1]''"), 0, rounding(100, 10));
  EXPECT_NEAR(-solution.at("hoist.rope"), 9.81 * 15 / 4, rounding(100, 40));
}

TEST(ElementsPage, has_examples_that_run) {
  int examples = 0;
  for (const model::PageBlock& block :
       model::page_blocks(std::string(DAEDAL_SOURCE_DIR) + "/docs/language/elements.md")) {
    if (block.kind != "daedal") continue;
    SCOPED_TRACE("elements.md:" + std::to_string(block.line));
    const auto dae = std::make_shared<const derive::Dae>(
        derive::derive(std::make_shared<const model::Model>(elaborated(block.text))));
    const solve::Prepared prepared = solve::prepare(dae, {});
    const solve::Trajectory run = solve::simulate(prepared.problem, prepared.start, {.until = 0.2});
    EXPECT_EQ(run.status, solve::Status::completed) << run.reason;
    EXPECT_LE(run.energy.largest_error, 1e-6 * (1 + run.energy.scale));
    ++examples;
  }
  EXPECT_GE(examples, 15);
}

}  // namespace
}  // namespace daedal::test
