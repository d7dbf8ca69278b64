#include "compile/native/emitter.hpp"

#include <llvm/IR/Intrinsics.h>

namespace daedal::compile {

using expr::Is;
using expr::Op;
using llvm::Type;
using llvm::Value;

Emitter::Emitter(llvm::IRBuilder<>& builder, const NativeRequest& request)
    : builder_(builder),
      request_(request),
      real_(builder.getDoubleTy()),
      type_(request.vector ? static_cast<Type*>(llvm::FixedVectorType::get(real_, lanes)) : real_) {
}

Value* Emitter::constant(double value) const { return llvm::ConstantFP::get(type_, value); }

/// The meanings are those of expr::Meaning; comparisons are false for NaN, except !=.
struct Emitter::Arithmetic {
  Emitter& emitter;
  llvm::IRBuilder<>& builder;

  Value* of(Is<Op::neg>, Value* a) { return builder.CreateFNeg(a); }
  Value* of(Is<Op::add>, Value* a, Value* b) { return builder.CreateFAdd(a, b); }
  Value* of(Is<Op::sub>, Value* a, Value* b) { return builder.CreateFSub(a, b); }
  Value* of(Is<Op::mul>, Value* a, Value* b) { return builder.CreateFMul(a, b); }
  Value* of(Is<Op::div>, Value* a, Value* b) { return builder.CreateFDiv(a, b); }
  Value* of(Is<Op::sqrt>, Value* a) { return intrinsic(llvm::Intrinsic::sqrt, a); }
  Value* of(Is<Op::abs>, Value* a) { return intrinsic(llvm::Intrinsic::fabs, a); }
  Value* of(Is<Op::floor>, Value* a) { return intrinsic(llvm::Intrinsic::floor, a); }
  Value* of(Is<Op::sign>, Value* a) {
    Value* above = truth(builder.CreateFCmpOGT(a, zero()));
    return builder.CreateFSub(above, truth(builder.CreateFCmpOLT(a, zero())));
  }
  Value* of(Is<Op::logical_not>, Value* a) { return truth(builder.CreateFCmpOEQ(a, zero())); }
  Value* of(Is<Op::min>, Value* a, Value* b) {
    return builder.CreateSelect(builder.CreateFCmpOLT(b, a), b, a);
  }
  Value* of(Is<Op::max>, Value* a, Value* b) {
    return builder.CreateSelect(builder.CreateFCmpOLT(a, b), b, a);
  }
  Value* of(Is<Op::mod>, Value* a, Value* b) {
    Value* turns = intrinsic(llvm::Intrinsic::floor, builder.CreateFDiv(a, b));
    return builder.CreateFSub(a, builder.CreateFMul(b, turns));
  }
  Value* of(Is<Op::less>, Value* a, Value* b) { return truth(builder.CreateFCmpOLT(a, b)); }
  Value* of(Is<Op::less_equal>, Value* a, Value* b) { return truth(builder.CreateFCmpOLE(a, b)); }
  Value* of(Is<Op::logical_and>, Value* a, Value* b) {
    Value* first = nonzero(a);
    return truth(builder.CreateAnd(first, nonzero(b)));
  }
  Value* of(Is<Op::logical_or>, Value* a, Value* b) {
    Value* first = nonzero(a);
    return truth(builder.CreateOr(first, nonzero(b)));
  }
  Value* of(Is<Op::select>, Value* a, Value* b, Value* c) {
    return builder.CreateSelect(nonzero(a), b, c);
  }

