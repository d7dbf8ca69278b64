#include "daedal/emit/c_accelerations.hpp"

#include "c_expressions.hpp"
#include "c_text.hpp"
#include "daedal/units/dimension.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace daedal::emit {

namespace {

constexpr std::size_t most_on_stack = 256;  // whose matrix, half a megabyte, fits on a stack

constexpr const char* accelerations_header = R"(/* TITLE
 * Written by Daedal: accelerations and multipliers at a state, C99, no dependency but math.h.
 * The constraints are differentiated twice (those of velocities once): nothing holds them but the integrator. REMARK*/
#ifndef GUARD_H
#define GUARD_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
  GUARD_POSITIONS = POSITIONS,
  GUARD_VELOCITIES = VELOCITIES,
  GUARD_PARAMETERS = PARAMETERS,
  GUARD_INPUTS = INPUTS,
  GUARD_HIGHEST = HIGHEST,
  GUARD_MULTIPLIERS = MULTIPLIERS
};

/* q, positions, in order:
POSITION_LIST * v, velocities:
VELOCITY_LIST * p, parameters:
PARAMETER_LIST * u, inputs:
INPUT_LIST * a, accelerations (highest derivatives):
HIGHEST_LIST * lambda, multipliers and other algebraic unknowns:
MULTIPLIER_LIST */

typedef enum {
  GUARD_OK = 0,
  GUARD_SINGULAR = 1, /* a singular pose: a and lambda stay as they are */
  GUARD_NOT_FINITE = 2
} NAME_status;

/* the model's own parameters, and its start, which satisfies the constraints */
extern const double NAME_p[PARAMETERS_ROOM];
extern const double NAME_q0[POSITIONS_ROOM];
extern const double NAME_v0[VELOCITIES_ROOM];

/* p = 0: the model's own parameters. */
NAME_status NAME(double t, const double* q, const double* v, const double* p, const double* u,
                 double* a, double* lambda);

/* dx/dt for x = (q, v), as integrators ask for it. */
NAME_status NAME_rate(double t, const double* x, const double* p, const double* u, double* dx);

#ifdef __cplusplus
}
#endif

#endif
)";

constexpr const char* accelerations_driver = R"(
/* Gaussian elimination with row exchanges. Rows of forces and rows of constraints, columns of accelerations and of multipliers
 * have units of their own: all of them are scaled to 1 first. */
static NAME_status solve(double* m, double* b) {
  double scale[N];
  int i, j, k;
  for (i = 0; i < N; ++i) {
    double largest = 0.0;
    for (j = 0; j < N; ++j)
      if (!(fabs(m[i*N + j]) <= largest)) largest = fabs(m[i*N + j]);
    if (!(largest <= DBL_MAX) || !(fabs(b[i]) <= DBL_MAX)) return GUARD_NOT_FINITE;
    if (largest == 0.0) return GUARD_SINGULAR;
    for (j = 0; j < N; ++j) m[i*N + j] /= largest;
    b[i] /= largest;
  }
  for (j = 0; j < N; ++j) {
    scale[j] = 0.0;
    for (i = 0; i < N; ++i)
      if (fabs(m[i*N + j]) > scale[j]) scale[j] = fabs(m[i*N + j]);
    if (scale[j] == 0.0) return GUARD_SINGULAR;
    for (i = 0; i < N; ++i) m[i*N + j] /= scale[j];
  }
  for (k = 0; k < N; ++k) {
    int best = k;
    for (i = k + 1; i < N; ++i)
      if (fabs(m[i*N + k]) > fabs(m[best*N + k])) best = i;
    if (!(fabs(m[best*N + k]) > SINGULAR)) return GUARD_SINGULAR;
    if (best != k) {
      const double right = b[k];
      b[k] = b[best];
      b[best] = right;
      for (j = k; j < N; ++j) {
        const double entry = m[k*N + j];
        m[k*N + j] = m[best*N + j];
        m[best*N + j] = entry;
      }
    }
    for (i = k + 1; i < N; ++i) {
      const double factor = m[i*N + k]/m[k*N + k];
      if (factor == 0.0) continue;
      for (j = k + 1; j < N; ++j) m[i*N + j] -= factor*m[k*N + j];
      b[i] -= factor*b[k];
    }
  }
  for (k = N - 1; k >= 0; --k) {
    for (j = k + 1; j < N; ++j) b[k] -= m[k*N + j]*b[j];
    b[k] /= m[k*N + k];
  }
  for (k = 0; k < N; ++k) {
    b[k] /= scale[k];
    if (!(fabs(b[k]) <= DBL_MAX)) return GUARD_NOT_FINITE;
  }
  return GUARD_OK;
}

