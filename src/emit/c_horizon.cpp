// See daedal/emit/c_horizon.hpp: the sizes, tables and equations of one model, put around horizon_text.cpp.
#include "daedal/emit/c_horizon.hpp"

#include "c_expressions.hpp"
#include "c_text.hpp"
#include "daedal/base/lu.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/boundary/collocation_formula.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/formulate/descriptor_form.hpp"
#include "daedal/system/point.hpp"
#include "daedal/units/dimension.hpp"
#include "horizon_text.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::emit {

namespace {

constexpr std::uint32_t most_unknowns =
    60;  // states and tops: beyond, dense matrices cost too much

std::vector<double> by_rows(const Eigen::MatrixXd& matrix) {
  std::vector<double> values;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) values.push_back(matrix(i, j));
  return values;
}

class HorizonCode {
 public:
  HorizonCode(const formulate::Problem& problem, const inversion::RecedingHorizon& plan,
              const inversion::RecedingHorizonOptions& options, const std::string& name)
      : problem_(problem),
        model_(*problem.dae->model),
        plan_(plan),
        options_(options),
        name_(name),
        graph_(model_.graph),
        n_(problem.states),
        m_(problem.tops) {
    if (n_ + m_ > most_unknowns || formulate::is_descriptor_form(problem))
      throw ModelError(
          {Severity::error,
           model_.place,
           fmt::format("model '{}' is too large for C code of its receding horizon: {} states and "
                       "{} highest derivatives and forces, at most {} together",
                       model_.name, n_, m_, most_unknowns),
           {},
           "in C++ inversion::RecedingHorizon plans with large models"});
    write_out();
    chains();
    for (const expr::SymbolId s : problem.dae->unknowns)
      if (model_.symbols[s].kind == model::SymbolKind::input) inputs_.push_back(s);
    const auto levels = static_cast<std::uint32_t>(level_.size());
    const auto left = static_cast<std::uint32_t>(plan.modes().decaying.rows()) + levels;
    stages_ = options.order / 2;
    const auto text = [](auto number) { return std::to_string(number); };
    words_ = {{"NAME", name},
              {"GUARD", in_capitals(name)},
              {"TITLE", in_comment(model_.name + (model_.doc.empty() ? "" : ": " + model_.doc))},
              {"SIGNALS", text(problem.inputs.rows)},
              {"RESULTS", text(inputs_.size())},
              {"STATES", text(n_)},
              {"TOPS", text(m_)},
              {"LEVELS", text(levels)},
              {"STAGES", text(stages_)},
              {"INTERVALS", text(plan.intervals())},
              {"L_ROOM", text(std::max(levels, 1U))},
              {"LEFT_ROOM", text(std::max(left, 1U))},
              {"RENEW_ABOVE", c_number(options.renew_above)},
              {"RELIABLE_BELOW", c_number(options.reliable_below)}};
    sizes_ = fmt::format(
        "enum {{\n  N = {}, /* states */\n  M = {}, /* tops: highest derivatives and forces */\n"
        "  W = {}, /* time and signals */\n  L = {}, /* constraint levels */\n  K = {}, /* "
        "intervals */\n  S = {}, /* stages */\n  LEFT = {}\n}};\n",
        n_, m_, 1 + problem.inputs.rows, levels, plan.intervals(), stages_, left);
    words_["LEFT"] = text(left);
  }

  std::string header() const {
    std::map<std::string, std::string> words = words_;
    words["SIGNAL_LIST"] = list(problem_.first_input, problem_.inputs.rows);
    words["STATE_LIST"] = list(1, n_);
    std::string results;
    for (const expr::SymbolId s : inputs_)
      results += described(model_.symbols[s].name, model_.symbols[s].unit);
    words["RESULT_LIST"] = results;
    return filled(horizon_header, words);
  }

  std::string source() const {
    std::map<std::string, std::string> words = words_;
    words.erase("LEFT");  // a constant of the file
    return filled("/* TITLE\n * Written by Daedal, see NAME.h. */\n", words_) +
           fmt::format("#include \"{}.h\"\n\n#include <float.h>\n#include <math.h>\n\n", name_) +
           sizes_ + tables() + helpers() + equations() + filled(horizon_driver, words);
  }

