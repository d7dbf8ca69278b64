// What an inversion asks of a quantity, as a function of time.
#pragma once

#include "daedal/base/table.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/invert/inverse_model.hpp"

#include <cstddef>

namespace daedal::inversion {

/// A column of the rows of an inversion, through all of them, with the joints of the desired motion; constant before and after.
expr::PiecewisePolynomial motion_of(const InverseModel& inverse, const Table& rows,
                                    std::size_t column);

}  // namespace daedal::inversion
