// Parameters and weights on their way: what --vary, --redefine and --against say.
#pragma once

#include "arguments.hpp"
#include "daedal/analyse/classify.hpp"
#include "daedal/analyse/zero_map.hpp"
#include "pipeline.hpp"

#include <memory>
#include <string>
#include <vector>

namespace daedal::cli {

/// The parameters on their way, in a model that contains them.
struct ZeroPath {
  std::shared_ptr<const derive::Dae> dae;
  std::vector<daedal::analyse::VariedParameter> parameters;
  std::vector<daedal::analyse::VariedParameter> against;  // from one path to the next

  const std::string& name(const daedal::analyse::VariedParameter& p) const {
    return dae->model->symbols[p.symbol].name;
  }
};

/// Of --vary, --against and `redefinition` ("tip:rigid", "" none). Parameters stand in the middle of their ranges while
/// equations are derived: a parameter that is 0 is left out of them. Throws ModelError.
ZeroPath path_of(const Loaded& loaded, const Arguments& arguments, const std::string& redefinition);

/// "mc = 0.5, dc = 0.3" at s of the way of these parameters.
std::string text_at(const ZeroPath& path,
                    const std::vector<daedal::analyse::VariedParameter>& parameters, double s,
                    int digits);

std::string zero_text(const daedal::analyse::Cluster& zero);

}  // namespace daedal::cli
