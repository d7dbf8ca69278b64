#include "interrupt.hpp"

#include <csignal>

namespace daedal::cli {

namespace {

// A signal handler knows nothing but what is global; both are lock-free and so may be touched by it.
std::atomic<bool> interrupted = false;
std::atomic<int> received = 0;

void remember(int signal) {
  received = signal;
  interrupted = true;
}

}  // namespace

Interrupt::Interrupt() {
  interrupted = false;
  received = 0;
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESETHAND;  // the second one is not for us
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

Interrupt::~Interrupt() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
}

const std::atomic<bool>& Interrupt::flag() const { return interrupted; }

int Interrupt::exit_code() const { return interrupted ? 128 + received : 0; }

}  // namespace daedal::cli
