// A result on the terminal: warnings, files, text or JSON, exit code.
#pragma once

#include "arguments.hpp"
#include "daedal/task/answer.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace daedal::cli {

/// Where a result is written to; "" nowhere, "-" standard output.
struct Files {
  std::string csv, report;
};
/// --csv and --report. Throws std::runtime_error when one of them cannot be written: for use before a long run.
Files writable_files(const Arguments& arguments);

/// Prints the result and writes its files. The exit code: 0 when it holds, else 1. With `collected` its JSON is appended there
/// instead of being printed.
int show(const Arguments& arguments, const task::Answer& answer, const Files& files,
         std::vector<std::string>* collected = nullptr);

/// Writes a page and, unless `quiet`, says so; a page without animation is reported in any case.
void write_report(emit::Report report, const Arguments& arguments, const std::string& path,
                  bool quiet);

/// What `work` returns; where a task is refused, the requested page gives the reason.
template <class Work>
int with_refusal_page(const Arguments& arguments, const Files& files, const Work& work) {
  try {
    return work();
  } catch (const task::Refusal& refusal) {
    if (!files.report.empty())
      write_report(refusal.page(), arguments, files.report,
                   arguments.quiet || arguments.json || files.csv == "-");
    throw;
  }
}

/// What is printed where there is no answer, with all warnings printed since the last one.
std::string failure_text(const Arguments& arguments, int exit_code,
                         const std::vector<Diagnostic>& diagnostics, const std::string& model = "",
                         const std::string& experiment = "");

/// Prints an answer that is no task's: version of the schema, then `fields`.
void print_json(const nlohmann::ordered_json& fields);
/// Several values of JSON as an array, printed.
void print_json_array(const std::vector<std::string>& values);

}  // namespace daedal::cli
