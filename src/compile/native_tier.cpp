#include "daedal/compile/native_tier.hpp"

#include "compile/native_module.hpp"
#include "daedal/base/progress.hpp"

#include <unistd.h>

#include <chrono>
#include <thread>

namespace daedal::compile {
namespace {

// Operations on the tape (about a nanosecond each) after which native code is worth having: loading LLVM and compiling
// takes some 35 ms of another core, and a process that ends earlier should not pay for it.
constexpr std::uint64_t hot = 5'000'000;
// Work per evaluation that is not an operation: dispatch, loads, stores.
constexpr std::uint64_t overhead = 20;

}  // namespace

void NativeJob::finish(std::unique_ptr<NativeCode> result) {
  const std::lock_guard lock(mutex);
  owned = std::move(result);
  code.store(owned.get(), std::memory_order_release);
  finished = true;
  changed.notify_all();
}

void NativeJob::wait() {
  constexpr std::chrono::milliseconds between_looks(5);
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, between_looks, [&] { return finished; })) {
    if (!StopScope::stopped()) continue;
    cancelled = true;  // nobody will ask for this code any more
    throw Interrupted();
  }
}

// The background thread, shared by all kernels; LLVM is loaded by it when the first job arrives. It lives until the process
// ends: if it ended with the last kernel, whoever drops that one, because he is asked to stop or has his answer, would wait
// for a piece of code that nobody needs any more, half a second where it is large.
class NativeWorker {
 public:
  static std::shared_ptr<NativeWorker> shared();
  NativeWorker() : thread_([this] { run(); }) {}
  ~NativeWorker() {
    retire();
    thread_.join();
  }
  NativeWorker(const NativeWorker&) = delete;
  NativeWorker& operator=(const NativeWorker&) = delete;

  void submit(std::shared_ptr<NativeJob> job) {
    const std::lock_guard lock(mutex_);
    NativeJob* const appended = job.get();
    (last_ ? last_->next : first_) = std::move(job);
    last_ = appended;
    changed_.notify_all();
  }

  /// Cuts the present job short, waits for its end and takes no other.
  void retire() {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    if (current_) current_->cancelled = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !current_; });
  }

 private:
  void run() {
    NativeCompile compile = nullptr;
    bool loaded = false;
    while (const std::shared_ptr<NativeJob> job = take()) {
      if (!loaded && !job->cancelled) {
        compile = load_native_module();
        loaded = true;
      }
      const bool wanted = compile && !job->cancelled;
      job->finish(
          std::unique_ptr<NativeCode>(wanted ? compile(*job->request, job->cancelled) : nullptr));
    }
  }

  std::shared_ptr<NativeJob> take() {
    std::unique_lock lock(mutex_);
    current_ = nullptr;
    changed_.notify_all();
    changed_.wait(lock, [&] { return first_ || stopping_; });
    if (stopping_) return nullptr;
    std::shared_ptr<NativeJob> job = std::move(first_);
    first_ = std::move(job->next);
    if (!first_) last_ = nullptr;
    current_ = job;
    return job;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<NativeJob> first_, current_;  // head of the queue; the job at work
  NativeJob* last_ = nullptr;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses the others
};

namespace {

struct Running {
  std::mutex mutex;
  std::shared_ptr<NativeWorker> worker;
};
Running& running() {
  static Running shared;
  return shared;
}

// std::exit destroys LLVM's static objects, and if the background thread is loading or using LLVM at
// that moment the process dies on its way out. Objects of the main thread go before all static ones, so
// this one, made with the first kernel, is in time to stop the background thread.
class ExitGuard {
 public:
  ExitGuard() = default;
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;
  ~ExitGuard() {
    const bool process_ends = gettid() == getpid();
    if (!process_ends) return;
    std::shared_ptr<NativeWorker> worker;
    {
      const std::lock_guard lock(running().mutex);
      worker = std::move(running().worker);
    }
    if (worker) worker->retire();
  }
};

}  // namespace

std::shared_ptr<NativeWorker> NativeWorker::shared() {
  Running& all = running();
  thread_local const ExitGuard guard;
  const std::lock_guard lock(all.mutex);
  if (!all.worker) all.worker = std::make_shared<NativeWorker>();
  return all.worker;
}

NativeTier::NativeTier(std::shared_ptr<const NativeRequest> request, Backend backend,
                       std::uint64_t cost)
    : cost_(cost + overhead) {
  if (backend == Backend::tape || !DAEDAL_NATIVE_BACKEND) return;
  worker_ = NativeWorker::shared();
  job_ = std::make_shared<NativeJob>();
  job_->request = std::move(request);
  if (backend == Backend::native) wait();
}

NativeTier::~NativeTier() {
  if (job_) job_->cancelled = true;
}

// A count lost between two threads only delays the change; it is not worth a locked instruction on every evaluation.
void NativeTier::count_tape_evaluation() const {
  if (!job_) return;
  const std::uint64_t spent = spent_.load(std::memory_order_relaxed) + cost_;
  spent_.store(spent, std::memory_order_relaxed);
  if (spent >= hot) submit();
}

void NativeTier::submit() const {
  if (submitted_.load(std::memory_order_relaxed) || submitted_.exchange(true)) return;
  worker_->submit(job_);
}

bool NativeTier::wait() const {
  if (!job_) return false;
  submit();
  job_->wait();
  return code() != nullptr;
}

}  // namespace daedal::compile
