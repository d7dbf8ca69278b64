// The painter stands behind the streams of the C library (fopencookie), so that what prints need not know of colours.
#include "output.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace daedal::cli {

namespace {

constexpr std::string_view bold = "\033[1m", pale = "\033[2m", red = "\033[31m", green = "\033[32m",
                           yellow = "\033[33m", plain = "\033[0m";

std::string in(std::string_view colour, std::string_view text) {
  return std::string(colour) + std::string(text) + std::string(plain);
}

/// What the first words of a verdict mean for the one who asked.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> verdicts{{
    {"differentially flat", green},
    {"minimum phase", green},
    {"non-minimum phase", red},
    {"weakly", yellow},
    {"marginal", yellow},
    {"not decided", yellow},
}};

/// End of the label of "  drift    position ..." or "  controllable    4 of 4 ...", whose values begin in column 11, 17 or 18;
/// 0: no label.
std::size_t label_end(std::string_view line) {
  for (const std::size_t column : {18, 17, 11}) {
    if (line.size() <= column || !line.starts_with("  ") || line[2] == ' ') continue;
    const std::string_view label = line.substr(2, column - 2);
    if (line[column] == ' ' || label.back() != ' ' ||
        label.find_first_not_of("abcdefghijklmnopqrstuvwxyz ") != label.npos)
      continue;
    return 2 + label.find_last_not_of(' ') + 1;
  }
  return 0;
}

using Paint = std::string (*)(std::string_view);

/// Paints whole lines, or messages as they come.
struct Painter {
  std::FILE* to;
  Paint paint;
  bool by_lines;
  std::string waiting;
};

void pass_on(Painter& painter, std::string_view text) {
  const std::string said = painter.paint(text);
  std::fwrite(said.data(), 1, said.size(), painter.to);
}

ssize_t write_painted(void* cookie, const char* data, std::size_t size) {
  Painter& painter = *static_cast<Painter*>(cookie);
  if (painter.by_lines) {
    painter.waiting.append(data, size);
    std::size_t from = 0;
    for (std::size_t end; (end = painter.waiting.find('\n', from)) != std::string::npos;
         from = end + 1) {
      pass_on(painter, std::string_view(painter.waiting).substr(from, end - from));
      std::fputc('\n', painter.to);
    }
    painter.waiting.erase(0, from);
  } else {
    pass_on(painter, {data, size});
  }
  const bool taken = std::fflush(painter.to) == 0 && std::ferror(painter.to) == 0;
  return taken ? static_cast<ssize_t>(size) : 0;
}

int close_painted(void* cookie) {
  Painter* painter = static_cast<Painter*>(cookie);
  if (!painter->waiting.empty()) pass_on(*painter, painter->waiting);
  std::fflush(painter->to);
  delete painter;
  return 0;
}

std::FILE* painted(std::FILE* stream, Paint paint, bool by_lines) {
  Painter* painter = new Painter{stream, paint, by_lines, {}};
  std::FILE* const result =
      fopencookie(painter, "w", {nullptr, write_painted, nullptr, close_painted});
  if (result == nullptr) {
    delete painter;
    return nullptr;
  }
  std::setvbuf(result, nullptr, _IOLBF, BUFSIZ);
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

std::string painted_line(std::string_view line) {
  if (line.empty()) return {};
  if (line[0] != ' ') {  // "fourbar: planar four-bar"
    const std::size_t end = line.find(':');
    const std::string_view name = line.substr(0, end);
    return in(bold, name) + std::string(line.substr(name.size()));
  }
  const std::size_t end = label_end(line);
  if (end == 0) return std::string(line);
  const std::string_view label = line.substr(2, end - 2);
  std::string rest(line.substr(end));
  if (label == "verdict")
    for (const auto& [words, colour] : verdicts)
      if (const std::size_t at = rest.find_first_not_of(' ');
          rest.compare(at, words.size(), words) == 0) {
        rest = rest.substr(0, at) + in(colour, words) + rest.substr(at + words.size());
        break;
      }
  return "  " + in(pale, label) + rest;
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

PaintedOutput::PaintedOutput(bool wanted) {
  if (!wanted) return;
  if (shows_colours(STDOUT_FILENO)) out_ = replace(stdout, painted(stdout, painted_line, true));
  if (shows_colours(STDERR_FILENO)) err_ = replace(stderr, painted(stderr, painted_message, false));
}

PaintedOutput::~PaintedOutput() {
  put_back(stdout, out_);
  put_back(stderr, err_);
}

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
