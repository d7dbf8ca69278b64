#include "daedal/emit/csv.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace daedal::emit {

namespace {

void append_name(std::string& text, const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) {
    text += name;
    return;
  }
  text += '"';
  for (const char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw std::runtime_error(fmt::format("cannot write '{}': {}", path, reason));
}

/// Whether `path` is replaced by a whole new file. Devices and pipes cannot be and are written to directly.
bool is_replaced(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) fail(path, "it is a directory");
  return !fs::exists(status) || fs::is_regular_file(status);
}

/// Where the new file is written before it is renamed.
std::string part_of(const std::string& path) { return fmt::format("{}.{}.part", path, ::getpid()); }

void append_header(std::string& text, const Table& table) {
  for (std::size_t c = 0; c < table.width(); ++c) {
    if (c > 0) text += ',';
    append_name(text, table.columns()[c].name);
  }
  text += '\n';
}

void append_row(std::string& text, std::span<const double> row) {
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (c > 0) text += ',';
    fmt::format_to(std::back_inserter(text), "{}", row[c]);
  }
  text += '\n';
}

/// A file under way: written beside its place and renamed into it at the end, so that a full disk or a crash leaves the
/// earlier file alone. Standard output and devices are written to directly.
class Output {
 public:
  explicit Output(const std::string& path) : path_(path) {
    if (path == "-") {
      path_ = "standard output";
      file_ = stdout;
      return;
    }
    replaces_ = is_replaced(path);
    written_ = replaces_ ? part_of(path) : path;
    file_ = std::fopen(written_.c_str(), "wb");
    if (file_ == nullptr) fail(path_, std::strerror(errno));
  }
  ~Output() {
    if (file_ == nullptr || file_ == stdout) return;  // finished
    std::fclose(file_);
    discard();
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size())
      fail(path_, std::strerror(errno));
  }

  void finish() {
    std::FILE* const file = std::exchange(file_, nullptr);
    const bool complete = file == stdout ? std::fflush(file) == 0 : std::fclose(file) == 0;
    std::error_code error;
    if (!complete) error.assign(errno, std::generic_category());
    if (!error && replaces_) std::filesystem::rename(written_, path_, error);
    if (!error) return;
    discard();
    fail(path_, error.message());
  }

 private:
  void discard() const {
    std::error_code ignored;
    if (replaces_) std::filesystem::remove(written_, ignored);
  }

  std::string path_, written_;
  bool replaces_ = false;
  std::FILE* file_ = nullptr;
};

}  // namespace

std::string to_csv(const Table& table) {
  std::string text;
  text.reserve(table.rows() * table.width() * 20);
  append_header(text, table);
  for (std::size_t r = 0; r < table.rows(); ++r) append_row(text, table.row(r));
  return text;
}

void write_text(const std::string& text, const std::string& path) {
  Output output(path);
  output.write(text);
  output.finish();
}

void check_writable(const std::string& path) {
  if (path.empty() || path == "-" || !is_replaced(path)) return;
  std::FILE* file = std::fopen(part_of(path).c_str(), "wb");
  if (file == nullptr) fail(path, std::strerror(errno));
  std::fclose(file);
  std::error_code error;
  std::filesystem::remove(part_of(path), error);
}

void write_csv(const Table& table, const std::string& path) {
  constexpr std::size_t piece = 1 << 16;  // [bytes] held as text: a table may be most of the memory
  Output output(path);
  std::string text;
  append_header(text, table);
  for (std::size_t r = 0; r < table.rows(); ++r) {
    append_row(text, table.row(r));
    if (text.size() < piece) continue;
    output.write(text);
    text.clear();
  }
  output.write(text);
  output.finish();
}

}  // namespace daedal::emit
