// The matrices of a second-order form at a node as a block of a block tridiagonal system: with second differences
//
//     L = F_y''/h^2 - F_y'/2h,   D = F_y - 2 F_y''/h^2,   U = F_y''/h^2 + F_y'/2h     on the core.
#pragma once

#include "daedal/boundary/block_tridiagonal.hpp"
#include "daedal/boundary/second_order_form.hpp"

#include <cstdint>
#include <vector>

namespace daedal::boundary {

/// Where the entries of the matrices of a form go in the blocks of its core.
class CoreAssembly {
 public:
  explicit CoreAssembly(const SecondOrderForm& form);
  /// Of L and U.
  const solve::SparsePattern& coupling() const { return coupling_; }
  /// Fills block i from the values of SecondOrderForm::linearise; a step of 0 leaves derivatives out.
  void fill(const double* values, double step, BlockTridiagonal& to, std::size_t i) const;

 private:
  struct Entry {
    std::uint32_t value, row, column, coupling;
  };
  std::vector<Entry> entries_[SecondOrderForm::orders];
  solve::SparsePattern coupling_;
};

}  // namespace daedal::boundary
