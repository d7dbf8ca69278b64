// Programs to machine code with LLVM's ORC.
//
// Hash-consing has already shared every subexpression, so no IR pass runs: they triple the time to compile and gain
// nothing on straight lines. Code generation is at its default level, for this very processor. No contraction and no
// fast-math flag anywhere: native code performs the tape's operations, each rounded.
#include "compile/native/function_builder.hpp"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>

#include <cassert>
#include <mutex>

namespace daedal::compile {
namespace {

// LLVM's own tables are destroyed at exit. This object is made after them and therefore destroyed before them: it lets a
// compilation that is still running finish and turns away later ones.
class Gate {
 public:
  Gate() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  }
  ~Gate() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  std::unique_lock<std::mutex> enter() {
    std::unique_lock lock(mutex_);
    if (closed_) lock.unlock();
    return lock;
  }

 private:
  std::mutex mutex_;
  bool closed_ = false;
};
Gate gate;

class OrcCode final : public NativeCode {
 public:
  explicit OrcCode(std::unique_ptr<llvm::orc::LLJIT> jit) : jit_(std::move(jit)) {}
  llvm::orc::LLJIT& jit() { return *jit_; }

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

// The value, or null; LLVM's errors must be consumed, but need no report: the tape continues.
template <class T>
std::optional<T> value_or_nothing(llvm::Expected<T> expected) {
  if (expected) return std::move(*expected);
  llvm::consumeError(expected.takeError());
  return std::nullopt;
}

std::unique_ptr<llvm::orc::LLJIT> make_jit() {
  auto target = value_or_nothing(llvm::orc::JITTargetMachineBuilder::detectHost());
  if (!target) return nullptr;
  target->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  target->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  auto jit = value_or_nothing(
      llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*target)).create());
  return jit ? std::move(*jit) : nullptr;
}

std::optional<NativeFunction> compile_function(OrcCode& code, const NativeRequest& request,
                                               const Plan& plan, const Residence& residence,
                                               std::uint32_t number) {
  const std::string name = ("f" + llvm::Twine(number)).str();
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>(name, *context);
  module->setDataLayout(code.jit().getDataLayout());
  FunctionBuilder(*module, request, plan, residence).build(number, name);
  assert(!llvm::verifyModule(*module, &llvm::errs()));
  if (llvm::Error error = code.jit().addIRModule({std::move(module), std::move(context)})) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  const auto address = value_or_nothing(code.jit().lookup(name));
  if (!address) return std::nullopt;
  return address->toPtr<NativeFunction>();
}

std::unique_ptr<NativeCode> compile(const NativeRequest& request,
                                    const std::atomic<bool>& cancelled) {
  auto jit = make_jit();
  if (!jit) return nullptr;
  auto code = std::make_unique<OrcCode>(std::move(jit));
  const Plan functions = plan(request);
  const Residence residence(request, functions);
  for (std::uint32_t i = 0; i < functions.functions.size(); ++i) {
    if (cancelled) return nullptr;
    const auto function = compile_function(*code, request, functions, residence, i);
    if (!function) return nullptr;
    code->functions.push_back(*function);
  }
  return code;
}

}  // namespace
}  // namespace daedal::compile

extern "C" {

int daedal_native_version() { return daedal::compile::native_interface_version; }

daedal::compile::NativeCode* daedal_native_compile(const daedal::compile::NativeRequest& request,
                                                   const std::atomic<bool>& cancelled) {
  const auto inside = daedal::compile::gate.enter();
  return inside ? daedal::compile::compile(request, cancelled).release() : nullptr;
}
}
