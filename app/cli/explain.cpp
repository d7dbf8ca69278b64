// daedal explain: the equations written out, and their structure.
#include "commands.hpp"
#include "daedal/task/check.hpp"
#include "pipeline.hpp"
#include "request.hpp"
#include "watched.hpp"

namespace daedal::cli {

int explain(const Arguments& a) {
  const task::ExplainOptions options{.inverse = a.inverse,
                                     .latex = a.latex,
                                     .redundant_constraints = redundant_constraints(a),
                                     .watch = {}};
  return answered(a, load(a), options, task::explain);
}

}  // namespace daedal::cli
