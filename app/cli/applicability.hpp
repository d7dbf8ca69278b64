// Which analysis is asked for, and which options apply to it: one that does not apply is an error, never ignored.
#pragma once

#include "arguments.hpp"

#include <string_view>
#include <vector>

namespace daedal::cli {

/// An analysis that `analyse` knows.
struct Question {
  std::string_view name;  // the option that asks for it; empty: the portrait
  int (*answer)(const Arguments&);
  bool asked;
  std::string_view options;  // that apply: "--free --csv"

  bool takes(std::string_view option) const;
};

/// The one that is asked. Throws ModelError that names the option, the question, and what applies to it; the same for two
/// questions at once.
Question asked_question(const Arguments& arguments, const std::vector<Question>& all);

}  // namespace daedal::cli
