// Several doubles processed at once, in the widest registers of the machine. Vectors wider than those the compiler
// would take apart through memory.
#pragma once

#include <algorithm>
#include <cstddef>

namespace daedal {

#if defined(__AVX512F__)
inline constexpr std::size_t doubles_in_a_register = 8;
#elif defined(__AVX__)
inline constexpr std::size_t doubles_in_a_register = 4;
#else
inline constexpr std::size_t doubles_in_a_register = 2;
#endif

template <std::size_t many>
struct Lanes {
  static constexpr std::size_t width = std::min(many, doubles_in_a_register);
  static constexpr std::size_t registers = many / width;
  using Register __attribute__((vector_size(width * sizeof(double)))) = double;
  using Mask __attribute__((vector_size(width * sizeof(double)))) = long long;

  static Register load(const double* from, std::size_t part) {
    Register loaded;
    __builtin_memcpy(&loaded, from + part * width, sizeof loaded);
    return loaded;
  }
  void store(double* to) const { __builtin_memcpy(to, part, sizeof part); }

  Register part[registers]{};
};

}  // namespace daedal
