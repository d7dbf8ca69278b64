#include "directions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

namespace {

constexpr std::size_t shown_directions = 40, shown_entries = 8;  // JSON holds all of them

std::string entry_text(std::complex<double> z) {
  const double size = std::abs(z);
  if (std::abs(z.imag()) <= 1e-9 * size) return fmt::format("{:.6g}", z.real());
  if (std::abs(z.real()) <= 1e-9 * size) return fmt::format("{:.6g}i", z.imag());
  return fmt::format("{:.6g} {} {:.6g}i", z.real(), z.imag() < 0 ? '-' : '+', std::abs(z.imag()));
}

/// "x = 1, y = -0.5i": the entries that are not zero, those of `names` that `shown` accepts.
template <class Shown>
std::string entries(const Eigen::VectorXcd& column, const std::vector<std::string>& names,
                    Shown&& shown) {
  std::string text;
  std::size_t told = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::complex<double> value = column[static_cast<Eigen::Index>(k)];
    if (value == 0.0 || !shown(k)) continue;
    if (++told > shown_entries) return text + ", ...";
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", names[k], entry_text(value));
  }
  return text.empty() ? "nothing" : text;
}

std::string direction_text(const analysis::ZeroDirection& d, const analysis::LinearModel& l,
                           const derive::Dae& dae) {
  const auto all = [](std::size_t) { return true; };
  const auto position = [&](std::size_t k) {  // its rate follows, and a reaction moves nothing
    return l.leaves[k].order == 0 &&
           dae.model->symbols[l.leaves[k].symbol].kind != model::SymbolKind::multiplier;
  };
  std::string text = fmt::format("    {}{}\n", analysis::text_of(d.zero, true, 10),
                                 d.unobservable() && d.uncontrollable()
                                     ? "   no input reaches it, no output shows it"
                                 : d.unobservable()   ? "   no output shows it"
                                 : d.uncontrollable() ? "   no input reaches it"
                                                      : "");
  for (Eigen::Index k = 0; k < d.state.cols(); ++k) {
    if (!d.unobservable())
      text += fmt::format("      inputs   {}\n", entries(d.input.col(k), l.inputs, all));
    text += fmt::format("      motion   {}\n", entries(d.state.col(k), l.variables, position));
  }
  if (l.outputs.size() == 1 && d.state.cols() > 0) return text;
  for (Eigen::Index k = 0; k < d.output.cols(); ++k)
    if (!d.uncontrollable())
      text += fmt::format("      outputs  {}\n", entries(d.output.col(k), l.outputs, all));
  return text;
}

ordered_json columns_json(const Eigen::MatrixXcd& columns, const std::vector<std::string>& names) {
  auto json = ordered_json::array();
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    ordered_json one = ordered_json::object();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::complex<double> z = columns(static_cast<Eigen::Index>(i), k);
      one[names[i]] = {z.real(), z.imag()};
    }
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::vector<analysis::ZeroDirection> directions_of(const analysis::Portrait& p) {
  const bool square = p.input_output.has_value();
  if (!square && !p.system_zeros) return {};
  return analysis::zero_directions(
      p.linear, square ? p.input_output->zeros : p.system_zeros->zeros,
      square ? static_cast<int>(p.linear.inputs.size()) : p.system_zeros->normal_rank);
}

std::string directions_text(const std::vector<analysis::ZeroDirection>& directions,
                            const analysis::Portrait& p, const derive::Dae& dae) {
  std::string text = fmt::format(
      "\n  directions of zeros: inputs times e^(zt) move the model like this, {} at rest\n",
      p.linear.outputs.size() == 1 ? "with the output" : "with all outputs");
  for (std::size_t k = 0; k < std::min(directions.size(), shown_directions); ++k)
    text += direction_text(directions[k], p.linear, dae);
  if (directions.empty())
    text +=
        fmt::format("    none{}{}\n", p.no_zeros_because.empty() ? "" : ": ", p.no_zeros_because);
  if (directions.size() > shown_directions)
    text += fmt::format("    ... and {} more (JSON has all of them)\n",
                        directions.size() - shown_directions);
  return text;
}

ordered_json directions_json(const std::vector<analysis::ZeroDirection>& directions,
                             const analysis::LinearModel& linear) {
  auto json = ordered_json::array();
  for (const analysis::ZeroDirection& d : directions)
    json.push_back({{"zero", {d.zero.mean.real(), d.zero.mean.imag()}},
                    {"multiplicity", d.zero.multiplicity},
                    {"inputs", columns_json(d.input, linear.inputs)},
                    {"state", columns_json(d.state, linear.variables)},
                    {"outputs", columns_json(d.output, linear.outputs)},
                    {"observable", !d.unobservable()},
                    {"controllable", !d.uncontrollable()},
                    {"residual", d.residual}});
  return json;
}

}  // namespace task
}  // namespace daedal
