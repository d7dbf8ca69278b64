// Diagnostics as text:
//
//   crane.daedal:7:34: error: unknown name 'x_TT' in constraint 'cable'
//       constraint cable: z_P^2 + (x_P - x_TT)^2 = L^2
//                                        ^~~~
//     help: did you mean 'x_T' (coordinate, line 3)?
#include "daedal/base/diagnostic.hpp"

#include "daedal/base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedal {
namespace {

constexpr std::uint32_t shown_columns =
    100;  // of a source line; longer ones are cut around the caret
constexpr std::uint32_t columns_before_caret = 40;
constexpr std::string_view cut_mark = "...";

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

/// The columns [first, last] of a source line that are shown.
struct Window {
  std::uint32_t first, last;
};

Window window_around(std::uint32_t column, std::uint32_t columns) {
  if (columns <= shown_columns) return {1, columns};
  const std::uint32_t first =
      column > shown_columns - columns_before_caret ? column - columns_before_caret : 1;
  return {first, std::min(columns, first + shown_columns - 1)};
}

std::string visible_part(std::string_view line, Window window) {
  std::string out;
  std::uint32_t column = 1;
  std::size_t at = 0;
  for (; at < line.size() && column <= window.last; ++column) {
    const CodePoint code_point = decode_utf8(line, at);
    if (column >= window.first) out += visible(line.substr(at, code_point.bytes));
    at += code_point.bytes;
  }
  if (window.first > 1) out.insert(0, cut_mark);
  if (at < line.size()) out += cut_mark;
  return out;
}

void append_source_line(std::string& out, const Place& place) {
  if (!place.known() || place.line == 0 || place.line > place.file->line_count()) return;
  const std::string_view line = place.file->line(place.line);
  const Window window = window_around(place.column, count_code_points(line));
  out += fmt::format("\n    {}", visible_part(line, window));
  if (place.column == 0) return;
  const std::size_t before = place.column - window.first + (window.first > 1 ? cut_mark.size() : 0);
  const std::uint32_t room = window.last >= place.column ? window.last - place.column : 0;
  const std::uint32_t tildes = std::min(place.length > 0 ? place.length - 1 : 0, room);
  out += fmt::format("\n    {:{}}^{:~<{}}", "", before, "", tildes);
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const PhraseRemedy& phrase) {
  const std::string place = diagnostic.place.text();
  // names of files and options may hold anything
  std::string out =
      visible(fmt::format("{}{}{}: {}", place, place.empty() ? "" : ": ", word(diagnostic.severity),
                          phrased(diagnostic.message, phrase)));
  append_source_line(out, diagnostic.place);
  for (const std::string& detail : diagnostic.details)
    out += "\n  " + visible(phrased(detail, phrase));
  if (!diagnostic.help.empty()) out += "\n  help: " + visible(phrased(diagnostic.help, phrase));
  return out;
}

std::string render(const std::vector<Diagnostic>& diagnostics, const PhraseRemedy& phrase) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!out.empty()) out += '\n';
    out += render(diagnostic, phrase);
  }
  return out;
}

ModelError::ModelError(Diagnostic diagnostic) : ModelError(std::vector{std::move(diagnostic)}) {}

ModelError::ModelError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(render(diagnostics)), diagnostics_(std::move(diagnostics)) {}

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::error) ++errors_;
  list_.push_back(std::move(diagnostic));
}

void Diagnostics::error(Place place, std::string message, std::string help) {
  add({Severity::error, std::move(place), std::move(message), {}, std::move(help)});
}

void Diagnostics::warning(Place place, std::string message, std::string help) {
  add({Severity::warning, std::move(place), std::move(message), {}, std::move(help)});
}

void Diagnostics::throw_if_errors() const {
  if (has_errors()) throw ModelError(list_);
}

}  // namespace daedal
