// What a closed loop adds to the plots of a trajectory: limits of commanded inputs, estimates of observers.
#pragma once

#include "daedal/emit/report.hpp"

namespace daedal::emit {

/// Whether a controller that acts commands this input; whether it holds its commands from sample to sample.
bool is_commanded(const model::Model& model, expr::SymbolId input);
bool is_held(const model::Model& model, expr::SymbolId input);

/// Dashed lines at the limits of the inputs in the plot.
void add_limits(Report& report, const model::Model& model, const Table& table, TimePlot& plot);
/// For each state that an observer estimates: the state, its estimate and a band of three standard deviations about that; for each
/// observer its innovation and the bounds within which 95 % of the samples are expected.
void add_observers(Report& report, const model::Model& model, const Table& table);

}  // namespace daedal::emit
