#include "daedal/emit/files.hpp"
#include "output_file.hpp"

#include <fmt/format.h>

#include <iterator>
#include <span>

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

void append_header(std::string& text, const Table& table, bool units) {
  for (std::size_t c = 0; c < table.width(); ++c) {
    if (c > 0) text += ',';
    const Column& column = table.columns()[c];
    append_name(text, units && !column.unit.empty()
                          ? fmt::format("{} [{}]", column.name, column.unit)
                          : column.name);
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

}  // namespace

std::string to_csv(const Table& table, bool units) {
  std::string text;
  text.reserve(table.rows() * table.width() * 20);
  append_header(text, table, units);
  for (std::size_t r = 0; r < table.rows(); ++r) append_row(text, table.row(r));
  return text;
}

void write_csv(const Table& table, const std::string& path, bool units) {
  constexpr std::size_t piece = 1 << 16;  // [bytes] held as text: a table may be most of the memory
  OutputFile output(path);
  std::string text;
  append_header(text, table, units);
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
