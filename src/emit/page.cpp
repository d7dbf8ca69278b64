// A Report as one HTML file.
//
// Names come from models and may hold anything: in HTML they are escaped, in the data every '<' is, so that no text of a
// model can end its element; and the policy of the page runs no script but the one that carries its nonce.
#include "daedal/emit/report.hpp"
#include "envelope.hpp"
#include "page_assets.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>

namespace daedal::emit {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_curves = 24;  // of a plot: more cannot be distinguished
constexpr std::size_t fewest_points = 200, most_points = 4000;         // of a curve
constexpr std::size_t most_bytes = 1'450'000;                          // of a page
constexpr std::size_t fewest_numbers = 12'000, most_numbers = 45'000;  // of all its curves
constexpr double bytes_per_number = 16.0 / 3;                          // 4, in base64

// --- text

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  return result;
}

void section(std::string& html, const char* id, const char* title) {
  fmt::format_to(std::back_inserter(html), "<section id=\"{}\"><h2>{}</h2>\n", id, title);
}

void write_facts(std::string& html, const Report& report) {
  if (report.facts.empty()) return;
  section(html, "summary", "Summary");
  html += "<dl>\n";
  for (const auto& [word, text] : report.facts)
    fmt::format_to(std::back_inserter(html), "<dt>{}</dt><dd>{}</dd>\n", escaped(word),
                   escaped(text));
  html += "</dl></section>\n";
}

void write_warnings(std::string& html, const Report& report) {
  for (const std::string& warning : report.warnings)
    fmt::format_to(std::back_inserter(html), "<p class=\"warning\">{}</p>\n", escaped(warning));
}

void write_tables(std::string& html, const Report& report) {
  if (report.tables.empty()) return;
  section(html, "tables", "Numbers");
  for (const TextTable& table : report.tables) {
    fmt::format_to(std::back_inserter(html),
                   "<div class=\"scroll\" tabindex=\"0\"><table><caption>{}</caption><thead><tr>",
                   escaped(table.title));
    for (const std::string& cell : table.head) html += "<th>" + escaped(cell) + "</th>";
    html += "</tr></thead><tbody>\n";
    for (const std::vector<std::string>& row : table.rows) {
      html += "<tr>";
      for (const std::string& cell : row) html += "<td>" + escaped(cell) + "</td>";
      html += "</tr>\n";
    }
    html += "</tbody></table></div>\n";
  }
  html += "</section>\n";
}

/// The text is where the browser's program puts the formula: without the program the page is still readable.
void write_equations(std::string& html, const Report& report) {
  if (report.equations.empty()) return;
  section(html, "equations", "Equations");
  for (const auto& [title, equations] : report.equations) {
    fmt::format_to(std::back_inserter(html), "<details{}><summary>{}</summary>\n",
                   &title == &report.equations.front().first ? " open" : "", escaped(title));
    for (const WrittenEquation& e : equations)
      fmt::format_to(std::back_inserter(html),
                     "<div class=\"equation\"><span class=\"name\">{}</span>"
                     "<div class=\"formula\" data-latex=\"{}\">{}</div></div>\n",
                     escaped(e.name), escaped(e.latex),
                     e.text.empty() ? "(not written out)" : escaped(e.text));
    html += "</details>\n";
  }
  html += "</section>\n";
}

void write_structure(std::string& html, const Report& report) {
  if (report.structure.empty()) return;
  section(html, "structure", "Structure");
  html +=
      "<pre class=\"scroll\" tabindex=\"0\">" + escaped(report.structure) + "</pre></section>\n";
}

void write_sources(std::string& html, const Report& report) {
  section(html, "source", "How to get this page");
  fmt::format_to(std::back_inserter(html),
                 "<pre class=\"command scroll\" tabindex=\"0\">{}</pre>\n",
                 escaped(report.command));
  for (const auto& [file, text] : report.sources)
    fmt::format_to(std::back_inserter(html),
                   "<details{}><summary>{}</summary><pre class=\"scroll\" "
                   "tabindex=\"0\">{}</pre></details>\n",
                   &file == &report.sources.back().first ? " open" : "", escaped(file),
                   escaped(text));
  html += "</section>\n";
}

