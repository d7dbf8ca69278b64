// What an analysis keeps of the numbers that its summary, JSON and page are made from.
#pragma once

#include "daedal/analyse/continuation.hpp"
#include "daedal/analyse/portrait.hpp"
#include "daedal/control/loop_margins.hpp"
#include "daedal/study/analyse.hpp"
#include "directions.hpp"
#include "reduction.hpp"
#include "response.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace daedal {
inline namespace task {

struct Analysis::Details {
  std::shared_ptr<const derive::Dae> dae;
  analysis::Portrait portrait;
  std::optional<analysis::StaticStability> statics;
  std::optional<Reduction> reduction;
  std::optional<std::vector<analysis::ZeroDirection>> directions;
  std::optional<Response> response;
  std::vector<feedback::OpenedLoop> loops;  // where there are margins
};

}  // namespace task
}  // namespace daedal
