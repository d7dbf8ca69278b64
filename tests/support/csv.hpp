// Reference tables: a header line, then numbers.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace daedal::test {

using Table = std::map<std::string, std::vector<double>>;

inline std::vector<std::string> split_line(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

inline Table read_csv(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = split_line(line);
  Table table;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split_line(line);
    for (std::size_t i = 0; i < names.size(); ++i)
      table[names[i]].push_back(std::stod(fields.at(i)));
  }
  return table;
}

}  // namespace daedal::test
