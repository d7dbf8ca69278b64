#include "show.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/base/utf8.hpp"
#include "daedal/emit/files.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "pipeline.hpp"
#include "request.hpp"
#include "sparkline.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace daedal::cli {

namespace {

/// "; 'out.csv' holds the 120 rows until then"
std::string rows_kept(const task::Answer& answer, const std::string& csv) {
  if (csv.empty() || !answer.interrupted || answer.table() == nullptr) return "";
  const std::string where = csv == "-" ? "standard output" : "'" + visible(csv) + "'";
  return fmt::format("; {} holds the {} rows until then", where, answer.table()->rows());
}

void print_text(const Arguments& a, const task::Answer& answer, const std::string& csv) {
  std::string text = summary(answer, as_option);
  if (const Table* const table = answer.table()) {
    if (!csv.empty())
      text += fmt::format("  wrote    {}: {} rows, {} columns\n", visible(csv), table->rows(),
                          table->width());
    text += plots_of(a.plots, *table);
  }
  const bool coloured = shows_colours(STDOUT_FILENO) && !a.latex;
  fmt::print("{}", coloured ? painted_summary(text, answer) : text);
}

}  // namespace

Files writable_files(const Arguments& a) {
  emit::check_writable(a.csv);
  emit::check_writable(a.report);
  return {a.csv, a.report};
}

int show(const Arguments& a, const task::Answer& answer, const Files& files,
         std::vector<std::string>* collected) {
  // Ctrl-C while texts are made ends that too; an answer that it has cut short is shown as far as it is there.
  const StopScope stoppable(answer.interrupted ? nullptr : &Interrupt::flag());
  const bool data_on_output = files.csv == "-";
  print_warnings(a, answer.warnings);
  if (!files.csv.empty() && answer.table() != nullptr)
    emit::write_csv(*answer.table(), files.csv, a.csv_units);
  if (collected != nullptr)
    collected->push_back(to_json(answer));
  else if (a.json)
    fmt::print("{}\n", to_json(answer));
  else if (!data_on_output)  // with --quiet nothing goes to standard output
    print_text(a, answer, files.csv);
  if (!files.report.empty())
    write_report(report(answer), a, files.report, a.quiet || a.json || data_on_output);
  if (answer.holds) return 0;
  std::fflush(stdout);
  if (!answer.faults.empty()) {
    std::fprintf(stderr, "%s\n", render(answer.faults, as_option).c_str());
  } else if (!answer.reason.empty()) {
    std::fprintf(stderr, "%s: %s%s\n", answer.title.c_str(),
                 phrased(answer.reason, as_option).c_str(), rows_kept(answer, files.csv).c_str());
  }
  return 1;
}

std::string failure_text(const Arguments& arguments, int exit_code,
                         const std::vector<Diagnostic>& diagnostics, const std::string& model,
                         const std::string& experiment) {
  return task::failure_json(
      {exit_code, diagnostics, std::exchange(*arguments.warnings, {}), model, experiment});
}

void print_json(const nlohmann::ordered_json& fields) {
  nlohmann::ordered_json json{{"schema_version", task::schema_version}};
  json.update(fields);
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_json_array(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) {
    text += text.empty() ? "\n  " : ",\n  ";
    for (const char c : value) {
      text += c;
      if (c == '\n') text += "  ";
    }
  }
  fmt::print("[{}]\n", text.empty() ? text : text + "\n");
}

void write_report(emit::Report report, const Arguments& a, const std::string& path, bool quiet) {
  report.command = a.command_line;
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
