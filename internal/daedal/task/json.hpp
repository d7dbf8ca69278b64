// Values of JSON, and what all answers write in the same way. Everything that has a field for it is documented in docs/json.md.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/task/answer.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace daedal {
inline namespace task {

struct Json {
  nlohmann::ordered_json value;
};

/// An answer with its warnings.
Json json_of(const Answer& answer);

/// {"severity": "error", "message": ..., "file": ..., "line": ..., "column": ..., "length": ..., "details": [...], "help": ...,
/// "remedies": [{"option": ..., "value": ...}]}
nlohmann::ordered_json to_json(const Diagnostic& diagnostic);

/// Bytes of file names that are not UTF-8 become U+FFFD.
std::string text_of(const nlohmann::ordered_json& json);

}  // namespace task
}  // namespace daedal
