// Tables as CSV.
#pragma once

#include "daedal/base/table.hpp"

#include <string>

namespace daedal::emit {

/// Header line, then a line per row; numbers in the shortest form that reads back to the same bits; names that contain
/// commas or quotes are quoted.
std::string to_csv(const Table& table);

/// Writes to `path` ("-": standard output). The file appears whole or not at all: an earlier one survives a failure.
/// Throws std::runtime_error that names the path and the reason.
void write_csv(const Table& table, const std::string& path);

/// Writes `text` likewise.
void write_text(const std::string& text, const std::string& path);

/// Throws as write_csv would if nothing can be written to `path`: to be asked before a long run, not behind it.
void check_writable(const std::string& path);

}  // namespace daedal::emit
