// A progress line on a terminal for anything over a second; silent in a pipe.
#pragma once

#include "daedal/base/progress.hpp"

namespace daedal::cli {

/// Draws on standard error; the line is wiped when the object goes.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ProgressSink sink();

 private:
  void draw(const Progress& progress);
  bool terminal_;
  bool drawn_ = false;
  double start_, last_;
};

}  // namespace daedal::cli
