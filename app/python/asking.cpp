#include "asking.hpp"

#include "daedal/compile/kernel.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace daedal::python {

namespace py = pybind11;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds between_looks(20), between_reports(100);

bool on_main_thread() {
  const py::module_ threading = py::module_::import("threading");
  const py::object main = threading.attr("main_thread")().attr("ident");
  return main.equal(threading.attr("get_ident")());
}

/// What compiles in the background ends with the thread that ends the process (src/compile/native_tier.cpp): this thread has to
/// have made a kernel.
void make_first_kernel() {
  static const std::shared_ptr<const compile::Kernel> first = [] {
    auto graph = std::make_shared<expr::Graph>();
    const expr::Term one[] = {{graph->constant(1), 0}};
    expr::Function f{1, {}};
    f.families.push_back(expr::identity_family(graph, one));
    return compile::compile(f, {});
  }();
}

class Work {
 public:
  using Task = std::function<void(const Watch&, bool&)>;

  explicit Work(const Task& task) : task_(task) {}

  void run_on_thread(const py::object& progress) {
    Watch watch{.progress = {}, .stop = &stop_};
    if (!progress.is_none())
      watch.progress = [this](const Progress& p) {
        const std::lock_guard lock(mutex_);
        fraction_ = p.fraction;
        text_ = p.text;
      };
    std::thread thread([&] { run(watch); });
    {
      const py::gil_scoped_release released;
      wait(progress);
      thread.join();
    }
  }

  void finish() {
    if (raised_ && !(interrupted_ && raised_->matches(PyExc_KeyboardInterrupt))) {
      py::error_already_set raised = std::move(*raised_);
      raised_.reset();
      throw raised;  // NOLINT: a copy is what it takes
    }
    raised_.reset();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void run(const Watch& watch) {
    try {
      task_(watch, interrupted_);
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

  void wait(const py::object& progress) {
    Clock::time_point reported = Clock::now();
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, between_looks, [&] { return done_; })) {
      if (stop_) continue;
      const bool report = !text_.empty() && Clock::now() - reported > between_reports;
      const double fraction = fraction_;
      const std::string text = text_;
      lock.unlock();
      look(progress, report, fraction, text);
      if (report) reported = Clock::now();
      lock.lock();
    }
  }

  void look(const py::object& progress, bool report, double fraction, const std::string& text) {
    const py::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (report) progress(fraction, text);
    } catch (py::error_already_set& raised) {
      raised_.emplace(std::move(raised));
      stop_ = true;
    }
  }

  const Task& task_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false, interrupted_ = false;
  double fraction_ = 0;
  std::string text_;
  std::exception_ptr failure_;
  std::optional<py::error_already_set> raised_;
};

}  // namespace

void ask(const std::function<void(const Watch&, bool&)>& work, const py::object& progress) {
  if (!on_main_thread()) {
    const py::gil_scoped_release released;
    bool interrupted = false;
    work({}, interrupted);
    return;
  }
  make_first_kernel();
  Work on_thread(work);
  on_thread.run_on_thread(progress);
  on_thread.finish();
}

}  // namespace daedal::python
