// See daedal/emit/c_code.hpp. The text below is solve/stepper.cpp in C; NAME and the like are filled in.
#include "daedal/emit/c_code.hpp"

#include "c_expressions.hpp"
#include "c_text.hpp"
#include "daedal/expr/calculus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace daedal::emit {

namespace {

constexpr const char* header_text = R"(/* TITLE
 * Written by Daedal: FORMULA with a step of STEP s, C99, no dependency but math.h. */
#ifndef GUARD_H
#define GUARD_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
  GUARD_STAGES = STAGES,   /* times at which a step asks for its signals, see NAME_nodes */
  GUARD_SIGNALS = SIGNALS, /* at each of them */
  GUARD_RESULTS = RESULTS,
  GUARD_STATES = STATES,
  GUARD_TOPS = TOPS,
  GUARD_PAST = PAST
};

/* signals, in order:
SIGNAL_LIST * results, in order:
RESULT_LIST */

/* stage i of a step looks at time + nodes[i] * step */
extern const double NAME_nodes[GUARD_STAGES];
extern const double NAME_step_length; /* [s] */

/* Everything a step remembers; NAME_init fills it. The newest past is the first. */
typedef struct {
  double time, begin, taken;
  int has_stages;
  double states[GUARD_PAST][STATES_ROOM];
  double tops[GUARD_PAST][GUARD_TOPS];
  double stage_tops[GUARD_STAGES*GUARD_TOPS];
  double point[POINT_SIZE];
  double rows[ROWS];
} NAME_state;

typedef enum {
  GUARD_OK = 0,
  GUARD_NOT_CONVERGED = 1, /* within the iterations allowed */
  GUARD_PIVOTS_LOST = 2,   /* a singular pose, or too far from that of the start for its pivots */
  GUARD_NOT_FINITE = 3
} NAME_status;

typedef struct {
  NAME_status status;
  int iterations;
  double correction; /* the last one, accepted below TOLERANCE */
  double residual;   /* largest of the equations, before the last correction */
} NAME_report;

/* At the start values of the model. */
void NAME_init(NAME_state* s, double time);

/* One step: signals[stage*SIGNALS + k]. Unless the report says OK the step is not made, and results stay as they are. */
NAME_report NAME_step(NAME_state* s, const double* signals, double* results);

#ifdef __cplusplus
}
#endif

#endif
)";

constexpr const char* driver_text = R"(
void NAME_init(NAME_state* s, double time) {
  int k, i;
  s->time = s->begin = time;
  s->taken = 0.0;
  s->has_stages = 0;
  for (k = 0; k < P; ++k) {
    const double back = -k*NAME_step_length;
    for (i = 0; i < M; ++i) s->tops[k][i] = start_tops[i];
    for (i = 0; i < N; ++i) {
      double value = start_states[i], factor = 1.0;
      int at = next[i], order = 1;
      for (;; ++order) {
        factor *= back/order;
        value += factor*(at < N ? start_states[at] : start_tops[at - N]);
        if (at >= N) break;
        at = next[at];
      }
      s->states[k][i] = value;
    }
  }
  for (i = 0; i < S*M; ++i) s->stage_tops[i] = 0.0;
}

/* known parts of the states, each after its derivative */
static void find_known(NAME_state* s) {
  double* const known = s->point + FIRST_KNOWN;
  int i, j, p, stage;
  for (i = 0; i < N; ++i) known[i] = past[0]*s->states[0][i];
  for (p = 1; p < PAST_WEIGHTS; ++p)
    for (i = 0; i < N; ++i) known[i] += past[p]*s->states[p][i];
  for (stage = 1; stage < S; ++stage)
    for (i = 0; i < N; ++i) known[stage*N + i] = known[i];
  for (i = 0; i < N; ++i) {
    if (next[i] >= N) continue;
    for (stage = 0; stage < S; ++stage)
      for (j = 0; j < S; ++j) known[stage*N + i] += a[stage*S + j]*known[j*N + next[i]];
  }
}

static void repeat(NAME_state* s) {
  int stage, j;
  for (stage = 0; stage < S; ++stage)
    for (j = 0; j < M; ++j) s->point[FIRST_TOP + stage*M + j] = s->tops[0][j];
}

