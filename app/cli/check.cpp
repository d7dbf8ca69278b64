// daedal check: is it a model? Counts, index, degrees of freedom; or its text in canonical form.
#include "daedal/task/check.hpp"

#include "commands.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/language/parse.hpp"
#include "pipeline.hpp"
#include "request.hpp"
#include "watched.hpp"

#include <cstdio>

namespace daedal::cli {

namespace {

/// A faulty model is not printed.
int print(const Arguments& a) {
  const std::string text = watched(a, [&](const Watch& watch) {
    const StopScope stoppable(watch.stop);
    const model::Library library = model::load(a.file);
    model::elaborate(library, a.overrides);
    return model::print(library.files.back());
  });
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

int check(const Arguments& a) {
  if (a.print) return print(a);
  const task::CheckOptions options{
      .redundant_constraints = redundant_constraints(a), .units = a.units, .watch = {}};
  return answered(a, load(a), options, task::check);
}

}  // namespace daedal::cli
