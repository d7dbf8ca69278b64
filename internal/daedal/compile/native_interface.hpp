// The interface between Daedal and its native back end, a module loaded when the first kernel needs native code.
//
// A process linked to LLVM starts 20 ms later and is 50 MB larger, so only the module knows LLVM, and it knows of Daedal
// only what is written here: a Program, where its values are read and written, and the addresses of the functions it
// calls.
#pragma once

#include "daedal/compile/program.hpp"
#include "daedal/expr/elementary.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace daedal::compile {

/// Lanes of a vector: as many doubles as the widest vectors hold.
inline constexpr std::uint32_t lanes = 8;
/// Instances of a family that are computed together, as strip / lanes vectors: long enough to make a call cheap, short
/// enough for their values to stay in the first-level cache.
inline constexpr std::uint32_t strip = 32;

/// point, rows: as Kernel::evaluate. values: scratch by value number, for what one function leaves to the next.
/// uniforms: values read but not written. For vector kernels values are strips, what is an output is left in its strip
/// instead of rows, and strip_indices is the part of the index table that belongs to strip `strip_number`.
using NativeFunction = void (*)(const double* point, double* rows, double* values,
                                const double* uniforms, const std::uint32_t* strip_indices,
                                std::uint64_t strip_number);

/// Where native code reads a value it does not compute.
struct NativeRead {
  enum class From : std::uint8_t {
    point,    // point[index]
    uniform,  // uniforms[index]
    gather,   // point[entry], entries of column `index` of the index table: one per instance
    stride,   // point[index + instance]
  };
  From from = From::point;
  std::uint32_t index = 0;
};

struct NativeCalls {
  expr::elementary::Unary (*unary)(expr::Op) = nullptr;
  expr::elementary::Binary (*binary)(expr::Op) = nullptr;
  expr::elementary::UnaryArray (*unary_array)(expr::Op) = nullptr;
  expr::elementary::BinaryArray (*binary_array)(expr::Op) = nullptr;
  expr::elementary::Pair sincos = nullptr;
  expr::elementary::PairArray sincos_array = nullptr;
  double (*rest_to_rest)(double s, int smoothness, int derivative) = nullptr;
  double (*spline)(const expr::PiecewisePolynomial* spline, double x, int derivative) = nullptr;
};

struct NativeRequest {
  const Program* program = nullptr;
  std::vector<NativeRead> loads;        // parallel to program->loads
  std::vector<std::uint32_t> prepared;  // uniform of each prepared instruction
  bool vector = false;                  // a strip of instances at once,
  std::uint32_t instances = strip;      // so many of it
  std::uint32_t chunk = 250;
  NativeCalls calls;
};

/// Machine code, to be run function after function; freed with this object.
class NativeCode {
 public:
  virtual ~NativeCode() = default;
  std::vector<NativeFunction> functions;
};

/// Raised whenever Program, its operations or the requests change: a module of another version is not used.
inline constexpr int native_interface_version = 3;
inline constexpr const char* native_version_symbol = "daedal_native_version";
inline constexpr const char* native_compile_symbol = "daedal_native_compile";
using NativeVersion = int (*)();
/// Null when cancelled or when LLVM fails; the caller owns the result.
using NativeCompile = NativeCode* (*)(const NativeRequest&, const std::atomic<bool>& cancelled);

}  // namespace daedal::compile
