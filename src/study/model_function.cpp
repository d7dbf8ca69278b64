#include "daedal/study/model_function.hpp"

#include "daedal/elaborate/elaborate.hpp"
#include "daedal/formulate/descriptor_form.hpp"
#include "daedal/language/syntax.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

using expr::Leaf;

constexpr const char* function_name = "the function";  // no name of a model has blanks
constexpr double unknown_value = std::numeric_limits<double>::quiet_NaN();

std::string name_of_leaf(const model::Model& m, Leaf leaf) {
  return model::name_of(m.symbols[leaf.symbol], leaf.order);
}

std::optional<Leaf> leaf_called(const model::Model& m, const std::string& name) {
  const std::size_t end = std::min(name.find('\''), name.size());
  if (name.find_first_not_of('\'', end) != name.npos) return std::nullopt;
  const std::string base = name.substr(0, end);
  const Leaf leaf{m.find(base), static_cast<std::uint16_t>(name.size() - end)};
  if (leaf.symbol == expr::time_symbol && base != "t") return std::nullopt;
  return leaf;
}

/// The statement  output <name> = <expression>  at the end of the model that was selected.
model::Library with_output(const Model& model, const std::string& text) {
  model::Library library = model.library();
  model::syntax::Output output;
  output.name = function_name;
  output.value = model::parse_expression(text, "the function");
  output.place = output.value->place;
  const std::string& name = model.name();
  for (model::syntax::Model& one : library.files.back().models)
    if (one.name == name) one.statements.push_back({output.place, output});
  return library;
}

struct Parts {
  std::shared_ptr<const model::Model> model;
  expr::Function function;
  std::vector<std::string> rows, columns;
  std::vector<std::size_t> place;
};

Parts expression(const Model& model, const std::string& text) {
  model::Overrides overrides = model.overrides();
  overrides.lifting = model::Lifting::never;
  auto made =
      std::make_shared<const model::Model>(model::elaborate(with_output(model, text), overrides));
  Parts parts{made, {}, {}, {}, {}};
  std::vector<expr::Term> terms;
  for (const model::NamedValue& output : made->outputs) {
    if (!output.name.starts_with(function_name)) continue;
    terms.push_back({output.value, static_cast<std::uint32_t>(terms.size())});
    parts.rows.push_back(text + output.name.substr(std::string(function_name).size()));
  }
  parts.function.rows = static_cast<std::uint32_t>(terms.size());
  parts.function.families.push_back(expr::identity_family(made->graph, terms));
  return parts;
}

void take_matrix(Parts& parts, const expr::SparseFunction& matrix) {
  parts.function = matrix.values;
  for (std::size_t r = 0; r < matrix.rows; ++r)
    for (std::uint32_t k = matrix.row_start[r]; k < matrix.row_start[r + 1]; ++k)
      parts.place.push_back(r * matrix.columns + matrix.column[k]);
}

std::vector<std::string> names_of_coordinates(const derive::Dae& dae) {
  std::vector<std::string> names;
  for (const expr::SymbolId s : dae.mechanics.coordinates)
    names.push_back(dae.model->symbols[s].name);
  return names;
}

Parts residual(const derive::Dae& dae) {
  Parts parts{dae.model, dae.residual, {}, {}, {}};
  for (const derive::Equation& equation : dae.equations) parts.rows.push_back(equation.name);
  return parts;
}

Parts mass_matrix(const derive::Dae& dae) {
  Parts parts{dae.model, {}, names_of_coordinates(dae), names_of_coordinates(dae), {}};
  take_matrix(parts, dae.mechanics.mass_matrix);
  return parts;
}

/// Of the constraints as they are written, by the coordinates.
Parts constraint_jacobian(const derive::Dae& dae) {
  Parts parts{dae.model, {}, {}, names_of_coordinates(dae), {}};
  std::vector<std::uint32_t> new_row;
  for (const derive::Equation& equation : dae.equations) {
    const bool taken = equation.kind == derive::EquationKind::constraint;
    new_row.push_back(taken ? static_cast<std::uint32_t>(parts.rows.size()) : expr::Family::no_row);
    if (taken) parts.rows.push_back(equation.name);
  }
  const auto& coordinates = dae.mechanics.coordinates;
  const auto column_of = [&](Leaf leaf) {
    const auto found = std::find(coordinates.begin(), coordinates.end(), leaf.symbol);
    return leaf.order == 0 && found != coordinates.end()
               ? static_cast<std::uint32_t>(found - coordinates.begin())
               : expr::Family::no_row;
  };
  const auto rows = static_cast<std::uint32_t>(parts.rows.size());
  take_matrix(parts, expr::jacobian(expr::select_rows(dae.residual, new_row, rows),
                                    static_cast<std::uint32_t>(coordinates.size()), column_of));
  return parts;
}

