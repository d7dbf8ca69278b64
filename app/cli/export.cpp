// daedal export: the model as C.
#include "commands.hpp"
#include "daedal/task/export_c.hpp"
#include "file_roles.hpp"
#include "pipeline.hpp"
#include "request.hpp"
#include "watched.hpp"

#include <fmt/format.h>

namespace daedal::cli {

namespace {

task::CFunction function_of(const Arguments& a) {
  if (!a.controllers.empty()) {
    if (a.inverse || a.forward || a.accelerations || a.receding)
      fault({}, "--controller exports a controller, the other options its mechanism",
            "call  daedal export c  once for each");
    return a.of_plant ? task::CFunction::plant : task::CFunction::controller;
  }
  if (a.of_plant) fault({}, "--plant: of which controller?", "add  --controller NAME");
  if (a.accelerations && a.receding)
    fault({}, "--receding does not belong to --accelerations, which makes no steps",
          "leave it out, or take  --forward  for a stepper");
  if (a.accelerations) return task::CFunction::accelerations;
  if (!a.inverse && !a.forward)
    fault({}, "which model is to be exported?",
          "add  --inverse  (desired outputs in, inputs out) or  --forward  (inputs in, outputs "
          "out), or  --accelerations  for the equations of motion themselves, or  --controller "
          "NAME  for what a controller does at a sample");
  if (a.receding && !a.inverse)
    fault({}, "--receding: a receding horizon inverts a model", "take  --inverse --receding");
  return a.receding  ? task::CFunction::receding
         : a.inverse ? task::CFunction::inverse
                     : task::CFunction::forward;
}

}  // namespace

int export_code(const Arguments& a) {
  const task::CFunction function = function_of(a);
  const task::Model model = load(a);
  const task::ExportOptions options{.function = function,
                                    .step = a.step,
                                    .method = option_word(a.method, "--method"),
                                    .formulation = option_word(a.formulation, "--formulation"),
                                    .period = a.period,
                                    .preview = a.preview,
                                    .to = a.directory,
                                    .watch = {}};
  return answered(a, model, options, [&](const task::Model&, const task::ExportOptions& watched) {
    task::CExport code = task::export_c(model, watched);
    std::vector<Written> written;
    for (const std::string& path : code.paths()) written.push_back({"--to", path});
    refuse_overwriting(written, model.library(), a.overrides);
    write(code);  // both files, or none
    return code;
  });
}

}  // namespace daedal::cli
