#include "daedal/emit/report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <cstring>

namespace daedal::emit {
namespace {

const std::string hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)> \"'&é";

Report hostile_report(const Table& rows) {
  Report report;
  report.title = report.doc = report.verdict = report.structure = report.command = hostile;
  report.facts = {{hostile, hostile}};
  report.warnings = {hostile};
  report.sources = {{hostile, hostile}};
  report.equations = {{hostile, {{hostile, hostile, hostile, 0}}}};
  report.tables = {{hostile, {hostile}, {{hostile}}}};
  report.charts = {{hostile,
                    hostile,
                    hostile,
                    hostile,
                    false,
                    false,
                    false,
                    {{hostile, {1}, {2}, {hostile}, "dot", false}}}};
  report.events = {{hostile, 1.0}};
  report.rows = &rows;
  report.plots = {{hostile, hostile, hostile, false, {{hostile, hostile, &rows, 1, false}}}};
  report.drawing.shapes = {{hostile, 0, 1, {{hostile, 2}}, hostile}};
  report.drawing.times = {0};
  report.drawing.numbers = {1, 2, 3};
  report.drawing.width = 3;
  return report;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

Table wave(std::size_t rows, std::size_t columns) {
  std::vector<Column> names{{"t", "s"}};
  for (std::size_t c = 1; c < columns; ++c) names.push_back({"x" + std::to_string(c), "m"});
  Table table(std::move(names));
  table.reserve(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = table.append();
    row[0] = 1e-3 * static_cast<double>(r);
    for (std::size_t c = 1; c < columns; ++c) row[c] = std::sin(row[0] * static_cast<double>(c));
  }
  return table;
}

/// The data of a page as the browser reads it.
nlohmann::json data_of(const std::string& page) {
  const std::string mark = "id=\"data\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

template <class Number>
std::vector<Number> unpacked(const std::string& text) {
  static const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t block = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    block = block << 6 | static_cast<std::uint32_t>(digits.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(block >> bits & 255);
  }
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

TEST(Report, names_that_look_like_markup_stay_text) {
  const Table rows = wave(3, 2);
  const std::string page = emit::page(hostile_report(rows));
  EXPECT_EQ(count(page, "<script>alert"), 0U);
  EXPECT_EQ(count(page, "<img src=x"), 0U);
  EXPECT_GT(count(page, "&lt;script&gt;alert(1)&lt;/script&gt;"), 10U);
  // the two elements that are meant, or none without the browser's part
  EXPECT_EQ(count(page, "</script>"), pages_are_animated() ? 2U : 0U);
  if (!pages_are_animated()) return;
  const nlohmann::json data = data_of(page);
  EXPECT_EQ(data["plots"][0]["title"], hostile);
  EXPECT_EQ(data["plots"][0]["curves"][0]["name"], hostile);
  EXPECT_EQ(data["drawing"]["shapes"][0]["label"], hostile);
  EXPECT_EQ(data["charts"][0]["series"][0]["labels"][0], hostile);
}

TEST(Report, broken_characters_do_not_break_the_page) {
  const Table rows = wave(3, 2);
  Report report = hostile_report(rows);
  report.plots[0].title = "\xff\xfe broken";
  EXPECT_TRUE(emit::page(report).ends_with("</html>\n"));
}

TEST(Report, nothing_is_asked_of_a_network) {
  const std::string page = emit::page({});
  EXPECT_EQ(count(page, "default-src 'none'"), 1U);
  for (const char* link : {"src=\"http", "href=\"http", "@import", "url(http"})
    EXPECT_EQ(count(page, link), 0U) << link;
}

TEST(Report, curves_are_in_the_page_to_seven_digits) {
  if (!pages_are_animated()) GTEST_SKIP() << "built without npm";
  const Table rows = wave(500, 3);
  Report report;
  report.rows = &rows;
  report.plots = {{"Coordinates", "m", "", false, {{"x2", "", &rows, 2, false}}}};
  const nlohmann::json data = data_of(emit::page(report));
  const auto times = unpacked<double>(data["times"]);
  const auto values = unpacked<float>(data["plots"][0]["curves"][0]["data"]);
  ASSERT_EQ(times.size(), 500U);
  ASSERT_EQ(values.size(), 500U);
  for (std::size_t r = 0; r < 500; ++r) {
    EXPECT_EQ(times[r], rows.at(r, 0));
    EXPECT_EQ(values[r], static_cast<float>(rows.at(r, 2)));
  }
}

TEST(Report, charts_carry_their_floor_and_their_place_under_each_other) {
  if (!pages_are_animated()) GTEST_SKIP() << "built without npm";
  Report report;
  report.charts = {{"Gain", "w", "gain", "", true, true, false, {}},
                   {"Phase", "w", "phase", "", true, false, false, {}}};
  report.charts[0].least_x = 0.25;
  report.charts[1].below = true;
  const nlohmann::json data = data_of(emit::page(report));
  EXPECT_EQ(data["charts"][0]["leastX"], 0.25);
  EXPECT_EQ(data["charts"][0]["leastY"], 0);
  EXPECT_EQ(data["charts"][0]["below"], false);
  EXPECT_EQ(data["charts"][1]["below"], true);
}

TEST(Report, large_runs_stay_small_and_quick) {
  const Table rows = wave(10'000, 60);
  Report report;
  report.rows = &rows;
  for (std::size_t c = 1; c < rows.width(); ++c)
    report.plots.push_back({"p", "m", "", false, {{"x", "", &rows, c, false}}});
  report.drawing.dimension = 3;  // the larger program
  report.drawing.width = 30;
  report.drawing.shapes = {{"line", 0, 10, {}, ""}};
  report.drawing.times.resize(1000);
  report.drawing.numbers.resize(30'000);
  double best = 1e9;
  for (int k = 0; k < 3; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_LT(emit::page(report).size(), 1'500'000U);
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  EXPECT_LT(best, 0.3);  // [s]
}

TEST(Report, a_page_without_the_browsers_part_says_so) {
  EXPECT_EQ(count(emit::page({}), "This Daedal was built without npm"),
            pages_are_animated() ? 0U : 1U);
}

TEST(Report, same_report_same_bytes) {
  const Table rows = wave(50, 3);
  EXPECT_EQ(emit::page(hostile_report(rows)), emit::page(hostile_report(rows)));
}

}  // namespace
}  // namespace daedal::emit
