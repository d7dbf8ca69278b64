// There is no answer: why, and what to change.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/derive/dae.hpp"

#include <string>
#include <utility>

namespace daedal::feedback {

[[noreturn]] inline void refuse(const derive::Dae& dae, std::string message, std::string help) {
  throw ModelError({Severity::error, dae.model->place, std::move(message), {}, std::move(help)});
}

}  // namespace daedal::feedback
