// Lifted positions of forward models: what is asked for, and where they are given up.
#pragma once

#include "pipeline.hpp"
#include "request.hpp"

#include <span>

namespace daedal::cli {

/// What --lifting asks for.
model::Lifting lifting_of_forward_models(const Arguments& arguments);

/// Loads a model for these runs. Where one of them does not know lifted positions, `automatic` lifts none, with a warning.
Loaded load_forward_model(const Arguments& arguments, std::span<const Request> runs);

}  // namespace daedal::cli
