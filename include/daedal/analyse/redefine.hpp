// Output redefinition: ask something else to move as desired, near enough to the output and minimum phase.
//
//   z~ = Gamma z + (1 - Gamma) z_rigid                                            [Druecker2022, equation (6.60)]
//
// z_rigid is what z would be in a mechanism without its flexibility: seen where the inputs act, so that its zeros are stable.
// Between both the zeros move with the weight Gamma, and the largest weight without unstable ones follows z best.
#pragma once

#include "daedal/model/model.hpp"

#include <string>

namespace daedal::analyse {

struct Redefinition {
  std::string output, rigid;  // names of outputs, both scalars or vectors of one length
};

/// "tip:rigid". Throws ModelError for texts of another form.
Redefinition read_redefinition(const std::string& text);

/// The weight's name among the parameters of a redefined model: "Gamma(tip)".
std::string weight_name(const Redefinition& redefinition);

/// The output of a redefined model that tells how far z is from what it was asked to do: "tip - desired".
std::string error_name(const std::string& output);

/// The model whose servo lines ask z~ to do what they asked z to do; without servo lines z~ becomes the only output asked for.
/// Weight 1 leaves the model as it is. Throws ModelError for outputs that do not exist or that no servo line asks for.
model::Model redefined(const model::Model& model, const Redefinition& redefinition, double weight);

}  // namespace daedal::analyse
