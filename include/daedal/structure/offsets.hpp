// Pryce's Sigma-method: how often each equation must be differentiated [Pryce2001].
//
// Sigma(i, j) is the highest derivative order of unknown j in equation i. A transversal of highest value gives the
// canonical offsets c >= 0, d with d_j - c_i >= Sigma(i, j), equality on the transversal: equation i is differentiated c_i
// times, and the system { f_i^(c_i) = 0 } is solved for the top derivatives x_j^(d_j).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace daedal::structure {

struct SignatureEntry {
  std::uint32_t equation = 0, unknown = 0;
  int order = 0;
};

struct Offsets {
  std::vector<int> c;                     // per equation
  std::vector<int> d;                     // per unknown
  std::vector<std::uint32_t> assignment;  // unknown matched to each equation
  int degrees_of_freedom = 0;             // sum d - sum c, the number of free initial values
  int index = 0;                          // structural index: max c, plus 1 when some d is 0
  bool singular = false;                  // no transversal
  std::vector<std::uint32_t> unmatched_equations, unmatched_unknowns;  // when singular
};

Offsets offsets(std::uint32_t size, std::span<const SignatureEntry> signature);

/// The smallest valid offsets above `canonical` with d_j >= at_least[j]: equations are differentiated further where a
/// derivative is asked for that the equations alone do not lead to. Index and degrees of freedom stay as they are.
Offsets raised(const Offsets& canonical, std::span<const SignatureEntry> signature,
               std::span<const int> at_least);

}  // namespace daedal::structure
