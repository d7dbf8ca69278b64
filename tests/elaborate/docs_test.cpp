// The examples of docs/language are complete models, and its messages are what the program says.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/language/parse.hpp"
#include "daedal/model/model.hpp"
#include "support/page_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace daedal::model {
namespace {

struct Block : PageBlock {
  std::string page;
};

std::vector<Block> blocks_of(const std::filesystem::path& page) {
  std::vector<Block> blocks;
  for (PageBlock& block : page_blocks(page.string()))
    blocks.push_back({std::move(block), page.filename().string()});
  return blocks;
}

std::vector<Block> blocks_of_all_pages() {
  std::vector<Block> all;
  for (const auto& entry :
       std::filesystem::directory_iterator(DAEDAL_SOURCE_DIR "/docs/language")) {
    for (Block& block : blocks_of(entry.path())) all.push_back(std::move(block));
  }
  return all;
}

std::string trace(const Block& block) { return block.page + ":" + std::to_string(block.line); }

TEST(LanguageDocs, every_example_parses_and_comes_back_from_its_text) {
  int examples = 0;
  for (const Block& block : blocks_of_all_pages()) {
    if (block.kind != "daedal") continue;
    SCOPED_TRACE(trace(block));
    ++examples;
    Diagnostics diagnostics;
    const auto file = parse(std::make_shared<const SourceFile>("example", block.text), diagnostics);
    const std::string text = print(file);
    const auto again = parse(std::make_shared<const SourceFile>("printed", text), diagnostics);
    EXPECT_EQ(render(diagnostics.list()), "");
    EXPECT_TRUE(same(file, again)) << text;
  }
  EXPECT_GT(examples, 20);
}

TEST(LanguageDocs, every_example_is_a_model) {
  for (const Block& block : blocks_of_all_pages()) {
    if (block.kind != "daedal") continue;
    SCOPED_TRACE(trace(block));
    EXPECT_NO_THROW(elaborate(load_text(block.text, "example.daedal")));
  }
}

std::vector<std::filesystem::path> every_page() {
  std::vector<std::filesystem::path> pages{DAEDAL_SOURCE_DIR "/README.md"};
  for (const char* folder : {"/docs", "/models", "/examples"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(DAEDAL_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
  std::sort(pages.begin(), pages.end());
  return pages;
}

// Units of the models that teach. The faulty ones are followed by what the program says.
TEST(Docs, every_model_has_units_that_agree) {
  int models = 0;
  for (const std::filesystem::path& page : every_page()) {
    const std::vector<Block> blocks = blocks_of(page);
    std::string before;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i].kind != "daedal") continue;
      SCOPED_TRACE(trace(blocks[i]));
      if (i + 1 < blocks.size() && blocks[i + 1].kind == "console" &&
          blocks[i + 1].text.find(": error: ") != std::string::npos)
        continue;
      std::string text = blocks[i].text;
      if (text.starts_with("import"))
        text = before + text.substr(text.find('\n') + 1);
      else
        before = text;
      ++models;
      EXPECT_NO_THROW(elaborate(load_text(text, "example.daedal"), {.strict_units = true}));
    }
  }
  EXPECT_GT(models, 100);
}

std::string faults_of(const std::string& text) {
  try {
    elaborate(load_text(text, "model.daedal"));
  } catch (const ModelError& error) {
    return error.what() + std::string("\n");
  }
  return "no fault\n";
}

TEST(LanguageDocs, every_message_is_what_its_text_causes) {
  int faults = 0;
  std::vector<Block> blocks = blocks_of(DAEDAL_SOURCE_DIR "/docs/language/errors.md");
  for (Block& block : blocks_of(DAEDAL_SOURCE_DIR "/docs/language/coming_from.md"))
    blocks.push_back(std::move(block));
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
    if (blocks[i].kind != "daedal-fault") continue;
    SCOPED_TRACE(trace(blocks[i]));
    ++faults;
    EXPECT_EQ(faults_of(blocks[i].text), blocks[i + 1].text);
  }
  EXPECT_GT(faults, 130);
}

// A word that starts a statement has its example.
TEST(LanguageDocs, every_statement_has_an_example) {
  std::map<std::string, int> uses;
  for (const Block& block : blocks_of_all_pages()) {
    if (block.kind != "daedal") continue;
    Diagnostics diagnostics;
    const auto file = parse(std::make_shared<const SourceFile>("example", block.text), diagnostics);
    for (const auto& model : file.models) {
      for (const auto& statement : model.statements) {
        const Place& place = statement.place;
        ++uses[std::string(place.file->line(place.line).substr(place.column - 1, place.length))];
      }
    }
  }
  for (const std::string word :
       {"size",       "parameter", "coordinate", "variable",    "input", "signal",
        "let",        "kinetic",   "potential",  "dissipation", "force", "torque",
        "constraint", "equation",  "servo",      "output",      "drive", "initial",
        "limit",      "event",     "draw",       "experiment",  "part",  "for"}) {
    EXPECT_GT(uses[word], 0) << word;
  }
}

}  // namespace
}  // namespace daedal::model
