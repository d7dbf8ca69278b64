// What a person at a terminal meets: help, completion, the manual page, colours, silence.
#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

const std::string pendulum =
    "model pendulum\ncoordinate x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
    "constraint rod: x^2 + y^2 = 1\nexperiment swing: simulate(until = 2)\n";

const std::vector<std::string> commands{"check",      "explain", "simulate", "analyse", "control",
                                        "invert",     "compare", "export",   "run",     "models",
                                        "completion", "manual",  "new",      "docs",    "import"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Runs a shell command in the folder with the program as $DAEDAL.
std::string shell(const Folder& folder, const std::string& command) {
  folder.write("script", command);
  const std::string line = "cd '" + folder.path(".") + "' && DAEDAL='" + tested_program +
                           "' TERM=xterm bash ./script > .shell 2>&1";
  EXPECT_EQ(std::system(line.c_str()), 0) << folder.read(".shell");
  return folder.read(".shell");
}

/// What a terminal gets to see of a command; `script` is the terminal.
std::string on_terminal(const Folder& folder, const std::string& command) {
  return shell(folder, "script -qefc \"" + command + "\" /dev/null");
}

TEST(Help, every_command_has_one_with_examples_that_fits_a_terminal) {
  const Folder folder;
  const Answer program = folder.run("--help");
  EXPECT_EQ(program.code, 0);
  for (const std::string& command : commands) {
    SCOPED_TRACE(command);
    EXPECT_THAT(program.out, HasSubstr("\n  " + command + " "));
    const Answer help = folder.run(command + " --help");
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, StartsWith("daedal " + command + ": "));
    EXPECT_THAT(help.out, HasSubstr("\nUsage:  daedal " + command));
    EXPECT_THAT(help.out, HasSubstr("\nExamples:\n  # "));
    for (const std::string& line : lines_of(help.out)) {
      if (line.starts_with("  daedal")) continue;  // to be copied whole
      EXPECT_LE(line.size(), 100u) << line;
    }
  }
}

// The page is the help: what one says of an option, the other does.
TEST(Help, is_what_the_page_of_the_options_shows) {
  const Folder folder;
  std::ifstream stream(DAEDAL_SOURCE_DIR "/docs/options.md");
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  for (const std::string& command : commands)
    EXPECT_THAT(page, HasSubstr("\n## " + command + "\n\n```text\n" +
                                folder.run(command + " --help").out + "```\n"))
        << "see the top of docs/options.md";
  EXPECT_THAT(page, HasSubstr("\n```text\n" + folder.run("--help").out + "```\n"));
}

TEST(Help, groups_commands_by_what_is_wanted) {
  const Folder folder;
  const std::string help = folder.run("--help").out;
  std::vector<std::string> groups;
  for (const std::string& line : lines_of(help))
    if (line.ends_with(":") && !line.starts_with(" ")) groups.push_back(line);
  EXPECT_EQ(groups,
            (std::vector<std::string>{
                "Begin:", "Understand a model:", "Compute its motion:",
                "Make it follow a path, hold it:", "Set up the shell:", "Options:", "Examples:"}));
  for (const std::string& command : commands) {
    const std::string entry = "\n  " + command + " ";
    EXPECT_EQ(help.find(entry), help.rfind(entry)) << command;
  }
}

TEST(New, writes_a_model_that_runs_and_overwrites_none) {
  const Folder folder;
  const Answer made = folder.run("new my_crane");
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out,
            "my_crane.daedal is a pendulum to change\n"
            "next:  daedal simulate my_crane.daedal,  daedal run my_crane.daedal\n");
  const Answer run = folder.run("run my_crane.daedal");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  folder.write("mine.daedal", "model mine\n");
  const Answer again = folder.run("new mine");
  EXPECT_EQ(again.code, 2);
  EXPECT_EQ(again.err,
            "error: 'mine.daedal' exists, and is not overwritten\n  help: choose another name\n");
  EXPECT_EQ(folder.read("mine.daedal"), "model mine\n");
  EXPECT_EQ(folder.run("new 2nd").err,
            "error: '2nd' is no name of a model\n  help: a name has letters, digits and '_', and "
            "starts with a letter:  daedal new my_crane\n");
}

TEST(Models, are_the_examples) {
  const Folder folder;
  EXPECT_EQ(folder.run("examples").out, folder.run("models").out);
}

