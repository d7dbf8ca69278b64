// Ctrl-C while a run is under way: the first one asks the run to end, a second one ends the program.
#pragma once

#include <atomic>

namespace daedal::cli {

/// Watches SIGINT and SIGTERM while it lives.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  const std::atomic<bool>& flag() const;
  /// 128 + signal, as shells count; 0 when nothing has come.
  int exit_code() const;
};

}  // namespace daedal::cli
