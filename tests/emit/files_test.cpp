// Files are replaced whole, and nothing else is touched.
#include "daedal/emit/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace daedal::emit {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() {
    std::string pattern = testing::TempDir() + "daedal-files-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  ~Files() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  mode_t mode(const std::string& name) const {
    struct stat status = {};
    EXPECT_EQ(::stat(path(name).c_str(), &status), 0);
    return status.st_mode & 07777;
  }
  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(Files, what_is_replaced_keeps_its_mode) {
  write("private.csv", "earlier\n");
  ASSERT_EQ(::chmod(path("private.csv").c_str(), 0640), 0);
  write_text("new\n", path("private.csv"));
  EXPECT_EQ(read("private.csv"), "new\n");
  EXPECT_EQ(mode("private.csv"), 0640u);
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, a_new_file_has_the_mode_that_the_user_asks_for) {
  const mode_t before = ::umask(027);
  write_text("new\n", path("new.csv"));
  ::umask(before);
  EXPECT_EQ(mode("new.csv"), 0640u);  // 0666 without the bits of 027
}

TEST_F(Files, symbolic_links_stay_and_what_they_lead_to_is_written) {
  fs::create_directory(folder_ / "data");
  write("data/real.csv", "earlier\n");
  fs::create_symlink("data/real.csv", folder_ / "link.csv");
  fs::create_symlink("link.csv", folder_ / "second.csv");
  fs::create_symlink("data/later.csv", folder_ / "dangling.csv");
  write_text("new\n", path("second.csv"));
  write_text("first\n", path("dangling.csv"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.csv") && fs::is_symlink(folder_ / "second.csv"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "dangling.csv"));
  EXPECT_EQ(read("data/real.csv"), "new\n");
  EXPECT_EQ(read("data/later.csv"), "first\n");
}

TEST_F(Files, hard_links_stay_links_of_one_file) {
  write("one.csv", "earlier and longer\n");
  fs::create_hard_link(folder_ / "one.csv", folder_ / "two.csv");
  write_text("new\n", path("one.csv"));
  EXPECT_EQ(read("one.csv"), "new\n");
  EXPECT_EQ(read("two.csv"), "new\n");
  EXPECT_EQ(fs::hard_link_count(folder_ / "one.csv"), 2u);
  EXPECT_EQ(entries(), 2);
}

// Anyone who can write to the folder could have put a link there, and had any file overwritten.
TEST_F(Files, temporary_files_are_never_ones_that_were_there) {
  write("victim", "precious\n");
  const std::string first = "daedal-" + std::to_string(::getpid()) + "-0.part";
  fs::create_symlink("victim", folder_ / first);
  check_writable(path("out.csv"));
  write_text("new\n", path("out.csv"));
  EXPECT_EQ(read("victim"), "precious\n");
  EXPECT_EQ(read("out.csv"), "new\n");
  EXPECT_TRUE(fs::is_symlink(folder_ / first));
  EXPECT_EQ(entries(), 3);
}

TEST_F(Files, names_as_long_as_names_can_be) {
  const std::string longest(255, 'x');  // NAME_MAX
  write_text("new\n", path(longest));
  EXPECT_EQ(read(longest), "new\n");
}

TEST_F(Files, one_file_is_recognised_however_it_is_reached) {
  write("a", "");
  write("b", "");
  fs::create_symlink("a", folder_ / "link");
  fs::create_symlink("later", folder_ / "dangling");
  fs::create_directory(folder_ / "sub");
  EXPECT_TRUE(same_file(path("a"), path("sub/../a")));
  EXPECT_TRUE(same_file(path("a"), path("link")));
  EXPECT_FALSE(same_file(path("a"), path("b")));
  EXPECT_TRUE(same_file(path("later"), path("sub/../later")));
  EXPECT_TRUE(same_file(path("later"), path("dangling")));
  EXPECT_FALSE(same_file(path("later"), path("never")));
  EXPECT_FALSE(same_file("/dev/null", "/dev/null"));  // keeps nothing
}

}  // namespace
}  // namespace daedal::emit
