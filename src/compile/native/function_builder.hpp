// One native function: a stretch of the plan as LLVM IR.
#pragma once

#include "compile/native/emitter.hpp"
#include "compile/native/plan.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace daedal::compile {

/// In which function of the plan each instruction is computed and last used (one beyond the last: by the caller).
struct Residence {
  std::vector<std::uint32_t> made, last_used;
  Residence(const NativeRequest& request, const Plan& plan);

 private:
  Residence(const Program& program, const Plan& plan);
};

class FunctionBuilder {
 public:
  FunctionBuilder(llvm::Module& module, const NativeRequest& request, const Plan& plan,
                  const Residence& residence);
  void build(std::uint32_t function, const std::string& name);

 private:
  void begin(const std::string& name);
  void open_vector_loop();
  void close_vector_loop();
  void emit_group(const Group& group);
  void finish_value(std::uint32_t instruction, llvm::Value* value);
  llvm::Value* value(std::uint32_t number);
  llvm::Value* read(const NativeRead& from);
  llvm::Value* uniform(std::uint32_t index);
  llvm::Value* gather(std::uint32_t column);
  llvm::Value* scratch(std::uint32_t number);
  void write_rows();
  void leave_loaded_outputs();
  llvm::Value* element(llvm::Value* base, std::uint64_t index);
  llvm::Value* load(llvm::Type* type, llvm::Value* address);
  bool is_last() const { return function_ + 1 == plan_.functions.size(); }

  llvm::Module& module_;
  const NativeRequest& request_;
  const Program& program_;
  const Plan& plan_;
  const Residence& residence_;
  llvm::IRBuilder<> builder_;
  Emitter emit_;
  std::uint32_t function_ = 0;
  std::vector<llvm::Value*> known_;  // by value number, in this function
  llvm::Function* code_ = nullptr;
  llvm::Value *point_ = nullptr, *rows_ = nullptr, *values_ = nullptr, *uniforms_ = nullptr,
              *indices_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  llvm::BasicBlock* loop_ = nullptr;
  llvm::Value* strip_start_ = nullptr;     // number of the strip's first instance
  llvm::PHINode* vector_start_ = nullptr;  // lanes before this vector in the strip
};

}  // namespace daedal::compile