  Value* intrinsic(llvm::Intrinsic::ID id, Value* a) { return builder.CreateUnaryIntrinsic(id, a); }
  Value* zero() { return emitter.constant(0); }
  Value* truth(Value* condition) { return builder.CreateUIToFP(condition, emitter.type_); }
  Value* nonzero(Value* value) { return builder.CreateFCmpUNE(value, zero()); }
};

Value* Emitter::operation(const Instruction& i, Value* a, Value* b, Value* c) {
  return expr::visit(
      i.op, [&, arithmetic = Arithmetic{*this, builder_}](auto op) mutable -> Value* {
        if constexpr (op == Op::powi || expr::facts(op).is_function())
          llvm_unreachable("a call is not an operation, and a program has no powers");
        else if constexpr (expr::facts(op).arity == 1)
          return arithmetic.of(op, a);
        else if constexpr (expr::facts(op).arity == 2)
          return arithmetic.of(op, a, b);
        else
          return arithmetic.of(op, a, b, c);
      });
}

Value* Emitter::pointer(const void* address) const {
  return llvm::ConstantExpr::getIntToPtr(
      builder_.getInt64(reinterpret_cast<std::uintptr_t>(address)), builder_.getPtrTy());
}

llvm::FunctionCallee Emitter::function(const void* address, Type* result,
                                       llvm::ArrayRef<Type*> parameters) const {
  return {llvm::FunctionType::get(result, parameters, false), pointer(address)};
}

Value* Emitter::slot(Value* buffer, std::size_t k) {
  return builder_.CreateConstInBoundsGEP1_64(type_, buffer, k);
}

void Emitter::spill(Value* buffer, std::span<Value* const> values) {
  for (std::size_t k = 0; k < values.size(); ++k)
    builder_.CreateAlignedStore(values[k], slot(buffer, k), llvm::Align(8));
}

std::vector<Value*> Emitter::reload(Value* buffer, std::size_t count) {
  std::vector<Value*> values;
  for (std::size_t k = 0; k < count; ++k)
    values.push_back(builder_.CreateAlignedLoad(type_, slot(buffer, k), llvm::Align(8)));
  return values;
}

void Emitter::reserve(std::uint32_t most_calls_at_once) {
  for (Value*& buffer : buffer_)
    buffer = builder_.CreateAlloca(type_, builder_.getInt32(most_calls_at_once));
}

// One scalar call; the functions that have no array version take their lanes one by one.
Value* Emitter::call_scalar(const Instruction& kind, Value* a, Value* b) {
  Type* integer = builder_.getInt32Ty();
  Value* derivative = builder_.getInt32(kind.b);
  if (kind.op == Op::rest_to_rest)
    return builder_.CreateCall(function(reinterpret_cast<const void*>(request_.calls.rest_to_rest),
                                        real_, {real_, integer, integer}),
                               {a, builder_.getInt32(kind.aux), derivative});
  if (kind.op == Op::spline)
    return builder_.CreateCall(function(reinterpret_cast<const void*>(request_.calls.spline), real_,
                                        {builder_.getPtrTy(), real_, integer}),
                               {pointer(&request_.program->splines[kind.aux]), a, derivative});
  if (expr::arity(kind.op) == 2)
    return builder_.CreateCall(
        function(reinterpret_cast<const void*>(request_.calls.binary(kind.op)), real_,
                 {real_, real_}),
        {a, b});
  return builder_.CreateCall(
      function(reinterpret_cast<const void*>(request_.calls.unary(kind.op)), real_, {real_}), {a});
}

std::vector<Value*> Emitter::calls(const Instruction& kind, std::span<Value* const> a,
                                   std::span<Value* const> b) {
  std::vector<Value*> results;
  Type* count = builder_.getInt64Ty();
  const bool has_array = expr::facts(kind.op).kind == expr::Operation::Kind::elementary;
  if (!has_array && request_.vector) {
    for (Value* argument : a) {
      Value* result = llvm::PoisonValue::get(type_);
      for (std::uint64_t lane = 0; lane < lanes; ++lane) {
        Value* value = call_scalar(kind, builder_.CreateExtractElement(argument, lane), nullptr);
        result = builder_.CreateInsertElement(result, value, lane);
      }
      results.push_back(result);
    }
    return results;
  }
  if (!has_array || (a.size() < expr::elementary::array_pays && !request_.vector)) {
    for (std::size_t k = 0; k < a.size(); ++k)
      results.push_back(call_scalar(kind, a[k], b.empty() ? nullptr : b[k]));
    return results;
  }
  Type* array = builder_.getPtrTy();
  Value* n = builder_.getInt64(a.size() * (request_.vector ? lanes : 1));
  spill(buffer_[0], a);
  if (b.empty()) {
    builder_.CreateCall(function(reinterpret_cast<const void*>(request_.calls.unary_array(kind.op)),
                                 builder_.getVoidTy(), {array, array, count}),
                        {buffer_[0], buffer_[0], n});
  } else {
    spill(buffer_[1], b);
    builder_.CreateCall(
        function(reinterpret_cast<const void*>(request_.calls.binary_array(kind.op)),
                 builder_.getVoidTy(), {array, array, array, count}),
        {buffer_[0], buffer_[1], buffer_[0], n});
  }
  return reload(buffer_[0], a.size());
}

Emitter::Pairs Emitter::sincos(std::span<Value* const> angles) {
  Pairs pairs;
  if (angles.size() < expr::elementary::array_pays && !request_.vector) {
    Type* pair = llvm::StructType::get(real_, real_);
    for (Value* angle : angles) {
      Value* both = builder_.CreateCall(
          function(reinterpret_cast<const void*>(request_.calls.sincos), pair, {real_}), {angle});
      pairs.sines.push_back(builder_.CreateExtractValue(both, 0));
      pairs.cosines.push_back(builder_.CreateExtractValue(both, 1));
    }
    return pairs;
  }
  Type* array = builder_.getPtrTy();
  Value* n = builder_.getInt64(angles.size() * (request_.vector ? lanes : 1));
  spill(buffer_[0], angles);
  builder_.CreateCall(function(reinterpret_cast<const void*>(request_.calls.sincos_array),
                               builder_.getVoidTy(), {array, array, array, builder_.getInt64Ty()}),
                      {buffer_[0], buffer_[1], buffer_[2], n});
  pairs.sines = reload(buffer_[1], angles.size());
  pairs.cosines = reload(buffer_[2], angles.size());
  return pairs;
}

}  // namespace daedal::compile
