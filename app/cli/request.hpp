// Words of the command line as options of a question.
#pragma once

#include "arguments.hpp"
#include "daedal/base/diagnostic.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/model/model.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/task/choice.hpp"

#include <string>

namespace daedal::cli {

/// The value of an option, which messages call `option`; an empty one when it was not given.
model::Option option_word(const std::string& text, const std::string& option);

/// Sets the option that experiments call `name`, unless the text is empty.
template <class Options>
void set_word(Options& options, const std::string& name, const std::string& text,
              const std::string& option) {
  if (text.empty()) return;
  model::Option value = option_word(text, option);
  value.name = name;
  task::set(options, value);
}

/// --redundant.
solve::RedundantConstraints redundant_constraints(const Arguments& arguments);
compile::Backend read_backend(const Arguments& arguments);

/// As a shell would take it: words of anything but plain characters in quotes.
std::string in_shell(const std::string& word);

/// "--step 0.001", "daedal explain": what a message proposes, as it is written on a command line.
std::string as_option(const Remedy& remedy);

/// Throws ModelError with one message.
[[noreturn]] void fault(const Place& place, std::string message, std::string help = {});

}  // namespace daedal::cli
