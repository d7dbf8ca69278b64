// From Functions to a kernel: written out as one straight line when that is short, else family by family.
#include "compile/mapped_kernel.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/compile/straight_kernel.hpp"

#include <algorithm>

namespace daedal::compile {
namespace {

bool is_worth_lanes(std::span<const expr::Function> functions, const Options& options) {
  std::uint64_t operations = 0;
  bool alike = false;
  for (const expr::Function& f : functions) {
    // A row costs a store even when its value is a parameter: 10 000 rows of a constant mass matrix
    // are no operation at all, yet written out they keep the native compiler busy for half a minute.
    operations += expr::operation_count(f) + f.rows;
    alike = alike || std::any_of(f.families.begin(), f.families.end(), runs_in_lanes);
  }
  return alike && operations > options.expand_limit;
}

std::shared_ptr<const Kernel> compile_straight(std::span<const expr::Function> functions,
                                               const Layout& layout, const Options& options) {
  expr::Graph graph;
  std::vector<expr::Expr> rows;
  for (const expr::Function& f : functions) {
    const std::vector<expr::Expr> expanded = expr::expand(f, graph);
    rows.insert(rows.end(), expanded.begin(), expanded.end());
  }
  return std::make_shared<StraightKernel>(lower(graph, rows, point_source(graph, layout)), options);
}

}  // namespace

std::shared_ptr<const Kernel> compile(const expr::Function& f, const Layout& layout,
                                      const Options& options) {
  return compile(std::span(&f, 1), layout, options);
}

std::shared_ptr<const Kernel> compile(std::span<const expr::Function> functions,
                                      const Layout& layout, const Options& options) {
  if (is_worth_lanes(functions, options))
    return std::make_shared<MappedKernel>(functions, layout, options);
  return compile_straight(functions, layout, options);
}

}  // namespace daedal::compile