NAME_status NAME(double t, const double* q, const double* v, const double* p, const double* u,
                 double* a, double* lambda) {
  double m[N*N], b[N];
  NAME_status status;
  int k;
  for (k = 0; k < N*N; ++k) m[k] = 0.0;
  equations(t, q, v, p != 0 ? p : NAME_p, u, m, b);
  status = solve(m, b);
  if (status != GUARD_OK) return status;
COPY_RESULTS  return GUARD_OK;
}

NAME_status NAME_rate(double t, const double* x, const double* p, const double* u, double* dx) {
  double a[HIGHEST_ROOM], lambda[MULTIPLIERS_ROOM];
  const NAME_status status = NAME(t, x, x + GUARD_POSITIONS, p, u, a, lambda);
  int k;
  if (status != GUARD_OK) return status;
  for (k = 0; k < GUARD_POSITIONS + GUARD_VELOCITIES; ++k)
    dx[k] = next[k] < GUARD_POSITIONS + GUARD_VELOCITIES
                ? x[next[k]]
                : a[next[k] - GUARD_POSITIONS - GUARD_VELOCITIES];
  return GUARD_OK;
}
)";

/// A list of leaves and the position of each in it.
struct Leaves {
  std::vector<expr::Leaf> list;
  std::map<expr::Leaf, std::size_t> place;

  void add(expr::Leaf leaf) {
    if (place.emplace(leaf, list.size()).second) list.push_back(leaf);
  }
};

class AccelerationsCode {
 public:
  AccelerationsCode(const formulate::Problem& problem, const solve::ConsistentPoint& start,
                    const std::string& name)
      : problem_(problem),
        start_(start),
        model_(*problem.dae->model),
        name_(name),
        graph_(std::make_shared<expr::Graph>()) {
    refuse_what_is_not_linear();
    collect_unknowns();
    write_equations();
    collect_parameters();
  }

  CAccelerations made() const {
    return {{header(), source()}, names(positions_), names(velocities_), names(parameters_),
            names(inputs_),       names(highest_),   names(multipliers_)};
  }

 private:
  [[noreturn]] void refuse(const std::string& why, const std::string& help) const {
    throw ModelError(
        {Severity::error,
         model_.place,
         fmt::format("model '{}': no C function of its accelerations: {}", model_.name, why),
         {},
         help});
  }

  void refuse_what_is_not_linear() const {
    if (!problem_.written_out)
      refuse(fmt::format("its index is {}, and derivatives of its equations are not written out",
                         problem_.structure.index),
             "index 3 and below is supported; `simulate()` takes any");
    if (!problem_.linear)
      refuse("its equations are not linear in their highest derivatives",
             "`forward` exports a stepper, which solves them by Newton's method");
    if (problem_.tops > most_on_stack)
      refuse(fmt::format("it has {} unknowns, more than {}", problem_.tops, most_on_stack),
             "the function holds the whole matrix on the stack; a smaller N may do");
  }

  /// The integral of the power is no part of the motion: its state, top and row are the last.
  std::uint32_t without_work(std::uint32_t count) const {
    return problem_.has_work ? count - 1 : count;
  }
  std::uint32_t unknowns() const { return without_work(problem_.tops); }

