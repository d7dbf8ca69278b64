// Diagnostics: the fault, its location and a remedy, in the user's terms.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Source text and places in it, so that every message can point at what the user wrote.

namespace daedal {

/// One file of model text, kept alive by every Place that points into it.
class SourceFile {
 public:
  SourceFile(std::string path, std::string text);

  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }
  /// Line `number` (from 1) without its line end.
  std::string_view line(std::uint32_t number) const;
  std::uint32_t line_count() const { return static_cast<std::uint32_t>(line_starts_.size()); }

 private:
  std::string path_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
};

/// A stretch of one source line; columns count characters (UTF-8 code points) from 1.
struct Place {
  std::shared_ptr<const SourceFile> file;  // null: made by a program, not read from a file
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 1;

  bool known() const { return file != nullptr; }
  /// "crane.daedal:7:25", or "" when unknown.
  std::string text() const;
};

// What messages propose. A text marks options with back quotes, `step = 0.001` or `receding`, questions as `explain()`, and each
// front end writes them as its users do: --step 0.001 and daedal explain on a command line, step = 0.001 and explain() elsewhere.

struct Remedy {
  std::string option;  // "step"; "explain()" another question to ask
  std::string value;   // "0.001"; "" an option without one
};

/// The options and questions that a text proposes, in its order.
std::vector<Remedy> remedies(std::string_view text);

using PhraseRemedy = std::function<std::string(const Remedy&)>;
/// "step = 0.001", "explain()".
std::string in_words(const Remedy& remedy);
/// The text with its options and questions written by `phrase`.
std::string phrased(std::string_view text, const PhraseRemedy& phrase = in_words);

enum class Severity { note, warning, error };

struct Diagnostic {
  Severity severity = Severity::error;
  Place place;
  std::string message;               // one line, no full stop
  std::vector<std::string> details;  // further lines: values, bounds, related places
  std::string help;                  // a remedy; may be empty
};

/// The full text of one diagnostic: place, message, source line with caret, details, help. Options that it proposes are written
/// by `phrase`.
std::string render(const Diagnostic& diagnostic, const PhraseRemedy& phrase = in_words);
std::string render(const std::vector<Diagnostic>& diagnostics,
                   const PhraseRemedy& phrase = in_words);

/// A fault in the model: all diagnostics that could be found. what() is the rendered text.
class ModelError : public std::runtime_error {
 public:
  explicit ModelError(Diagnostic diagnostic);
  explicit ModelError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// Collects diagnostics during the work; `throw_if_errors` ends it.
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
