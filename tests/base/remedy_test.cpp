// Options and questions that messages propose, in the words of each front end.
#include "daedal/base/diagnostic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace daedal {
namespace {

std::string with_dashes(const Remedy& remedy) {
  if (const std::size_t call = remedy.option.find("()"); call != std::string::npos)
    return "daedal " + remedy.option.substr(0, call);
  return "--" + remedy.option + (remedy.value.empty() ? "" : " " + remedy.value);
}

TEST(Remedy, is_read_from_the_text_that_proposes_it) {
  const std::vector<Remedy> found = remedies("add  `step = 0.001`,  or leave `receding` out");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].option, "step");
  EXPECT_EQ(found[0].value, "0.001");
  EXPECT_EQ(found[1].option, "receding");
  EXPECT_EQ(found[1].value, "");
}

TEST(Remedy, is_written_as_each_front_end_writes_options) {
  const std::string text = "add  `method = bdf(order = 2)` `step = 0.001`";
  EXPECT_EQ(phrased(text), "add  method = bdf(order = 2) step = 0.001");
  EXPECT_EQ(phrased(text, with_dashes), "add  --method bdf(order = 2) --step 0.001");
}

TEST(Remedy, is_a_question_with_parentheses) {
  const std::string text = "`analyse()` lists it, `export_c()` writes it";
  const std::vector<Remedy> found = remedies(text);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].option, "analyse()");
  EXPECT_EQ(found[1].option, "export_c()");
  EXPECT_EQ(phrased(text), "analyse() lists it, export_c() writes it");
  EXPECT_EQ(phrased(text, with_dashes), "daedal analyse lists it, daedal export_c writes it");
}

TEST(Remedy, leaves_other_quotes_alone) {
  for (const char* text :
       {"", "`", "a ` b", "the file `My File.csv`", "``", "`9 = 1`", "`()`", "`f(2)`"})
    EXPECT_EQ(phrased(text, with_dashes), text);
  EXPECT_EQ(phrased("`a` and ` b", with_dashes), "--a and ` b");
}

TEST(Remedy, reaches_message_details_and_help_of_a_diagnostic) {
  const Diagnostic fault{
      Severity::error, {}, "`weight` is 2", {"with `margin = 1`"}, "leave `weight` out"};
  EXPECT_EQ(render(fault), "error: weight is 2\n  with margin = 1\n  help: leave weight out");
  EXPECT_EQ(render(fault, with_dashes),
            "error: --weight is 2\n  with --margin 1\n  help: leave --weight out");
}

}  // namespace
}  // namespace daedal
