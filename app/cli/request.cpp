#include "request.hpp"

#include "daedal/base/diagnostic.hpp"
#include "daedal/task/simulate.hpp"

#include <algorithm>

namespace daedal::cli {

model::Option option_word(const std::string& text, const std::string& option) {
  return text.empty() ? model::Option{} : model::parse_option(text, option);
}

solve::RedundantConstraints redundant_constraints(const Arguments& a) {
  task::SimulateOptions options;
  set_word(options, "redundant_constraints", a.redundant, "--redundant");
  return options.redundant_constraints;
}

std::string in_shell(const std::string& word) {
  static constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string result = "'";
  for (const char c : word)
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  return result + "'";
}

compile::Backend read_backend(const Arguments& a) {
  return a.backend == "tape"     ? compile::Backend::tape
         : a.backend == "native" ? compile::Backend::native
                                 : compile::Backend::automatic;
}

std::string as_option(const Remedy& remedy) {
  if (remedy.option.ends_with("()"))
    return "daedal " + remedy.option.substr(0, remedy.option.size() - 2);
  if (remedy.option == "parameters") return "-p " + in_shell(remedy.value);
  std::string name = remedy.option == "redundant_constraints" ? "redundant"
                     : remedy.option == "outputs"             ? "output"
                                                              : remedy.option;
  std::replace(name.begin(), name.end(), '_', '-');
  std::string text = "--" + name;
  if (remedy.value.empty()) return text;
  return text + " " + in_shell(remedy.value);
}

void fault(const Place& place, std::string message, std::string help) {
  throw ModelError(Diagnostic{Severity::error, place, std::move(message), {}, std::move(help)});
}

}  // namespace daedal::cli
