// Greedy in a transversal matroid: an equation is kept when an augmenting path leads from it to a free unknown, and is then
// kept for good. The constraints that remain are the first ones possible in the model's order.
#include "daedal/structure/surplus.hpp"

#include "daedal/structure/analysis.hpp"
#include "no_row.hpp"

namespace daedal::structure {

namespace {

class Matching {
 public:
  explicit Matching(const derive::Dae& dae)
      : unknowns_of_(dae.equations.size()),
        equation_of_(dae.unknowns.size(), no_row),
        reached_from_(dae.unknowns.size(), no_row),
        search_(dae.unknowns.size(), no_row) {
    for (const SignatureEntry& e : signature(dae)) unknowns_of_[e.equation].push_back(e.unknown);
  }

  /// Gives the equation an unknown, moving others to other unknowns if need be; false when there is none.
  bool add(std::uint32_t equation) {
    std::vector<std::uint32_t> queue{equation};
    for (std::size_t next = 0; next < queue.size(); ++next)
      for (const std::uint32_t unknown : unknowns_of_[queue[next]]) {
        if (search_[unknown] == equation) continue;
        search_[unknown] = equation;
        reached_from_[unknown] = queue[next];
        if (equation_of_[unknown] == no_row) {
          move_along(unknown, equation);
          return true;
        }
        queue.push_back(equation_of_[unknown]);
      }
    return false;
  }

 private:
  void move_along(std::uint32_t unknown, std::uint32_t first) {
    for (std::uint32_t equation = no_row; equation != first;) {
      equation = reached_from_[unknown];
      std::uint32_t given_up = no_row;  // what the equation had before
      for (const std::uint32_t other : unknowns_of_[equation])
        if (equation_of_[other] == equation) given_up = other;
      equation_of_[unknown] = equation;
      unknown = given_up;
    }
  }

  std::vector<std::vector<std::uint32_t>> unknowns_of_;
  std::vector<std::uint32_t> equation_of_;
  std::vector<std::uint32_t> reached_from_,
      search_;  // by unknown: from which equation, in whose search
};

}  // namespace

std::vector<std::uint32_t> surplus_constraints(const derive::Dae& dae) {
  Matching matching(dae);
  for (std::uint32_t i = 0; i < dae.equations.size(); ++i)
    if (const derive::EquationKind kind = dae.equations[i].kind;
        kind != derive::EquationKind::motion && kind != derive::EquationKind::constraint)
      matching.add(i);
  const std::vector<std::uint32_t> number = derive::constraints_in(dae);
  std::vector<std::uint32_t> surplus;
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < dae.equations.size(); ++i)
    if (dae.equations[i].kind == derive::EquationKind::constraint) {
      if (!matching.add(i)) surplus.push_back(number[next]);
      ++next;
    }
  return surplus;
}

}  // namespace daedal::structure