PREDICT
static NAME_report iterate(NAME_state* s) {
  NAME_report report = {GUARD_NOT_CONVERGED, 0, 0.0, 0.0};
  double* const z = s->point + FIRST_TOP;
  double previous = 0.0, sum = 0.0;
  int k;
  while (report.iterations < ITERATIONS) {
    double correction = 0.0, monitor;
    newton(s->point, s->rows);
    ++report.iterations;
    for (k = 0; k < S*M; ++k) {
      const double size = fabs(s->rows[k])*weight[k % M];
      z[k] += s->rows[k];
      if (size > correction) correction = size;
    }
    report.correction = correction;
    monitor = s->rows[2*S*M];
    if (!(monitor < 1e10)) {
      report.status = monitor <= DBL_MAX ? GUARD_PIVOTS_LOST : GUARD_NOT_FINITE;
      return report;
    }
    if (correction <= TOLERANCE || LINEAR ||
        (report.iterations > 2 && correction > 0.5*previous && correction < 1e-6)) {
      report.status = GUARD_OK;
      break;
    }
    previous = correction;
  }
  for (k = 0; k < S*M; ++k) {
    const double size = fabs(s->rows[S*M + k]);
    if (!(size <= report.residual)) report.residual = size;
    sum += z[k];
  }
  if (!(fabs(sum) <= DBL_MAX) || !(report.residual <= DBL_MAX)) report.status = GUARD_NOT_FINITE;
  return report;
}

/* the end of the step becomes the newest of the past */
static void accept(NAME_state* s) {
  const double* const known = s->point + FIRST_KNOWN + (S - 1)*N;
  const double* const z = s->point + FIRST_TOP;
  int i, j, k;
  for (k = P - 1; k > 0; --k) {
    for (i = 0; i < N; ++i) s->states[k][i] = s->states[k - 1][i];
    for (i = 0; i < M; ++i) s->tops[k][i] = s->tops[k - 1][i];
  }
  for (i = 0; i < N; ++i) {
    double value = known[i];
    for (j = 0; j < S; ++j) value += top_weight[i*S + j]*z[j*M + top_of[i]];
    s->states[0][i] = value;
  }
  for (i = 0; i < M; ++i) s->tops[0][i] = z[(S - 1)*M + i];
  for (i = 0; i < S*M; ++i) s->stage_tops[i] = z[i];
  s->has_stages = 1;
  s->taken += 1.0;
  s->time = s->begin + s->taken*NAME_step_length;
}

NAME_report NAME_step(NAME_state* s, const double* signals, double* results) {
  NAME_report report;
  int k;
  for (k = 0; k < S; ++k) s->point[k] = s->time + NAME_nodes[k]*NAME_step_length;
COPY_SIGNALS  find_known(s);
  FIRST_GUESS(s);
  report = iterate(s);
SECOND_GUESS  if (report.status == GUARD_OK) {
    accept(s);
    find_results(s->time, s->states[0], s->tops[0], results);
  }
  return report;
}
)";

constexpr const char* second_guess_text =
    R"(  if (report.status != GUARD_OK) { /* a wrong guess may be why */
    const int before = report.iterations;
    repeat(s);
    report = iterate(s);
    report.iterations += before;
  }
)";

constexpr const char* predict_text = R"(static void predict(NAME_state* s) {
  int stage, j, k;
MULTISTAGE  for (stage = 0; stage < S; ++stage) {
    double* const z = s->point + FIRST_TOP + stage*M;
    for (j = 0; j < M; ++j) z[j] = 0.0;
    for (k = 0; k < PREDICTED_FROM; ++k)
      for (j = 0; j < M; ++j) z[j] += predictor[stage*PREDICTED_FROM + k]*SOURCE;
  }
}
)";

class Code {
 public:
  Code(const solve::StepProgram& program, const solve::StepperOptions& options,
       const std::string& name, const CResults& results)
      : program_(program), options_(options), name_(name), results_(results) {
    rows_ = program.correction;
    rows_.insert(rows_.end(), program.residual.begin(), program.residual.end());
    rows_.push_back(program.monitor);
    for (const CResult& result : results.values) values_.push_back(result.value);
    refuse_what_a_step_lacks();
    words_ = {{"NAME", name},
              {"GUARD", in_capitals(name)},
              {"TITLE", in_comment(program.model->name +
                                   (program.model->doc.empty() ? "" : ": " + program.model->doc))},
              {"FORMULA", program.formula.name},
              {"STEP", fmt::format("{}", program.step)},
              {"STAGES", std::to_string(program.stages())},
              {"SIGNALS", std::to_string(program.signals.size())},
              {"RESULTS", std::to_string(results.values.size())},
              {"STATES", std::to_string(program.states.size())},
              {"TOPS", std::to_string(program.tops.size())},
              {"PAST", std::to_string(program.past)},
              {"POINT_SIZE", std::to_string(program.point_size())},
              {"ROWS", std::to_string(rows_.size())},
              {"TOLERANCE", c_number(options.tolerance)}};
  }

