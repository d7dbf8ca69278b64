#include "daedal/task/page.hpp"

#include "daedal/emit/structure.hpp"
#include "daedal/language/syntax.hpp"
#include "daedal/structure/analysis.hpp"
#include "daedal/structure/examine.hpp"

#include <fmt/format.h>

#include <cctype>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

constexpr std::size_t most_equations = 60;  // that anybody reads; daedal explain has all of them
constexpr std::size_t most_signature = 24;  // unknowns of a signature matrix that fits a page

/// Equations too long to read on a page are named and left to `explain`: long ones, and those beyond a number of
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
    e.text = phrased(fmt::format("{} characters: see `explain()`", e.text.size()));
    e.latex.clear();
  }
  if (!equations.empty()) report.equations.emplace_back(title, std::move(equations));
}

}  // namespace

emit::Report page_of(const Model& model, const std::string& title) {
  emit::Report page;
  page.title = title;
  page.doc = model.doc();
  for (const model::syntax::File& file : model.library().files)
    page.sources.emplace_back(file.source->path(), std::string(file.source->text()));
  return page;
}

void add_equations(emit::Report& report, const structure::Structure& structure) {
  const derive::Dae& dae = *structure.dae;
  const structure::Offsets& offsets = structure.offsets;
  if (dae.equations.size() > most_equations) {
    report.structure =
        phrased(fmt::format("{} equations: `explain()` shows them all", dae.equations.size()));
    return;
  }
  constexpr std::size_t limit =
      10'000;  // characters, LaTeX included: what is cut cannot be typeset
  add_section(report, dae.inverse ? "Equations of the inverse model" : "Equations",
              emit::written_equations(dae, limit));
  add_section(report, "Derivatives of equations that the motion has to satisfy",
              emit::written_derivatives(dae, offsets, limit));
  report.structure =
      fmt::format("index {}, {} free initial value{}\n", structure.index,
                  structure.degrees_of_freedom, structure.degrees_of_freedom == 1 ? "" : "s");
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

void add_warnings(emit::Report& report, const std::vector<Diagnostic>& warnings) {
  // the text of the model is below: no need to quote it
  for (const Diagnostic& warning : warnings) {
    std::string text = warning.message;
    for (const std::string& line : warning.details) text += "\n" + line;
    if (!warning.help.empty()) text += "\nhelp: " + warning.help;
    report.warnings.push_back(phrased(text));
  }
}

emit::Report refusal(const Model& model, const std::string& title,
                     const std::vector<Diagnostic>& faults) {
  emit::Report page = page_of(model, title);
  add_warnings(page, model.warnings());
  page.tone = emit::Tone::bad;
  for (const Diagnostic& fault : faults) {
    if (fault.severity != Severity::error) {
      add_warnings(page, {fault});
      continue;
    }
    page.verdict += (page.verdict.empty() ? "" : "\n") + phrased(fault.message);
    std::string details;
    for (const std::string& line : fault.details) details += line + "\n";
    if (!details.empty()) page.facts.emplace_back("why", phrased(details));
    if (!fault.help.empty()) page.facts.emplace_back("remedy", phrased(fault.help));
    if (fault.place.known()) page.facts.emplace_back("where", fault.place.text());
  }
  if (!page.verdict.empty())
    page.verdict[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(page.verdict[0])));
  return page;
}

}  // namespace task
}  // namespace daedal
