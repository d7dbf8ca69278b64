// A controller without a clock commands by an equation of the whole,  0 = u - f,  or  e x' = a x  in the linear model: f = u + a x - e x'.
// Opened, u is an input v of its own and the answer w = f is a variable:
//
//   0 = -u + v,    e x' = a x + u - w,    y = -w
#include "daedal/control/loop_margins.hpp"

#include <algorithm>

namespace daedal::feedback {

namespace {

using Eigen::Index;

analysis::LinearModel opened(const analysis::LinearModel& closed, Index row, Index input) {
  const Index n = closed.a.rows();
  analysis::LinearModel loop;
  loop.e = loop.a = Eigen::MatrixXd::Zero(n + 1, n + 1);
  loop.e.topLeftCorner(n, n) = closed.e;
  loop.a.topLeftCorner(n, n) = closed.a;
  loop.e.row(n) = loop.e.row(row);
  loop.a.row(n) = loop.a.row(row);
  loop.a(n, input) += 1;
  loop.a(n, n) = -1;
  loop.e.row(row).setZero();
  loop.a.row(row).setZero();
  loop.a(row, input) = -1;
  loop.b = Eigen::MatrixXd::Zero(n + 1, 1);
  loop.b(row, 0) = 1;
  loop.c = Eigen::MatrixXd::Zero(1, n + 1);
  loop.c(0, n) = -1;
  loop.d = Eigen::MatrixXd::Zero(1, 1);
  loop.inputs = {"u"};
  loop.outputs = {"answer"};
  return loop;
}

}  // namespace

std::vector<OpenedLoop> opened_loops(const std::vector<std::string>& controllers,
                                     const analysis::LinearModel& closed) {
  std::vector<OpenedLoop> loops;
  for (std::size_t row = 0; row < closed.equations.size(); ++row)
    for (const std::string& controller : controllers) {
      const std::string says = controller + " commands ";
      if (!closed.equations[row].starts_with(says)) continue;
      const std::string input = closed.equations[row].substr(says.size());
      const auto column = std::ranges::find(closed.variables, input);
      if (column == closed.variables.end()) continue;
      loops.push_back({controller, input,
                       opened(closed, static_cast<Index>(row), column - closed.variables.begin())});
    }
  return loops;
}

}  // namespace daedal::feedback
