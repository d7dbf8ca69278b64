// What a run reads is never what it writes, and its output is only what was requested.
#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace daedal::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string mass =
    "import \"base.daedal\"\nmodel mass\ncoordinate x = 1\nkinetic x'^2/2\ninput u = spline(file = "
    "\"default.csv\")\nforce u on x\nexperiment push: simulate(until = 0.1)\nexperiment pull: "
    "simulate(until = 0.1, u = spline(file = \"pull.csv\"))\n";

class ReadFiles : public testing::Test {
 protected:
  ReadFiles() {
    folder_.write("base.daedal", "model base\n");
    folder_.write("mass.daedal", mass);
    for (const char* name : {"default.csv", "pull.csv", "u.csv"})
      folder_.write(name, "t,u\n0,1\n1,2\n");
  }
  void expect_refused(const std::string& arguments, const std::string& message) {
    const Answer answer = folder_.run(arguments);
    EXPECT_EQ(answer.code, 2) << arguments;
    EXPECT_EQ(answer.out, "") << arguments;
    EXPECT_EQ(answer.err, "error: " + message + "\n") << arguments;
    EXPECT_EQ(folder_.read("mass.daedal"), mass) << arguments;
    for (const char* name : {"default.csv", "pull.csv", "u.csv"})
      EXPECT_EQ(folder_.read(name), "t,u\n0,1\n1,2\n") << arguments;
  }
  Folder folder_;
};

const std::string other_name = "\n  help: give the new file another name";

TEST_F(ReadFiles, the_model_is_not_written_over) {
  std::filesystem::create_symlink("mass.daedal", folder_.path("link.csv"));
  std::filesystem::create_directory(folder_.path("sub"));
  const std::string lost = ": this is the model file, and would be lost" + other_name;
  expect_refused("simulate mass.daedal --csv mass.daedal", "--csv mass.daedal" + lost);
  expect_refused("simulate mass.daedal --csv sub/../mass.daedal",
                 "--csv sub/../mass.daedal" + lost);
  expect_refused("simulate mass.daedal --report link.csv", "--report link.csv" + lost);
  expect_refused("analyse mass.daedal --mat mass.daedal", "--mat mass.daedal" + lost);
  expect_refused("analyse mass.daedal --report mass.daedal", "--report mass.daedal" + lost);
  expect_refused("compare mass.daedal --report mass.daedal", "--report mass.daedal" + lost);
  expect_refused("invert mass.daedal --csv mass.daedal", "--csv mass.daedal" + lost);
  expect_refused("run mass.daedal push --csv mass.daedal", "--csv mass.daedal" + lost);
  expect_refused("simulate mass.daedal --csv base.daedal",
                 "--csv base.daedal: this is a file that the model imports, 'base.daedal', and "
                 "would be lost" +
                     other_name);
}

// A robot description becomes a model whose text has another path than the file.
TEST_F(ReadFiles, a_robot_description_is_not_written_over) {
  const std::string arm =
      "<robot name=\"arm\"><link name=\"a\"/><link name=\"b\"><inertial><mass value=\"1\"/>"
      "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link><joint name=\"j\" "
      "type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>\n";
  folder_.write("arm.urdf", arm);
  expect_refused("simulate arm.urdf --csv arm.urdf",
                 "--csv arm.urdf: this is the model file, and would be lost" + other_name);
  EXPECT_EQ(folder_.read("arm.urdf"), arm);
  const Answer made = folder_.run("import arm.urdf --base free --motors none");
  EXPECT_EQ(made.code, 0);
  EXPECT_EQ(made.err, "");
  EXPECT_THAT(made.out, HasSubstr("model arm \"imported from arm.urdf, base 'a' free\""));
  EXPECT_EQ(folder_.run("import mass.daedal").code, 2);
}

TEST_F(ReadFiles, signals_are_not_written_over_whether_or_not_this_run_uses_them) {
  const auto lost = [](const std::string& file) {
    return ": this is the file of a signal, '" + file + "', and would be lost" + other_name;
  };
  expect_refused("simulate mass.daedal --csv default.csv",
                 "--csv default.csv" + lost("default.csv"));
  expect_refused("simulate mass.daedal --input u=@u.csv --csv u.csv",
                 "--csv u.csv" + lost("u.csv"));
  expect_refused("simulate mass.daedal --input u=@u.csv --csv default.csv",
                 "--csv default.csv" + lost("default.csv"));
  expect_refused("simulate mass.daedal --input 'u=spline(file = \"u.csv\")' --report u.csv",
                 "--report u.csv" + lost("u.csv"));
  expect_refused("simulate mass.daedal --csv pull.csv", "--csv pull.csv" + lost("pull.csv"));
}

