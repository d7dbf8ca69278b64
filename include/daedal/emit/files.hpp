// Files that the program writes: each appears whole or not at all, keeps the mode, the owner and the links of what it replaces,
// and leaves alone what is read.
#pragma once

#include <string>

namespace daedal::emit {

/// Writes to `path` ("-": standard output). An earlier file survives a failure.
/// Throws std::runtime_error that names the path and the reason.
void write_text(const std::string& text, const std::string& path);

/// Throws as write_text would if nothing can be written to `path`: to be asked before a long run, not after it.
void check_writable(const std::string& path);

/// Whether two paths lead to one file, through links and from wherever they start, whether or not it is there yet. What is
/// written to a device is not kept, so two paths to one device are not one file.
bool same_file(const std::string& a, const std::string& b);

/// Whether `path` leads to what standard output is connected to: /dev/stdout, or the file it was redirected to;
/// /dev/null never.
bool is_standard_output(const std::string& path);

}  // namespace daedal::emit
