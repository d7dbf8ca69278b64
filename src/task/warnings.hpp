// Warnings that come before a fault are not lost with the answer.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/task/answer.hpp"

#include <vector>

namespace daedal {
inline namespace task {

/// The faults after the warnings of an answer that was not finished; those of the model are its own.
inline std::vector<Diagnostic> with_warnings(const Answer& unfinished,
                                             const std::vector<Diagnostic>& faults) {
  const auto own = static_cast<std::ptrdiff_t>(unfinished.model.warnings().size());
  std::vector<Diagnostic> all(unfinished.warnings.begin() + own, unfinished.warnings.end());
  all.insert(all.end(), faults.begin(), faults.end());
  return all;
}

/// What `work` returns; what it throws is thrown with the warnings before it.
template <class Work>
auto keeping_warnings(const Answer& unfinished, const Work& work) {
  try {
    return work();
  } catch (const ModelError& error) {
    throw ModelError(with_warnings(unfinished, error.diagnostics()));
  }
}

}  // namespace task
}  // namespace daedal
