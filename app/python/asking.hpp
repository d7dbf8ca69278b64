// A question under way: the GIL is released, Ctrl-C ends it, progress is reported.
#pragma once

#include "daedal/base/progress.hpp"

#include <pybind11/pybind11.h>

#include <functional>

namespace daedal::python {

/// Python runs signal handlers on its main thread, and only while that has the GIL. So there the work has a thread of its own,
/// and the main one looks for signals in between and calls `progress`, None or a function of (fraction, text). On any other
/// thread the work is done in place: no signal arrives there, and nothing is reported.
///
/// Work that ends with an answer although it was interrupted sets `interrupted`, and Ctrl-C counts as answered: else
/// KeyboardInterrupt follows. Whatever else a signal handler or `progress` raises ends the work and is raised.
void ask(const std::function<void(const Watch&, bool& interrupted)>& work,
         const pybind11::object& progress);

}  // namespace daedal::python
