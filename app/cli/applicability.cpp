#include "applicability.hpp"

#include "request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::cli {

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream words{std::string(text)};
  return {std::istream_iterator<std::string>(words), {}};
}

/// "--disturb goes with --normal-form, --zero-dynamics or --linear-motion".
std::string where_it_applies(std::string_view option, const std::vector<Question>& all) {
  std::vector<std::string> places;
  for (const Question& one : all)
    if (one.takes(option) && one.name != option && !one.name.empty()) places.emplace_back(one.name);
  std::string text;
  for (std::size_t k = 0; k < places.size(); ++k)
    text += (k == 0 ? "" : k + 1 == places.size() ? " or " : ", ") + places[k];
  return fmt::format("{} goes with {}", option, text);
}

/// Options that need another one beside them.
void refuse_options_alone(const Arguments& a, const Question& question) {
  const bool response = !a.response.empty();
  if (response && (!a.redefine.empty() || !a.vary.empty()))
    fault({}, "--response: not together with --redefine or --vary", "use one at a time");
  if (!response && a.questions.nyquist)
    fault({}, "--nyquist: of which frequencies?", "add them in rad/s: --response 0.1:100");
  const bool table = question.takes("--csv") && (response || !question.takes("--response"));
  if (!a.csv.empty() && !table)
    fault({}, "--csv: there is no table to write",
          "choose one, as with --response FIRST:LAST, or take --json");
}

}  // namespace

bool Question::takes(std::string_view option) const {
  const std::vector<std::string> words = words_of(options);
  return std::ranges::find(words, option) != words.end();
}

Question asked_question(const Arguments& arguments, const std::vector<Question>& all) {
  const Question* question = nullptr;
  for (const Question& one : all) {
    if (!one.asked || (question != nullptr && one.name.empty())) continue;
    if (question != nullptr)
      fault({}, fmt::format("{} and {} are two questions", question->name, one.name),
            "use one at a time");
    question = &one;
  }
  refuse_options_alone(arguments, *question);
  for (const std::string& option : arguments.given) {
    const auto takes_it = [&](const Question& one) { return one.takes(option); };
    if (takes_it(*question) || std::ranges::none_of(all, takes_it)) continue;
    if (option == "--at" && arguments.questions.at == "rest") continue;  // as all others do
    if (question->name.empty())
      fault({}, fmt::format("{} has no effect on this question", option),
            where_it_applies(option, all));
    std::vector<std::string> others = words_of(question->options);
    std::erase(others, "--at");
    fault({}, fmt::format("{} does not apply to {}", option, question->name),
          fmt::format("options that do: {}", fmt::join(others, ", ")));
  }
  if (arguments.questions.at == "start" && !arguments.free.empty())
    fault({}, "--free does not apply to --at start", "inputs keep their values in motion");
  return *question;
}

}  // namespace daedal::cli
