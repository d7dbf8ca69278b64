// The result of every task: plain data, and the output made from it.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/base/table.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/task/model.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

/// A line of a summary. Lines of one name that follow each other belong together.
struct Fact {
  std::string name;             // "drift"
  std::string text;             // in words; further lines after '\n'
  std::optional<double> value;  // the number in it, if any
  std::string unit;             // of the number
  std::string where;            // which constraint, input, ... it belongs to
};

/// "crane", "crane.move".
std::string title_of(const Model& model, const std::string& experiment);

/// Facts as the lines of a summary.
std::string lines_of(const std::vector<Fact>& facts);

struct Json;  // a value of JSON (internal/daedal/task/json.hpp)

class Answer {
 public:
  explicit Answer(Model of) : model(std::move(of)), title(model.name()) {}
  virtual ~Answer() = default;

  Model model;
  std::string title;    // the model's name, with that of the experiment
  std::string verdict;  // a sentence or two
  emit::Tone tone = emit::Tone::good;
  bool holds =
      true;  // false: the answer is no, wrong, in doubt, or the work did not come to its end
  std::string reason;                // why it is incomplete; "" when it is complete
  std::vector<Diagnostic> faults;    // why there is no answer; the page then says nothing else
  bool interrupted = false;          // by the caller
  std::vector<Diagnostic> warnings;  // those of the model included

  /// In the order of a summary, without the title.
  virtual std::vector<Fact> facts() const { return {}; }
  /// The contents of a CSV file; nullptr when there is none.
  virtual const Table* table() const { return nullptr; }

 protected:
  /// Title and facts, unless a result has its own layout.
  virtual std::string summary() const;
  virtual Json json() const = 0;
  /// Adds pictures, tables and equations to a page that has title, verdict, warnings and facts.
  virtual void illustrate(emit::Report&) const {}

  Answer(const Answer&) = default;
  Answer(Answer&&) = default;
  Answer& operator=(const Answer&) = default;
  Answer& operator=(Answer&&) = default;

 private:
  friend std::string summary(const Answer&, const PhraseRemedy&);
  friend Json json_of(const Answer&);
  friend emit::Report report(const Answer&);
};

/// There is no result: the reason, and a page with what is known.
class Refusal : public ModelError {
 public:
  Refusal(std::vector<Diagnostic> why, emit::Report page, bool no = false)
      : ModelError(std::move(why)),
        no_(no),
        page_(std::make_shared<emit::Report>(std::move(page))) {}
  const emit::Report& page() const { return *page_; }
  /// The answer is "no": there is no fault in model or options.
  bool no() const { return no_; }

 private:
  bool no_;
  std::shared_ptr<const emit::Report> page_;
};

/// The text that a terminal shows; options that it proposes are written by `phrase`.
std::string summary(const Answer& answer, const PhraseRemedy& phrase = in_words);
/// Of all JSON, docs/schema.json: grows when a field goes or changes its meaning.
inline constexpr int schema_version = 2;
/// The text that a program reads: docs/json.md.
std::string to_json(const Answer& answer);

/// What a program reads where there is no answer.
struct Failure {
  int exit_code = 2;  // 2 bad input, 1 the answer is "no" or a file could not be written
  std::vector<Diagnostic> diagnostics;
  std::vector<Diagnostic> warnings;  // that came before
  std::string model, experiment;     // as far as they are known
};
std::string failure_json(const Failure& failure);
/// The page that a browser shows. It points into the answer, which must outlive it.
emit::Report report(const Answer& answer);
/// Writes a page; an earlier file survives a failure. Throws std::runtime_error with the reason.
void write(const emit::Report& report, const std::string& path);

}  // namespace task
}  // namespace daedal
