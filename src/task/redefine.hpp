// Another output in the place of the one that the servo lines ask for: near enough to it, and minimum phase.
#pragma once

#include "daedal/analyse/redefine.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/base/table.hpp"
#include "daedal/task/answer.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/model.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

struct RedefineOptions {
  std::string redefine;          // "tip:rigid"
  std::optional<double> weight;  // Gamma, 0 to 1; default: the largest one without unstable zeros
  double margin = 0;             // [1/s], >= 0: how far left of the axis zeros must lie
  Watch watch;
};

/// The mechanism whose servo lines ask  Gamma tip + (1 - Gamma) rigid  to move as they asked tip to, in the mode in which it starts.
struct Redefined {
  Mechanism mechanism;
  analysis::Redefinition outputs;
  double weight = 1;
  std::optional<double> critical;  // where unstable zeros begin, when it was looked for
};
/// By the given weight or by the largest one without unstable zeros, a reserve below the critical one. Throws ModelError
/// where no weight does.
Redefined redefine(const Mechanism& mechanism, const RedefineOptions& options);

/// How far an output stays away from what it was asked to do.
struct Following {
  std::string output, unit;
  double largest = 0, at = 0;  // [unit], [s]
  double after = 0;            // [unit], the largest once the desired motion has ended, `end` [s]
  double end = 0;
};
std::vector<Following> following(const model::Model& redefined, const Table& rows, double end);

/// "output", then "follows" for each of them.
void add_redefined(std::vector<Fact>& facts, const Redefined& redefined,
                   const std::vector<Following>& following);
nlohmann::ordered_json redefined_json(const Redefined& redefined,
                                      const std::vector<Following>& following);

}  // namespace task
}  // namespace daedal
