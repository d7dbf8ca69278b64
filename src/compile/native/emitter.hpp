// LLVM IR of one instruction, for scalars and for vectors of lanes alike.
#pragma once

#include "daedal/compile/native_interface.hpp"

#include <llvm/IR/IRBuilder.h>

#include <span>

namespace daedal::compile {

class Emitter {
 public:
  Emitter(llvm::IRBuilder<>& builder, const NativeRequest& request);

  llvm::Type* type() const { return type_; }
  llvm::Value* constant(double value) const;
  /// Any operation but those calling a function.
  llvm::Value* operation(const Instruction& i, llvm::Value* a, llvm::Value* b, llvm::Value* c);
  static bool is_call(expr::Op op) { return expr::facts(op).is_function(); }
  /// results[k] = op(arguments[k]): all at once where that is faster.
  std::vector<llvm::Value*> calls(const Instruction& kind, std::span<llvm::Value* const> a,
                                  std::span<llvm::Value* const> b);
  struct Pairs {
    std::vector<llvm::Value*> sines, cosines;
  };
  Pairs sincos(std::span<llvm::Value* const> angles);
  /// Space on the stack for arguments and results of array functions; call at the start of a function.
  void reserve(std::uint32_t most_calls_at_once);

 private:
  struct Arithmetic;
  llvm::Value* call_scalar(const Instruction& kind, llvm::Value* a, llvm::Value* b);
  llvm::Value* pointer(const void* address) const;
  llvm::FunctionCallee function(const void* address, llvm::Type* result,
                                llvm::ArrayRef<llvm::Type*> parameters) const;
  llvm::Value* slot(llvm::Value* buffer, std::size_t k);
  void spill(llvm::Value* buffer, std::span<llvm::Value* const> values);
  std::vector<llvm::Value*> reload(llvm::Value* buffer, std::size_t count);

  llvm::IRBuilder<>& builder_;
  const NativeRequest& request_;
  llvm::Type* real_;
  llvm::Type* type_;  // double or <lanes x double>
  llvm::Value* buffer_[3] = {};
};

}  // namespace daedal::compile
