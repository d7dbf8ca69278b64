#include "daedal/analyse/pencil.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::analyse {

namespace {

/// What an eigenvalue's parts cannot be separated from: its error, of a cluster's mean some digits fewer than rounding leaves.
double shown_doubt(const Cluster& c) {
  return c.multiplicity > 1 ? 1e-9 * std::max(1.0, std::abs(c.mean)) : c.error;
}

}  // namespace

std::string text_of(const Cluster& c, bool with_mirror_image, int digits) {
  const auto part = [&](double x) { return std::abs(x) <= shown_doubt(c) ? 0.0 : x; };
  const double real = part(c.mean.real()), imaginary = part(c.mean.imag());
  if (imaginary == 0) return fmt::format("{:.{}g}", real, digits);
  const char* sign = with_mirror_image ? "+-" : imaginary < 0 ? "-" : "+";
  const std::string size = fmt::format("{:.{}g}i", std::abs(imaginary), digits);
  if (real == 0 && !with_mirror_image) return imaginary < 0 ? "-" + size : size;
  return real == 0 ? sign + size : fmt::format("{:.{}g} {} {}", real, digits, sign, size);
}

}  // namespace daedal::analyse
