// Modes of a mechanism in the words of messages.
#pragma once

#include "daedal/expr/graph.hpp"

#include <Eigen/Core>

#include <complex>
#include <string>
#include <vector>

namespace daedal::feedback {

/// "-0.5 +- 3i 1/s"
std::string text_of(std::complex<double> mode);

/// "theta, x": what moves most in a mode of z' = f z, x = basis z; `states` name the entries of x, `leaves` their orders.
std::string movers(const Eigen::MatrixXd& f, const Eigen::MatrixXd& basis,
                   const std::vector<std::string>& states, const std::vector<expr::Leaf>& leaves,
                   std::complex<double> mode);

}  // namespace daedal::feedback
