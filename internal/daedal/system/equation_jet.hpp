// f_i^(k) at a point by jets, for problems whose derivatives are not written out.
#pragma once

#include "daedal/compile/jet.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/system/rising_factorial.hpp"

#include <cstdint>
#include <vector>

namespace daedal::solve {

class EquationJet {
 public:
  explicit EquationJet(const formulate::Problem& problem);

  /// Equations with c_i + level >= 0, in order.
  std::uint32_t rows(int level) const;
  /// f_i^(c_i + level) of these equations, from the time, states and (for level 0) tops in `point`. What has not changed
  /// since the last call is not computed again.
  void evaluate(const double* point, int level, double* rows);

 private:
  struct Entry {
    std::uint32_t unknown = 0, position = 0;
    int order = 0;
    RisingFactorial factorial;  // of the order
  };
  bool load(const double* point, int level);

  const formulate::Problem& problem_;
  compile::Jet<double> jet_;
  int first_ = 0;                            // level of entries_[0]
  std::vector<std::vector<Entry>> entries_;  // by level: x_j^(d_j + level)
  std::vector<RisingFactorial> factorials_;  // n!
  double time_ = 0;
  int evaluated_ = 0;  // stages below this one are up to date
};

}  // namespace daedal::solve