  std::string header() const {
    std::map<std::string, std::string> words = words_;
    words["SIGNAL_LIST"] = signal_list();
    words["RESULT_LIST"] = result_list();
    words["STATES_ROOM"] = std::to_string(std::max<std::size_t>(program_.states.size(), 1));
    return filled(header_text, words);
  }

  std::string source() const {
    std::map<std::string, std::string> words = words_;
    words.insert({{"ITERATIONS", std::to_string(options_.linear ? 1 : options_.iterations)},
                  {"LINEAR", options_.linear ? "1" : "0"},
                  {"FIRST_GUESS", options_.linear ? "repeat" : "predict"}});
    const bool stages = program_.stages() > 1;
    std::string predict = options_.linear ? "" : predict_text;
    replace(predict, "MULTISTAGE",
            stages ? "  if (!s->has_stages) {\n    repeat(s);\n    return;\n  }\n" : "");
    replace(predict, "SOURCE", stages ? "s->stage_tops[k*M + j]" : "s->tops[k][j]");
    std::string driver = driver_text;
    replace(driver, "PREDICT\n", predict);
    replace(driver, "SECOND_GUESS", options_.linear ? "" : second_guess_text);
    replace(driver, "COPY_SIGNALS",
            program_.signals.empty()
                ? "  (void)signals;\n"
                : "  for (k = 0; k < S*GUARD_SIGNALS; ++k) s->point[S + k] = signals[k];\n");
    return filled("/* TITLE\n * Written by Daedal, see NAME.h. */\n", words_) +
           fmt::format("#include \"{}.h\"\n\n#include <float.h>\n#include <math.h>\n\n", name_) +
           sizes() + tables() + helpers() + newton() + find_results() + filled(driver, words);
  }

 private:
  static void replace(std::string& text, const std::string& word, const std::string& by) {
    if (const std::size_t at = text.find(word); at != std::string::npos)
      text.replace(at, word.size(), by);
  }

  bool is_there(expr::Leaf leaf) const {
    const auto among = [&](const std::vector<expr::Leaf>& leaves) {
      return std::find(leaves.begin(), leaves.end(), leaf) != leaves.end();
    };
    return leaf.symbol == expr::time_symbol || !program_.model->varies(leaf.symbol) ||
           among(program_.states) || among(program_.tops);
  }

  void refuse_what_a_step_lacks() const {
    for (const CResult& result : results_.values) {
      const expr::Expr roots[] = {result.value};
      for (const expr::Leaf leaf : expr::leaves(*results_.graph, roots))
        if (!is_there(leaf))
          throw ModelError(
              {Severity::error,
               program_.model->place,
               fmt::format("output '{}' contains {}, which a step does not find", result.name,
                           model::name_of(program_.model->symbols[leaf.symbol], leaf.order)),
               {},
               "leave it out, or make it a variable with an equation of its own"});
    }
  }

  std::string described(const std::string& name, const std::string& unit) const {
    return in_comment(fmt::format(" *   {}{}\n", name, unit.empty() ? "" : " [" + unit + "]"));
  }
  std::string signal_list() const {
    std::string text;
    for (const expr::Leaf leaf : program_.signals) {
      const model::Symbol& symbol = program_.model->symbols[leaf.symbol];
      text += described(model::name_of(symbol, leaf.order), leaf.order == 0 ? symbol.unit : "");
    }
    return text;
  }
  std::string result_list() const {
    std::string text;
    for (const CResult& result : results_.values) text += described(result.name, result.unit);
    return text;
  }

