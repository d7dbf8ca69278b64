// Tables as CSV.
#pragma once

#include "daedal/base/table.hpp"
#include "daedal/emit/files.hpp"

#include <string>

namespace daedal::emit {

/// Header line, then a line per row; numbers in the shortest form that reads back to the same bits; names that contain
/// commas or quotes are quoted.
std::string to_csv(const Table& table);

/// Writes it as write_text would.
void write_csv(const Table& table, const std::string& path);

}  // namespace daedal::emit