TEST(Help, the_examples_can_be_typed) {
  const Folder folder;
  for (const std::string& command : commands)
    for (const std::string& line : lines_of(folder.run(command + " --help").out)) {
      if (!line.starts_with("  daedal ") || line.find('|') != line.npos) continue;
      if (line.find('>') != line.npos) continue;  // writes into the user's own folders
      if (line == "  daedal docs") continue;      // needs the site, which has a test of its own
      SCOPED_TRACE(line);
      std::string arguments = line.substr(9);
      if (const auto model = arguments.find("models/"); model != arguments.npos)
        arguments.insert(model, DAEDAL_SOURCE_DIR "/");
      const Answer answer = folder.run(arguments + " --quiet");
      EXPECT_EQ(answer.code, 0) << answer.err;
    }
}

TEST(Completion, bash_completes_commands_options_and_values) {
  const Folder folder;
  folder.write("swing.daedal", pendulum);
  folder.write("notes.txt", "");
  const auto offered = [&](const std::string& words) {
    const std::string answer =
        shell(folder, "source <(\"$DAEDAL\" completion bash)\nCOMP_WORDS=(" + words +
                          ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_daedal 2>/dev/null\n"
                          "printf '%s\\n' \"${COMPREPLY[@]}\"");
    return lines_of(answer);
  };
  EXPECT_THAT(offered("daedal ''"), IsSupersetOf(commands));
  EXPECT_EQ(offered("daedal sim"), std::vector<std::string>{"simulate"});
  EXPECT_EQ(offered("daedal simulate swing.daedal --form"),
            std::vector<std::string>{"--formulation"});
  EXPECT_EQ(offered("daedal simulate swing.daedal --formulation bau"),
            std::vector<std::string>{"baumgarte"});
  EXPECT_THAT(offered("daedal simulate --method ''"), IsSupersetOf({"rk45", "radau5", "taylor"}));
  EXPECT_EQ(offered("daedal simulate --backend t"), std::vector<std::string>{"tape"});
  EXPECT_EQ(offered("daedal check ''"), std::vector<std::string>{"swing.daedal"});
  EXPECT_EQ(offered("daedal completion f"), std::vector<std::string>{"fish"});
}

TEST(Completion, every_shell_is_offered_every_option) {
  const Folder folder;
  const std::string zsh = folder.run("completion zsh").out,
                    fish = folder.run("completion fish").out;
  EXPECT_THAT(zsh, StartsWith("#compdef daedal\n"));
  for (const std::string& command : commands) {
    EXPECT_THAT(zsh, HasSubstr("\n    '" + command + ":"));
    EXPECT_THAT(fish, HasSubstr("-a " + command + " -d '"));
  }
  for (const std::string& line : lines_of(folder.run("simulate --help").out)) {
    if (!line.starts_with("  --")) continue;
    const std::string name = line.substr(4, line.find_first_of(" ,", 4) - 4);
    EXPECT_THAT(zsh, HasSubstr("--" + name + "["));
    EXPECT_THAT(fish, HasSubstr(" -l " + name));
  }
  // as the shells read them, where they are installed
  folder.write("_daedal", zsh);
  folder.write("daedal.fish", fish);
  EXPECT_EQ(shell(folder, "! command -v zsh > /dev/null || zsh -n _daedal"), "");
  EXPECT_EQ(shell(folder, "! command -v fish > /dev/null || fish -n daedal.fish"), "");
  EXPECT_EQ(folder.run("completion tcsh").code, 2);
}

TEST(Manual, tells_what_the_help_tells) {
  const Folder folder;
  const Answer manual = folder.run("manual");
  EXPECT_EQ(manual.code, 0);
  EXPECT_THAT(manual.out, StartsWith(".TH DAEDAL 1 "));
  EXPECT_THAT(manual.out, HasSubstr("\n\\fB\\-\\-tolerance\\fR \\fINUMBER\\fR\n"));
  EXPECT_THAT(manual.out, HasSubstr("\n.SH SIMULATE\n"));
  folder.write("daedal.1", manual.out);
  EXPECT_EQ(shell(folder, "! command -v mandoc > /dev/null || mandoc -T lint -W error daedal.1"),
            "");
}

