// Where the program's words go: painted on a terminal, plain into files and pipes, nowhere when it is to be quiet.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace daedal::cli {

/// A terminal that shows colours, and a user who wants them (NO_COLOR is not set, https://no-color.org).
bool shows_colours(int descriptor);

/// A line of a summary: its name bold, its label pale; words of the verdict in their colour.
std::string painted_line(std::string_view line);
/// A message: "error:", "warning:" and "help:" in their colours.
std::string painted_message(std::string_view message);

/// While it lives and if it is wanted, standard output and standard error go through the painter where they are terminals that show colours.
class PaintedOutput {
 public:
  explicit PaintedOutput(bool wanted);
  ~PaintedOutput();
  PaintedOutput(const PaintedOutput&) = delete;
  PaintedOutput& operator=(const PaintedOutput&) = delete;

 private:
  std::FILE *out_ = nullptr,
            *err_ = nullptr;  // the streams themselves, where painted ones took their place
};

/// While it lives and if it is wanted, standard output goes nowhere.
class SilentOutput {
 public:
  explicit SilentOutput(bool wanted);
  ~SilentOutput();
  SilentOutput(const SilentOutput&) = delete;
  SilentOutput& operator=(const SilentOutput&) = delete;

 private:
  std::FILE* out_;
};

/// The exit code of an answer: `code`, or 1 and a message where standard output did not take all of it.
int delivered(int code);

}  // namespace daedal::cli
