// Poles and zeros, matrices and curves: for people, for programs, on pages.
#pragma once

#include "daedal/analyse/linearise.hpp"
#include "daedal/base/table.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/pencil/pencil.hpp"

#include <nlohmann/json.hpp>

#include <complex>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

/// What can be done about zeros in the right half plane.
inline constexpr const char* ways_out_of_unstable_zeros =
    "invert finds the bounded inverse, which begins before the motion, and with `receding` sample "
    "by sample; `redefine = OUTPUT:RIGID` looks for an output nearby that is minimum phase, "
    "`vary = NAME=FROM:TO` for a parameter";

// --- plain data

std::vector<std::complex<double>> values_of(const analysis::Spectrum& spectrum);

// --- for people

/// A line each: value, damping, frequency; conjugate ones once.
std::string spectrum_text(const analysis::Spectrum& spectrum);
/// "-0.5 + 2i", six digits.
std::string complex_text(std::complex<double> z);

// --- for programs

nlohmann::ordered_json to_json(const Eigen::MatrixXd& matrix);
nlohmann::ordered_json to_json(const analysis::Spectrum& spectrum);
nlohmann::ordered_json to_json(const analysis::LinearModel& linear);
nlohmann::ordered_json complex_json(std::complex<double> z);  // [real, imaginary]

// --- on pages

emit::Chart empty_pole_zero_map(std::string title = "Poles and zeros");
/// Its axes show more than the rounding errors of the value.
void keep_rounding_small(emit::Chart& map, std::complex<double> value, double error);
/// Points of the map, those within their error of the imaginary axis on it, and a table with damping and frequency.
void add_spectrum(emit::Report& page, emit::Chart& map, const analysis::Spectrum& spectrum,
                  const std::string& name, const char* marker);
/// Columns of a table as curves over its first column, a plot for each unit; the page keeps the table.
void add_plots(emit::Report& page, Table table, const std::string& title);

}  // namespace task
}  // namespace daedal
