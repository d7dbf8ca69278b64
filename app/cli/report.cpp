#include "report.hpp"

#include "daedal/base/utf8.hpp"
#include "daedal/emit/csv.hpp"
#include "daedal/emit/equations.hpp"
#include "daedal/emit/structure.hpp"
#include "daedal/structure/analysis.hpp"
#include "daedal/structure/blocks.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdio>
#include <sstream>

namespace daedal::cli {

namespace {

constexpr std::size_t most_equations = 60;  // that anybody reads; daedal explain has all of them
constexpr std::size_t most_signature = 24;  // unknowns of a signature matrix that fits a page

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// Equations that nobody reads on a page are named and left to daedal explain: long ones, and those beyond a number of
/// characters in all.
void add_section(emit::Report& report, const std::string& title,
                 std::vector<emit::WrittenEquation> equations) {
  constexpr std::size_t most_of_one = 2000, most_in_all = 60'000;  // characters
  std::size_t written = 0;
  for (emit::WrittenEquation& e : equations) {
    const std::size_t size = e.text.size() + e.latex.size();
    if (e.text.empty() || (e.text.size() <= most_of_one && written + size <= most_in_all)) {
      written += size;
      continue;
    }
    e.text = fmt::format("{} characters: daedal explain shows them", e.text.size());
    e.latex.clear();
  }
  if (!equations.empty()) report.equations.emplace_back(title, std::move(equations));
}

}  // namespace

void check_writable(const Files& files) {
  emit::check_writable(files.csv);
  emit::check_writable(files.report);
}

emit::Report report_of(const Loaded& loaded, const Arguments& a, const std::string& title) {
  emit::Report report;
  report.title = title;
  report.doc = loaded.model->doc;
  report.command = a.command_line;
  for (const model::syntax::File& file : loaded.library.files)
    report.sources.emplace_back(file.source->path(), std::string(file.source->text()));
  add_warnings(report, loaded.model->warnings);
  return report;
}

void add_equations(emit::Report& report, const derive::Dae& dae,
                   const structure::Offsets& offsets) {
  if (dae.equations.size() > most_equations) {
    report.structure =
        fmt::format("{} equations: daedal explain shows all of them", dae.equations.size());
    return;
  }
  constexpr std::size_t limit =
      10'000;  // characters, LaTeX included: what is cut cannot be typeset
  add_section(report, dae.inverse ? "Equations of the inverse model" : "Equations",
              emit::written_equations(dae, limit));
  add_section(report, "Derivatives of equations that the motion has to satisfy",
              emit::written_derivatives(dae, offsets, limit));
  report.structure =
      fmt::format("index {}, {} free initial value{}\n", offsets.index, offsets.degrees_of_freedom,
                  offsets.degrees_of_freedom == 1 ? "" : "s");
  if (dae.unknowns.size() <= most_signature)
    report.structure +=
        "\nhighest derivative of each unknown (* matched, brackets: not decisive), offsets c and "
        "d\n" +
        emit::signature_table(dae, offsets);
  report.structure +=
      "\norder of solution: equations (times differentiated) -> highest derivatives\n" +
      emit::order_of_solution(dae, offsets,
                              structure::fine_blocks(offsets, structure::signature(dae)));
}

void add_facts(emit::Report& report, const std::string& summary) {
  constexpr std::size_t margin = 11;  // of the text
  std::istringstream lines(summary);
  std::string line;
  std::getline(lines, line);  // the title
  while (std::getline(lines, line)) {
    if (line.size() <= margin) continue;
    const std::string word = trimmed(line.substr(0, margin)), text = trimmed(line.substr(margin));
    const bool goes_on =
        word.empty() || (!report.facts.empty() && report.facts.back().first == word);
    if (goes_on && !report.facts.empty())
      report.facts.back().second += "\n" + text;
    else
      report.facts.emplace_back(word, text);
  }
}

void add_warnings(emit::Report& report, const std::vector<Diagnostic>& warnings) {
  // the text of the model stands below: no need to quote it
  for (const Diagnostic& warning : warnings) {
    std::string text = warning.message;
    for (const std::string& line : warning.details) text += "\n" + line;
    if (!warning.help.empty()) text += "\nhelp: " + warning.help;
    report.warnings.push_back(std::move(text));
  }
}

emit::Report refusal(const Loaded& loaded, const Arguments& a, const std::string& title,
                     const std::vector<Diagnostic>& faults) {
  emit::Report page = report_of(loaded, a, title);
  page.tone = emit::Tone::bad;
  for (const Diagnostic& fault : faults) {
    page.verdict += (page.verdict.empty() ? "" : "\n") + fault.message;
    std::string details;
    for (const std::string& line : fault.details) details += line + "\n";
    if (!details.empty()) page.facts.emplace_back("why", details);
    if (!fault.help.empty()) page.facts.emplace_back("way out", fault.help);
    if (fault.place.known()) page.facts.emplace_back("where", fault.place.text());
  }
  if (!page.verdict.empty())
    page.verdict[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(page.verdict[0])));
  return page;
}

void write_report(const emit::Report& report, const std::string& path, bool quiet) {
  const std::string page = emit::page(report);
  emit::write_text(page, path);
  if (!quiet && path != "-")
    fmt::print("  report   {}: {} kB\n", visible(path), (page.size() + 500) / 1000);
  if (!emit::pages_are_animated())
    std::fprintf(stderr,
                 "note: this daedal was built without npm: the report has no animation and no "
                 "plots\n");
}

}  // namespace daedal::cli
