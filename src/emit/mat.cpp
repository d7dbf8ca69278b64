#include "daedal/emit/mat.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdint>
#include <stdexcept>

namespace daedal::emit {

namespace {

constexpr std::int32_t doubles = 0, characters = 1;  // little-endian doubles, full or text

void put(std::string& bytes, std::int32_t value) {
  const auto bits = static_cast<std::uint32_t>(value);
  for (int k = 0; k < 4; ++k) bytes.push_back(static_cast<char>((bits >> (8 * k)) & 0xff));
}
void put(std::string& bytes, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int k = 0; k < 8; ++k) bytes.push_back(static_cast<char>((bits >> (8 * k)) & 0xff));
}

bool is_name(const std::string& name) {
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

void put_header(std::string& bytes, std::int32_t type, int rows, int columns,
                const std::string& name) {
  put(bytes, type);
  put(bytes, static_cast<std::int32_t>(rows));
  put(bytes, static_cast<std::int32_t>(columns));
  put(bytes, std::int32_t{0});  // no imaginary part
  put(bytes, static_cast<std::int32_t>(name.size() + 1));
  bytes += name;
  bytes.push_back('\0');
}

void put_text(std::string& bytes, const MatArray& array) {
  std::size_t width = 0;
  for (const std::string& line : array.text) width = std::max(width, line.size());
  put_header(bytes, characters, static_cast<int>(array.text.size()), static_cast<int>(width),
             array.name);
  for (std::size_t c = 0; c < width; ++c)
    for (const std::string& line : array.text)
      put(bytes, c < line.size() ? static_cast<double>(static_cast<unsigned char>(line[c])) : 32.0);
}

}  // namespace

std::string to_mat(const std::vector<MatArray>& arrays) {
  std::string bytes;
  for (const MatArray& array : arrays) {
    if (!is_name(array.name))
      throw std::invalid_argument("to_mat: '" + array.name + "' is no name");
    if (!array.text.empty()) {
      put_text(bytes, array);
      continue;
    }
    if (static_cast<std::size_t>(array.rows) * static_cast<std::size_t>(array.columns) !=
        array.values.size())
      throw std::invalid_argument("to_mat: '" + array.name + "' has not as many values as entries");
    put_header(bytes, doubles, array.rows, array.columns, array.name);
    for (const double value : array.values) put(bytes, value);
  }
  return bytes;
}

}  // namespace daedal::emit
