#include "compile/native/function_builder.hpp"

#include <algorithm>

namespace daedal::compile {

using expr::Op;
using llvm::Value;

Residence::Residence(const NativeRequest& request, const Plan& plan)
    : Residence(*request.program, plan) {
  if (!request.vector) return;
  const Program& program = *request.program;
  for (std::uint32_t output : program.outputs) {
    if (output >= program.first_code())
      last_used[output - program.first_code()] = static_cast<std::uint32_t>(plan.functions.size());
  }
}

Residence::Residence(const Program& program, const Plan& plan)
    : made(program.code.size()), last_used(program.code.size()) {
  const auto use = [&](std::uint32_t value, std::uint32_t function) {
    if (value < program.first_code()) return;
    std::uint32_t& last = last_used[value - program.first_code()];
    last = std::max(last, function);
  };
  for (std::uint32_t f = 0; f < plan.functions.size(); ++f) {
    for (const Group& group : plan.functions[f]) {
      for (std::size_t k = 0; k < group.members.size(); ++k) {
        const Instruction& i = program.code[group.members[k]];
        made[group.members[k]] = made[group.partners[k]] = f;
        const std::uint32_t operands[] = {i.a, i.b, i.c};
        for (int n = 0; n < arity(i.op); ++n) use(operands[n], f);
      }
    }
  }
}

FunctionBuilder::FunctionBuilder(llvm::Module& module, const NativeRequest& request,
                                 const Plan& plan, const Residence& residence)
    : module_(module),
      request_(request),
      program_(*request.program),
      plan_(plan),
      residence_(residence),
      builder_(module.getContext()),
      emit_(builder_, request) {}

void FunctionBuilder::build(std::uint32_t function, const std::string& name) {
  function_ = function;
  known_.assign(program_.values(), nullptr);
  begin(name);
  if (request_.vector) open_vector_loop();
  for (const Group& group : plan_.functions[function_]) emit_group(group);
  if (request_.vector) {
    if (is_last()) leave_loaded_outputs();
    close_vector_loop();
  } else {
    write_rows();
  }
  builder_.CreateRetVoid();
}

void FunctionBuilder::begin(const std::string& name) {
  llvm::Type* pointer = builder_.getPtrTy();
  auto* type = llvm::FunctionType::get(
      builder_.getVoidTy(), {pointer, pointer, pointer, pointer, pointer, builder_.getInt64Ty()},
      false);
  code_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
  code_->addFnAttr(llvm::Attribute::NoUnwind);
  // Point, rows, scratch, uniforms and indices are different arrays; saying so lets loads and stores pass each other.
  for (unsigned k = 0; k < 5; ++k) code_->addParamAttr(k, llvm::Attribute::NoAlias);
  point_ = code_->getArg(0);
  rows_ = code_->getArg(1);
  values_ = code_->getArg(2);
  uniforms_ = code_->getArg(3);
  indices_ = code_->getArg(4);
  entry_ = llvm::BasicBlock::Create(module_.getContext(), "entry", code_);
  builder_.SetInsertPoint(entry_);
  emit_.reserve(plan_.largest_group);
  if (request_.vector)
    strip_start_ = builder_.CreateMul(code_->getArg(5), builder_.getInt64(strip));
}

void FunctionBuilder::open_vector_loop() {
  loop_ = llvm::BasicBlock::Create(module_.getContext(), "vector", code_);
  builder_.CreateBr(loop_);
  builder_.SetInsertPoint(loop_);
  vector_start_ = builder_.CreatePHI(builder_.getInt64Ty(), 2);
  vector_start_->addIncoming(builder_.getInt64(0), entry_);
}

void FunctionBuilder::close_vector_loop() {
  Value* next = builder_.CreateAdd(vector_start_, builder_.getInt64(lanes));
  vector_start_->addIncoming(next, builder_.GetInsertBlock());
  auto* done = llvm::BasicBlock::Create(module_.getContext(), "done", code_);
  builder_.CreateCondBr(builder_.CreateICmpULT(next, builder_.getInt64(request_.instances)), loop_,
                        done);
  builder_.SetInsertPoint(done);
}

void FunctionBuilder::emit_group(const Group& group) {
  const Instruction& kind = program_.code[group.members.front()];
  if (!Emitter::is_call(kind.op)) {
    const int operands = arity(kind.op);
    Value* a = value(kind.a);
    Value* b = operands > 1 ? value(kind.b) : nullptr;
    Value* c = operands > 2 ? value(kind.c) : nullptr;
    finish_value(group.members.front(), emit_.operation(kind, a, b, c));
    return;
  }
  std::vector<Value*> a, b;
  for (std::uint32_t i : group.members) {
    a.push_back(value(program_.code[i].a));
    if (arity(kind.op) > 1) b.push_back(value(program_.code[i].b));
  }
  if (kind.op != Op::sin && kind.op != Op::cos) {
    const std::vector<Value*> results = emit_.calls(kind, a, b);
    for (std::size_t k = 0; k < results.size(); ++k) finish_value(group.members[k], results[k]);
    return;
  }
  const Emitter::Pairs pairs = emit_.sincos(a);
  for (std::size_t k = 0; k < group.members.size(); ++k) {
    for (std::uint32_t i : {group.members[k], group.partners[k]})
      finish_value(i, program_.code[i].op == Op::sin ? pairs.sines[k] : pairs.cosines[k]);
  }
}

Value* FunctionBuilder::element(Value* base, std::uint64_t index) {
  return builder_.CreateConstInBoundsGEP1_64(builder_.getDoubleTy(), base, index);
}

Value* FunctionBuilder::load(llvm::Type* type, Value* address) {
  return builder_.CreateAlignedLoad(type, address, llvm::Align(8));
}

Value* FunctionBuilder::scratch(std::uint32_t number) {
  if (!request_.vector) return element(values_, number);
  return builder_.CreateInBoundsGEP(builder_.getDoubleTy(),
                                    element(values_, std::uint64_t{number} * strip), vector_start_);
}

// Remembers a result, and leaves it to later functions where they need it.
void FunctionBuilder::finish_value(std::uint32_t instruction, Value* result) {
  const std::uint32_t number = program_.first_code() + instruction;
  known_[number] = result;
  if (residence_.last_used[instruction] > function_)
    builder_.CreateAlignedStore(result, scratch(number), llvm::Align(8));
}

Value* FunctionBuilder::value(std::uint32_t number) {
  Value*& known = known_[number];
  if (known) return known;
  if (number < program_.first_load()) {
    known = emit_.constant(program_.constants[number]);
  } else if (number < program_.first_code()) {
    known = read(request_.loads[number - program_.first_load()]);
  } else if (number < program_.first_code() + program_.prepared) {
    known = uniform(request_.prepared[number - program_.first_code()]);
  } else {
    known = load(emit_.type(), scratch(number));
  }
  return known;
}

Value* FunctionBuilder::read(const NativeRead& from) {
  switch (from.from) {
    case NativeRead::From::point:
      return load(builder_.getDoubleTy(), element(point_, from.index));
    case NativeRead::From::uniform:
      return uniform(from.index);
    case NativeRead::From::gather:
      return gather(from.index);
    case NativeRead::From::stride: {
      Value* instance = builder_.CreateAdd(strip_start_, vector_start_);
      return load(emit_.type(), builder_.CreateInBoundsGEP(builder_.getDoubleTy(),
                                                           element(point_, from.index), instance));
    }
  }
  llvm_unreachable("unknown source of a value");
}

Value* FunctionBuilder::uniform(std::uint32_t index) {
  const llvm::IRBuilderBase::InsertPointGuard back_afterwards(builder_);
  if (request_.vector) builder_.SetInsertPoint(entry_->getTerminator());  // once, before the loop
  Value* scalar = load(builder_.getDoubleTy(), element(uniforms_, index));
  return request_.vector ? builder_.CreateVectorSplat(lanes, scalar) : scalar;
}

Value* FunctionBuilder::gather(std::uint32_t column) {
  llvm::Type* integer = builder_.getInt32Ty();
  Value* start =
      builder_.CreateConstInBoundsGEP1_64(integer, indices_, std::uint64_t{column} * strip);
  Value* narrow = builder_.CreateAlignedLoad(
      llvm::FixedVectorType::get(integer, lanes),
      builder_.CreateInBoundsGEP(integer, start, vector_start_), llvm::Align(4));
  Value* wide =
      builder_.CreateZExt(narrow, llvm::FixedVectorType::get(builder_.getInt64Ty(), lanes));
  Value* addresses = builder_.CreateInBoundsGEP(builder_.getDoubleTy(), point_, wide);
  return builder_.CreateMaskedGather(emit_.type(), addresses, llvm::Align(8));
}

// Each function writes the rows it has computed; the last one those that are not computed at all.
void FunctionBuilder::write_rows() {
  const std::uint32_t first = program_.first_code() + program_.prepared;
  for (std::uint32_t k = 0; k < program_.outputs.size(); ++k) {
    const std::uint32_t number = program_.outputs[k];
    const bool here =
        number < first ? is_last() : residence_.made[number - program_.first_code()] == function_;
    if (here) builder_.CreateAlignedStore(value(number), element(rows_, k), llvm::Align(8));
  }
}

// Computed outputs of a vector kernel are already in their strips, constants always are; what was only read is not.
void FunctionBuilder::leave_loaded_outputs() {
  for (const std::uint32_t number : program_.outputs) {
    if (number >= program_.first_load() && number < program_.first_code())
      builder_.CreateAlignedStore(value(number), scratch(number), llvm::Align(8));
  }
}

}  // namespace daedal::compile