TEST_F(ReadFiles, two_answers_do_not_go_to_one_file) {
  const std::string own = "\n  help: give each of them a name of its own";
  expect_refused("simulate mass.daedal --csv out --report ./out",
                 "--csv out and --report ./out are the same file" + own);
  expect_refused("run mass.daedal --csv out --report out",
                 "--csv out and --report out are the same file" + own);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("out")));
  const std::string nowhere = "simulate mass.daedal --until 0.1 --csv /dev/null --report /dev/null";
  EXPECT_EQ(folder_.run(nowhere).code, 0);
  EXPECT_EQ(folder_.run(nowhere + " --json > /dev/null && true").code, 0);
}

TEST_F(ReadFiles, standard_output_takes_one_answer) {
  const std::string file = "\n  help: write one of them to a file, as in  --csv out.csv";
  expect_refused("simulate mass.daedal --csv - --report -",
                 "--csv - and --report - would be mixed on standard output" + file);
  expect_refused("run mass.daedal --csv -",
                 "--csv -: 2 experiments would be mixed on standard output\n  help: name one of "
                 "them, or write to files, as in  --csv out.csv");
  const Answer table = folder_.run("simulate mass.daedal --until 0.1 --csv -");
  EXPECT_THAT(table.out, StartsWith("t,x,x',u\n0,"));
  EXPECT_EQ(folder_.run("simulate mass.daedal --until 0.1 --csv /dev/stdout | cat").out, table.out);
  const Answer page = folder_.run("simulate mass.daedal --until 0.1 --report -");
  EXPECT_THAT(page.out, StartsWith("<!"));
  EXPECT_THAT(page.out, Not(HasSubstr("  method   rk45")));
}

TEST(FileNames, control_characters_do_not_reach_the_terminal) {
  const Folder folder;
  folder.write("m.daedal", "model m\ncoordinate x = 1\nkinetic x'^2/2\n");
  const std::string name = "$'\\e]0;title\\a\\e[31m\\x9b.csv'";
  const std::string shown = "\u241b]0;title\u2407\u241b[31m\ufffd.csv";
  folder.write("run", "'" + std::string(tested_program) + "' simulate m.daedal --until 0.1 --csv " +
                          name + " --report " + name + ".html 2>&1\n'" + tested_program +
                          "' check " + name + ".none 2>&1\n'" + tested_program +
                          "' simulate m.daedal --csv nowhere/" + name + " 2>&1; true\n");
  ASSERT_EQ(std::system(("cd '" + folder.path("") + "' && bash ./run > .out").c_str()), 0);
  const std::string said = folder.read(".out");
  EXPECT_THAT(said, HasSubstr("  wrote    " + shown + ": "));
  EXPECT_THAT(said, HasSubstr("  report   " + shown + ".html: "));
  EXPECT_THAT(said,
              HasSubstr("error: cannot read '" + shown + ".none': No such file or directory"));
  EXPECT_THAT(said, HasSubstr("error: cannot write 'nowhere/" + shown + "': "));
  EXPECT_EQ(said.find_first_of("\x1b\x07"), std::string::npos);
}

const std::string doubtful =  // a force that moves nothing: a warning
    "model m\ncoordinate x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\ninput v\ndrive y by v "
    "velocity(lag = 0.1)\nforce 1 on y\nservo y = t\n";

TEST(Json, bad_input_is_answered_in_json_too) {
  const Folder folder;
  folder.write("bad.daedal", "model m\ncoordinate x\nkinetic y'^2\n");
  const Answer model = folder.run("simulate bad.daedal --json");
  EXPECT_EQ(model.code, 2);
  EXPECT_THAT(model.err, StartsWith("bad.daedal:3:9: error: unknown name 'y'"));
  const json answer = json::parse(model.out);
  EXPECT_EQ(answer["status"], "error");
  EXPECT_EQ(answer["exit_code"], 2);
  const json& fault = answer["diagnostics"].at(0);
  EXPECT_EQ(fault["severity"], "error");
  EXPECT_THAT(fault["message"], StartsWith("unknown name 'y'"));
  EXPECT_EQ(fault["file"], "bad.daedal");
  EXPECT_EQ(fault["line"], 3);
  EXPECT_EQ(fault["column"], 9);
  const auto message = [&](const std::string& arguments) -> std::string {
    const Answer said = folder.run(arguments);
    EXPECT_EQ(said.code, 2) << arguments;
    return json::parse(said.out)["diagnostics"][0]["message"];
  };
  EXPECT_EQ(message("simulate bad.daedal --json --untl 3"), "simulate has no option '--untl'");
  EXPECT_EQ(message("check nowhere.daedal --json"),
            "cannot read 'nowhere.daedal': No such file or directory");
  folder.write("m.daedal", doubtful);
  EXPECT_EQ(message("simulate m.daedal --json --csv -"),
            "--json and --csv - would be mixed on standard output");
  const Answer unwritable = folder.run("simulate m.daedal --json --csv nowhere/out.csv");
  EXPECT_EQ(unwritable.code, 1);
  EXPECT_EQ(json::parse(unwritable.out)["diagnostics"][0]["message"],
            "cannot write 'nowhere/out.csv': No such file or directory");
}

