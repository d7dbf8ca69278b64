// Nyquist's curve in a disc, G/(1 + |G|), so that all of it is seen, resonances included.
#include "daedal/analyse/nyquist.hpp"

#include "response.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

namespace daedal {
inline namespace task {

namespace {

using Complex = std::complex<double>;

constexpr double curve_jump = 0.08;  // in the disc: two of the steps that the curve is drawn with

/// Negative frequencies, then positive ones. At a pole on the axis the curve runs clockwise along the rim, which is infinity.
std::vector<Complex> drawn(const analysis::NyquistCurve& curve) {
  std::vector<Complex> points;
  const auto add = [&](Complex value) {
    const Complex next = analysis::in_disc(value);
    if (!std::isfinite(next.real())) return;
    if (!points.empty() && std::abs(next - points.back()) > curve_jump) {
      const double from = std::arg(points.back());
      double turn = std::arg(next) - from;
      if (turn > 0) turn -= 2 * std::numbers::pi;
      for (double part = 0; part <= 1; part += 0.02)
        points.push_back(std::polar(1.0, from + part * turn));
    }
    points.push_back(next);
  };
  for (std::size_t k = curve.values.size(); k-- > 0;) add(std::conj(curve.values[k]));
  for (const Complex& value : curve.values) add(value);
  return points;
}

/// Dots of Braille's letters, two wide and four high in a character.
class Canvas {
 public:
  void set(Complex point) {
    const auto column = static_cast<int>(std::lround((point.real() + 1) / 2 * (2 * width - 1)));
    const auto row = static_cast<int>(std::lround((1 - point.imag()) / 2 * (4 * height - 1)));
    constexpr std::array<std::array<int, 2>, 4> bits{{{0, 3}, {1, 4}, {2, 5}, {6, 7}}};
    cells_[static_cast<std::size_t>(row / 4)][static_cast<std::size_t>(column / 2)] |=
        1 << bits[static_cast<std::size_t>(row % 4)][static_cast<std::size_t>(column % 2)];
  }
  std::string text() const {
    std::string lines;
    for (int row = 0; row < height; ++row) {
      lines += "      ";
      for (int column = 0; column < width; ++column) lines += letter(row, column);
      lines += "\n";
    }
    return lines;
  }

 private:
  static constexpr int width = 41, height = 21;  // odd: the axes have places of their own

  /// The curve, else the axes, and -1 above all.
  std::string letter(int row, int column) const {
    const int bits = cells_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
    const bool real = row == height / 2, imaginary = column == width / 2;
    if (real && column == width / 4) return "+";
    if (bits != 0) {  // U+2800 and on, in UTF-8
      return {static_cast<char>(0xe2), static_cast<char>(0xa0 | (bits >> 6)),
              static_cast<char>(0x80 | (bits & 0x3f))};
    }
    if (real && imaginary) return "┼";
    return real ? "─" : imaginary ? "│" : " ";
  }

  std::array<std::array<int, width>, height> cells_{};
};

std::string picture(const std::vector<Complex>& points) {
  Canvas canvas;
  constexpr int parts = 8;  // of a step, so that dots touch
  for (std::size_t k = 0; k + 1 < points.size(); ++k)
    for (int i = 0; i <= parts; ++i)
      canvas.set(points[k] + static_cast<double>(i) / parts * (points[k + 1] - points[k]));
  return canvas.text();
}

std::string how_often(int n) {
  return n == 1 ? "once" : n == 2 ? "twice" : fmt::format("{} times", n);
}

}  // namespace

std::string text_of(const analysis::Nyquist& n) {
  const std::string poles = fmt::format("unstable poles: {} open, {} with feedback -1",
                                        n.unstable_open, n.unstable_closed);
  if (!n.encirclements) return "passes through -1, or has no end; " + poles;
  if (*n.encirclements == 0) return "does not encircle -1; " + poles;
  return fmt::format("encircles -1 {} {}; {}", how_often(std::abs(*n.encirclements)),
                     *n.encirclements > 0 ? "clockwise" : "counter-clockwise", poles);
}

std::string nyquist_picture(const analysis::NyquistCurve& curve, const analysis::Nyquist& n) {
  return fmt::format("      {}\n", text_of(n)) + picture(drawn(curve));
}

emit::Chart nyquist_chart(const std::string& channel, const analysis::NyquistCurve& curve,
                          const analysis::Nyquist& n) {
  emit::Chart chart{
      "Nyquist " + channel,
      "real part of G/(1 + |G|)",
      "imaginary part of G/(1 + |G|)",
      fmt::format("The whole plane in a disc, its rim infinity. The curve {}.", text_of(n)),
      false,
      false,
      true,
      {}};
  emit::ChartSeries line{channel, {}, {}, {}, "none", true};
  for (const Complex& point : drawn(curve)) {
    line.x.push_back(point.real());
    line.y.push_back(point.imag());
  }
  emit::ChartSeries marks{"positive frequencies", {}, {}, {}, "dot", false};
  Complex last = 2;
  for (std::size_t k = 0; k < curve.values.size(); ++k) {
    const Complex value = curve.values[k], point = analysis::in_disc(value);
    if (!(std::abs(point - last) > 0.1)) continue;
    last = point;
    marks.x.push_back(point.real());
    marks.y.push_back(point.imag());
    marks.labels.push_back(fmt::format("{:.4g} rad/s: G = {:.4g} {} {:.4g}i", curve.frequencies[k],
                                       value.real(), value.imag() < 0 ? '-' : '+',
                                       std::abs(value.imag())));
  }
  emit::ChartSeries critical{"-1", {-0.5}, {0}, {"-1"}, "cross", false};
  chart.series = {std::move(line), std::move(marks), std::move(critical)};
  return chart;
}

}  // namespace task
}  // namespace daedal
