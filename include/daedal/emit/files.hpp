// Files that the program writes: each is written completely or not at all, keeps the mode, the owner and the links of
// what it replaces, and input files are never touched.
#pragma once

#include "daedal/base/table.hpp"

#include <string>

namespace daedal::emit {

/// Writes to `path` ("-": standard output). An earlier file survives a failure.
/// Throws std::runtime_error that names the path and the reason.
void write_text(const std::string& text, const std::string& path);

/// Throws as write_text would if nothing can be written to `path`: for use before a long run, not after it.
void check_writable(const std::string& path);

/// Whether two paths name one file, links resolved, absolute or relative, whether or not it exists yet. What is
/// written to a device is not kept, so two paths to one device are not one file.
bool same_file(const std::string& a, const std::string& b);

/// Whether `path` is what standard output is connected to: /dev/stdout, or the file it was redirected to;
/// /dev/null never.
bool is_standard_output(const std::string& path);

// Tables as CSV.

/// Header line, then a line per row; numbers in the shortest form that reads back to the same bits; names that contain
/// commas or quotes are quoted. With `units` the header says "x [m]".
std::string to_csv(const Table& table, bool units = false);

/// Writes it as write_text would.
void write_csv(const Table& table, const std::string& path, bool units = false);

}  // namespace daedal::emit
