#include "applicability.hpp"

#include "request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::cli {

namespace {

struct Rule {
  const char* question;  // empty: the portrait
  bool asked;
  std::vector<std::string_view> options;  // that apply
};

std::vector<Rule> rules(const Arguments& a) {
  const Questions& q = a.questions;
  const bool sweep = !q.locus.empty() || !q.map.empty();  // these know moving starts
  const bool redefined = !a.redefine.empty(),
             varied = !redefined && (!a.vary.empty() || !a.against.empty());
  return {
      {"--continue", !q.follow.empty(), {"--free", "--csv", "--report"}},
      {"--locus", !q.locus.empty(), {"--at", "--free", "--output", "--csv", "--report"}},
      {"--map", !q.map.empty(), {"--at", "--free", "--output", "--threads", "--csv", "--report"}},
      {"--sensitivity", !q.sensitivity.empty(), {"--free", "--output", "--report"}},
      {"--pose", !q.pose.empty(), {"--branches", "--motors", "--output", "--report"}},
      {"--path", !q.path.empty(), {"--motors", "--output", "--csv", "--report"}},
      {"--limits", q.limits, {"--hold", "--motors", "--output", "--csv", "--report"}},
      {"--box", !q.box.empty(), {"--motors", "--output", "--csv", "--report"}},
      {"--at start",
       q.at == "start" && !sweep,
       {"--at", "--output", "--response", "--nyquist", "--csv", "--directions", "--mat",
        "--report"}},
      {"--along", !q.along.empty(), {"--output", "--csv", "--report"}},
      {"--normal-form", !q.internal.empty(), {"--output", "--disturb", "--report"}},
      {"--zero-dynamics",
       q.zero_dynamics.has_value(),
       {"--free", "--output", "--disturb", "--csv", "--report"}},
      {"--lyapunov", !q.lyapunov.empty(), {"--free", "--epsilon", "--radius", "--csv", "--report"}},
      {"--linear-motion",
       q.linear_motion.has_value(),
       {"--free", "--disturb", "--csv", "--report"}},
      {"--redefine",
       redefined,
       {"--vary", "--against", "--lines", "--samples", "--margin", "--output", "--csv",
        "--report"}},
      {"--vary",
       varied,
       {"--vary", "--against", "--lines", "--samples", "--margin", "--output", "--csv",
        "--report"}},
      {"",
       true,
       {"--free", "--output", "--response", "--nyquist", "--csv", "--directions", "--reduce",
        "--reduction", "--mat", "--report"}},
  };
}

std::vector<std::string_view> given(const Arguments& a) {
  const Questions &q = a.questions, defaults;
  const std::pair<std::string_view, bool> all[] = {
      {"--at", q.at != defaults.at},
      {"--free", !a.free.empty()},
      {"--output", !a.outputs.empty()},
      {"--response", !a.response.empty()},
      {"--nyquist", q.nyquist},
      {"--csv", !a.csv.empty()},
      {"--directions", q.directions},
      {"--reduce", q.reduce.has_value()},
      {"--reduction", q.reduction != defaults.reduction},
      {"--mat", !q.mat.empty()},
      {"--report", !a.report.empty()},
      {"--threads", q.threads != defaults.threads},
      {"--branches", q.branches},
      {"--motors", !q.motors.empty()},
      {"--hold", !q.hold.empty()},
      {"--disturb", !q.disturb.empty()},
      {"--epsilon", q.epsilon.has_value()},
      {"--radius", q.radius != defaults.radius},
      {"--vary", !a.vary.empty()},
      {"--against", !a.against.empty()},
      {"--lines", a.lines.has_value()},
      {"--samples", a.samples.has_value()},
      {"--margin", a.margin.has_value()},
  };
  std::vector<std::string_view> names;
  for (const auto& [name, is_given] : all)
    if (is_given) names.push_back(name);
  return names;
}

bool has(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "--disturb goes with --normal-form, --zero-dynamics or --linear-motion".
std::string where_it_applies(std::string_view option, const std::vector<Rule>& all) {
  std::vector<std::string> places;
  for (const Rule& rule : all)
    if (has(rule.options, option) && rule.question != option && *rule.question != '\0')
      places.emplace_back(rule.question);
  std::string text;
  for (std::size_t k = 0; k < places.size(); ++k)
    text += (k == 0 ? "" : k + 1 == places.size() ? " or " : ", ") + places[k];
  return fmt::format("{} goes with {}", option, text);
}

}  // namespace

void refuse_options_without_effect(const Arguments& arguments) {
  const std::vector<Rule> all = rules(arguments);
  const Rule* question = nullptr;
  for (const Rule& rule : all) {
    if (!rule.asked || (question != nullptr && *rule.question == '\0')) continue;
    if (question != nullptr)
      fault({}, fmt::format("{} and {} are two questions", question->question, rule.question),
            "ask one at a time");
    question = &rule;
  }
  const bool portrait = *question->question == '\0';
  for (const std::string_view option : given(arguments)) {
    if (has(question->options, option)) continue;
    if (portrait)
      fault({}, fmt::format("{} has no effect on what is asked", option),
            where_it_applies(option, all));
    std::vector<std::string_view> others = question->options;
    std::erase(others, "--at");
    fault({}, fmt::format("{} does not apply to {}", option, question->question),
          fmt::format("options that do: {}", fmt::join(others, ", ")));
  }
  if (arguments.questions.at == "start" && !arguments.free.empty())
    fault({}, "--free does not apply to --at start", "inputs keep their values in motion");
}

}  // namespace daedal::cli
