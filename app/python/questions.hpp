// Every question about a model, by the name of its function in C++: its options, and one call that answers it.
#pragma once

#include "asking.hpp"
#include "daedal/task/answer.hpp"
#include "option_table.hpp"

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace daedal::python {

using AnswerPointer = std::shared_ptr<const task::Answer>;

struct Question {
  std::string name;       // "simulate"
  std::string answer;     // name of its class: "Simulation"
  std::string structure;  // of its options: "SimulateOptions"
  std::string meaning;    // a sentence
  py::list options;       // OptionTable::described
  std::function<AnswerPointer(const task::Model&, const py::dict& keywords,
                              const py::object& progress)>
      ask;
};

inline AnswerPointer pointer_to(AnswerPointer answer) { return answer; }
template <class Answer>
requires std::is_base_of_v<task::Answer, Answer> AnswerPointer pointer_to(Answer answer) {
  return std::make_shared<const Answer>(std::move(answer));
}

template <class Options>
Watch& watch_of(Options& options) {
  if constexpr (requires { options.watch; })
    return options.watch;
  else
    return options.simulate.watch;
}

template <class Options, class Call>
Question question(std::string name, std::string kind, std::string structure, std::string meaning,
                  OptionTable<Options> table, const Call& call) {
  Question q{name, std::move(kind), std::move(structure), std::move(meaning), table.described(),
             {}};
  q.ask = [name = std::move(name), table = std::move(table), call](
              const task::Model& model, const py::dict& keywords, const py::object& progress) {
    Options options = table.read(keywords, name);
    AnswerPointer answer;
    python::ask(
        [&](const Watch& watch, bool& interrupted) {
          watch_of(options) = watch;
          answer = pointer_to(call(model, std::as_const(options)));
          interrupted = answer->interrupted;
        },
        progress);
    return answer;
  };
  return q;
}

OptionTable<task::SimulateOptions> simulate_table();

/// Those of the modules task and study.
std::vector<Question> task_questions();
std::vector<Question> study_questions();

/// The public data of an answer as plain values, and the name of its class.
py::dict fields_of(const AnswerPointer& answer);
std::string class_of(const task::Answer& answer);

}  // namespace daedal::python
