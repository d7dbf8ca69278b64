// A kernel of families: equal shapes are computed in lanes, the rest on a straight line.
//
//     rows = 0;  for every family in order:  rows[row(instance, output)] += output(instance).
// Families with enough instances run in lanes through an index table. Everything else (terms that occur once, small
// families, and what all instances of a family have in common, such as a product of parameters) is one straight line,
// computed first.
#pragma once

#include "compile/lane_tape.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/compile/native_tier.hpp"
#include "daedal/compile/straight_kernel.hpp"

#include <memory>
#include <span>
#include <vector>

namespace daedal::compile {

/// Whether a family is worth lanes.
bool runs_in_lanes(const expr::Family& family);

class MappedKernel final : public Kernel {
 public:
  MappedKernel(std::span<const expr::Function> functions, const Layout& layout,
               const Options& options);

  std::uint32_t rows() const override { return rows_; }
  Workspace workspace() const override;
  void prepare(const double* point, Workspace& work) const override;
  void evaluate(const double* point, double* rows, Workspace& work) const override;
  Backend running() const override;
  bool wait_native() const override;
  std::uint64_t operations() const override { return operations_; }

 private:
  // Where a strip reads and adds.
  struct Access {
    std::vector<NativeRead> loads;
    std::vector<LaneOutput> outputs;
    std::uint32_t columns = 0;  // of the index table, per strip
    std::vector<std::uint32_t> indices;
  };
  // One family in lanes. Shared with the background thread.
  struct Lanes {
    explicit Lanes(Program lowered) : program(std::move(lowered)), tape(program) {}
    Program program;
    LaneTape tape;
    NativeRequest request;
    Access full, rest;  // rest: the last strip, when it is not full
    std::uint64_t full_strips = 0;
    std::uint32_t rest_instances = 0;
  };
  // What is done for one family: lanes, or additions of straight-line results.
  struct Part {
    std::shared_ptr<Lanes> lanes;
    std::unique_ptr<NativeTier> tier;
    std::size_t scratch = 0;  // where its scratch begins
    struct Addition {
      std::uint32_t row = 0, output = 0;
    };
    std::vector<Addition> additions;
  };
  struct Builder;

  static void add_lanes(const Part& part, const double* point, double* rows, const double* uniforms,
                        double* scratch);

  std::uint32_t rows_ = 0;
  std::uint64_t operations_ = 0;
  std::unique_ptr<StraightKernel> straight_;
  std::vector<Part> parts_;
  std::size_t straight_rows_ = 0, scratch_ = 0;  // places in the workspace
};

}  // namespace daedal::compile
