// The structure of a Dae, checked: index, degrees of freedom and an order of solution that can be trusted.
//
// Where the system Jacobian is regular, the offsets of the Sigma-method say it all. Where it is singular everywhere the
// structure lies, and equations are combined or unknowns substituted until it does not [Tan2017]. The
// index then counts the differentiations of the equations as they were given: a combination that uses the k-th derivative
// of an equation adds k to that equation's count.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/structure/offsets.hpp"

#include <memory>
#include <string>
#include <vector>

namespace daedal::structure {

/// One rewriting of the equations on the way.
struct Conversion {
  enum class Method : std::uint8_t { cancellation, linear_combination, expression_substitution };
  Method method = Method::linear_combination;
  std::uint32_t equation = 0;  // the one that was rewritten
  std::string
      words;  // "'motion of phi' is replaced by a combination with 'path' differentiated twice"
};

/// What index and degrees of freedom rest on.
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
  int index = 0;
  int degrees_of_freedom = 0;
  Basis basis = Basis::offsets;
  std::string
      remark;  // a sentence when something could not be decided, or equations depend on each other

  bool solvable() const { return basis == Basis::offsets || basis == Basis::conversion; }
};

struct ExamineOptions {
  /// Where conversions fail, index and degrees of freedom by numerical ranks: up to seconds, for those who want to read
  /// them; what is to be solved must be solvable anyway.
  bool derivative_array = true;
};

/// Throws ModelError when the equations are structurally singular (see `analyse`).
Structure examine(std::shared_ptr<const derive::Dae> dae, const ExamineOptions& options = {});

}  // namespace daedal::structure
