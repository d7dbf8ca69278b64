// Messages are painted by a stream around standard error (fopencookie), so that the code that prints them has no colours.
#include "output.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace daedal::cli {

namespace {

constexpr std::string_view bold = "\033[1m", pale = "\033[2m", red = "\033[31m", green = "\033[32m",
                           yellow = "\033[33m", plain = "\033[0m";

std::string in(std::string_view colour, std::string_view text) {
  return std::string(colour) + std::string(text) + std::string(plain);
}

std::string_view colour_of(emit::Tone tone) {
  return tone == emit::Tone::good ? green : tone == emit::Tone::doubtful ? yellow : red;
}

/// A verdict up to its first pause, in the colour of its tone.
std::string coloured_verdict(std::string_view text, emit::Tone tone) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::string_view words = text.substr(begin, text.find_first_of(":;,.", begin) - begin);
  return std::string(begin, ' ') + in(colour_of(tone), words) +
         std::string(text.substr(begin + words.size()));
}

/// Begins with "  label ".
bool has_label(std::string_view line, std::string_view label) {
  return line.size() > label.size() + 2 && line.starts_with("  ") &&
         line.substr(2).starts_with(label) && line[label.size() + 2] == ' ';
}

ssize_t write_painted(void* cookie, const char* data, std::size_t size) {
  std::FILE* const to = static_cast<std::FILE*>(cookie);
  const std::string text = painted_message({data, size});
  std::fwrite(text.data(), 1, text.size(), to);
  const bool taken = std::fflush(to) == 0 && std::ferror(to) == 0;
  return taken ? static_cast<ssize_t>(size) : 0;
}

/// Messages come whole.
std::FILE* painted(std::FILE* stream) {
  std::FILE* const result = fopencookie(stream, "w", {nullptr, write_painted, nullptr, nullptr});
  if (result != nullptr) std::setvbuf(result, nullptr, _IOLBF, BUFSIZ);
  return result;
}

/// Puts `by` in the place of `stream` and returns what stood there; nullptr when there is nothing to put.
std::FILE* replace(std::FILE*& stream, std::FILE* by) {
  return by == nullptr ? nullptr : std::exchange(stream, by);
}

void put_back(std::FILE*& stream, std::FILE* own) {
  if (own == nullptr) return;
  std::fclose(std::exchange(stream, own));
}

}  // namespace

bool shows_colours(int descriptor) {
  const char* const refused = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && (refused == nullptr || *refused == '\0') &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string painted_summary(std::string_view text, const task::Answer& answer) {
  std::vector<std::string> labels = {"verdict", "wrote", "plot"};
  for (const Fact& fact : answer.facts())
    if (!fact.name.empty()) labels.push_back(fact.name);
  std::string result;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n') + 1);
    text.remove_prefix(line.size());
    const auto label =
        std::ranges::find_if(labels, [&](const std::string& l) { return has_label(line, l); });
    if (label != labels.end()) {
      result += "  " + in(pale, *label);
      line.remove_prefix(label->size() + 2);
      if (*label == "verdict") {
        result += coloured_verdict(line, answer.tone);
        continue;
      }
    } else if (line.starts_with(answer.title)) {
      result += in(bold, answer.title);
      line.remove_prefix(answer.title.size());
    }
    result += line;
  }
  return result;
}

std::string painted_message(std::string_view message) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> words{
      {{"error:", red}, {"warning:", yellow}, {"help:", green}}};
  std::string result(message);
  for (const auto& [word, colour] : words)
    if (const std::size_t at = result.find(word);
        at != result.npos && (at == 0 || result[at - 1] == ' '))
      result.replace(at, word.size(), in(colour, word));
  return result;
}

PaintedMessages::PaintedMessages(bool wanted)
    : err_(wanted && shows_colours(STDERR_FILENO) ? replace(stderr, painted(stderr)) : nullptr) {}

PaintedMessages::~PaintedMessages() { put_back(stderr, err_); }

SilentOutput::SilentOutput(bool wanted)
    : out_(wanted ? replace(stdout, std::fopen("/dev/null", "w")) : nullptr) {}

SilentOutput::~SilentOutput() { put_back(stdout, out_); }

int delivered(int code) {
  const bool taken = std::ferror(stdout) == 0;
  if (!taken) std::fputc('\n', stdout);  // fails for the reason that what came before has failed
  errno = 0;
  if (std::fflush(stdout) == 0 && taken) return code;
  std::fprintf(stderr, "error: cannot write to standard output%s%s\n", errno != 0 ? ": " : "",
               errno != 0 ? std::strerror(errno) : "");
  return std::max(code, 1);
}

}  // namespace daedal::cli
