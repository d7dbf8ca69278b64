// Words that start a line in other languages, and what takes their place.
#pragma once

#include <string_view>

namespace daedal::model {

struct FirstWord {
  std::string_view word, message, help;
  bool assigned_too = false;  // dt = 0.01 too is about the run, not a definition without its word
};

/// nullptr for a word that is not known.
const FirstWord* first_word_elsewhere(std::string_view word);

/// The keyword of the statement that `word` starts elsewhere, with the same rest of the line: "coordinate" of "position"; else empty.
std::string_view statement_here(std::string_view word);

}  // namespace daedal::model
