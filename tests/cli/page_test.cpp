// Pages with transcripts: the program prints what the page shows. A line "..." means lines left out, "..." at the end
// of a line for the rest of it.
#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

struct PageBlock {
  std::string kind, text;
};

std::vector<PageBlock> blocks_of(const std::string& page) {
  std::vector<PageBlock> blocks;
  std::ifstream stream(page);
  bool inside = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), ""});
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

/// "daedal explain crane.daedal" of "$ daedal explain crane.daedal\n..."
std::string command_of(const std::string& console) {
  return console.substr(2, console.find('\n') - 2);
}

/// The parts of a transcript between its dots.
std::vector<std::string> parts_of(const std::string& console) {
  std::vector<std::string> parts{""};
  std::istringstream lines(console.substr(console.find('\n') + 1));
  for (std::string line; std::getline(lines, line);) {
    const bool dots = line.ends_with("...");
    parts.back() += dots ? line.substr(0, line.size() - 3) : line + "\n";
    if (dots) parts.emplace_back();
  }
  return parts;
}

/// The word of the command that names the model file.
std::string file_of(const std::string& command) {
  const std::size_t end = command.find(".daedal") + 7, begin = command.rfind(' ', end - 1) + 1;
  return command.substr(begin, end - begin);
}

class Page : public ::testing::TestWithParam<const char*> {};

TEST_P(Page, the_program_says_what_it_shows) {
  const Folder folder;  // of all models of the page: one may import another
  std::string model;
  int shown = 0;
  for (const PageBlock& block :
       blocks_of(std::string(DAEDAL_SOURCE_DIR "/docs/methods/") + GetParam() + ".md")) {
    if (block.kind == "daedal") model = block.text;
    if (block.kind != "console") continue;
    const std::string command = command_of(block.text), program = "daedal ";
    ASSERT_TRUE(command.starts_with(program)) << command;
    SCOPED_TRACE(command);
    folder.write(file_of(command), model);
    const Answer answer = folder.run(command.substr(program.size()));
    const bool refused = block.text.find(": error: ") != std::string::npos;
    const bool stopped = block.text.find(": stopped at t = ") != std::string::npos;
    const bool in_doubt =
        block.text.find(": the result cannot be trusted after") != std::string::npos;
    EXPECT_EQ(answer.code, refused ? 2 : stopped || in_doubt ? 1 : 0) << answer.err;
    const std::string said = answer.err + answer.out;
    std::size_t from = 0;
    for (const std::string& part : parts_of(block.text)) {
      const std::size_t found = said.find(part, from);
      ASSERT_NE(found, std::string::npos) << "not said:\n" << part << "but:\n" << said;
      from = found + part.size();
    }
    ++shown;
  }
  EXPECT_GE(shown, 2);
}

INSTANTIATE_TEST_SUITE_P(methods, Page,
                         ::testing::Values("structure", "inversion", "analysis", "baumgarte",
                                           "global_error", "steppers", "redefinition",
                                           "stable_inversion", "controllers_in_c", "sliding_mode",
                                           "pole_placement", "model_laws", "loops", "regulator"),
                         [](const auto& page) { return std::string(page.param); });

INSTANTIATE_TEST_SUITE_P(docs, Page,
                         ::testing::Values("../getting_started", "../concepts/index",
                                           "../concepts/hidden_constraints", "../concepts/drift",
                                           "../concepts/singular_poses",
                                           "../concepts/servo_constraints",
                                           "../concepts/zeros_and_inversion", "../json",
                                           "../howto/close_a_loop"),
                         [](const auto& page) {
                           const std::string path = page.param;
                           return path.substr(path.rfind('/') + 1);
                         });

}  // namespace
}  // namespace daedal::test
