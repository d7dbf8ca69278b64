// daedal invert: from servo lines to inputs.
#include "daedal/task/invert.hpp"

#include "commands.hpp"
#include "daedal/task/compare.hpp"
#include "pipeline.hpp"
#include "request.hpp"
#include "sparkline.hpp"
#include "watched.hpp"

#include <algorithm>

namespace daedal::cli {

namespace {

task::InvertOptions invert_options(const Arguments& a) {
  task::InvertOptions options;
  options.until = a.until;
  options.every = a.every;
  options.tolerance = a.tolerance;
  options.method = option_word(a.method, "--method");
  options.step = a.step;
  options.formulation = option_word(a.formulation, "--formulation");
  set_word(options, "verify", a.verify, "--verify");
  options.verify_with = a.verify_with;
  options.verify_with_name = "--verify-with";
  options.before = a.before;
  options.after = a.after;
  options.ends = option_word(a.ends, "--ends");
  options.receding = a.receding;
  options.period = a.period;
  options.preview = a.preview;
  options.redefine = a.redefine;
  options.weight = a.weight;
  options.margin = a.margin;
  options.history = !a.report.empty();
  options.backend = read_backend(a);
  return options;
}

int answer(const Arguments& a, const task::Model& model, const Files& files) {
  const task::InvertOptions options = invert_options(a);
  if (a.formulations_compared) return answered(a, model, options, task::compare_inverse_forms);
  if (a.stable_formulations) return answered(a, model, options, task::compare_stable_formulations);
  return answered(a, model, options, task::invert, files);
}

}  // namespace

int invert(const Arguments& a) {
  const Files files = writable_files(a);
  const task::Model model = load(a);
  check_plots(a.plots, *watched(a, [&](const Watch& watch) {
                const StopScope stoppable(watch.stop);
                return model.written_out().model;
              }));
  return with_refusal_page(a, files, [&] { return answer(a, model, files); });
}

}  // namespace daedal::cli
