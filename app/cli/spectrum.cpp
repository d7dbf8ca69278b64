// Poles and zeros, for machines and for people.
#include "questions.hpp"

#include <fmt/format.h>

#include <cmath>

namespace daedal::cli {

using daedal::analyse::Cluster;
using daedal::analyse::Spectrum;
using nlohmann::ordered_json;

ordered_json to_json(const Eigen::MatrixXd& m) {
  auto rows = ordered_json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    auto row = ordered_json::array();
    for (Eigen::Index j = 0; j < m.cols(); ++j) row.push_back(m(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

ordered_json to_json(const Spectrum& s) {
  ordered_json json;
  json["regular"] = s.regular();
  json["finite"] = s.finite();
  json["infinite"] = s.infinite;
  if (std::isfinite(s.smallest_gap())) json["smallest_gap"] = s.smallest_gap();
  json["clusters"] = ordered_json::array();
  for (const Cluster& c : s.clusters)
    json["clusters"].push_back({{"real", c.mean.real()},
                                {"imaginary", c.mean.imag()},
                                {"multiplicity", c.multiplicity},
                                {"spread", c.spread},
                                {"error", c.error}});
  return json;
}

ordered_json to_json(const daedal::analyse::LinearModel& l) {
  return {{"variables", l.variables}, {"equations", l.equations}, {"inputs", l.inputs},
          {"outputs", l.outputs},     {"E", to_json(l.e)},        {"A", to_json(l.a)},
          {"B", to_json(l.b)},        {"C", to_json(l.c)},        {"D", to_json(l.d)}};
}

namespace {

constexpr std::size_t shown_clusters = 40;  // --json holds all of them

/// Value, multiplicity, damping ratio, frequency; one line for a conjugate pair.
std::string spectrum_line(const Cluster& c) {
  std::string line = fmt::format("    {:<32}", daedal::analyse::text_of(c, true, 10));
  const double frequency = std::abs(c.mean);
  const bool zero = daedal::analyse::text_of(c) == "0";
  const double damping = std::abs(c.mean.real()) <= c.error ? 0 : -c.mean.real() / frequency;
  line += zero ? fmt::format("{:>9} {:>12}", "", "0")
               : fmt::format("{:>9.4g} {:>12.6g}", damping, frequency);
  if (c.multiplicity > 1) line += fmt::format("   {} times", c.multiplicity);
  if (c.multiplicity > 1 && c.spread > c.error / 10)
    line += fmt::format(", spread {:.0e}", c.spread);
  return line;
}

}  // namespace

void print_spectrum(const Spectrum& s) {
  if (s.clusters.empty()) return;
  fmt::print("    {:<32}{:>9} {:>12}\n", "[1/s]", "damping", "rad/s");
  std::size_t lines = 0;
  for (const Cluster& c : s.clusters) {
    const bool complex = daedal::analyse::text_of(c, true).find('i') != std::string::npos;
    if (complex && c.mean.imag() < 0) continue;  // told with its mirror image
    if (++lines <= shown_clusters) fmt::print("{}\n", spectrum_line(c));
  }
  if (lines > shown_clusters)
    fmt::print("    ... and {} more (all of them with --json)\n", lines - shown_clusters);
}

}  // namespace daedal::cli
