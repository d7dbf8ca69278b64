// Reference numbers of robots, and a robot at one of their states (tests/robots/data/README.md).
#pragma once

#include "support/model_point.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace daedal::test {

inline std::string robot_file(const std::string& name) {
  return std::string(DAEDAL_SOURCE_DIR) + "/tests/robots/data/" + name;
}

struct RobotState {
  std::map<std::string, std::vector<double>> numbers;  // "M", "link_position a1"

  const std::vector<double>& at(const std::string& name) const { return numbers.at(name); }
  Eigen::Map<const Eigen::VectorXd> vector(const std::string& name) const {
    const std::vector<double>& list = at(name);
    return {list.data(), static_cast<Eigen::Index>(list.size())};
  }
  Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> matrix(
      const std::string& name, Eigen::Index columns) const {
    const std::vector<double>& list = at(name);
    return {list.data(), static_cast<Eigen::Index>(list.size()) / columns, columns};
  }
};

inline std::vector<RobotState> reference_states(const std::string& robot) {
  std::ifstream file(robot_file(robot + ".txt"));
  EXPECT_TRUE(file) << robot;
  std::vector<RobotState> states;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, part;
    words >> name;
    if (name == "state") states.emplace_back();
    if (name == "state" || name == "velocities") continue;
    if (name == "link_position" || name == "link_rotation") {
      words >> part;
      name += " " + part;
    }
    std::vector<double>& list = states.back().numbers[name];
    for (std::string number; words >> number;) list.push_back(std::stod(number));
  }
  EXPECT_EQ(states.size(), 2u);
  return states;
}

}  // namespace daedal::test
