// Which options say something about which question of `analyse`: one that does not apply is an error, never ignored.
#pragma once

#include "arguments.hpp"

namespace daedal::cli {

/// Throws ModelError that names the option, the question, and what applies to it; the same for two questions at once.
void refuse_options_without_effect(const Arguments& arguments);

}  // namespace daedal::cli
