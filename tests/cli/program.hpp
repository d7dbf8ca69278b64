// Runs the daedal executable as a user would.
#pragma once

#include "support/tested_program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace daedal::test {

struct Answer {
  int code = -1;
  std::string out, err;
};

/// A folder of its own for one test, removed at the end.
class Folder {
 public:
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "daedal-test-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream in(path_ / name, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  /// Runs `daedal arguments` in this folder; arguments are passed to a shell.
  Answer run(const std::string& arguments) const {
    const std::string command = "cd '" + path_.string() + "' && timeout 60 '" + tested_program +
                                "' " + arguments + " > .out 2> .err";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(".out"),
            read(".err")};
  }

 private:
  std::filesystem::path path_;
};

}  // namespace daedal::test
