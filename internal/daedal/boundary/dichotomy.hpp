// How a reduced system behaves near a state of rest: which deviations decay, which grow, and the boundary conditions that
// leave a bounded solution.
//
// The propagator T of ONE interval of the discretisation decides, not the zeros: eigenvalues |mu| < 1 decay, |mu| > 1 grow,
// |mu| = 1 do neither (centre), within rounding error: each eigenvalue has an uncertainty, its condition
// number times rounding errors of the equations. So the numbers of modes fit the scheme and the mesh, algebraic
// variables included. Deviations along the constraint levels are left out first, they are fixed by the levels
// themselves. At the left end the decaying and the centre components of s - s_rest must vanish, at the right end the
// growing ones: centre modes all at the left, where they start at rest, as causality requires; half of their
// conditions at each end would be a resonance problem.
//
// The propagator is never formed: the collocation equations join the states at both ends of the interval, s_0 = B y, s_1 = E y, and
// E - mu B is a pencil of moderate numbers where T = E B^-1 has entries up to 1e12. Its deflating subspaces come from the sign
// of a pencil [GardinerLaub1986; Higham2008], which needs no eigenvectors.
#pragma once

#include "daedal/boundary/reduced_system.hpp"

#include <Eigen/Core>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

namespace daedal::boundary {

struct Multiplier {
  std::complex<double> value;  // mu
  double doubt = 0;            // of log |mu|: its uncertainty due to rounding
  bool grows() const { return std::log(std::abs(value)) > doubt; }
  bool decays() const { return std::log(std::abs(value)) < -doubt; }
};

struct Dichotomy {
  int stable = 0, centre = 0, unstable = 0;
  std::vector<Multiplier> multipliers;  // largest first
  double step = 0;                      // [s], of the interval
  Eigen::MatrixXd decaying;             // rows: stable and centre components, orthonormal
  Eigen::MatrixXd growing;  // rows: unstable components, left eigenspace of T on all states
  /// The generator of the growing components, p' = M p with p = growing (s - s_rest).
  Eigen::MatrixXd growth;
};

/// "1 stable, 0 centre, 1 unstable"
std::string describe(const Dichotomy& dichotomy);

/// At rest in (w, s, z), of an interval of length `step` with Gauss collocation of so many stages. std::runtime_error when
/// the collocation equations are singular there.
Dichotomy dichotomy(ReducedSystem& system, const double* w, const std::vector<double>& states,
                    const std::vector<double>& tops, double step, int stages);

}  // namespace daedal::boundary