 private:
  /// r, dr/ds, dr/dz, c and dc/ds as expressions.
  void write_out() {
    const formulate::ImplicitForm form = formulate::implicit_form(problem_);
    residual_ = expr::expand(form.residual, graph_);
    const std::vector<expr::Expr> by_states = expr::expand(form.state_matrix.values, graph_),
                                  by_tops = expr::expand(form.top_matrix.values, graph_);
    add_derivatives(form.state_matrix, by_states, "a", n_);
    add_derivatives(form.top_matrix, by_tops, "b", m_);
    for (const formulate::Level& level : problem_.levels)
      for (const expr::Expr row : expr::expand(level.residual, graph_)) level_.push_back(row);
    std::vector<expr::Leaf> states;
    for (std::uint32_t i = 0; i < n_; ++i) states.push_back(problem_.layout.leaf(1 + i));
    level_roots_ = level_;
    for (std::size_t i = 0; i < level_.size(); ++i)
      level_targets_.push_back(fmt::format("c[{}]", i));
    for (std::size_t i = 0; i < level_.size(); ++i) {
      const expr::Expr row[] = {level_[i]};
      for (const expr::JacobianEntry& e : expr::jacobian(graph_, row, states)) {
        level_roots_.push_back(e.value);
        level_targets_.push_back(fmt::format("g[{}]", i * n_ + e.column));
      }
    }
  }
  void add_derivatives(const expr::SparseFunction& f, const std::vector<expr::Expr>& values,
                       const char* array, std::uint32_t width) {
    for (std::uint32_t i = 0; i < f.rows; ++i)
      for (std::uint32_t e = f.row_start[i]; e < f.row_start[i + 1]; ++e) {
        derivatives_.push_back(values[e]);
        derivative_targets_.push_back(fmt::format("{}[{}]", array, i * width + f.column[e]));
      }
  }

  void chains() {
    for (std::uint32_t i = 0; i < n_; ++i) {
      int depth = 1;
      std::uint32_t j = problem_.next[i] - 1;
      next_.push_back(static_cast<int>(j));
      for (; j < n_; j = problem_.next[j] - 1) ++depth;
      depth_.push_back(depth);
      top_of_.push_back(static_cast<int>(j - n_));
    }
  }

  std::string described(const std::string& what, const std::string& unit) const {
    return in_comment(fmt::format(" *   {}{}\n", what, unit.empty() ? "" : " [" + unit + "]"));
  }
  std::string list(std::uint32_t first, std::uint32_t count) const {
    std::string text;
    for (std::uint32_t i = 0; i < count; ++i) {
      const expr::Leaf leaf = problem_.layout.leaf(first + i);
      const model::Symbol& symbol = model_.symbols[leaf.symbol];
      text += described(model::name_of(symbol, leaf.order),
                        model::derivative_unit(symbol.unit, leaf.order));
    }
    return text;
  }

  std::string formula_tables(const char* name, int stages, int depth) const {
    const boundary::CollocationFormula f = boundary::CollocationFormula::gauss(stages, depth);
    std::vector<double> nodes, weights;
    for (std::size_t i = 0; i < f.stages(); ++i) nodes.push_back(f.node(i));
    for (int k = 1; k <= depth; ++k)
      for (std::size_t i = 0; i <= f.stages(); ++i)
        for (std::size_t j = 0; j < f.stages(); ++j) weights.push_back(f.weight(k, i, j));
    return c_table("double", fmt::format("{}_nodes", name), nodes) +
           c_table("double", fmt::format("{}_weights", name), weights);
  }

  std::string tables() const {
    const int depth = *std::max_element(depth_.begin(), depth_.end());
    const boundary::Dichotomy& modes = plan_.modes();
    const Eigen::MatrixXd inverse = pseudo_inverse(modes.growing);
    const Eigen::MatrixXd settle = inverse * Lu(modes.growth).solve(modes.growing);
    std::vector<double> fade, sizes;
    for (std::size_t k = 0; k <= plan_.intervals(); ++k)
      fade.push_back(std::exp(-plan_.slowest_growth() * plan_.step() * static_cast<double>(k)));
    for (std::uint32_t i = 0; i < n_; ++i)
      sizes.push_back(1e-2 * nominal(i));  // below, a state is considered at rest
    std::vector<int> result_top;
    for (const expr::SymbolId s : inputs_)
      result_top.push_back(static_cast<int>(problem_.layout.find({s, 0}) - 1 - n_));
    const auto rest = [](std::span<const double> values) {
      return std::vector<double>(values.begin(), values.end());
    };
    return fmt::format("const double {0}_period = {1};\nconst double {0}_preview = {2};\n", name_,
                       c_number(options_.period), c_number(plan_.preview())) +
           fmt::format("static const double mesh = {}; /* [s] */\n\n", c_number(plan_.step())) +
           c_table("int", "next", next_) + c_table("int", "depth", depth_) +
           c_table("int", "top_of", top_of_) + c_table("int", "result_top", result_top) +
           formula_tables("window", stages_, depth) + formula_tables("local", stages_ + 1, depth) +
           c_table("double", "decaying", by_rows(modes.decaying)) +
           c_table("double", "growing", by_rows(modes.growing)) +
           c_table("double", "settle_end", by_rows(settle)) + c_table("double", "fade", fade) +
           c_table("double", "smallest_size", sizes) +
           c_table("double", "rest_states", rest(plan_.states())) +
           c_table("double", "rest_tops", rest(plan_.tops())) + limits(result_top);
  }

