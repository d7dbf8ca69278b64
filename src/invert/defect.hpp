// Rows of an inversion, interpolated, in the equations as derived.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/invert/verify.hpp"
#include "sampled.hpp"

namespace daedal::inversion {

Defect defect_between_rows(const derive::Dae& dae, const Sampled& rows,
                           const compile::Options& options);

}  // namespace daedal::inversion
