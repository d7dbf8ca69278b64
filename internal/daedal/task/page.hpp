// Parts that the pages of all answers are made of.
#pragma once

#include "daedal/emit/report.hpp"
#include "daedal/structure/examine.hpp"
#include "daedal/task/model.hpp"

#include <string>
#include <vector>

namespace daedal {
inline namespace task {

/// What every page holds: title, the model's first line, its text.
emit::Report page_of(const Model& model, const std::string& title);

/// The equations, those that follow by differentiation, signature matrix and order of solution.
void add_equations(emit::Report& page, const structure::Structure& structure);

void add_warnings(emit::Report& page, const std::vector<Diagnostic>& warnings);

/// A page that says why there is no answer, and what can be done.
emit::Report refusal(const Model& model, const std::string& title,
                     const std::vector<Diagnostic>& faults);

}  // namespace task
}  // namespace daedal
