#include "daedal/base/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace daedal {
namespace {

TEST(Utf8, decodes_sequences_of_every_length) {
  const std::string text = "x\u03B8\u2212\U0001D703";
  const CodePoint x = decode_utf8(text, 0), theta = decode_utf8(text, 1);
  const CodePoint minus = decode_utf8(text, 3), script = decode_utf8(text, 6);
  EXPECT_EQ(x.value, U'x');
  EXPECT_EQ(theta.value, U'\u03B8');
  EXPECT_EQ(minus.value, U'\u2212');
  EXPECT_EQ(script.value, U'\U0001D703');
  EXPECT_EQ(x.bytes + theta.bytes + minus.bytes + script.bytes, text.size());
  EXPECT_EQ(count_code_points(text), 4u);
}

// Overlong forms, surrogates, values beyond U+10FFFF, stray continuation bytes, cut sequences.
TEST(Utf8, a_byte_of_no_valid_sequence_is_a_code_point_of_its_own) {
  for (const std::string text : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                 "\x80", "\xFF", "\xE2\x88", "\xC3("}) {
    const CodePoint c = decode_utf8(text, 0);
    EXPECT_FALSE(c.valid);
    EXPECT_EQ(c.bytes, 1u);
    EXPECT_FALSE(is_printable(c));
    EXPECT_FALSE(is_letter(c));
  }
  EXPECT_EQ(count_code_points("\xED\xA0\x80"), 3u);
}

TEST(Utf8, controls_and_characters_that_reorder_text_are_not_printable) {
  using namespace std::string_view_literals;
  for (const auto text :
       {"\0"sv, "\x1B"sv, "\x7F"sv, "\u0085"sv, "\u202E"sv, "\u2066"sv, "\u200B"sv, "\uFEFF"sv}) {
    EXPECT_FALSE(is_printable(decode_utf8(text, 0)));
  }
  EXPECT_TRUE(is_printable(decode_utf8("\u00B0", 0)));
}

TEST(Utf8, letters_of_names_are_letters_and_not_operators) {
  for (const std::string text : {"\u03B8", "\u00E4", "\u0416", "\u2081", "\u7A4D"}) {
    EXPECT_TRUE(is_letter(decode_utf8(text, 0))) << text;
  }
  for (const std::string text : {"\u2212", "\u00D7", "\u00F7", "\u00B2", "\u00B0", "\u2019"}) {
    EXPECT_FALSE(is_letter(decode_utf8(text, 0))) << text;
  }
}

TEST(Visible, what_must_not_reach_a_terminal_is_replaced) {
  EXPECT_EQ(visible("x = \u00fc\n"), "x = \u00fc\n");
  EXPECT_EQ(visible("a\tb\x1b[31m\x7f"), "a b\u241b[31m\ufffd");
  EXPECT_EQ(visible("\xff \u009b \u202e"), "\ufffd \ufffd \ufffd");
}

}  // namespace
}  // namespace daedal
