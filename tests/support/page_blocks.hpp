// The fenced blocks of a page of the documentation, whose examples and messages are tested.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace daedal::model {

struct PageBlock {
  std::string kind;  // ```kind
  std::string text;
  int line = 0;
};

inline std::vector<PageBlock> page_blocks(const std::string& path) {
  std::vector<PageBlock> blocks;
  std::ifstream stream(path);
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), "", number});
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  EXPECT_FALSE(inside) << path << ": a block is not closed";
  return blocks;
}

}  // namespace daedal::model