// The text of `help` named options of the command line, whoever read it.
TEST(Json, has_remedies_as_data_and_each_reader_has_them_in_its_own_words) {
  const Folder folder;
  const auto refused = [&](const std::string& text, const std::string& command) {
    folder.write("m.daedal", text);
    const Answer answer = folder.run(command + " m.daedal --json");
    EXPECT_EQ(answer.code, 2) << answer.err;
    const json said = json::parse(answer.out);  // of experiments a list
    const json& failure = said.is_array() ? said.at(0) : said;
    return std::pair(answer.err, json(failure.at("diagnostics").at(0)));
  };
  const auto [option_text, option] =
      refused("model m\nparameter l\ncoordinate x\nkinetic x'^2/2\n", "check");
  EXPECT_THAT(option_text, HasSubstr("\n  help: give one here, or with  -p l=1\n"));
  EXPECT_EQ(option["help"], "give one here, or with  parameters = l=1");
  EXPECT_EQ(option["remedies"], json::parse(R"([{"option": "parameters", "value": "l=1"}])"));
  const auto [question_text, question] =
      refused("model m\ncoordinate x\nkinetic x'^2/2\nexperiment e: portrait()\n", "run");
  EXPECT_THAT(
      question_text,
      HasSubstr("\n  help: other questions, such as daedal analyse, are not experiments\n"));
  EXPECT_EQ(question["help"], "other questions, such as analyse(), are not experiments");
  EXPECT_FALSE(question.contains("remedies"));
  EXPECT_EQ(question["questions"], json::parse(R"(["analyse"])"));
}

TEST(Json, holds_every_warning_that_is_printed) {
  const Folder folder;
  folder.write("m.daedal", doubtful);
  for (const char* arguments :
       {"check m.daedal --json", "explain m.daedal --json", "simulate m.daedal --until 0.1 --json",
        "invert m.daedal --until 0.1 --json", "analyse m.daedal --json --at start",
        "compare m.daedal --until 0.1 --methods rk45 --formulations projection --json",
        "export c m.daedal --forward --step 0.01 --json"}) {
    const Answer answer = folder.run(arguments);
    ASSERT_THAT(answer.err, HasSubstr("warning: the force on 'y' does not move it")) << arguments;
    const json warnings = json::parse(answer.out).at("warnings");
    std::size_t printed = 0;
    for (std::size_t at = 0; (at = answer.err.find("warning: ", at)) != std::string::npos; ++at)
      ++printed;
    EXPECT_EQ(warnings.size(), printed) << arguments;
    EXPECT_THAT(warnings.at(0), StartsWith("the force on 'y' does not move it")) << arguments;
  }
}

TEST(Json, a_question_without_an_answer_is_answered) {
  const Folder folder;
  folder.write("m.daedal", "model m\ncoordinate x = 1\nkinetic x'^2/2\npotential -x^2/2\n");
  const Answer answer = folder.run("analyse m.daedal --lyapunov energy --json");
  EXPECT_EQ(answer.code, 1);
  EXPECT_EQ(json::parse(answer.out)["diagnostics"].size(), 1u) << answer.err;
}

TEST(Json, an_experiment_that_fails_does_not_take_the_others_with_it) {
  const Folder folder;
  folder.write("m.daedal",
               "model m\ncoordinate x = 1\nkinetic x'^2/2\nexperiment good: simulate(until = 0.1)\n"
               "experiment bad: simulate(until = 0.1, method = nothing)\n");
  const Answer answer = folder.run("run m.daedal --json");
  EXPECT_EQ(answer.code, 2);
  const json answers = json::parse(answer.out);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0]["status"], "completed");
  EXPECT_EQ(answers[1]["experiment"], "bad");
  EXPECT_EQ(answers[1]["status"], "error");
  EXPECT_EQ(answers[1]["diagnostics"].size(), 1u);
}

// A library's exception about UTF-8 byte 0xFF was the answer.
TEST(Json, names_of_folders_need_not_be_text) {
  const Folder folder;
  folder.write("m.daedal", "model m\ncoordinate x = 1\nkinetic x'^2/2\n");
  folder.write("run",
               "mkdir $'\\xff' && '" + std::string(tested_program) +
                   "' export c m.daedal --forward --step 0.01 --to $'\\xff' --json > answer");
  ASSERT_EQ(std::system(("cd '" + folder.path("") + "' && bash ./run").c_str()), 0);
  EXPECT_EQ(json::parse(folder.read("answer"))["source"], "\ufffd/m.c");
  EXPECT_TRUE(std::filesystem::exists(folder.path("\xff/m.c")));
}

}  // namespace
}  // namespace daedal::test
