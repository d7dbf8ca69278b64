// Not a test by itself: ctest compiles it, whole and without one operation (tests/CMakeLists.txt). A back end that has no
// overload for an operation, or a switch that has no case for it, must not compile.
#include "daedal/expr/operation.hpp"

namespace daedal::expr {

struct BackEnd {
  template <Op op>
  int of(Is<op>) const
#if defined(WITHOUT_OVERLOAD)
      requires(op != Op::mod)
#endif
  {
    return 1;
  }
};

int visited(Op op) {
  return visit(op, [](auto o) { return BackEnd().of(o); });
}

int switched(Op op) {
  switch (op) {
    case Op::constant:
    case Op::leaf:
    case Op::neg:
    case Op::sqrt:
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
    case Op::abs:
    case Op::sign:
    case Op::floor:
    case Op::logical_not:
    case Op::powi:
    case Op::rest_to_rest:
    case Op::spline:
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::pow:
    case Op::atan2:
    case Op::min:
    case Op::max:
    case Op::less:
    case Op::less_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::select:
#if !defined(WITHOUT_CASE)
    case Op::mod:
#endif
      return 1;
  }
  return 0;
}

}  // namespace daedal::expr
