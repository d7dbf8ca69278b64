#include "daedal/compile/run.hpp"

#include "compile/operation.hpp"

#include <array>
#include <type_traits>
#include <utility>

namespace daedal::compile {
namespace {

namespace elementary = expr::elementary;
using Operands = const std::uint32_t*;

// ---- arithmetic: destinations are contiguous, and no operand of the run lies among them

constexpr std::uint32_t longest_written_out = 10;

template <class F>
void step(double* __restrict result, const double* v, Operands a, std::uint32_t n,
          std::uint32_t i) {
  if constexpr (std::is_invocable_v<F, double>) {
    result[i] = F{}(v[a[i]]);
  } else if constexpr (std::is_invocable_v<F, double, double>) {
    result[i] = F{}(v[a[i]], v[a[n + i]]);
  } else {
    result[i] = F{}(v[a[i]], v[a[n + i]], v[a[2 * n + i]]);
  }
}

template <class F>
void counted(const Run& run, Operands a, double* v) {
  for (std::uint32_t i = 0; i < run.count; ++i) step<F>(v + run.first, v, a, run.count, i);
}

template <class F, std::uint32_t n>
void written_out(const Run& run, Operands a, double* v) {
  [&]<std::uint32_t... i>(std::integer_sequence<std::uint32_t, i...>) {
    (step<F>(v + run.first, v, a, n, i), ...);
  }
  (std::make_integer_sequence<std::uint32_t, n>());
}

template <class F>
RunLoop arithmetic_loop(std::uint32_t count) {
  static constexpr auto loops = []<std::uint32_t... n>(std::integer_sequence<std::uint32_t, n...>) {
    return std::array<RunLoop, sizeof...(n)>{written_out<F, n + 1>...};
  }
  (std::make_integer_sequence<std::uint32_t, longest_written_out>());
  return count <= loops.size() ? loops[count - 1] : counted<F>;
}

// ---- functions; for arrays, arguments are collected where the results go, then transformed in place

void call_singly(const Run& run, Operands a, double* v) {
  for (std::uint32_t i = 0; i < run.count; ++i) v[run.first + i] = run.one(v[a[i]]);
}

void call_many(const Run& run, Operands a, double* v) {
  double* const result = v + run.first;
  for (std::uint32_t i = 0; i < run.count; ++i) result[i] = v[a[i]];
  run.many(result, result, run.count);
}

void call_two(const Run& run, Operands a, double* v) {
  for (std::uint32_t i = 0; i < run.count; ++i)
    v[run.first + i] = run.two(v[a[i]], v[a[run.count + i]]);
}

// Sines, then cosines.
void call_pairs_singly(const Run& run, Operands a, double* v) {
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const elementary::SinCos pair = elementary::sincos(v[a[i]]);
    v[run.first + i] = pair.sin;
    v[run.first + run.count + i] = pair.cos;
  }
}

void call_pairs(const Run& run, Operands a, double* v) {
  double* const result = v + run.first;
  for (std::uint32_t i = 0; i < run.count; ++i) result[i] = v[a[i]];
  elementary::sincos(result, result, result + run.count, run.count);
}

void call_rest_to_rest(const Run& run, Operands a, double* v) {
  for (std::uint32_t i = 0; i < run.count; ++i)
    v[run.first + i] = expr::rest_to_rest_value(v[a[i]], run.aux, static_cast<int>(run.derivative));
}

void call_spline(const Run& run, Operands a, double* v) {
  for (std::uint32_t i = 0; i < run.count; ++i)
    v[run.first + i] = run.spline->value(v[a[i]], static_cast<int>(run.derivative));
}

}  // namespace

Run make_run(const Step& kind, std::uint32_t count, const expr::PiecewisePolynomial* spline) {
  const bool singly = count < elementary::array_pays;
  Run run;
  run.count = count;
  run.derivative = kind.derivative;
  run.aux = kind.aux;
  run.spline = spline;
  if (!is_function(kind.op)) {
    run.loop = visit_arithmetic(kind.op, [count]<class F>(F) { return arithmetic_loop<F>(count); });
  } else if (kind.op == StepOp::sincos) {
    run.loop = singly ? call_pairs_singly : call_pairs;
  } else if (kind.op == step_op(expr::Op::rest_to_rest)) {
    run.loop = call_rest_to_rest;
  } else if (kind.op == step_op(expr::Op::spline)) {
    run.loop = call_spline;
  } else {
    const expr::Op op = plain(kind.op);
    run.one = elementary::unary(op);
    run.many = elementary::unary_array(op);
    run.two = elementary::binary(op);
    run.loop = run.two ? call_two : singly ? call_singly : call_many;
  }
  return run;
}

}  // namespace daedal::compile
