// The end of a piece of work, by the processor's clock: other processes on the machine do not move it.
#pragma once

#include <atomic>
#include <ctime>

namespace daedal::fuzz {

/// While it lives, `stop` becomes true after `allowed` seconds of work, and what has not ended `patience` seconds later is a
/// hang: the process aborts, with the stack of what hangs. One at a time.
class Deadline {
 public:
  Deadline(double allowed, double patience);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  static const std::atomic<bool>& stop();
};

}  // namespace daedal::fuzz
