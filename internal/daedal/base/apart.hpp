// Foreign code that cannot be asked to stop: a Schur form of 400 states is one call of LAPACK, and takes a second.
//
// Where somebody may ask (a StopScope is open), large calls run on a thread of their own, and whoever waits for them leaves
// when asked to. The call goes on until its end and its result is dropped: it owns what it works on, refers to nothing of the
// caller's, and so may outlive it. Never for our own code, which has stop points.
#pragma once

#include "daedal/base/progress.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace daedal {

/// Rows from which on dense factorisations take more than some 20 ms.
inline constexpr std::ptrdiff_t worth_a_thread = 80;

/// The value of work(), which captures by value alone. Throws Interrupted when asked to stop before it is there.
template <class Work>
std::invoke_result_t<Work&> apart(std::ptrdiff_t rows, Work work) {
  if (rows < worth_a_thread || !StopScope::open()) return work();
  struct Shared {
    Work work;
    std::mutex mutex;
    std::condition_variable done;
    std::optional<std::invoke_result_t<Work&>> value;
    std::exception_ptr fault;
    explicit Shared(Work given) : work(std::move(given)) {}
  };
  const auto shared = std::make_shared<Shared>(std::move(work));
  std::thread([shared] {
    std::optional<std::invoke_result_t<Work&>> value;
    std::exception_ptr fault;
    try {
      value.emplace(shared->work());
    } catch (...) {
      fault = std::current_exception();  // thrown again where it is waited for
    }
    const std::lock_guard lock(shared->mutex);
    shared->value = std::move(value);
    shared->fault = fault;
    shared->done.notify_all();
  }).detach();
  constexpr std::chrono::milliseconds between_looks(5);
  std::unique_lock lock(shared->mutex);
  while (!shared->value && !shared->fault) {
    stop_point();
    shared->done.wait_for(lock, between_looks);
  }
  if (shared->fault) std::rethrow_exception(shared->fault);
  return std::move(*shared->value);
}

}  // namespace daedal
