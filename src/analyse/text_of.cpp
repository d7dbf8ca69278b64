#include "daedal/pencil/pencil.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::analysis {

double doubt_of(const Cluster& c) {
  return c.multiplicity > 1 ? 1e-9 * std::max(1.0, std::abs(c.mean)) : c.error;
}

std::complex<double> shown(const Cluster& c) {
  const auto part = [&](double x) { return std::abs(x) <= doubt_of(c) ? 0.0 : x; };
  return {part(c.mean.real()), part(c.mean.imag())};
}

std::string text_of(const Cluster& c, bool with_mirror_image, int digits) {
  const double real = shown(c).real(), imaginary = shown(c).imag();
  if (imaginary == 0) return fmt::format("{:.{}g}", real, digits);
  const char* sign = with_mirror_image ? "+-" : imaginary < 0 ? "-" : "+";
  const std::string size = fmt::format("{:.{}g}i", std::abs(imaginary), digits);
  if (real == 0 && !with_mirror_image) return imaginary < 0 ? "-" + size : size;
  return real == 0 ? sign + size : fmt::format("{:.{}g} {} {}", real, digits, sign, size);
}

}  // namespace daedal::analysis
