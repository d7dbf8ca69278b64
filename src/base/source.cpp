#include "daedal/base/diagnostic.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>
#include <utility>

namespace daedal {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Without a byte-order mark; a carriage return alone ends a line as a line feed does. Places stay what they are.
std::string with_line_feeds(std::string text) {
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  for (std::size_t at = 0; (at = text.find('\r', at)) != std::string::npos; ++at)
    if (at + 1 == text.size() || text[at + 1] != '\n') text[at] = '\n';
  return text;
}

}  // namespace

SourceFile::SourceFile(std::string path, std::string text)
    : path_(std::move(path)), text_(with_line_feeds(std::move(text))), line_starts_{0} {
  if (text_.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument("a source file holds at most 4 GiB");
  }
  for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
    line_starts_.push_back(static_cast<std::uint32_t>(at + 1));
  }
}

std::string_view SourceFile::line(std::uint32_t number) const {
  if (number == 0 || number > line_count()) return {};
  const std::size_t start = line_starts_[number - 1];
  const std::size_t end = number < line_count() ? line_starts_[number] - 1 : text_.size();
  std::string_view line = text().substr(start, end - start);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string Place::text() const {
  if (!known()) return {};
  if (line == 0) return file->path();
  return fmt::format("{}:{}:{}", file->path(), line, column);
}

}  // namespace daedal
