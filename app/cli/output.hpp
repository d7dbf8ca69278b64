// The program's output: coloured on a terminal, plain in files and pipes, none with --quiet.
#pragma once

#include "daedal/task/answer.hpp"

#include <cstdio>
#include <string>
#include <string_view>

namespace daedal::cli {

/// A terminal that shows colours, and a user who wants them (NO_COLOR is not set, https://no-color.org).
bool shows_colours(int descriptor);

/// A summary: its title bold, the names of its facts pale, the verdict in the colour of its tone.
std::string painted_summary(std::string_view text, const task::Answer& answer);
/// A message: "error:", "warning:" and "help:" in their colours.
std::string painted_message(std::string_view message);

/// While it lives and if it is wanted, messages are painted where standard error is a terminal that shows colours.
class PaintedMessages {
 public:
  explicit PaintedMessages(bool wanted);
  ~PaintedMessages();
  PaintedMessages(const PaintedMessages&) = delete;
  PaintedMessages& operator=(const PaintedMessages&) = delete;

 private:
  std::FILE* err_;  // the stream itself, where a painted one took its place
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