TEST(Colour, only_on_a_terminal_and_never_against_NO_COLOR) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  folder.write("bad.daedal", "model bad\nkinetic z'^2\n");
  const std::string shown = on_terminal(folder, "$DAEDAL simulate p.daedal --backend tape");
  EXPECT_THAT(shown,
              StartsWith("\033[1mpendulum\033[0m\r\n  \033[2mmodel\033[0m    2 coordinates"));
  EXPECT_THAT(on_terminal(folder, "$DAEDAL check bad.daedal || true"),
              HasSubstr("\033[31merror:\033[0m"));
  EXPECT_THAT(on_terminal(folder, "$DAEDAL analyse p.daedal"),
              HasSubstr("\r\n  \033[2mequilibrium\033[0m    x = "));
  const std::string escape = "\033[";
  EXPECT_THAT(on_terminal(folder, "NO_COLOR=1 $DAEDAL simulate p.daedal --backend tape"),
              Not(HasSubstr(escape)));
  EXPECT_THAT(on_terminal(folder, "TERM=dumb $DAEDAL simulate p.daedal --backend tape"),
              Not(HasSubstr(escape)));
  for (const char* for_programs : {"simulate p.daedal --json", "simulate p.daedal --csv -",
                                   "check p.daedal --print", "completion bash"})
    EXPECT_THAT(on_terminal(folder, std::string("$DAEDAL ") + for_programs), Not(HasSubstr(escape)))
        << for_programs;
  EXPECT_THAT(folder.run("simulate p.daedal").out, Not(HasSubstr(escape)));
  EXPECT_THAT(folder.run("check bad.daedal").err, Not(HasSubstr(escape)));
}

// The verdict has the colour of its tone, which the answer states.
TEST(Colour, of_a_verdict_is_that_of_its_tone) {
  const Folder folder;
  const std::string mass = "coordinate x\nkinetic x'^2/2\npotential x^2/2\ninput u\nforce u on x\n";
  folder.write("near.daedal", "model near\n" + mass + "output y = x + x'\n");
  folder.write("far.daedal", "model far\n" + mass + "output y = x - x'\n");
  EXPECT_THAT(on_terminal(folder, "$DAEDAL analyse near.daedal"),
              HasSubstr("\r\n  \033[2mverdict\033[0m  \033[32mminimum phase\033[0m"));
  EXPECT_THAT(on_terminal(folder, "$DAEDAL analyse far.daedal"),
              HasSubstr("\r\n  \033[2mverdict\033[0m  \033[33mnon-minimum phase\033[0m"));
}

// It used to be interrupted after 1.5 s, which a sanitized program on a busy machine spends on reading the model.
TEST(Progress, tells_the_time_left_on_a_terminal_and_leaves_nothing_behind) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  folder.write("long", "echo $$ > pid; exec $DAEDAL simulate p.daedal --until 1e9 --every 1e6");
  const std::string shown =
      shell(folder,
            "set -m\n"  // a shell without jobs starts them with SIGINT ignored
            "script -qefc 'bash ./long' shown < /dev/null > /dev/null &\n"
            "for i in {1..1200}; do\n"
            "  ! grep -qs ' left' shown || break\n"
            "  sleep 0.1\n"
            "done\n"
            "kill -INT $(cat pid)\n"
            "wait\n"
            "cat shown\n");
  EXPECT_THAT(shown, HasSubstr(" % "));
  EXPECT_THAT(shown, testing::ContainsRegex("[0-9.]+ (s|min|h) left"));
  EXPECT_THAT(shown, HasSubstr("\r\033[K"));
}

TEST(Quiet, says_nothing_unless_something_is_wrong) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  for (const char* command : {"check", "explain", "simulate", "analyse", "run"}) {
    const Answer answer = folder.run(std::string(command) + " p.daedal --quiet");
    EXPECT_EQ(answer.out, "") << command;
    EXPECT_EQ(answer.err, "") << command;
  }
  folder.write("bad.daedal", "model bad\nkinetic z'^2\n");
  const Answer bad = folder.run("check bad.daedal --quiet");
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("error:"));
  EXPECT_THAT(folder.run("simulate p.daedal --quiet --json").out, StartsWith("{"));
  EXPECT_THAT(folder.run("simulate p.daedal --quiet --csv -").out, StartsWith("t,x,y,"));
}

}  // namespace
}  // namespace daedal::test
