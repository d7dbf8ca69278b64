#include "daedal/base/utf8.hpp"

#include <algorithm>
#include <array>

namespace daedal {
namespace {

struct Interval {
  char32_t first, last;
};

template <std::size_t n>
bool contains(const std::array<Interval, n>& intervals, char32_t value) {
  return std::any_of(intervals.begin(), intervals.end(),
                     [&](const Interval& i) { return i.first <= value && value <= i.last; });
}

// How long the sequence is that `lead` announces; 0 for a byte that starts none.
std::uint32_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// Overlong forms, surrogates and values beyond U+10FFFF are not UTF-8 [RFC 3629, section 3].
bool is_scalar_value(char32_t value, std::uint32_t bytes) {
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  return value >= smallest[bytes] && value <= 0x10FFFF && !(value >= 0xD800 && value <= 0xDFFF);
}

void append_utf8(std::string& out,
                 char32_t value) {  // of the Basic Multilingual Plane, from U+0800
  out += static_cast<char>(0xE0 | (value >> 12));
  out += static_cast<char>(0x80 | ((value >> 6) & 0x3F));
  out += static_cast<char>(0x80 | (value & 0x3F));
}

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  const CodePoint stray{lead, 1, false};
  const std::uint32_t bytes = sequence_length(lead);
  if (bytes == 0 || text.size() - at < bytes) return stray;
  char32_t value = lead & (0x7Fu >> bytes);
  for (std::uint32_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xC0u) != 0x80u) return stray;
    value = (value << 6) | (byte(at + i) & 0x3Fu);
  }
  if (!is_scalar_value(value, bytes)) return stray;
  return {value, bytes, true};
}

std::uint32_t count_code_points(std::string_view text) {
  std::uint32_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += decode_utf8(text, at).bytes) ++count;
  return count;
}

bool is_printable(const CodePoint& code_point) {
  // C0 and C1 controls; zero-width characters; line separators and bidirectional overrides;
  // byte-order mark.
  static constexpr std::array<Interval, 6> hidden = {{{0x00, 0x1F},
                                                      {0x7F, 0x9F},
                                                      {0x200B, 0x200F},
                                                      {0x2028, 0x202E},
                                                      {0x2066, 0x2069},
                                                      {0xFEFF, 0xFEFF}}};
  return code_point.valid && !contains(hidden, code_point.value);
}

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint code_point = decode_utf8(text, at);
    if (is_printable(code_point) || code_point.value == '\n')
      out += text.substr(at, code_point.bytes);
    else if (code_point.value == '\t')
      out += ' ';
    else
      append_utf8(out,
                  code_point.valid && code_point.value < 0x20 ? 0x2400 + code_point.value : 0xFFFD);
    at += code_point.bytes;
  }
  return out;
}

bool is_letter(const CodePoint& code_point) {
  static constexpr std::array<Interval, 18> letters = {{{0xC0, 0xD6},
                                                        {0xD8, 0xF6},
                                                        {0xF8, 0x2C1},  // Latin
                                                        {0x370, 0x373},
                                                        {0x376, 0x377},
                                                        {0x37B, 0x37D},
                                                        {0x37F, 0x37F},  // Greek
                                                        {0x386, 0x386},
                                                        {0x388, 0x3F5},
                                                        {0x3F7, 0x481},  // Greek, Cyrillic
                                                        {0x48A, 0x52F},
                                                        {0x1E00, 0x1FBC},
                                                        {0x2080, 0x2089},
                                                        {0x2090, 0x209C},  // ..., subscripts
                                                        {0x3041, 0x3096},
                                                        {0x30A1, 0x30FA},
                                                        {0x4E00, 0x9FFF},
                                                        {0xAC00, 0xD7A3}}};  // kana, Han, Hangul
  return code_point.valid && contains(letters, code_point.value);
}

}  // namespace daedal
