// The structure of a Dae, checked: index, degrees of freedom and an order of solution that can be trusted.
//
// Where the system Jacobian is regular, the offsets of the Sigma-method are complete. Where it is singular everywhere the
// signature misleads, and equations are combined or unknowns substituted until it does not [Tan2017]. The
// index then refers to differentiations of the equations as given: a combination that uses the k-th derivative
// of an equation adds k to that equation's number.
#pragma once

#include "daedal/derive/dae.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

// Pryce's Sigma-method: how often each equation must be differentiated [Pryce2001].
//
// Sigma(i, j) is the highest derivative order of unknown j in equation i. A transversal of highest value gives the
// canonical offsets c >= 0, d with d_j - c_i >= Sigma(i, j), equality on the transversal: equation i is differentiated c_i
// times, and the system { f_i^(c_i) = 0 } is solved for the top derivatives x_j^(d_j).

namespace daedal::structure {

struct SignatureEntry {
  std::uint32_t equation = 0, unknown = 0;
  int order = 0;
};

struct Offsets {
  std::vector<int> c;                     // per equation
  std::vector<int> d;                     // per unknown
  std::vector<std::uint32_t> assignment;  // unknown matched to each equation
  std::vector<std::uint32_t> unmatched_equations, unmatched_unknowns;  // when singular

  bool singular() const { return !unmatched_equations.empty(); }  // no transversal
  int value() const;  // of the transversal: sum d - sum c
};

Offsets offsets(std::uint32_t size, std::span<const SignatureEntry> signature);

/// The smallest valid offsets above `canonical` with d_j >= at_least[j]: equations are differentiated further where a
/// derivative is required that the equations alone do not provide. The value stays as it is.
Offsets raised(const Offsets& canonical, std::span<const SignatureEntry> signature,
               std::span<const int> at_least);

/// One conversion of the equations.
struct Conversion {
  enum class Method : std::uint8_t { cancellation, linear_combination, expression_substitution };
  Method method = Method::linear_combination;
  std::uint32_t equation = 0;  // the one that was rewritten
  std::string
      words;  // "'motion of phi' is replaced by a combination with 'path' differentiated twice"
};

/// The basis of index and degrees of freedom.
enum class Basis : std::uint8_t {
  offsets,           // regular system Jacobian, of the equations as given
  conversion,        // regular system Jacobian, after conversions
  derivative_array,  // numerical ranks: index and degrees of freedom only
  nothing            // neither could be decided; see `remark`
};

struct Structure {
  std::shared_ptr<const derive::Dae>
      dae;          // the given one, or as converted: a plain Dae, same solutions
  Offsets offsets;  // of `dae`
  std::vector<Conversion> conversions;
  std::vector<int>
      differentiations;  // of each equation as given; empty when `basis` is a derivative array or nothing
  int index = 0;         // of the equations as given
  int degrees_of_freedom = 0;  // the number of free initial values
  Basis basis = Basis::offsets;
  std::string
      remark;  // a sentence when something could not be decided, or equations depend on each other

  bool solvable() const { return basis == Basis::offsets || basis == Basis::conversion; }
};

struct ExamineOptions {
  /// Where conversions fail, index and degrees of freedom by numerical ranks: up to seconds, for reports
  /// only; a problem to be solved must be solvable without.
  bool derivative_array = true;
};

/// Throws ModelError when the equations are structurally singular (see `analyse`).
Structure examine(std::shared_ptr<const derive::Dae> dae, const ExamineOptions& options = {});

/// As the signature says, without a check of the system Jacobian: for equations whose signature is known not to mislead,
/// as in the other modes of a mechanism that was examined in one. Throws as `examine` does.
Structure by_signature(std::shared_ptr<const derive::Dae> dae);

// The order of solution: fine block-triangular form of the system Jacobian [Pryce2001, PothenFan1990].
//
// An entry of the signature matters for the system Jacobian where d_j - c_i = Sigma(i, j). Equation i then needs unknown j,
// which is found by the equation j is matched to; the strongly connected parts of that graph are the blocks. Each is solved
// for its own unknowns with those of earlier blocks known. J is regular where every diagonal block is.

struct Block {
  std::vector<std::uint32_t> equations;
  std::vector<std::uint32_t> unknowns;  // unknowns[k] is matched to equations[k]
};

/// Blocks in an order of solution, equations within a block in increasing order. The offsets have a transversal.
std::vector<Block> fine_blocks(const Offsets& offsets, std::span<const SignatureEntry> signature);

}  // namespace daedal::structure
