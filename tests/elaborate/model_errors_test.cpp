// The full text of every message about what a model means: docs/language/model_errors.md is the
// table, each text beside what it causes.
#include "elaborated.hpp"
#include "support/page_blocks.hpp"

#include <set>

namespace daedal::model {
namespace {

const std::string page = DAEDAL_SOURCE_DIR "/docs/language/model_errors.md";

TEST(ModelErrors, are_what_the_page_says) {
  const std::vector<PageBlock> blocks = page_blocks(page);
  int faults = 0;
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
    if (blocks[i].kind != "daedal-fault") continue;
    SCOPED_TRACE("model_errors.md:" + std::to_string(blocks[i].line));
    ++faults;
    EXPECT_EQ(faults_of(blocks[i].text) + "\n", blocks[i + 1].text);
  }
  EXPECT_GT(faults, 100);
}

TEST(ModelErrors, come_all_in_one_go_in_the_order_of_the_text) {
  const auto help = [](const std::string& name) {
    return "\n  help: declare it:  parameter " + name + " = ..., coordinate " + name +
           "  or  let " + name + " = ...";
  };
  EXPECT_EQ(faults_of("model m\nparameter a = b1\nlet c = d1 + e1\ncoordinate x\nkinetic f1*x'^2\n"
                      "constraint g: x = h9\noutput z = c\n"),
            "model.daedal:2:15: error: unknown name 'b1' in parameter 'a'\n"
            "    parameter a = b1\n"
            "                  ^~" +
                help("b1") +
                "\n"
                "model.daedal:3:9: error: unknown name 'd1' in let 'c'\n"
                "    let c = d1 + e1\n"
                "            ^~" +
                help("d1") +
                "\n"
                "model.daedal:5:9: error: unknown name 'f1' in the kinetic energy\n"
                "    kinetic f1*x'^2\n"
                "            ^~" +
                help("f1") +
                "\n"
                "model.daedal:6:19: error: unknown name 'h9' in constraint 'g'\n"
                "    constraint g: x = h9\n"
                "                      ^~" +
                help("h9"));
}

TEST(ModelErrors, a_fault_is_not_told_again_where_its_name_is_used) {
  EXPECT_EQ(
      faults_of(
          "model m\nlet a = 1/0\nlet b = a + 1\ncoordinate x\nkinetic a*x'^2\noutput z = b\n"),
      "model.daedal:2:11: error: division by zero\n    let a = 1/0\n              ^");
}

// A parameter that makes an equation infinite is found, unless a choice keeps it out.
TEST(ModelErrors, infinite_equations_are_found_through_parameters) {
  const std::string head = "model m\nparameter a = 0, b = 2\nvariable x\n";
  EXPECT_EQ(faults_of(head + "equation e: x/(a*b) = 1\n"),
            "model.daedal:4:10: error: equation 'e' contains x/(a*b), which is not finite\n"
            "    equation e: x/(a*b) = 1\n"
            "             ^\n"
            "  help: the parameters are a = 0, b = 2");
  EXPECT_EQ(faults_of(head + "equation e: x = if a > 0 then 1/a else log(b)\n"), "no fault");
  EXPECT_EQ(faults_of(head + "equation e: x = (if x > 0 then 1/a else 0)\n"),
            "model.daedal:4:10: error: equation 'e' contains 1/a, which is not finite\n"
            "    equation e: x = (if x > 0 then 1/a else 0)\n"
            "             ^\n"
            "  help: the parameters are a = 0");
}

}  // namespace
}  // namespace daedal::model
