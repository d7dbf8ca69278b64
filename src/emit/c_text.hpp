// Pieces of exported C files.
#pragma once

#include "c_expressions.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace daedal::emit {

/// `text` with words replaced. Whole words only: letters, digits and _ on either side make another word; NAME and GUARD may be
/// the beginning of longer ones.
std::string filled(std::string text, const std::map<std::string, std::string>& words);

/// "static const double name[] = {...};"
template <class T>
std::string c_table(const char* type, const std::string& name, const std::vector<T>& values) {
  std::string text = fmt::format("static const {} {}[] = {{", type, name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += i % 6 == 0 ? ",\n  " : ", ";
    if constexpr (std::is_same_v<T, double>)
      text += c_number(values[i]);
    else
      text += std::to_string(values[i]);
  }
  return text + (values.empty() ? "0};\n" : "};\n");
}

/// Of start values that are copied. Volatile: of tables that it copies GCC 12 makes constants, and with AVX-512 it writes some of
/// them wrongly, four 0 after four 15 as eight 15.
inline std::string start_table(const std::string& name, const std::vector<double>& values) {
  return c_table("volatile double", name, values);
}

std::string in_capitals(std::string text);
/// User text must not end the comment that contains it.
std::string in_comment(std::string text);

}  // namespace daedal::emit
