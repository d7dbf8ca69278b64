// Source text and places in it, so that every message can point at what the user wrote.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace daedal {

/// One file of model text, kept alive by every Place that points into it.
class SourceFile {
 public:
  SourceFile(std::string path, std::string text);

  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }
  /// Line `number` (from 1) without its line end.
  std::string_view line(std::uint32_t number) const;
  std::uint32_t line_count() const { return static_cast<std::uint32_t>(line_starts_.size()); }

 private:
  std::string path_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
};

/// A stretch of one source line; columns count characters (UTF-8 code points) from 1.
struct Place {
  std::shared_ptr<const SourceFile> file;  // null: made by a program, not read from a file
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 1;

  bool known() const { return file != nullptr; }
  /// "crane.daedal:7:25", or "" when unknown.
  std::string text() const;
};

}  // namespace daedal
