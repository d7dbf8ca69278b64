// The functions that operations on doubles call.
#pragma once

#include "daedal/expr/elementary.hpp"
#include "daedal/expr/meaning.hpp"

#include <cmath>

namespace daedal::expr {

template <>
struct Functions<double> {
  static double sqrt(double a) { return std::sqrt(a); }
  static double abs(double a) { return std::fabs(a); }
  static double floor(double a) { return std::floor(a); }
  static double exp(double a) { return elementary::exp(a); }
  static double log(double a) { return elementary::log(a); }
  static double sin(double a) { return elementary::sin(a); }
  static double cos(double a) { return elementary::cos(a); }
  static double tan(double a) { return elementary::tan(a); }
  static double asin(double a) { return elementary::asin(a); }
  static double acos(double a) { return elementary::acos(a); }
  static double atan(double a) { return elementary::atan(a); }
  static double sinh(double a) { return elementary::sinh(a); }
  static double cosh(double a) { return elementary::cosh(a); }
  static double tanh(double a) { return elementary::tanh(a); }
  static double pow(double a, double b) { return elementary::pow(a, b); }
  static double atan2(double a, double b) { return elementary::atan2(a, b); }
  static double integer_power(double a, int exponent) { return expr::integer_power(a, exponent); }
  static double rest_to_rest(double s, int smoothness, int derivative) {
    return rest_to_rest_value(s, smoothness, derivative);
  }
  static double spline(const PiecewisePolynomial& p, double x, int derivative) {
    return p.value(x, derivative);
  }
};

}  // namespace daedal::expr
