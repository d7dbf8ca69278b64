// Files and their imports.
#include "daedal/language/syntax.hpp"
#include "daedal/model/model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace daedal::model {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

/// A folder of files for one test, and the working directory while it runs: messages show paths as
/// the user gave them.
class Load : public testing::Test {
 protected:
  Load() : before_(fs::current_path()) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("daedal_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  ~Load() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  static void write(const fs::path& path, const std::string& text) {
    if (path.has_parent_path()) fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  static std::string faults(const std::string& path) {
    try {
      load(path);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  }

 private:
  fs::path before_, folder_;
};

std::vector<std::string> model_names(const Library& library) {
  std::vector<std::string> names;
  for (const auto& file : library.files) {
    for (const auto& model : file.models) names.push_back(model.name);
  }
  return names;
}

TEST_F(Load, imports_come_before_their_importer_and_are_found_beside_it) {
  write("robot.daedal", "import \"parts/arm.daedal\"\nmodel robot\n");
  write("parts/arm.daedal", "import \"link.daedal\"\nmodel arm\n");
  write("parts/link.daedal", "model link\n");
  const Library library = load("robot.daedal");
  EXPECT_THAT(model_names(library), testing::ElementsAre("link", "arm", "robot"));
  EXPECT_EQ(library.files[0].source->path(), "parts/link.daedal");
}

TEST_F(Load, a_file_reached_twice_is_loaded_once) {
  write("a.daedal", "import \"b.daedal\"\nimport \"c.daedal\"\nimport \"./b.daedal\"\nmodel a\n");
  write("b.daedal", "import \"d.daedal\"\nmodel b\n");
  write("c.daedal", "import \"d.daedal\"\nmodel c\n");
  write("d.daedal", "model d\n");
  EXPECT_THAT(model_names(load("a.daedal")), testing::ElementsAre("d", "b", "c", "a"));
}

TEST_F(Load, a_missing_import_is_shown_where_it_is_named) {
  write("a.daedal", "import \"arm.daedal\"\nmodel a\n");
  EXPECT_EQ(faults("a.daedal"),
            "a.daedal:1:8: error: cannot import 'arm.daedal': No such file or directory\n"
            "    import \"arm.daedal\"\n"
            "           ^~~~~~~~~~~~\n"
            "  help: imports are searched for in the folder of the file that names them");
}

TEST_F(Load, a_cycle_is_shown_at_the_import_that_closes_it) {
  write("a.daedal", "import \"b.daedal\"\nmodel a\n");
  write("b.daedal", "model b\nimport \"a.daedal\"\n");
  EXPECT_EQ(faults("a.daedal"),
            "b.daedal:2:8: error: imports form a cycle: a.daedal -> b.daedal -> a.daedal\n"
            "    import \"a.daedal\"\n"
            "           ^~~~~~~~~~\n"
            "  help: move what both need into a third file");
}

TEST_F(Load, a_file_that_imports_itself_is_a_cycle) {
  write("a.daedal", "import \"a.daedal\"\nmodel a\n");
  EXPECT_THAT(faults("a.daedal"), HasSubstr("imports form a cycle: a.daedal -> a.daedal\n"));
}

TEST_F(Load, imports_nested_without_end_are_refused) {
  for (int i = 0; i < 300; ++i) {
    write(std::to_string(i),
          "import \"" + std::to_string(i + 1) + "\"\nmodel m" + std::to_string(i) + "\n");
  }
  EXPECT_THAT(faults("0"), HasSubstr("200:1:8: error: imports are nested deeper than 200 files\n"));
}

TEST_F(Load, two_models_of_one_name_are_shown_with_both_places) {
  write("a.daedal", "import \"b.daedal\"\nmodel arm\n");
  write("b.daedal", "\nmodel arm\n");
  EXPECT_EQ(faults("a.daedal"),
            "a.daedal:2:7: error: a second model is named 'arm'\n"
            "    model arm\n"
            "          ^~~\n"
            "  help: rename one of them; the first is at b.daedal:2:7");
}

TEST_F(Load, faults_of_all_files_come_together) {
  write("a.daedal", "import \"b.daedal\"\nmodel a\nkinetic\n");
  write("b.daedal", "model b\npotential\n");
  EXPECT_THAT(faults("a.daedal"), HasSubstr("a.daedal:3:8: error: "));
  EXPECT_THAT(faults("a.daedal"), HasSubstr("b.daedal:2:10: error: "));
}

TEST_F(Load, what_cannot_be_read_is_said_without_a_place) {
  fs::create_directory("folder");
  EXPECT_EQ(faults("nowhere.daedal"),
            "error: cannot read 'nowhere.daedal': No such file or directory");
  EXPECT_EQ(faults("folder"), "error: cannot read 'folder': it is a directory");
}

TEST_F(Load, an_import_of_a_folder_is_refused) {
  fs::create_directory("folder");
  write("a.daedal", "import \"folder\"\nmodel a\n");
  EXPECT_THAT(faults("a.daedal"),
              HasSubstr("a.daedal:1:8: error: cannot import 'folder': it is a directory\n"));
}

// Opening a pipe waits for somebody to write to it; opening a device may do something.
TEST_F(Load, an_import_of_a_pipe_or_a_device_is_refused_at_once) {
  ASSERT_EQ(mkfifo("pipe", 0600), 0);
  write("a.daedal", "import \"pipe\"\nmodel a\n");
  EXPECT_THAT(faults("a.daedal"),
              HasSubstr("a.daedal:1:8: error: cannot import 'pipe': it is not a regular file\n"));
  write("a.daedal", "import \"/dev/zero\"\nmodel a\n");
  EXPECT_THAT(faults("a.daedal"),
              HasSubstr("error: cannot import '/dev/zero': it is not a regular file\n"));
}

TEST_F(Load, a_file_larger_than_64_megabytes_is_refused) {
  write("a.daedal", "model a\n");
  fs::resize_file("a.daedal", (64u << 20) + 1);  // sparse: takes no space on the disk
  EXPECT_EQ(faults("a.daedal"), "error: cannot read 'a.daedal': it is larger than 64 MiB");
}

TEST_F(Load, a_file_without_a_model_is_a_fault) {
  write("a.daedal", "# nothing yet\n");
  EXPECT_EQ(faults("a.daedal"),
            "a.daedal: error: there is no model in this file\n"
            "  help: start a model with a line such as  model pendulum");
}

TEST_F(Load, text_imports_from_the_working_directory) {
  write("arm.daedal", "model arm\n");
  const Library library = load_text("import \"arm.daedal\"\nmodel robot");
  EXPECT_THAT(model_names(library), testing::ElementsAre("arm", "robot"));
  EXPECT_EQ(library.files[1].source->path(), "<text>");
}

}  // namespace
}  // namespace daedal::model
