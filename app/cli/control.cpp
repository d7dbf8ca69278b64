// daedal control: gains of a feedback that holds the mechanism at rest.
#include "daedal/study/control.hpp"

#include "commands.hpp"
#include "pipeline.hpp"
#include "request.hpp"
#include "watched.hpp"

namespace daedal::cli {

int control(const Arguments& a) {
  task::ControlOptions options;
  options.inputs = a.commanded;
  if (!a.state_weights.empty())
    options.state_weights = task::read_weights("--state-weights", a.state_weights);
  if (!a.input_weights.empty())
    options.input_weights = task::read_weights("--input-weights", a.input_weights);
  options.period = a.period;
  options.delay = a.delay;
  options.reduce = a.questions.reduce;
  options.free = a.free;
  options.redundant_constraints = redundant_constraints(a);
  const Files files = writable_files(a);
  return answered(a, load(a), options, task::design_of, files);
}

}  // namespace daedal::cli
