#include "compile/native/emitter.hpp"

#include <llvm/IR/Intrinsics.h>

namespace daedal::compile {

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

Value* Emitter::truth(Value* condition) { return builder_.CreateUIToFP(condition, type_); }
Value* Emitter::nonzero(Value* value) { return builder_.CreateFCmpUNE(value, constant(0)); }

// The meanings are those of expr::apply; comparisons are false for NaN, except !=.
Value* Emitter::operation(const Instruction& i, Value* a, Value* b, Value* c) {
  switch (i.op) {
    case Op::neg:
      return builder_.CreateFNeg(a);
    case Op::add:
      return builder_.CreateFAdd(a, b);
    case Op::sub:
      return builder_.CreateFSub(a, b);
    case Op::mul:
      return builder_.CreateFMul(a, b);
    case Op::div:
      return builder_.CreateFDiv(a, b);
    case Op::sqrt:
      return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
    case Op::abs:
      return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
    case Op::floor:
      return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a);
    case Op::sign:
      return builder_.CreateFSub(truth(builder_.CreateFCmpOGT(a, constant(0))),
                                 truth(builder_.CreateFCmpOLT(a, constant(0))));
    case Op::logical_not:
      return truth(builder_.CreateFCmpOEQ(a, constant(0)));
    case Op::min:
      return builder_.CreateSelect(builder_.CreateFCmpOLT(b, a), b, a);
    case Op::max:
      return builder_.CreateSelect(builder_.CreateFCmpOLT(a, b), b, a);
    case Op::mod: {
      Value* turns =
          builder_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, builder_.CreateFDiv(a, b));
      return builder_.CreateFSub(a, builder_.CreateFMul(b, turns));
    }
    case Op::less:
      return truth(builder_.CreateFCmpOLT(a, b));
    case Op::less_equal:
      return truth(builder_.CreateFCmpOLE(a, b));
    case Op::logical_and:
      return truth(builder_.CreateAnd(nonzero(a), nonzero(b)));
    case Op::logical_or:
      return truth(builder_.CreateOr(nonzero(a), nonzero(b)));
    case Op::select:
      return builder_.CreateSelect(nonzero(a), b, c);
    default:
      break;
  }
  llvm_unreachable("a call is not an operation");
}

bool Emitter::is_call(Op op) {
  switch (op) {
    case Op::exp:
    case Op::log:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
    case Op::pow:
    case Op::atan2:
    case Op::rest_to_rest:
    case Op::spline:
      return true;
    default:
      return false;
  }
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
  switch (kind.op) {
    case Op::rest_to_rest:
      return builder_.CreateCall(
          function(reinterpret_cast<const void*>(request_.calls.rest_to_rest), real_,
                   {real_, integer, integer}),
          {a, builder_.getInt32(kind.aux), derivative});
    case Op::spline:
      return builder_.CreateCall(function(reinterpret_cast<const void*>(request_.calls.spline),
                                          real_, {builder_.getPtrTy(), real_, integer}),
                                 {pointer(&request_.program->splines[kind.aux]), a, derivative});
    case Op::pow:
    case Op::atan2:
      return builder_.CreateCall(
          function(reinterpret_cast<const void*>(request_.calls.binary(kind.op)), real_,
                   {real_, real_}),
          {a, b});
    default:
      return builder_.CreateCall(
          function(reinterpret_cast<const void*>(request_.calls.unary(kind.op)), real_, {real_}),
          {a});
  }
}

std::vector<Value*> Emitter::calls(const Instruction& kind, std::span<Value* const> a,
                                   std::span<Value* const> b) {
  std::vector<Value*> results;
  Type* count = builder_.getInt64Ty();
  const bool has_array = kind.op != Op::rest_to_rest && kind.op != Op::spline;
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