  /// Of the results; the caller may set others.
  std::string limits(const std::vector<int>& result_top) const {
    std::vector<double> lowest, highest, rate;
    for (const int top : result_top) {
      const auto found = std::ranges::find(options_.limits, static_cast<std::uint32_t>(top),
                                           &inversion::TopLimit::top);
      const inversion::TopLimit limit =
          found == options_.limits.end() ? inversion::TopLimit{} : *found;
      lowest.push_back(limit.lowest);
      highest.push_back(limit.highest);
      rate.push_back(limit.rate);
    }
    return c_table("double", "limit_lowest", lowest) + c_table("double", "limit_highest", highest) +
           c_table("double", "limit_rate", rate);
  }

  double nominal(std::uint32_t state) const {
    return solve::nominal_at(problem_, problem_.state_position(state));
  }

  std::string helpers() const {
    const CFunction functions[] = {
        {"residual", graph_, residual_},
        {"derivatives", graph_, derivatives_},
        {"level", graph_, level_roots_},
    };
    return c_helpers(functions);
  }

  std::string place_of(expr::Leaf leaf) const {
    const std::uint32_t at = problem_.layout.find(leaf);
    if (at == 0) return "w[0]";
    if (at != compile::absent && at <= n_) return fmt::format("s[{}]", at - 1);
    if (at != compile::absent && at <= n_ + m_) return fmt::format("z[{}]", at - 1 - n_);
    if (at != compile::absent && at >= problem_.first_input &&
        at < problem_.first_input + problem_.inputs.rows)
      return fmt::format("w[{}]", 1 + at - problem_.first_input);
    return c_number(model_.symbols[leaf.symbol].value);
  }

  std::string equations() const {
    const auto leaf = [this](expr::Leaf l) { return place_of(l); };
    const auto zeros = [](const char* array, const char* count) {
      return fmt::format("  for (i = 0; i < {}; ++i) {}[i] = 0.0;\n", count, array);
    };
    return "\n/* the equations r, which vanish */\nstatic void residual(const double* w, const "
           "double* s, "
           "const double* z, double* r) {\n" +
           c_statements({"residual", graph_, residual_}, leaf,
                        [](std::size_t i) { return fmt::format("r[{}]", i); }) +
           "  (void)w;\n  (void)s;\n  (void)z;\n}\n\n/* dr/ds and dr/dz */\nstatic void "
           "derivatives("
           "const double* w, const double* s, const double* z, double* a, double* b) {\n  int "
           "i;\n" +
           zeros("a", "M*N") + zeros("b", "M*M") + "  {\n" +
           c_statements({"derivatives", graph_, derivatives_}, leaf,
                        [this](std::size_t i) { return derivative_targets_[i]; }) +
           "  }\n  (void)w;\n  (void)s;\n  (void)z;\n}\n\n/* constraints below the tops, and dc/ds "
           "*/\n"
           "static void level(const double* w, const double* s, double* c, double* g) {\n  int "
           "i;\n" +
           zeros("g", "L*N") + "  {\n" +
           c_statements({"level", graph_, level_roots_}, leaf,
                        [this](std::size_t i) { return level_targets_[i]; }) +
           "  }\n  (void)w;\n  (void)s;\n  (void)c;\n}\n";
  }

  const formulate::Problem& problem_;
  const model::Model& model_;
  const inversion::RecedingHorizon& plan_;
  const inversion::RecedingHorizonOptions& options_;
  const std::string& name_;
  expr::Graph graph_;
  std::uint32_t n_, m_;
  int stages_ = 2;
  std::vector<expr::Expr> residual_, derivatives_, level_, level_roots_;
  std::vector<std::string> derivative_targets_, level_targets_;
  std::vector<int> next_, depth_, top_of_;
  std::vector<expr::SymbolId> inputs_;
  std::map<std::string, std::string> words_;
  std::string sizes_;
};

}  // namespace

CCode c_horizon(const formulate::Problem& problem, const inversion::RecedingHorizon& plan,
                const inversion::RecedingHorizonOptions& options, const std::string& name) {
  const HorizonCode code(problem, plan, options, name);
  return {code.header(), code.source()};
}

}  // namespace daedal::emit
