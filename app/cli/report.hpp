// --report FILE: the answer as a page.
#pragma once

#include "arguments.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/structure/offsets.hpp"
#include "pipeline.hpp"

#include <string>

namespace daedal::cli {

/// What a run writes; "" nothing.
struct Files {
  std::string csv, report;
};
/// Throws std::runtime_error when one of them cannot be written: to be asked before a long run.
void check_writable(const Files& files);

/// What every page holds: the model, its text, and the command.
emit::Report report_of(const Loaded& loaded, const Arguments& arguments, const std::string& title);
/// The equations, those that follow by differentiation, signature matrix and order of solution.
void add_equations(emit::Report& report, const derive::Dae& dae, const structure::Offsets& offsets);
/// Lines of a summary, a word before each of them, as facts.
void add_facts(emit::Report& report, const std::string& summary);
void add_warnings(emit::Report& report, const std::vector<Diagnostic>& warnings);

/// A page that says why there is no answer, and what can be done.
emit::Report refusal(const Loaded& loaded, const Arguments& arguments, const std::string& title,
                     const std::vector<Diagnostic>& faults);

/// Writes the page and, unless `quiet`, says so; a page that is not animated is told in any case.
void write_report(const emit::Report& report, const std::string& path, bool quiet);

}  // namespace daedal::cli