  void collect_unknowns() {
    for (const bool velocities : {false, true})
      for (std::uint32_t i = 0; i < without_work(problem_.states); ++i) {
        const expr::Leaf leaf = problem_.layout.leaf(problem_.state_position(i));
        if ((leaf.order > 0) != velocities) continue;
        (velocities ? velocities_ : positions_).add(leaf);
        state_.push_back(i);
      }
    for (std::uint32_t j = 0; j < unknowns(); ++j) {
      const expr::Leaf leaf = problem_.layout.leaf(problem_.top_position(j));
      (leaf.order > 0 ? highest_ : multipliers_).add(leaf);
    }
    for (std::uint32_t k = 0; k < problem_.inputs.rows; ++k)
      inputs_.add(problem_.layout.leaf(problem_.first_input + k));
  }

  void write_equations() {
    const expr::SparseFunction& matrix = problem_.top_matrix;
    const std::vector<expr::Expr> entries = expr::expand(matrix.values, *graph_);
    const std::vector<expr::Expr> right = expr::expand(problem_.right_hand_side, *graph_);
    for (std::uint32_t i = 0; i < unknowns(); ++i) {
      for (std::uint32_t k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k) {
        if (matrix.column[k] >= unknowns() || graph_->is_constant(entries[k], 0)) continue;
        roots_.push_back(entries[k]);
        targets_.push_back(fmt::format("m[{}]", i * unknowns() + matrix.column[k]));
      }
      roots_.push_back(right[i]);
      targets_.push_back(fmt::format("b[{}]", i));
    }
  }

  /// Those that somebody wrote; numbers that only differ between terms of one shape are numbers.
  void collect_parameters() {
    for (const expr::Leaf leaf : expr::leaves(*graph_, roots_))
      if (is_parameter(leaf) && model_.symbols[leaf.symbol].place.known()) parameters_.add(leaf);
  }
  bool is_parameter(expr::Leaf leaf) const {
    return model_.symbols[leaf.symbol].kind == model::SymbolKind::parameter;
  }

  std::string name_of(expr::Leaf leaf) const {
    return model::name_of(model_.symbols[leaf.symbol], leaf.order);
  }
  std::vector<std::string> names(const Leaves& leaves) const {
    std::vector<std::string> list;
    for (const expr::Leaf leaf : leaves.list) list.push_back(name_of(leaf));
    return list;
  }
  std::string described(const Leaves& leaves) const {
    std::string text;
    for (const expr::Leaf leaf : leaves.list) {
      const std::string unit = model::derivative_unit(model_.symbols[leaf.symbol].unit, leaf.order);
      text += in_comment(
          fmt::format(" *   {}{}\n", name_of(leaf), unit.empty() ? "" : " [" + unit + "]"));
    }
    return text.empty() ? " *   none\n" : text;
  }

  std::map<std::string, std::string> words() const {
    std::map<std::string, std::string> words{
        {"NAME", name_},
        {"GUARD", in_capitals(name_)},
        {"TITLE", in_comment(model_.name + (model_.doc.empty() ? "" : ": " + model_.doc))},
        {"REMARK", model_.events.empty() ? "" : "\n * Events are left to it as well. "},
        {"SINGULAR", "1e-13"}};
    const auto add = [&](const std::string& word, const std::string& list, const Leaves& leaves) {
      words[word] = std::to_string(leaves.list.size());
      words[word + "_ROOM"] = std::to_string(std::max<std::size_t>(leaves.list.size(), 1));
      words[list] = described(leaves);
    };
    add("POSITIONS", "POSITION_LIST", positions_);
    add("VELOCITIES", "VELOCITY_LIST", velocities_);
    add("PARAMETERS", "PARAMETER_LIST", parameters_);
    add("INPUTS", "INPUT_LIST", inputs_);
    add("HIGHEST", "HIGHEST_LIST", highest_);
    add("MULTIPLIERS", "MULTIPLIER_LIST", multipliers_);
    return words;
  }

  std::string header() const { return filled(accelerations_header, words()); }

