// What people write first who come from other languages: one message, with a line that parses. The full texts are on
// docs/language/coming_from.md, which tests/elaborate/docs_test.cpp runs.
#include "daedal/language/lexer.hpp"
#include "language/tree_text.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace daedal::model {
namespace {

using test::source;

std::vector<Diagnostic> faults_in(std::string text) {
  Diagnostics diagnostics;
  parse(source(std::move(text)), diagnostics);
  return diagnostics.list();
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The faulty texts of docs/language/coming_from.md.
std::vector<std::string> first_words() {
  const std::string page = text_of(DAEDAL_SOURCE_DIR "/docs/language/coming_from.md");
  const std::string fence = "```daedal-fault\n";
  std::vector<std::string> texts;
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    at += fence.size();
    texts.push_back(page.substr(at, page.find("```", at) - at));
  }
  return texts;
}

TEST(OtherLanguages, suggested_statements_parse) {
  int lines = 0;
  for (const std::string& text : first_words())
    for (const Diagnostic& fault : faults_in(text)) {
      const std::size_t lead = fault.help.find("  ");
      if (lead == std::string::npos) continue;
      const std::string line = fault.help.substr(lead + 2);
      const std::string word = line.substr(0, line.find(' '));
      const bool statement = line.find("  ") == std::string::npos && is_statement_keyword(word) &&
                             line.find("...") == std::string::npos;
      if (!statement) continue;
      ++lines;
      EXPECT_TRUE(faults_in("model m\n" + line).empty()) << line;
    }
  EXPECT_GT(lines, 40);
}

TEST(OtherLanguages, a_fault_of_one_statement_is_one_message) {
  for (const std::string& text : first_words()) {
    const std::vector<Diagnostic> faults = faults_in(text);
    for (std::size_t i = 1; i < faults.size(); ++i)
      EXPECT_NE(faults[i].place.line, faults[i - 1].place.line) << text;
  }
}

TEST(OtherLanguages, what_is_in_a_comment_is_no_fault) {
  for (const std::string comment :
       {"// (see [1", "/* \"a ' ( */", "% \xE2\x88\x92 {", "/* a\n kinetic (\n */"}) {
    const auto faults = faults_in("model m\ncoordinate x\n" + comment + "\nkinetic x'^2\n");
    ASSERT_EQ(faults.size(), 1u) << comment;
    EXPECT_EQ(faults[0].place.line, 3u);
  }
}

TEST(OtherLanguages, a_comment_in_an_unfinished_formula_does_not_end_it) {
  EXPECT_EQ(render(faults_in("model m\nlet a = b +  // first\n  c\n")),
            "a.daedal:2:14: error: '//' starts no comment\n"
            "    let a = b +  // first\n"
            "                 ^~\n"
            "  help: comments start with '#'");
}

TEST(OtherLanguages, the_first_of_many_comments_speaks_for_all) {
  EXPECT_EQ(render(faults_in("model m\n// a\ncoordinate x // b\n// c\n")),
            "a.daedal:2:1: error: '//' starts no comment\n"
            "    // a\n"
            "    ^~\n"
            "  help: comments start with '#':  # a\n"
            "a.daedal: note: 2 more comments do not start with '#'");
}

TEST(OtherLanguages, a_file_of_another_program_is_one_fault) {
  EXPECT_EQ(
      faults_in("<?xml version=\"1.0\"?>\n<robot name=\"r\">\n  <link name=\"a\"/>\n</robot>\n")
          .size(),
      1u);
  EXPECT_EQ(faults_in("function dx = f(t, x)\nx = 1;\ndx = -x;\nend\n").size(), 1u);
  EXPECT_EQ(faults_in("model m\ndef f(x):\n    y = x**2\n    return y\ncoordinate x\n").size(), 1u);
}

TEST(OtherLanguages, per_cent_is_a_unit) {
  EXPECT_TRUE(faults_in("model m\nparameter p = 5 [%]\n").empty());
}

TEST(OtherLanguages, tabs_line_ends_of_windows_and_a_byte_order_mark_are_no_faults) {
  EXPECT_TRUE(faults_in("\xEF\xBB\xBFmodel m\r\n\tcoordinate\tx;\r\nkinetic x'^2;\r\n").empty());
}

// A misspelt word of the language is not taken for one of another.
TEST(OtherLanguages, the_nearest_word_comes_first) {
  const auto faults = faults_in("model m\ncoordinat x = 1\n");
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].help, "did you mean 'coordinate'?");
}

}  // namespace
}  // namespace daedal::model
