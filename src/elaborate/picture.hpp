// Shapes and options of draw lines.
#pragma once

#include "daedal/language/syntax.hpp"

namespace daedal::model {

/// Throws a Fault for a shape that is none, a number of points it cannot have, and options it does not take.
void check_shape(const syntax::DrawItem& item);

}  // namespace daedal::model