  std::string source() const {
    const std::map<std::string, std::string> filling = words();
    std::string copy;
    for (std::uint32_t j = 0; j < unknowns(); ++j) {
      const expr::Leaf leaf = problem_.layout.leaf(problem_.top_position(j));
      copy += leaf.order > 0
                  ? fmt::format("  a[{}] = b[{}];\n", highest_.place.at(leaf), j)
                  : fmt::format("  lambda[{}] = b[{}];\n", multipliers_.place.at(leaf), j);
    }
    if (multipliers_.list.empty()) copy += "  (void)lambda;\n";
    if (highest_.list.empty()) copy += "  (void)a;\n";
    const CFunction functions[] = {equations_function()};
    return filled("/* TITLE\n * Written by Daedal, see NAME.h. */\n", filling) +
           fmt::format("#include \"{}.h\"\n\n#include <float.h>\n#include <math.h>\n\n", name_) +
           fmt::format("enum {{ N = {} }};\n\n", unknowns()) + tables() + c_helpers(functions) +
           equations() + filled(with_results(accelerations_driver, copy), filling);
  }
  static std::string with_results(std::string text, const std::string& copy) {
    const std::string word = "COPY_RESULTS";
    return text.replace(text.find(word), word.size(), copy);
  }

  CFunction equations_function() const { return {"equations", *graph_, roots_}; }

  std::string table(const std::string& array, const std::vector<double>& values) const {
    std::string text = c_table("double", array, values);
    const std::string local = fmt::format("static const double {}[]", array);
    return text.replace(text.find(local), local.size(),
                        fmt::format("const double {}_{}[{}]", name_, array,
                                    std::max<std::size_t>(values.size(), 1)));
  }

  /// Parameters, start, and of each entry of x the place of its derivative in (x, a).
  std::string tables() const {
    std::vector<double> parameters, positions, velocities;
    for (const expr::Leaf leaf : parameters_.list)
      parameters.push_back(model_.symbols[leaf.symbol].value);
    std::vector<int> next;
    const std::size_t states = state_.size();
    for (std::size_t k = 0; k < states; ++k) {
      (k < positions_.list.size() ? positions : velocities).push_back(start_.states[state_[k]]);
      const std::uint32_t position = problem_.next[state_[k]];
      const expr::Leaf leaf = problem_.layout.leaf(position);
      const bool is_state = position < problem_.top_position(0);
      next.push_back(static_cast<int>(is_state ? positions_.list.size() + velocities_.place.at(leaf)
                                               : states + highest_.place.at(leaf)));
    }
    return table("p", parameters) + table("q0", positions) + table("v0", velocities) +
           c_table("int", "next", next);
  }

  std::string text_of(expr::Leaf leaf) const {
    if (leaf.symbol == expr::time_symbol) return "t";
    for (const auto& [array, leaves] : {std::pair<const char*, const Leaves&>{"q", positions_},
                                        {"v", velocities_},
                                        {"p", parameters_},
                                        {"u", inputs_}})
      if (const auto place = leaves.place.find(leaf); place != leaves.place.end())
        return fmt::format("{}[{}]", array, place->second);
    return c_number(model_.symbols[leaf.symbol].value);
  }

  std::string equations() const {
    return "\n/* A, by rows, and b */\nstatic void equations(double t, const double* q, const "
           "double* v, const double* p,\n                      const double* u, double* m, double* "
           "b) {\n" +
           c_statements(
               equations_function(), [&](expr::Leaf leaf) { return text_of(leaf); },
               [&](std::size_t i) { return targets_[i]; }) +
           "  (void)t;\n  (void)q;\n  (void)v;\n  (void)p;\n  (void)u;\n}\n";
  }

  const formulate::Problem& problem_;
  const solve::ConsistentPoint& start_;
  const model::Model& model_;
  const std::string& name_;
  std::shared_ptr<expr::Graph> graph_;
  Leaves positions_, velocities_, parameters_, inputs_, highest_, multipliers_;
  std::vector<std::uint32_t> state_;  // of the problem, in the order of (q, v)
  std::vector<expr::Expr> roots_;
  std::vector<std::string> targets_;  // of the roots
};

}  // namespace

CAccelerations c_accelerations(const formulate::Problem& problem,
                               const solve::ConsistentPoint& start, const std::string& name) {
  return AccelerationsCode(problem, start, name).made();
}

}  // namespace daedal::emit
