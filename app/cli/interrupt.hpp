// Ctrl-C during a run: the first one ends the run, one that comes some time later ends the program.
#pragma once

#include <atomic>

namespace daedal::cli {

/// Watches SIGINT and SIGTERM from now on: a signal that comes while memory is returned must not look like a run that it ended.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static const std::atomic<bool>& flag();
  /// 128 + signal, as shells count; 0 when nothing has come.
  static int exit_code();
};

}  // namespace daedal::cli
