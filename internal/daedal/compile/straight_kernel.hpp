// A kernel that is one straight line: a Program on the tape, and in native code once that pays off.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/compile/native_tier.hpp"
#include "daedal/compile/program.hpp"
#include "daedal/compile/tape.hpp"

#include <memory>

namespace daedal::compile {

class StraightKernel final : public Kernel {
 public:
  StraightKernel(Program program, const Options& options);

  std::uint32_t rows() const override {
    return static_cast<std::uint32_t>(code_->program.outputs.size());
  }
  Workspace workspace() const override;
  void prepare(const double* point, Workspace& work) const override;
  void evaluate(const double* point, double* rows, Workspace& work) const override;
  Backend running() const override { return tier_.code() ? Backend::native : Backend::tape; }
  bool wait_native() const override { return tier_.wait(); }
  std::uint64_t operations() const override { return code_->program.code.size(); }

  /// The workspace as part of a larger one: so many doubles, at its beginning.
  std::size_t scratch() const { return code_->program.values(); }
  void initialize(double* scratch) const { code_->tape.initialize(scratch); }

 private:
  // Shared with the background thread, which may still read it when the kernel is gone.
  struct Code {
    Code(Program lowered, const Options& options);
    Program program;
    Tape tape;
    NativeRequest request;
  };

  std::shared_ptr<const Code> code_;
  NativeTier tier_;
};

/// The source of a program that reads a point: every leaf at its place in the layout.
Source point_source(const expr::Graph& graph, const Layout& layout);

}  // namespace daedal::compile
