// A question under way: a line of progress on the terminal, ended by Ctrl-C. Every question that can take long is asked here.
#pragma once

#include "arguments.hpp"
#include "interrupt.hpp"
#include "progress_line.hpp"
#include "show.hpp"

#include <memory>
#include <utility>

namespace daedal::cli {

/// What `question` answers; the line is gone when it has answered.
template <class Question>
auto watched(const Arguments& arguments, const Question& question) {
  ProgressLine line;
  Watch watch{.progress = {}, .stop = &Interrupt::flag()};
  if (!arguments.quiet) watch.progress = line.sink();
  return question(watch);
}

/// Those of many simulations are watched as one.
template <class Options>
Watch& watch_of(Options& options) {
  if constexpr (requires { options.watch; })
    return options.watch;
  else
    return options.simulate.watch;
}

inline const task::Answer& answer_in(const task::Answer& answer) { return answer; }
inline const task::Answer& answer_in(const std::shared_ptr<const task::Answer>& answer) {
  return *answer;
}

/// Asks `question` about the model and shows the answer: the exit code.
template <class Options, class Question>
int answered(const Arguments& arguments, const task::Model& model, Options options,
             const Question& question, const Files& files = {}) {
  const auto answer = watched(arguments, [&](const Watch& watch) {
    watch_of(options) = watch;
    return question(model, std::as_const(options));
  });
  return show(arguments, answer_in(answer), files);
}

}  // namespace daedal::cli