// --- data

std::string base64(std::span<const std::uint8_t> bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(bytes.size() - i, 3);
    std::uint32_t block = 0;
    for (std::size_t k = 0; k < 3; ++k) block = block << 8 | (k < left ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= left ? digits[block >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

/// Little-endian numbers: seven digits are more than a screen shows; times are kept whole.
template <class Number>
std::string packed(const std::vector<double>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(Number));
  constexpr double largest = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool fits = !(values[i] > largest || values[i] < -largest);
    const auto number =
        fits ? static_cast<Number>(values[i]) : std::numeric_limits<Number>::infinity();
    std::memcpy(bytes.data() + i * sizeof(Number), &number, sizeof(Number));
  }
  return base64(bytes);
}

ordered_json json_of(const TimePlot& plot, const Envelope& envelope) {
  ordered_json json{{"title", plot.title}, {"unit", plot.unit}, {"log", plot.logarithmic}};
  const std::size_t shown = std::min(plot.curves.size(), most_curves);
  json["note"] = shown == plot.curves.size()
                     ? plot.note
                     : fmt::format("{}{}the first {} of {}; a CSV file has all of them", plot.note,
                                   plot.note.empty() ? "" : "; ", shown, plot.curves.size());
  json["curves"] = ordered_json::array();
  for (std::size_t k = 0; k < shown; ++k) {
    const TimeCurve& curve = plot.curves[k];
    json["curves"].push_back({{"name", curve.name},
                              {"doc", curve.doc},
                              {"desired", curve.desired},
                              {"step", curve.step},
                              {"edgeOf", curve.edge_of},
                              {"data", packed<float>(envelope.of(*curve.table, curve.column))}});
  }
  return json;
}

ordered_json json_of(const Drawing& drawing) {
  ordered_json json{{"dimension", drawing.dimension},
                    {"gauges", drawing.by_default},
                    {"width", drawing.width},
                    {"times", packed<double>(drawing.times)},
                    {"numbers", packed<float>(drawing.numbers)}};
  json["shapes"] = ordered_json::array();
  for (const DrawnShape& shape : drawing.shapes)
    json["shapes"].push_back({{"kind", shape.kind},
                              {"first", shape.first},
                              {"points", shape.points},
                              {"options", shape.options},
                              {"label", shape.label}});
  return json;
}

ordered_json json_of(const Chart& chart) {
  ordered_json json{{"title", chart.title},
                    {"x", chart.x},
                    {"y", chart.y},
                    {"note", chart.note},
                    {"axes", chart.axes},
                    {"logX", chart.logarithmic_x},
                    {"logY", chart.logarithmic_y},
                    {"leastX", chart.least_x},
                    {"leastY", chart.least_y},
                    {"below", chart.below}};
  json["series"] = ordered_json::array();
  for (const ChartSeries& series : chart.series)
    json["series"].push_back({{"name", series.name},
                              {"x", series.x},
                              {"y", series.y},
                              {"labels", series.labels},
                              {"marker", series.marker},
                              {"joined", series.joined}});
  return json;
}

/// Curves get what the rest of the page leaves them.
std::string data_of(const Report& report, std::size_t bytes_of_page) {
  std::size_t curves = 1;
  for (const TimePlot& plot : report.plots) curves += std::min(plot.curves.size(), most_curves);
  const double bytes_left = static_cast<double>(most_bytes) - static_cast<double>(bytes_of_page) -
                            bytes_per_number * static_cast<double>(report.drawing.numbers.size());
  const auto numbers = static_cast<std::size_t>(
      std::clamp<double>(bytes_left / bytes_per_number, fewest_numbers, most_numbers));
  const std::size_t points = std::clamp(numbers / curves, fewest_points, most_points);
  const Envelope envelope(report.rows == nullptr ? 0 : report.rows->rows(), points);
  ordered_json json{{"counted", report.counted}};
  if (envelope.size() > 0) {
    std::vector<double> times;
    for (const std::size_t row : envelope.rows()) times.push_back(report.rows->at(row, 0));
    json["times"] = packed<double>(times);
    json["shortened"] = envelope.shortens() ? report.rows->rows() : 0;
    json["plots"] = ordered_json::array();
    for (const TimePlot& plot : report.plots) json["plots"].push_back(json_of(plot, envelope));
  }
  json["events"] = ordered_json::array();
  for (const auto& [name, t] : report.events) json["events"].push_back({{"name", name}, {"t", t}});
  if (!report.drawing.empty()) json["drawing"] = json_of(report.drawing);
  json["charts"] = ordered_json::array();
  for (const Chart& chart : report.charts) json["charts"].push_back(json_of(chart));
  // ASCII alone, broken UTF-8 replaced
  const std::string text = json.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

/// From the content (FNV-1a): same report, same bytes.
std::string nonce_of(std::string_view content) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : content) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

const char* word(Tone tone) {
  return tone == Tone::good ? "good" : tone == Tone::doubtful ? "doubtful" : "bad";
}

void write_head(std::string& html, const Report& report, const std::string& nonce) {
  fmt::format_to(
      std::back_inserter(html),
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'nonce-{}'; style-src 'unsafe-inline'; font-src data:; img-src data: blob:\">\n"
      "<title>{} - Daedal</title>\n<style>\n{}{}</style>\n</head>\n",
      nonce, escaped(report.title), browser_style(), page_style());
}

void write_top(std::string& html, const Report& report) {
  fmt::format_to(std::back_inserter(html),
                 "<header>\n<h1>{}</h1>\n<p class=\"doc\">{}</p>\n"
                 "<p class=\"verdict {}\">{}</p>\n",
                 escaped(report.title), escaped(report.doc), word(report.tone),
                 escaped(report.verdict));
  write_warnings(html, report);
  if (!pages_are_animated())
    html +=
        "<p class=\"note\">This Daedal was built without npm: no animation, no plots, and "
        "equations "
        "as plain text.</p>\n";
  html += "</header>\n";
}

void write_sections(std::string& html, const Report& report) {
  html += "<main>\n<div class=\"first\">\n";
  if (pages_are_animated() && !report.drawing.empty())
    html += "<section id=\"motion\"><h2>" +
            std::string(report.drawing.times.size() > 1 ? "Motion" : "Pose") + "</h2></section>\n";
  write_facts(html, report);
  html += "</div>\n";
  if (pages_are_animated() && !report.plots.empty())
    html += "<section id=\"plots\"><h2>" +
            std::string(report.counted.empty() ? "Over time" : "On the way") + "</h2></section>\n";
  if (pages_are_animated() && !report.charts.empty())
    html += "<section id=\"charts\"><h2>Charts</h2></section>\n";
  write_tables(html, report);
  write_equations(html, report);
  write_structure(html, report);
  write_sources(html, report);
  html += "</main>\n";
}

}  // namespace

bool pages_are_animated() { return !flat_program().empty(); }

std::string page(const Report& report) {
  const bool spatial = report.drawing.dimension == 3;
  const std::string_view program = spatial ? spatial_program() : flat_program();
  std::string body = "<body>\n";
  write_top(body, report);
  write_sections(body, report);
  std::string html, data;
  if (pages_are_animated())
    data = data_of(report, body.size() + program.size() + browser_style().size());
  const std::string nonce = nonce_of(data);
  html.reserve(program.size() + browser_style().size() + data.size() + body.size() + (1 << 15));
  write_head(html, report, nonce);
  html += body;
  if (pages_are_animated()) {
    fmt::format_to(std::back_inserter(html),
                   "<script type=\"application/json\" id=\"data\">{}</script>\n"
                   "<script nonce=\"{}\">\n{}</script>\n",
                   data, nonce, program);
  }
  html += "</body>\n</html>\n";
  return html;
}

}  // namespace daedal::emit
