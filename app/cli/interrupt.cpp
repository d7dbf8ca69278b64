#include "interrupt.hpp"

#include <csignal>
#include <cstdint>
#include <ctime>

namespace daedal::cli {

namespace {

/// [ns] `timeout` sends a signal to the program and then to its group, and a busy machine delivers the second one late: two
/// within this time are one request.
constexpr std::int64_t together = 1'000'000'000;

// A signal handler knows nothing but what is global; these are lock-free and so may be touched by it.
std::atomic<bool> interrupted = false;
std::atomic<int> received = 0;
std::atomic<std::int64_t> received_at = 0;  // [ns], of the first one

std::int64_t now() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void remember(int signal) {
  if (!interrupted) {
    received = signal;
    received_at = now();
    interrupted = true;
  } else if (now() - received_at > together) {  // not for us
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

Interrupt::Interrupt() {
  interrupted = false;
  received = 0;
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;  // output on its way to a slow reader is not cut short
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

const std::atomic<bool>& Interrupt::flag() { return interrupted; }

int Interrupt::exit_code() { return interrupted ? 128 + received : 0; }

}  // namespace daedal::cli
