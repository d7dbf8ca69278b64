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
    bool is_asked;
    int (*answer)(const Question&);
  };
  const bool sweep =
      !asked.locus.empty() || !asked.map.empty();  // along moving starts with --at start
  const Entry entries[] = {
      {!asked.follow.empty(), answer_continue},
      {!asked.locus.empty(), answer_locus},
      {!asked.map.empty(), answer_map},
      {!asked.sensitivity.empty(), answer_sensitivity},
      {!asked.pose.empty(), answer_pose},
      {!asked.path.empty(), answer_path},
      {asked.limits, answer_path},
      {!asked.box.empty(), answer_box},
      {asked.at == "start" && !sweep, answer_at_start},
      {!asked.along.empty(), answer_along},
      {!asked.internal.empty(), answer_normal_form},
      {asked.zero_dynamics.has_value(), answer_zero_dynamics},
      {!asked.lyapunov.empty(), answer_lyapunov},
      {asked.linear_motion.has_value(), answer_linear_motion},
  };
  for (const Entry& entry : entries) {
    if (!entry.is_asked) continue;
    emit::check_writable(question.arguments.csv);
    return entry.answer(question);
  }
  return std::nullopt;
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
