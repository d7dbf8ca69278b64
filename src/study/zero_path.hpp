// Parameters and weights on their way to where one would like to have them.
#pragma once

#include "daedal/analyse/zero_map.hpp"
#include "daedal/study/analyse.hpp"
#include "daedal/task/asked.hpp"

#include <memory>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

/// The parameters on their way, in a model that contains them.
struct ZeroPath {
  std::shared_ptr<const derive::Dae> dae;
  std::vector<analysis::VariedParameter> parameters;
  std::vector<analysis::VariedParameter> against;  // from one path to the next

  const std::string& name(const analysis::VariedParameter& p) const {
    return dae->model->symbols[p.symbol].name;
  }
};

/// With `redefinition` ("tip:rigid", "" none) of the outputs that options.redefine names. Parameters are in the middle of
/// their ranges while equations are derived: a parameter that is 0 is left out of them. Throws ModelError.
ZeroPath path_of(const Asked& asked, const VaryOptions& options, const std::string& redefinition);

/// Throws ModelError for numbers out of range.
analysis::ZeroMapOptions zero_map_options(const VaryOptions& options);

/// Of these parameters at s of the way.
std::vector<NamedNumber> numbers_at(const ZeroPath& path,
                                    const std::vector<analysis::VariedParameter>& parameters,
                                    double s);
/// "mc = 0.5, dc = 0.3".
std::string text_at(const ZeroPath& path, const std::vector<analysis::VariedParameter>& parameters,
                    double s, int digits);

std::string zero_text(const analysis::Cluster& zero);

}  // namespace task
}  // namespace daedal
