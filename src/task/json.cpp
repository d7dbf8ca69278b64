#include "daedal/task/json.hpp"

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

namespace {

const char* severity_word(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

}  // namespace

ordered_json to_json(const Diagnostic& diagnostic) {
  ordered_json json{{"severity", severity_word(diagnostic.severity)},
                    {"message", phrased(diagnostic.message)}};
  if (const Place& place = diagnostic.place; place.known()) {
    json["file"] = place.file->path();
    if (place.line > 0)
      json.update({{"line", place.line}, {"column", place.column}, {"length", place.length}});
  }
  json["details"] = ordered_json::array();
  for (const std::string& detail : diagnostic.details) json["details"].push_back(phrased(detail));
  json["help"] = phrased(diagnostic.help);
  for (const Remedy& remedy : remedies(diagnostic.help))
    if (const std::size_t call = remedy.option.find("()"); call != std::string::npos)
      json["questions"].push_back(remedy.option.substr(0, call));
    else
      json["remedies"].push_back({{"option", remedy.option}, {"value", remedy.value}});
  return json;
}

std::string failure_json(const Failure& failure) {
  ordered_json json{{"schema_version", schema_version}};
  if (!failure.model.empty()) json["model"] = failure.model;
  if (!failure.experiment.empty()) json["experiment"] = failure.experiment;
  json["status"] = "error";
  json["exit_code"] = failure.exit_code;
  json["diagnostics"] = ordered_json::array();
  for (const Diagnostic& diagnostic : failure.diagnostics)
    json["diagnostics"].push_back(to_json(diagnostic));
  json["warnings"] = ordered_json::array();
  for (const Diagnostic& warning : failure.warnings)
    json["warnings"].push_back(phrased(warning.message));
  return text_of(json);
}

std::string text_of(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace task
}  // namespace daedal