/// Leaves that occur, parameters aside: lowest derivatives first, then as the model names them.
std::vector<Leaf> occurring(const expr::Function& f, const model::Model& m) {
  std::vector<Leaf> leaves;
  for (const expr::Occurrence& one : expr::occurrences(f))
    if (m.varies(one.leaf.symbol)) leaves.push_back(one.leaf);
  std::sort(leaves.begin(), leaves.end(), [](Leaf a, Leaf b) {
    return std::pair(a.order, a.symbol) < std::pair(b.order, b.symbol);
  });
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  return leaves;
}

}  // namespace

/// residual = 0 of index 1, linear in the accelerations and multipliers, which are solved for.
struct ModelFunction::Solved {
  formulate::Problem problem;
  std::vector<std::uint32_t> positions;  // of the arguments in the problem's point
  std::vector<std::uint32_t> results;    // among the tops: all but the power
  std::vector<double> tops;
  std::vector<double> point;
  std::unique_ptr<compile::LinearSolver> solver;
  std::mutex mutex;

  Solved(formulate::Problem of, const solve::ConsistentPoint& start) : problem(std::move(of)) {
    point.assign(problem.layout.size(), 0);
    tops.assign(problem.tops, 0);
    for (std::uint32_t i = 0; i < problem.tops; ++i)
      if (problem.layout.leaf(problem.top_position(i)).symbol < problem.dae->model->symbols.size())
        results.push_back(i);
    std::copy(start.states.begin(), start.states.end(), point.begin() + 1);
    std::copy(start.tops.begin(), start.tops.end(), point.begin() + 1 + problem.states);
    std::copy(problem.parameters.begin(), problem.parameters.end(),
              point.end() - static_cast<std::ptrdiff_t>(problem.parameters.size()));
    solver = compile::compile_solver(problem.top_matrix, problem.right_hand_side, problem.layout,
                                     point, {.keep_factors = false});
    solver->prepare(point.data());
  }
};

struct ModelFunction::Scratch {
  struct One {
    std::vector<double> point, entries;
    compile::Workspace work;
  };
  std::mutex mutex;
  std::vector<std::unique_ptr<One>> free;
};

ModelFunction ModelFunction::of(const Model& model, const std::string& what,
                                const std::vector<std::string>& arguments) {
  refuse_controllers(model, Refused::all);
  ModelFunction f;
  const derive::Dae& dae = *model.written_out().dae;
  if (what == "accelerations") {
    formulate::Formulation formulation;
    formulation.kind = formulate::Kind::index1;
    solve::Prepared prepared = solve::prepare(model.written_out().dae, formulation);
    if (!prepared.problem.linear || !prepared.problem.written_out)
      fault(dae.model->place, "the accelerations do not follow from linear equations",
            "`simulate()` solves them");
    f.model_ = prepared.problem.dae->model;
    f.solved_ = std::make_shared<Solved>(std::move(prepared.problem), prepared.start);
    const formulate::Problem& problem = f.solved_->problem;
    for (const std::uint32_t i : f.solved_->results)
      f.rows_.push_back(name_of_leaf(*f.model_, problem.layout.leaf(problem.top_position(i))));
    std::vector<std::string> all{"t"};
    for (std::uint32_t i = 0; i < problem.states; ++i)
      if (const Leaf leaf = problem.layout.leaf(problem.state_position(i));
          leaf.symbol < f.model_->symbols.size())  // else the work that is done
        all.push_back(name_of_leaf(*f.model_, leaf));
    for (std::uint32_t p = problem.first_input; p < problem.first_input + problem.inputs.rows; ++p)
      all.push_back(name_of_leaf(*f.model_, problem.layout.leaf(p)));
    f.take_arguments(arguments.empty() ? all : arguments);
    for (const std::string& name : all)
      if (std::find(f.arguments_.begin(), f.arguments_.end(), name) == f.arguments_.end())
        fault({}, fmt::format("the accelerations depend on '{}', which is no argument", name));
    for (const Leaf leaf : f.leaves_) f.solved_->positions.push_back(problem.layout.find(leaf));
    return f;
  }
  Parts parts = what == "residual"              ? residual(dae)
                : what == "mass_matrix"         ? mass_matrix(dae)
                : what == "constraint_jacobian" ? constraint_jacobian(dae)
                                                : expression(model, what);
  f.model_ = parts.model;
  f.function_ = std::move(parts.function);
  f.rows_ = std::move(parts.rows);
  f.columns_ = std::move(parts.columns);
  f.place_ = std::move(parts.place);
  const std::vector<Leaf> needed = occurring(f.function_, *f.model_);
  std::vector<std::string> names;
  for (const Leaf leaf : needed) names.push_back(name_of_leaf(*f.model_, leaf));
  f.take_arguments(arguments.empty() ? names : arguments);
  for (std::size_t k = 0; k < needed.size(); ++k)
    if (std::find(f.leaves_.begin(), f.leaves_.end(), needed[k]) == f.leaves_.end())
      fault({}, fmt::format("'{}' depends on '{}', which is no argument", what, names[k]));
  f.compile();
  return f;
}

