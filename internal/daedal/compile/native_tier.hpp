// From the tape to native code, while the kernel keeps running.
//
// A kernel starts on the tape. When the tape has run long enough for native code to pay, the kernel's request goes to
// one background thread, and an atomic pointer changes when the code is ready. Both back ends give the same bits, so the
// moment of the change cannot be seen in any result.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/compile/native_interface.hpp"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace daedal::compile {

/// A request on its way through the background thread; owned by the kernel and, while queued, by the queue.
struct NativeJob {
  std::shared_ptr<const NativeRequest> request;
  std::atomic<bool> cancelled = false;
  std::atomic<const NativeCode*> code = nullptr;
  std::unique_ptr<NativeCode> owned;
  std::mutex mutex;
  std::condition_variable changed;
  bool finished = false;
  std::shared_ptr<NativeJob>
      next;  // in the queue: linked here, so that submitting allocates nothing

  void finish(std::unique_ptr<NativeCode> result);
  void wait();
};

class NativeWorker;

class NativeTier {
 public:
  /// `cost`: operations of one evaluation.
  NativeTier(std::shared_ptr<const NativeRequest> request, Backend backend, std::uint64_t cost);
  ~NativeTier();
  NativeTier(const NativeTier&) = delete;
  NativeTier& operator=(const NativeTier&) = delete;

  /// Null while (or because) the tape has to do the work.
  const NativeCode* code() const {
    return job_ ? job_->code.load(std::memory_order_acquire) : nullptr;
  }
  /// Notes an evaluation on the tape.
  void count_tape_evaluation() const;
  bool wait() const;

 private:
  void submit() const;

  std::shared_ptr<NativeWorker> worker_;
  std::shared_ptr<NativeJob> job_;
  std::uint64_t cost_;
  mutable std::atomic<std::uint64_t> spent_ = 0;
  mutable std::atomic<bool> submitted_ = false;
};

}  // namespace daedal::compile
