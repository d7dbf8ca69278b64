#include "daedal/analyse/continuation.hpp"
#include "daedal/elaborate/elaborate.hpp"

#include <fmt/format.h>

namespace daedal::analysis {

DaeAt dae_of_parameters(model::Library library, model::Overrides overrides,
                        std::vector<std::string> parameters) {
  return [library = std::move(library), overrides = std::move(overrides),
          names = std::move(parameters)](std::span<const double> values) {
    model::Overrides own = overrides;
    for (std::size_t k = 0; k < names.size(); ++k)
      own.parameters[names[k]] = fmt::format("{}", values[k]);
    return std::make_shared<const derive::Dae>(
        derive::derive(std::make_shared<const model::Model>(model::elaborate(library, own))));
  };
}

}  // namespace daedal::analysis
