// Output redefinition: prescribe another quantity, close to the output and minimum phase.
//
//   z~ = Gamma z + (1 - Gamma) z_rigid                                            [Druecker2022, equation (6.60)]
//
// z_rigid is z of the mechanism without its flexibility: collocated with the inputs, so that its zeros are stable.
// Between both the zeros move with the weight Gamma, and the largest weight without unstable ones follows z best.
#pragma once

#include "daedal/model/model.hpp"

#include <string>

namespace daedal::analysis {

struct Redefinition {
  std::string output, rigid;  // names of outputs, both scalars or vectors of one length
};

/// "tip:rigid". Throws ModelError for texts of another form.
Redefinition read_redefinition(const std::string& text);

/// The weight's name among the parameters of a redefined model: "Gamma(tip)".
std::string weight_name(const Redefinition& redefinition);

/// The output of a redefined model that is the deviation of z from its desired motion: "tip - desired".
std::string error_name(const std::string& output);

/// The model whose servo lines prescribe z~ instead of z; without servo lines z~ becomes the only selected output.
/// Weight 1 leaves the model as it is. Throws ModelError for outputs that do not exist or that no servo line prescribes.
model::Model redefined(const model::Model& model, const Redefinition& redefinition, double weight);

}  // namespace daedal::analysis
