// Every file of the model library: it parses, prints to text that parses to the same tree, and every complete model
// is elaborated and derived into a square Dae.
#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/language/parse.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

std::vector<std::string> library_files() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(DAEDAL_SOURCE_DIR) + "/models")) {
    if (entry.path().extension() == ".daedal") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class LibraryFile : public ::testing::TestWithParam<std::string> {};

TEST_P(LibraryFile, prints_to_text_that_parses_to_the_same_tree) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<const SourceFile>(GetParam(), text_of(GetParam()));
  const model::syntax::File file = model::parse(source, diagnostics);
  ASSERT_FALSE(diagnostics.has_errors()) << render(diagnostics.list());
  const auto printed = std::make_shared<const SourceFile>("printed", model::print(file));
  const model::syntax::File again = model::parse(printed, diagnostics);
  ASSERT_FALSE(diagnostics.has_errors()) << render(diagnostics.list()) << printed->text();
  EXPECT_TRUE(model::same(file, again)) << printed->text();
  EXPECT_EQ(model::print(again), printed->text()) << "printing is idempotent";
}

TEST_P(LibraryFile, every_model_derives_into_a_square_dae) {
  const model::Library library = model::load(GetParam());
  for (const model::syntax::Model& model : library.files.back().models) {
    if (model.name == "delta_arm")
      continue;  // its parameters have no values: it is a part of delta_robot
    const model::Model elaborated =
        model::elaborate(library, {.model = model.name, .strict_units = true});
    EXPECT_TRUE(elaborated.warnings.empty()) << model.name << ": " << render(elaborated.warnings);
    const derive::Dae dae = derive::derive(std::make_shared<const model::Model>(elaborated));
    EXPECT_EQ(dae.equations.size(), dae.unknowns.size()) << model.name;
    EXPECT_FALSE(model.doc.empty()) << model.name << " says what it is";
  }
}

TEST_P(LibraryFile, has_a_readme_beside_it) {
  const std::filesystem::path readme =
      std::filesystem::path(GetParam()).parent_path() / "README.md";
  ASSERT_TRUE(std::filesystem::exists(readme));
  EXPECT_GT(std::filesystem::file_size(readme), 100u);
}

INSTANTIATE_TEST_SUITE_P(models, LibraryFile, ::testing::ValuesIn(library_files()),
                         [](const auto& file) {
                           return std::filesystem::path(file.param).stem().string();
                         });

}  // namespace
}  // namespace daedal::test
