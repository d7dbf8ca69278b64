// The names a definition mentions.
#pragma once

#include "daedal/model/instance.hpp"

#include <string>
#include <vector>

namespace daedal::model {

/// Names and functions that occur in a definition, in order, those of its own indices and arguments
/// left out. A name before a dot is mentioned, what follows the dot is not.
std::vector<std::string> mentions(const Definition& definition);
std::vector<std::string> mentions(const syntax::ExpressionPtr& expression);

}  // namespace daedal::model
