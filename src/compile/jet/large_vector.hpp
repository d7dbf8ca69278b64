// Vectors that a stage of a jet traverses completely. In a mechanism of ten thousand bodies they are hundreds of
// megabytes, and with pages of 4 kB page look-ups take a sixth of the time: large ones use huge pages.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstddef>
#include <new>
#include <vector>

namespace daedal::compile {

template <class T>
struct HugePageAllocator {
  using value_type = T;
  static constexpr std::size_t page = std::size_t{1} << 21, large = 2 * page;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {
  }  // NOLINT(google-explicit-constructor): allocators convert

  static std::align_val_t alignment(std::size_t count) {
    return std::align_val_t{count * sizeof(T) < large ? alignof(std::max_align_t) : page};
  }
  T* allocate(std::size_t count) {
    void* const memory = ::operator new(count * sizeof(T), alignment(count));
#ifdef MADV_HUGEPAGE
    if (count * sizeof(T) >= large)
      madvise(memory, count * sizeof(T), MADV_HUGEPAGE);  // may refuse
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete(memory, alignment(count)); }
  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }
};

template <class T>
using LargeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace daedal::compile