void ModelFunction::take_arguments(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const model::Symbol& symbol : model_->symbols) known.push_back(symbol.name);
  for (const std::string& name : names) {
    const std::optional<Leaf> leaf = leaf_called(*model_, name);
    if (!leaf || !model_->varies(leaf->symbol)) {
      const std::string near = nearest_name(name, known);
      fault({}, fmt::format("model '{}' has no quantity '{}' that varies", model_->name, name),
            near.empty() || leaf ? "parameters have their values: `parameters` changes them"
                                 : fmt::format("did you mean '{}'?", near));
    }
    if (std::find(leaves_.begin(), leaves_.end(), *leaf) != leaves_.end())
      fault({}, fmt::format("'{}' is an argument twice", name));
    leaves_.push_back(*leaf);
    arguments_.push_back(name);
  }
}

void ModelFunction::compile() {
  compile::Layout layout;
  for (const Leaf leaf : leaves_) layout.add(leaf);
  layout.first_parameter = layout.size();
  for (const expr::Occurrence& one : expr::occurrences(function_)) {
    if (layout.find(one.leaf) != compile::absent) continue;
    layout.add(one.leaf);
    parameters_.push_back(one.leaf.order == 0 ? model_->symbols[one.leaf.symbol].value : 0);
  }
  kernel_ = compile::compile(function_, layout);
  scratch_ = std::make_shared<Scratch>();
}

ModelFunction ModelFunction::jacobian() const {
  if (solved_ != nullptr)
    fault({}, "no derivatives of accelerations, which are solved for",
          "`analyse()` linearises at rest, `at_start()` in motion");
  if (!columns_.empty()) fault({}, "no derivatives of a matrix", "take those of its entries");
  ModelFunction f;
  f.model_ = model_;
  f.arguments_ = arguments_;
  f.leaves_ = leaves_;
  f.rows_ = rows_;
  f.columns_ = arguments_;
  Parts parts;
  take_matrix(parts,
              expr::jacobian(function_, static_cast<std::uint32_t>(leaves_.size()), [&](Leaf leaf) {
                const auto found = std::find(leaves_.begin(), leaves_.end(), leaf);
                return found == leaves_.end() ? expr::Family::no_row
                                              : static_cast<std::uint32_t>(found - leaves_.begin());
              }));
  f.function_ = std::move(parts.function);
  f.place_ = std::move(parts.place);
  f.compile();
  return f;
}

void ModelFunction::evaluate(const double* points, std::size_t count, double* values) const {
  const std::size_t in = arguments_.size(), out = size();
  if (solved_ != nullptr) {
    Solved& s = *solved_;
    const std::lock_guard alone(s.mutex);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < in; ++i)
        if (s.positions[i] != compile::absent) s.point[s.positions[i]] = points[k * in + i];
      double* const row = values + k * out;
      const bool ok = s.solver->solve(s.point.data(), s.tops.data()).ok;
      for (std::size_t i = 0; i < out; ++i) row[i] = ok ? s.tops[s.results[i]] : unknown_value;
    }
    return;
  }
  std::unique_ptr<Scratch::One> one;
  if (const std::lock_guard alone(scratch_->mutex); !scratch_->free.empty()) {
    one = std::move(scratch_->free.back());
    scratch_->free.pop_back();
  }
  if (one == nullptr) {
    one = std::make_unique<Scratch::One>();
    one->point.assign(in, 0);
    one->point.insert(one->point.end(), parameters_.begin(), parameters_.end());
    one->entries.assign(place_.size(), 0);
    one->work = kernel_->workspace();
    kernel_->prepare(one->point.data(), one->work);
  }
  double* const entries = one->entries.data();
  if (!columns_.empty()) std::fill(values, values + count * out, 0.0);
  for (std::size_t k = 0; k < count; ++k) {
    std::copy(points + k * in, points + (k + 1) * in, one->point.begin());
    double* const row = values + k * out;
    kernel_->evaluate(one->point.data(), columns_.empty() ? row : entries, one->work);
    if (!columns_.empty())
      for (std::size_t e = 0; e < place_.size(); ++e) row[place_[e]] = entries[e];
  }
  const std::lock_guard alone(scratch_->mutex);
  scratch_->free.push_back(std::move(one));
}

}  // namespace task
}  // namespace daedal
