// Diagnostics: what is wrong, where, and what to do, in the user's words.
#pragma once

#include "daedal/base/source.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace daedal {

enum class Severity { note, warning, error };

struct Diagnostic {
  Severity severity = Severity::error;
  Place place;
  std::string message;               // one line, no full stop
  std::vector<std::string> details;  // further lines: values, bounds, related places
  std::string help;                  // a way out; may be empty
};

/// The full text of one diagnostic: place, message, source line with caret, details, help.
std::string render(const Diagnostic& diagnostic);
std::string render(const std::vector<Diagnostic>& diagnostics);

/// A fault in the model: as many diagnostics as could be found at once. what() is the rendered text.
class ModelError : public std::runtime_error {
 public:
  explicit ModelError(Diagnostic diagnostic);
  explicit ModelError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// Collects diagnostics while work goes on; `throw_if_errors` ends it.
class Diagnostics {
 public:
  void add(Diagnostic diagnostic);
  void error(Place place, std::string message, std::string help = {});
  void warning(Place place, std::string message, std::string help = {});
  bool has_errors() const { return errors_ > 0; }
  std::size_t errors() const { return errors_; }
  const std::vector<Diagnostic>& list() const { return list_; }
  /// Throws ModelError with everything collected when at least one is an error.
  void throw_if_errors() const;

 private:
  std::vector<Diagnostic> list_;
  std::size_t errors_ = 0;
};

/// The candidate nearest to `name` (Damerau-Levenshtein), or "" when none is near enough to suggest.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace daedal
