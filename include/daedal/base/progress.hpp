// Progress and cancellation of long work.
//
// Whoever asks a question hands over a Watch. The work itself is deep: a portrait differentiates expressions, compiles,
// factors matrices, in functions that know nothing of the question. They call stop_point() wherever they have worked for some
// milliseconds, and the question opens a StopScope on its thread, so that no signature in between carries a flag that most of
// them would only pass on, and none can forget to.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace daedal {

struct Progress {
  double fraction = 0;    // in [0, 1]
  std::string_view text;  // what is being done, e.g. "t = 3.2 s of 20 s"; valid during the call
};

/// May be empty. Called often (thousands of times a second): a sink that draws
/// should throttle itself.
using ProgressSink = std::function<void(const Progress&)>;

/// Work was asked to end before it had anything to show. Neither a fault of the model nor a numerical failure: what catches
/// those (ModelError, std::runtime_error) must not catch this.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// While it lives, stop_point() on this thread looks at `stop` (may be null), and at the flags of the scopes around this one.
class StopScope {
 public:
  explicit StopScope(const std::atomic<bool>* stop) : StopScope(stop, innermost) {}
  /// Those of the thread that started this one, and lives longer.
  explicit StopScope(const StopScope* of_starter) : StopScope(nullptr, of_starter) {}
  ~StopScope() { innermost = before_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  /// Whether anybody may ask work on this thread to end.
  static bool open() {
    for (const StopScope* scope = innermost; scope != nullptr; scope = scope->around_)
      if (scope->stop_ != nullptr) return true;
    return false;
  }
  /// Whether it is to end.
  static bool stopped() {
    for (const StopScope* scope = innermost; scope != nullptr; scope = scope->around_)
      if (scope->stop_ != nullptr && scope->stop_->load(std::memory_order_relaxed)) return true;
    return false;
  }
  /// For the threads that work on this one starts.
  static const StopScope* current() { return innermost; }

 private:
  StopScope(const std::atomic<bool>* stop, const StopScope* around)
      : stop_(stop), around_(around), before_(innermost) {
    innermost = this;
  }

  static constinit inline thread_local const StopScope* innermost = nullptr;
  const std::atomic<bool>* stop_;
  const StopScope *around_, *before_;
};

/// Throws Interrupted when work on this thread is to end. Two loads where nobody asked for that; not for inner loops.
inline void stop_point() {
  if (StopScope::stopped()) throw Interrupted();
}

/// Who watches a piece of work: the same for every question that can take long.
struct Watch {
  ProgressSink progress;                    // may be empty
  const std::atomic<bool>* stop = nullptr;  // when it becomes true the task ends

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
  /// Throws Interrupted when the task is cancelled.
  void check() const {
    if (stopped()) throw Interrupted();
  }
  /// Throws Interrupted when the task is cancelled; else reports the progress.
  void tell(double fraction, std::string_view text) const {
    check();
    if (progress) progress({fraction, text});
  }
  /// For one of several parts of the work, which makes up [begin, end] of it; its texts begin with `words`.
  Watch part(double begin, double end, std::string words = "") const {
    Watch of_part{{}, stop};
    if (progress)
      of_part.progress = [sink = progress, begin, end,
                          words = std::move(words)](const Progress& p) {
        sink({begin + (end - begin) * p.fraction, words + std::string(p.text)});
      };
    return of_part;
  }
};

}  // namespace daedal
