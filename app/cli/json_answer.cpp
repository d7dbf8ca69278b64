#include "json_answer.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedal::cli {

using nlohmann::ordered_json;

namespace {

const char* severity_word(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

}  // namespace

ordered_json with_warnings(const Arguments& arguments, ordered_json answer) {
  ordered_json& list = answer["warnings"] = ordered_json::array();
  for (const Diagnostic& warning : std::exchange(*arguments.warnings, {}))
    list.push_back(warning.message);
  return answer;
}

void print_json(const Arguments& arguments, ordered_json answer) {
  if (answer.is_object() && !answer.contains("warnings"))
    answer = with_warnings(arguments, std::move(answer));
  fmt::print("{}\n", answer.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

ordered_json to_json(const Diagnostic& diagnostic) {
  ordered_json json{{"severity", severity_word(diagnostic.severity)},
                    {"message", diagnostic.message}};
  if (const Place& place = diagnostic.place; place.known()) {
    json["file"] = place.file->path();
    if (place.line > 0)
      json.update({{"line", place.line}, {"column", place.column}, {"length", place.length}});
  }
  json["details"] = diagnostic.details;
  json["help"] = diagnostic.help;
  return json;
}

ordered_json failure_json(int exit_code, const std::vector<Diagnostic>& diagnostics) {
  ordered_json json{
      {"status", "error"}, {"exit_code", exit_code}, {"diagnostics", ordered_json::array()}};
  for (const Diagnostic& diagnostic : diagnostics)
    json["diagnostics"].push_back(to_json(diagnostic));
  return json;
}

}  // namespace daedal::cli
