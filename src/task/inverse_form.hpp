// How the equations of an inverse model are written for a method of fixed step.
#pragma once

#include "daedal/invert/classical.hpp"
#include "daedal/task/choice.hpp"

namespace daedal {
inline namespace task {

/// original, baumgarte(pole = 10), projection, substitution, minimal_extension; each with  scaling = k, residual = r.
/// Throws ModelError for other words and options out of range.
inversion::ClassicalForm classical_form_of(const Choice<WordsOnly>& formulation);

}  // namespace task
}  // namespace daedal
