// A progress sink: long work tells it how far it is; what becomes of it is the caller's affair.
#pragma once

#include <functional>
#include <string_view>

namespace daedal {

struct Progress {
  double fraction = 0;    // in [0, 1]
  std::string_view text;  // what is being done, e.g. "t = 3.2 s of 20 s"; valid during the call
};

/// May be empty: nobody listens. Called often (thousands of times a second): a sink that draws
/// should throttle itself.
using ProgressSink = std::function<void(const Progress&)>;

}  // namespace daedal
