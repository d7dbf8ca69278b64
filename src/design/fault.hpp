// There is no design: where it was asked for, why, and what to change.
#pragma once

#include "daedal/base/diagnostic.hpp"

#include <string>
#include <utility>

namespace daedal::design {

[[noreturn]] inline void fault(const Place& place, std::string message, std::string help = {}) {
  throw ModelError({Severity::error, place, std::move(message), {}, std::move(help)});
}

}  // namespace daedal::design
