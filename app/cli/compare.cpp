// daedal compare: formulations and methods on one model, error against cost.
#include "daedal/task/compare.hpp"

#include "commands.hpp"
#include "pipeline.hpp"
#include "request.hpp"
#include "watched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace daedal::cli {

namespace {

/// rk45,radau5 in one word where two are meant; brackets hold commas of their own.
void check_list(const std::vector<std::string>& words, const char* option, const char* example) {
  for (const std::string& word : words)
    if (word.substr(0, word.find('(')).find(',') != word.npos)
      fault({}, fmt::format("{} {}: separate the words by blanks, not commas", option, word),
            fmt::format("write  {} {}", option, example));
}

int compare_loops(const Arguments& a) {
  const task::Model model = load(a);
  const Files files = writable_files(a);
  task::CompareControllersOptions options;
  options.controllers = a.controllers;
  options.experiment = a.experiment;
  options.simulate.until = a.until;
  options.simulate.every = a.every;
  options.simulate.seed = a.seed.value_or(0);
  set_word(options.simulate, "reference", a.reference, "--reference");
  set_word(options.simulate, "redundant_constraints", a.redundant, "--redundant");
  return answered(a, model, options, task::compare_controllers, files);
}

}  // namespace

int compare(const Arguments& a) {
  if (!a.controllers.empty()) return compare_loops(a);
  constexpr std::string_view of_loops[] = {"--experiment", "--plant", "--initial",
                                           "--reference",  "--seed",  "--csv"};
  for (const std::string& option : a.given)
    if (std::ranges::find(of_loops, option) != std::end(of_loops))
      fault({}, fmt::format("compare {}: of which controllers?", option),
            "write  --controllers a,b");
  check_list(a.compared.methods, "--methods", "rk45 radau5");
  check_list(a.compared.formulations, "--formulations", "projection index1");
  const task::Model model = load(a);
  const Files files = writable_files(a);
  task::CompareOptions options = a.compared;
  options.until = a.until;
  options.every = a.every;
  options.redundant_constraints = redundant_constraints(a);
  return answered(a, model, options, task::compare, files);
}

}  // namespace daedal::cli
