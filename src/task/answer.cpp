#include "daedal/task/answer.hpp"

#include "daedal/emit/files.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/page.hpp"

#include <fmt/format.h>

#include <string_view>

namespace daedal {
inline namespace task {

namespace {

constexpr std::size_t margin = 11;  // of the text, beside the names

void add_line(std::string& text, std::string_view name, std::string_view line) {
  text += fmt::format("  {:<{}}{}\n", name, margin - 2, line);
}

void add_fact(std::string& text, const Fact& fact) {
  std::string_view rest = fact.text, name = fact.name;
  for (;;) {
    const std::size_t end = rest.find('\n');
    add_line(text, name, rest.substr(0, end));
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + 1);
    name = {};
  }
}

}  // namespace

std::string title_of(const Model& model, const std::string& experiment) {
  return experiment.empty() ? model.name() : model.name() + "." + experiment;
}

std::string lines_of(const std::vector<Fact>& facts) {
  std::string text;
  for (const Fact& fact : facts) add_fact(text, fact);
  return text;
}

std::string Answer::summary() const {
  return fmt::format("{}{}\n", title, model.doc().empty() ? "" : ": " + model.doc()) +
         lines_of(facts());
}

std::string summary(const Answer& answer, const PhraseRemedy& phrase) {
  return phrased(answer.summary(), phrase);
}

Json json_of(const Answer& answer) {
  Json made = answer.json();
  if (!made.value.is_object()) return made;
  Json json{{{"schema_version", schema_version}}};
  json.value.update(made.value);
  nlohmann::ordered_json& list = json.value["warnings"] = nlohmann::ordered_json::array();
  for (const Diagnostic& warning : answer.warnings) list.push_back(phrased(warning.message));
  return json;
}

std::string to_json(const Answer& answer) { return text_of(json_of(answer).value); }

emit::Report report(const Answer& answer) {
  if (!answer.faults.empty()) return refusal(answer.model, answer.title, answer.faults);
  emit::Report page = page_of(answer.model, answer.title);
  page.verdict = phrased(answer.verdict);
  page.tone = answer.tone;
  add_warnings(page, answer.warnings);
  for (const Fact& fact : answer.facts())
    if (!page.facts.empty() && page.facts.back().first == fact.name)
      page.facts.back().second += "\n" + phrased(fact.text);
    else
      page.facts.emplace_back(fact.name, phrased(fact.text));
  answer.illustrate(page);
  return page;
}

void write(const emit::Report& report, const std::string& path) {
  emit::write_text(emit::page(report), path);
}

}  // namespace task
}  // namespace daedal
