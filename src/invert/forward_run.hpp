// The forward model under the inputs of an inversion.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/invert/verify.hpp"
#include "sampled.hpp"

namespace daedal::inversion {

/// `dae` is the inverse one, whose model says what the forward one is.
ForwardRun run_forward(const derive::Dae& dae, const Sampled& rows, const VerifyOptions& options);

/// Another plant under the same inputs, started from its own start values: its states are not those of the rows.
ForwardRun run_other_plant(const derive::Dae& dae, const Sampled& rows,
                           const VerifyOptions& options);

}  // namespace daedal::inversion
