#include "deadline.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

namespace daedal::fuzz {

namespace {

// A signal handler knows nothing but what is global.
std::atomic<bool> stopped = false;

void complain(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) std::_Exit(1);
}

void ring(int) {
  if (stopped.exchange(true)) {
    complain("this does not end when it is asked to:\n");
    std::abort();
  }
}

/// The one timer, made on first use.
timer_t the_timer() {
  static const timer_t timer = [] {
    struct sigaction action = {};
    action.sa_handler = ring;
    action.sa_flags = SA_RESTART;
    sigaction(SIGRTMIN, &action, nullptr);
    struct sigevent event = {};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMIN;
    timer_t made{};
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &made) != 0) {
      complain("there is no timer of the processor's time\n");
      std::abort();
    }
    return made;
  }();
  return timer;
}

timespec time_of(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  return {whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
}

void set_timer(double first, double next) {
  const itimerspec times{time_of(next), time_of(first)};
  timer_settime(the_timer(), 0, &times, nullptr);
}

}  // namespace

Deadline::Deadline(double allowed, double patience) {
  stopped = false;
  set_timer(allowed, patience);
}

Deadline::~Deadline() { set_timer(0, 0); }

const std::atomic<bool>& Deadline::stop() { return stopped; }

}  // namespace daedal::fuzz
