#include "questions.hpp"

#include "daedal/base/table.hpp"
#include "daedal/base/utf8.hpp"
#include "daedal/emit/csv.hpp"
#include "request.hpp"

#include <fmt/format.h>

namespace daedal::cli {

std::optional<int> answer_question(const Question& question) {
  const Questions& asked = question.arguments.questions;
  struct Entry {
    const char* option;
    bool is_asked;
    int (*answer)(const Question&);
  };
  const Entry entries[] = {
      {"--continue", !asked.follow.empty(), answer_continue},
      {"--locus", !asked.locus.empty(), answer_locus},
      {"--map", !asked.map.empty(), answer_map},
      {"--sensitivity", !asked.sensitivity.empty(), answer_sensitivity},
      {"--pose", !asked.pose.empty(), answer_pose},
      {"--path", !asked.path.empty(), answer_path},
      {"--limits", asked.limits, answer_path},
      {"--box", !asked.box.empty(), answer_box},
      {"--at", asked.at == "start", answer_at_start},
      {"--along", !asked.along.empty(), answer_along},
      {"--normal-form", !asked.internal.empty(), answer_normal_form},
      {"--zero-dynamics", asked.zero_dynamics.has_value(), answer_zero_dynamics},
      {"--lyapunov", !asked.lyapunov.empty(), answer_lyapunov},
      {"--linear-motion", asked.linear_motion.has_value(), answer_linear_motion},
  };
  const Entry* chosen = nullptr;
  for (const Entry& entry : entries) {
    if (!entry.is_asked) continue;
    if (chosen != nullptr)
      fault({}, fmt::format("{} and {} are two questions", chosen->option, entry.option),
            "ask one at a time");
    chosen = &entry;
  }
  if (chosen == nullptr) return std::nullopt;
  emit::check_writable(question.arguments.csv);
  return chosen->answer(question);
}

daedal::analyse::Equilibrium rest_of(const Question& question) {
  daedal::analyse::EquilibriumOptions options;
  options.free_inputs = question.free_inputs;
  daedal::analyse::Equilibrium rest = daedal::analyse::equilibrium(*question.loaded.dae, options);
  if (!rest.found) throw ModelError(daedal::analyse::no_equilibrium(*question.loaded.dae, rest));
  return rest;
}

void write_table(const Table& table, const Arguments& arguments) {
  if (arguments.csv.empty()) return;
  emit::write_csv(table, arguments.csv);
  if (!arguments.json && arguments.csv != "-")
    fmt::print("  wrote    {}: {} rows, {} columns\n", visible(arguments.csv), table.rows(),
               table.width());
}

}  // namespace daedal::cli