  std::string sizes() const {
    return fmt::format(
        "enum {{\n  S = {}, /* stages */\n  N = {}, /* states */\n  M = {}, /* tops: highest "
        "derivatives and algebraic unknowns */\n  P = {}, /* steps remembered */\n  PAST_WEIGHTS = "
        "{},\n  PREDICTED_FROM = {},\n  FIRST_KNOWN = {}, /* in the point */\n  FIRST_TOP = "
        "{}\n}};\n",
        program_.stages(), program_.states.size(), program_.tops.size(), program_.past,
        program_.formula.past.size(), program_.predicted_from(), program_.first_known(),
        program_.first_top());
  }

  std::string tables() const {
    std::string nodes = c_table("double", "nodes", program_.formula.nodes);
    replace(nodes, "static const double nodes[]",
            fmt::format("const double {}_nodes[{}]", name_, program_.stages()));
    return nodes +
           fmt::format("const double {}_step_length = {};\n\n", name_, c_number(program_.step)) +
           c_table("double", "past", program_.formula.past) + c_table("double", "a", program_.a) +
           (options_.linear ? "" : c_table("double", "predictor", program_.predictor)) +
           c_table("double", "weight", program_.weight) +
           c_table("double", "top_weight", program_.top_weight) +
           c_table("int", "next", program_.next) + c_table("int", "top_of", program_.top_of) +
           c_table("double", "start_states", program_.start_states) +
           c_table("double", "start_tops", program_.start_tops);
  }

  CFunction newton_function() const { return {"newton", *program_.graph, rows_}; }
  CFunction results_function() const { return {"find_results", *results_.graph, values_}; }
  std::string helpers() const {
    const CFunction functions[] = {newton_function(), results_function()};
    return c_helpers(functions);
  }

  /// Correction, residual and monitor at a point.
  std::string newton() const {
    return "\nstatic void newton(const double* p, double* r) {\n" +
           c_statements(
               newton_function(), [](expr::Leaf leaf) { return fmt::format("p[{}]", leaf.symbol); },
               [](std::size_t i) { return fmt::format("r[{}]", i); }) +
           "}\n";
  }

  std::string find_results() const {
    std::map<expr::Leaf, std::string> places;
    for (std::size_t i = 0; i < program_.states.size(); ++i)
      places[program_.states[i]] = fmt::format("x[{}]", i);
    for (std::size_t j = 0; j < program_.tops.size(); ++j)
      places[program_.tops[j]] = fmt::format("z[{}]", j);
    const model::Model& m = *program_.model;
    return "\nstatic void find_results(double t, const double* x, const double* z, double* r) {\n" +
           c_statements(
               results_function(),
               [&](expr::Leaf leaf) {
                 if (leaf.symbol == expr::time_symbol) return std::string("t");
                 const auto place = places.find(leaf);
                 return place != places.end() ? place->second
                                              : c_number(m.symbols[leaf.symbol].value);
               },
               [](std::size_t i) { return fmt::format("r[{}]", i); }) +
           "  (void)t;\n  (void)x;\n  (void)z;\n}\n";
  }

  const solve::StepProgram& program_;
  const solve::StepperOptions& options_;
  const std::string& name_;
  const CResults& results_;
  std::vector<expr::Expr> rows_, values_;
  std::map<std::string, std::string> words_;
};

}  // namespace

std::string c_identifier(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      text += c;
    else if (!text.empty() && text.back() != '_')
      text += '_';
  }
  while (!text.empty() && text.back() == '_') text.pop_back();
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0)
    text = "m" + text;
  return text;
}

CResults c_results(const derive::Dae& dae) {
  const model::Model& m = *dae.model;
  auto graph = std::make_shared<expr::Graph>(m.graph);
  CResults results;
  const auto add_unknowns = [&](model::SymbolKind kind) {
    for (const expr::SymbolId s : dae.unknowns)
      if (m.symbols[s].kind == kind)
        results.values.push_back({m.symbols[s].name, m.symbols[s].unit, graph->leaf({s, 0})});
  };
  if (dae.inverse)
    add_unknowns(model::SymbolKind::input);
  else
    for (const model::NamedValue& output : m.outputs)
      results.values.push_back({output.name, output.unit, output.value});
  if (results.values.empty()) add_unknowns(model::SymbolKind::coordinate);
  if (results.values.empty()) add_unknowns(model::SymbolKind::variable);
  results.graph = std::move(graph);
  return results;
}

CCode c_stepper(const solve::StepProgram& program, const solve::StepperOptions& options,
                const std::string& name, const CResults& results) {
  const Code code(program, options, name, results);
  return {code.header(), code.source()};
}

}  // namespace daedal::emit
