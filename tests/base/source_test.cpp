#include "daedal/base/diagnostic.hpp"

#include <gtest/gtest.h>

namespace daedal {
namespace {

TEST(SourceFile, gives_lines_without_their_ends) {
  const SourceFile file("a.daedal", "one\ntwo\r\n\nfour");
  ASSERT_EQ(file.line_count(), 4u);
  EXPECT_EQ(file.line(1), "one");
  EXPECT_EQ(file.line(2), "two");
  EXPECT_EQ(file.line(3), "");
  EXPECT_EQ(file.line(4), "four");
}

TEST(SourceFile, a_line_that_is_not_there_is_empty) {
  const SourceFile file("a.daedal", "one\n");
  EXPECT_EQ(file.line_count(), 2u);
  EXPECT_EQ(file.line(0), "");
  EXPECT_EQ(file.line(2), "");
  EXPECT_EQ(file.line(3), "");
}

TEST(SourceFile, a_byte_order_mark_is_no_part_of_the_text) {
  EXPECT_EQ(SourceFile("a.daedal", "\xEF\xBB\xBFmodel a").text(), "model a");
}

// As programs of old Macintoshes write them.
TEST(SourceFile, a_carriage_return_alone_ends_a_line) {
  const SourceFile file("a.daedal", "one\rtwo\r\nthree\r\rfive\r");
  ASSERT_EQ(file.line_count(), 6u);
  EXPECT_EQ(file.line(1), "one");
  EXPECT_EQ(file.line(2), "two");
  EXPECT_EQ(file.line(3), "three");
  EXPECT_EQ(file.line(4), "");
  EXPECT_EQ(file.line(5), "five");
}

TEST(Place, reads_as_editors_expect_it) {
  const auto file = std::make_shared<const SourceFile>("crane.daedal", "model crane");
  EXPECT_EQ((Place{file, 1, 7, 5}.text()), "crane.daedal:1:7");
  EXPECT_EQ((Place{file, 0, 0, 0}.text()), "crane.daedal");
  EXPECT_EQ(Place{}.text(), "");
}

}  // namespace
}  // namespace daedal
