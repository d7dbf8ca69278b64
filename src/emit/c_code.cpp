// See daedal/emit/c_code.hpp. The numbers of one model, put around step_text.cpp.
#include "daedal/emit/c_code.hpp"

#include "c_expressions.hpp"
#include "c_text.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/stepper/signal_transition.hpp"
#include "daedal/stepper/step_watch.hpp"
#include "daedal/units/dimension.hpp"
#include "step_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace daedal::emit {

namespace {

class Code {
 public:
  Code(const solve::StepProgram& program, const solve::StepperOptions& options,
       const std::string& name, const CResults& results)
      : program_(program), options_(options), name_(name), results_(results) {
    rows_ = program.correction;
    rows_.insert(rows_.end(), program.residual.begin(), program.residual.end());
    rows_.push_back(program.monitor);
    rows_.push_back(program.determinant);
    transition_ = program.differentiated && options.transition > 0 && !program.signals.empty();
    samples_ = solve::transition_nodes(program).size();
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
    std::string text = step_header;
    replace(text, "TRANSITION_STATE", transition_ ? transition_state : "");
    words["SAMPLES"] = std::to_string(samples_);
    return filled(text, words);
  }

  std::string source() const {
    std::map<std::string, std::string> words = words_;
    words.insert(
        {{"ITERATIONS", std::to_string(options_.linear ? 1 : options_.iterations)},
         {"LINEAR", options_.linear ? "1" : "0"},
         {"CALM", c_number(program_.differentiated ? solve::calm_distance : solve::far_distance)},
         {"FAR_DISTANCE", c_number(solve::far_distance)},
         {"JUMP_GROWTH", c_number(solve::jump_growth)},
         {"SIZE_MEMORY", c_number(solve::size_memory)},
         {"DIFFERENTIATED", program_.differentiated ? "1" : "0"},
         {"WORTHWHILE", c_number(solve::worthwhile)},
         {"GRANTED", c_number(solve::transition_allowance)},
         {"SHORTEST", c_number(options_.transition)},
         {"FADE", c_number(solve::fade_factor * options_.transition)},
         {"WAY_FACTOR", c_number(solve::way_factor)},
         {"HALT_FACTOR", c_number(solve::halt_factor)},
         {"LONGEST", c_number(solve::longest_transition)}});
    const bool stages = program_.stages() > 1;
    std::string predict = options_.linear ? linear_predict_text : predict_text;
    replace(predict, "MULTISTAGE",
            stages ? "  if (!s->has_stages) {\n    repeat(s, z);\n    return;\n  }\n" : "");
    replace(predict, "SOURCE", stages ? "s->stage_tops[k*M + j]" : "s->tops[k][j]");
    std::string driver = step_driver;
    replace(driver, "PREDICT\n", predict);
    replace(driver, "FORESEE",
            stages ? "  for (j = 0; j < M; ++j) s->predicted[j] = s->tops[0][j];\n"
                   : "  predict(s, s->predicted);\n");
    replace(driver, "ALLOWANCE",
            transition_ ? fmt::format("  if (s->active) s->excess /= {};\n",
                                      c_number(solve::transition_allowance))
                        : "");
    replace(driver, "HOLD", options_.linear ? "" : hold_text);
    replace(driver, "SECOND_GUESS", options_.linear ? "" : second_guess_text);
    replace(driver, "INIT_TRANSITION", transition_ ? init_transition_text : "");
    replace(driver, "ACTIVE", transition_ ? " && !s->active" : "");
    replace(driver, "TRANSITION\n", transition_ ? transition_text : follow_text);
    replace(driver, "STEP\n", transition_ ? step_in_transition_text : step_text);
    replace(driver, "COPY_SIGNALS",
            program_.signals.empty()
                ? "  (void)s;\n  (void)signals;\n"
                : "  int k;\n  for (k = 0; k < S*GUARD_SIGNALS; ++k) s->point[S + k] = "
                  "signals[k];\n");
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
      text += described(model::name_of(symbol, leaf.order),
                        model::derivative_unit(symbol.unit, leaf.order));
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
           c_table("int", "lowest", lowest()) +
           c_table("double", "jump_floor", solve::jump_floors(program_)) + transition_tables() +
           c_table("double", "weight", program_.weight) +
           c_table("double", "top_weight", program_.top_weight) +
           c_table("int", "next", program_.next) + c_table("int", "top_of", program_.top_of) +
           c_table("double", "start_states", program_.start_states) +
           c_table("double", "start_tops", program_.start_tops);
  }

  /// By top: the position it is a derivative of.
  std::vector<int> lowest() const {
    std::vector<int> result(program_.tops.size(), -1);
    for (std::size_t i = 0; i < program_.states.size(); ++i)
      if (program_.states[i].order == 0) result[program_.top_of[i]] = static_cast<int>(i);
    return result;
  }
  std::string transition_tables() const {
    if (!transition_) return {};
    const auto values = [](const auto& array) {
      return std::vector<double>(std::begin(array), std::end(array));
    };
    return fmt::format("enum {{ W = {}, SAMPLES = {} }}; /* signals, samples remembered */\n",
                       program_.signals.size(), samples_) +
           c_table("double", "sample_nodes", solve::transition_nodes(program_)) +
           c_table("double", "signal_nominal", program_.signal_nominal) +
           c_table("double", "smooth", values(solve::smooth_step_coefficients)) +
           c_table("double", "smooth_integral", values(solve::smooth_step_integral));
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
  bool transition_ = false;
  std::size_t samples_ = 0;
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
