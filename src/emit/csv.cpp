#include "daedal/emit/csv.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <stdexcept>

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

}  // namespace

std::string to_csv(const Table& table) {
  std::string text;
  text.reserve(table.rows() * table.width() * 20);
  for (std::size_t c = 0; c < table.width(); ++c) {
    if (c > 0) text += ',';
    append_name(text, table.columns()[c].name);
  }
  text += '\n';
  for (std::size_t r = 0; r < table.rows(); ++r) {
    for (std::size_t c = 0; c < table.width(); ++c) {
      if (c > 0) text += ',';
      fmt::format_to(std::back_inserter(text), "{}", table.at(r, c));
    }
    text += '\n';
  }
  return text;
}

void write_text(const std::string& text, const std::string& path) {
  if (path == "-") {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
      fail("standard output", std::strerror(errno));
    return;
  }
  // Written beside its place and renamed into it, so that a full disk or a crash leaves the earlier file alone.
  namespace fs = std::filesystem;
  std::error_code error;
  const bool replace = is_replaced(path);
  const std::string written = replace ? part_of(path) : path;
  std::FILE* file = std::fopen(written.c_str(), "wb");
  if (file == nullptr) fail(path, std::strerror(errno));
  const bool complete = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int write_error = errno;
  const bool closed = std::fclose(file) == 0;
  const int close_error = errno;
  if (complete && closed && replace) fs::rename(written, path, error);
  if (!complete || !closed || (replace && error)) {
    const std::string reason = !complete ? std::strerror(write_error)
                               : !closed ? std::strerror(close_error)
                                         : error.message();
    if (replace) fs::remove(written, error);
    fail(path, reason);
  }
}

void check_writable(const std::string& path) {
  if (path.empty() || path == "-" || !is_replaced(path)) return;
  std::FILE* file = std::fopen(part_of(path).c_str(), "wb");
  if (file == nullptr) fail(path, std::strerror(errno));
  std::fclose(file);
  std::error_code error;
  std::filesystem::remove(part_of(path), error);
}

void write_csv(const Table& table, const std::string& path) { write_text(to_csv(table), path); }

}  // namespace daedal::emit
