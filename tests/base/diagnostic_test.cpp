#include "daedal/base/diagnostic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace daedal {
namespace {

std::shared_ptr<const SourceFile> source(std::string text) {
  return std::make_shared<const SourceFile>("crane.daedal", std::move(text));
}

Diagnostic error_at(Place place) { return {Severity::error, std::move(place), "wrong", {}, {}}; }

TEST(Render, shows_place_message_line_caret_details_and_help) {
  const auto file = source(
      "model crane\n"
      "constraint cable: z_P^2 + (x_P - x_TT)^2 = L^2\n");
  Diagnostic diagnostic = error_at({file, 2, 34, 4});
  diagnostic.message = "unknown name 'x_TT' in constraint 'cable'";
  diagnostic.details = {"it is used nowhere else"};
  diagnostic.help = "did you mean 'x_T' (coordinate, line 3)?";
  EXPECT_EQ(render(diagnostic),
            "crane.daedal:2:34: error: unknown name 'x_TT' in constraint 'cable'\n"
            "    constraint cable: z_P^2 + (x_P - x_TT)^2 = L^2\n"
            "                                     ^~~~\n"
            "  it is used nowhere else\n"
            "  help: did you mean 'x_T' (coordinate, line 3)?");
}

TEST(Render, names_the_severity) {
  EXPECT_EQ(render({Severity::warning, {}, "odd", {}, {}}), "warning: odd");
  EXPECT_EQ(render({Severity::note, {}, "by the way", {}, {}}), "note: by the way");
}

TEST(Render, without_a_line_there_is_no_caret) {
  EXPECT_EQ(render(error_at({source("model a"), 0, 0, 0})), "crane.daedal: error: wrong");
  EXPECT_EQ(render(error_at({source("model a"), 9, 1, 1})), "crane.daedal:9:1: error: wrong");
}

TEST(Render, several_diagnostics_follow_each_other) {
  EXPECT_EQ(render(std::vector<Diagnostic>{error_at({}), error_at({})}),
            "error: wrong\nerror: wrong");
}

TEST(Render, the_caret_counts_characters_not_bytes) {
  EXPECT_EQ(render(error_at({source("let \u03B8\u03C6 = \u03C9x"), 1, 10, 1})),
            "crane.daedal:1:10: error: wrong\n"
            "    let \u03B8\u03C6 = \u03C9x\n"
            "             ^");
}

TEST(Render, a_caret_may_stand_behind_the_line) {
  EXPECT_EQ(render(error_at({source("kinetic m*"), 1, 11, 1})),
            "crane.daedal:1:11: error: wrong\n"
            "    kinetic m*\n"
            "              ^");
}

TEST(Render, tildes_end_with_the_line) {
  EXPECT_EQ(render(error_at({source("let a"), 1, 5, 1000000})),
            "crane.daedal:1:5: error: wrong\n"
            "    let a\n"
            "        ^");
}

TEST(Render, what_a_terminal_must_not_see_is_made_visible_in_one_column) {
  EXPECT_EQ(render(error_at({source("a\t\x1B[31m\xFF\u202E b"), 1, 10, 1})),
            "crane.daedal:1:10: error: wrong\n"
            "    a \u241B[31m\uFFFD\uFFFD b\n"
            "             ^");
}

TEST(Render, a_long_line_is_cut_around_the_caret) {
  const std::string line = std::string(500000, 'a') + "!" + std::string(500000, 'b');
  EXPECT_EQ(render(error_at({source(line), 1, 500001, 1})),
            "crane.daedal:1:500001: error: wrong\n"
            "    ..." +
                std::string(40, 'a') + "!" + std::string(59, 'b') +
                "...\n"
                "    " +
                std::string(43, ' ') + "^");
}

TEST(Render, a_long_line_with_an_early_caret_is_cut_at_its_end_only) {
  const std::string line = "!" + std::string(200, 'b');
  EXPECT_EQ(render(error_at({source(line), 1, 1, 201})),
            "crane.daedal:1:1: error: wrong\n"
            "    !" +
                std::string(99, 'b') +
                "...\n"
                "    ^" +
                std::string(99, '~'));
}

TEST(Diagnostics, warnings_and_notes_throw_nothing) {
  Diagnostics diagnostics;
  diagnostics.warning({}, "odd", "look again");
  diagnostics.add({Severity::note, {}, "by the way", {}, {}});
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_NO_THROW(diagnostics.throw_if_errors());
}

TEST(Diagnostics, an_error_throws_everything_collected) {
  Diagnostics diagnostics;
  diagnostics.warning({}, "odd");
  diagnostics.error({}, "wrong", "mend it");
  EXPECT_EQ(diagnostics.errors(), 1u);
  try {
    diagnostics.throw_if_errors();
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "warning: odd\nerror: wrong\n  help: mend it");
    EXPECT_THAT(error.diagnostics(), testing::SizeIs(2));
  }
}

}  // namespace
}  // namespace daedal
