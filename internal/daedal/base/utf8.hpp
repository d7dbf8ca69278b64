// UTF-8, as far as places and messages need it: code points are what columns count.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace daedal {

struct CodePoint {
  char32_t value = 0;       // the byte itself when it is no UTF-8
  std::uint32_t bytes = 1;  // how many it takes in the text
  bool valid = true;
};

/// The code point at `text[at]`. A byte that belongs to no valid sequence is a code point of its
/// own, marked invalid, so any text, binary junk included, is a sequence of code points.
CodePoint decode_utf8(std::string_view text, std::size_t at);

std::uint32_t count_code_points(std::string_view text);

/// Whether it may be echoed to a terminal: valid, no control character, none of the invisible
/// characters that reorder or hide text.
bool is_printable(const CodePoint& code_point);

/// `text` as it may be echoed to a terminal, one column for each code point: a tab becomes a space, a control character its
/// picture (U+2400 and following), anything else that is not printable the replacement character. Lines stay lines.
std::string visible(std::string_view text);

/// A letter allowed in a name, besides A-Z, a-z and _: Latin, Greek, Cyrillic, kana, Han,
/// Hangul.
bool is_letter(const CodePoint& code_point);

}  // namespace daedal
