#include "progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace daedal::cli {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// "8 s left", "3 min left", "2.5 h left"; nothing where it is not known
std::string time_left(double elapsed, double fraction) {
  if (fraction <= 0) return "";
  const double seconds = elapsed * (1 - fraction) / fraction;
  if (seconds < 90) return fmt::format("{:.0f} s left", seconds);
  return seconds < 5400 ? fmt::format("{:.0f} min left", seconds / 60)
                        : fmt::format("{:.1f} h left", seconds / 3600);
}

}  // namespace

ProgressLine::ProgressLine()
    : terminal_(::isatty(STDERR_FILENO) == 1), start_(now()), last_(start_) {}

ProgressLine::~ProgressLine() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

ProgressSink ProgressLine::sink() {
  if (!terminal_) return {};
  return [this](const Progress& progress) { draw(progress); };
}

void ProgressLine::draw(const Progress& progress) {
  const double time = now();
  if (time - start_ < 1.0 || time - last_ < 0.1)
    return;  // short work stays silent; ten pictures a second are enough
  last_ = time;
  drawn_ = true;
  const double fraction = std::clamp(progress.fraction, 0.0, 1.0);
  constexpr int width = 30;
  const int filled = static_cast<int>(fraction * width);
  const std::string line = fmt::format(
      "\r[{:<{}}] {:3.0f} %  {}  {}\033[K", std::string(static_cast<std::size_t>(filled), '#'),
      width, 100 * fraction, progress.text, time_left(time - start_, fraction));
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace daedal::cli
