// --json: one value on standard output, whatever the answer is, faults and warnings included.
#pragma once

#include "arguments.hpp"
#include "daedal/base/diagnostic.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace daedal::cli {

/// Prints an answer; an object gets the warnings that were printed since the last answer, unless it has them. Bytes of file names
/// that are not UTF-8 become U+FFFD.
void print_json(const Arguments& arguments, nlohmann::ordered_json answer);

/// The answer with all warnings printed since the last one.
nlohmann::ordered_json with_warnings(const Arguments& arguments, nlohmann::ordered_json answer);

/// {"severity": "error", "message": ..., "file": ..., "line": ..., "column": ..., "length": ..., "details": [...], "help": ...}
nlohmann::ordered_json to_json(const Diagnostic& diagnostic);
/// What is printed where there is no answer: {"status": "error", "exit_code": 2, "diagnostics": [...]}
nlohmann::ordered_json failure_json(int exit_code, const std::vector<Diagnostic>& diagnostics);

}  // namespace daedal::cli
