// How the equations of an inverse model are written for a classical method, and all these forms side by side.
#pragma once

#include "arguments.hpp"
#include "daedal/invert/classical.hpp"
#include "request.hpp"

#include <nlohmann/json.hpp>

namespace daedal::cli {

/// original, baumgarte(pole = 10), projection, substitution, minimal_extension; each with  scaling = k, residual = r.
/// Throws ModelError for other words and options out of range.
daedal::invert::ClassicalForm read_classical_form(const model::Option& option);

/// Index, size and condition numbers of every form; with a method of fixed step also its errors and step times. 0: done.
int compare_forms(const daedal::invert::InverseModel& inverse, const solve::ConsistentPoint& start,
                  const Request& request, const Arguments& arguments, double until);

}  // namespace daedal::cli
