// Dae -> Problem, whatever its index: differentiate each equation as often as its offset asks.
#include "daedal/formulate/descriptor_form.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/structure/analysis.hpp"
#include "daedal/structure/descriptor.hpp"
#include "daedal/structure/system_jacobian.hpp"
#include "formulate/functions.hpp"
#include "formulate/gear_gupta_leimkuhler.hpp"
#include "formulate/signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace daedal::formulate {

using derive::Dae;
using expr::Family;
using expr::Function;
using expr::Leaf;
using expr::SymbolId;
using model::SymbolKind;

namespace {

/// Numbers the unknowns of a Dae by symbol.
std::vector<std::uint32_t> unknown_index(const Dae& dae) {
  std::vector<std::uint32_t> index(dae.model->symbols.size() + 1, Family::no_row);
  for (std::uint32_t j = 0; j < dae.unknowns.size(); ++j) index[dae.unknowns[j]] = j;
  return index;
}

class Formulator {
 public:
  Formulator(std::shared_ptr<const Dae> dae, const Formulation& formulation)
      : dae_(*dae), model_(*dae->model), index_(unknown_index(*dae)) {
    problem_.dae = std::move(dae);
    problem_.formulation = formulation;
    work_ = static_cast<SymbolId>(model_.symbols.size());
    varies_ = [this](SymbolId s) { return s == work_ || model_.varies(s); };
  }

  Problem run_as_descriptor() {
    problem_.offsets = structure::descriptor_offsets(size(), structure::signature(dae_));
    return make();
  }

  Problem run() {
    problem_.offsets =
        structure::raised(structure::analyse(dae_), structure::signature(dae_), orders_asked_for());
    if (!model_.lifted.empty())
      problem_.offsets =
          structure::raised(problem_.offsets, structure::signature(dae_), orders_for_the_scan());
    return make();
  }

 private:
  /// From the offsets on.
  Problem make() {
    collect_equations();
    if (problem_.written_out) {
      differentiate();
      assemble_residual();
    }
    watch_left_out();
    lay_out();
    make_scan();
    make_matrices();
    make_levels();
    if (problem_.formulation.kind == Kind::ggl) {
      add_position_multipliers(problem_);
      make_matrices();
    }
    if (problem_.formulation.kind == Kind::penalty) expand_springs();
    return std::move(problem_);
  }

  const structure::Offsets& offsets() const { return problem_.offsets; }
  int c(std::uint32_t equation) const { return offsets().c[equation]; }
  int d(std::uint32_t unknown) const { return offsets().d[unknown]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(dae_.equations.size()); }

  /// Derivatives that outputs, limits and the energy balance contain, by unknown: a coordinate that its drive prescribes
  /// algebraically (x = u) still has a velocity and takes a force.
  std::vector<int> orders_asked_for() const {
    std::vector<int> orders(size(), 0);
    const auto ask = [&](Leaf leaf) {
      if (const std::uint32_t j = index_[leaf.symbol]; j != Family::no_row)
        orders[j] = std::max(orders[j], int{leaf.order});
    };
    for (const Function* f : {&dae_.outputs, &dae_.mechanics.energy, &dae_.mechanics.power})
      for (const Leaf& leaf : leaves_of(*f)) ask(leaf);
    std::vector<expr::Expr> limits;
    for (const model::LimitRange& limit : model_.limits) limits.push_back(limit.value);
    const std::vector<expr::Expr> events = event_expressions();
    limits.insert(limits.end(), events.begin(), events.end());
    for (const Leaf& leaf : expr::leaves(*model_.graph, limits)) ask(leaf);
    for (const Leaf& leaf : branch_leaves()) ask(leaf);
    return orders;
  }

  /// What a lifted position is made of has at least as many derivatives as the position itself: the smallest offsets would
  /// make absolute angles states and find joint angles from them.
  std::vector<int> orders_for_the_scan() const {
    std::vector<int> orders = offsets().d;
    for (auto let = model_.lifted.rbegin(); let != model_.lifted.rend(); ++let) {
      const int needed = orders[index_[let->symbol]];
      for (const Leaf& leaf : expr::leaves(*model_.graph, std::span(&let->value, 1)))
        if (const std::uint32_t j = index_[leaf.symbol]; j != Family::no_row)
          orders[j] = std::max(orders[j], needed);
    }
    return orders;
  }

  /// Conditions of events, and what they set.
  std::vector<expr::Expr> event_expressions() const {
    std::vector<expr::Expr> expressions;
    for (const model::Event& event : model_.events) {
      expressions.push_back(event.condition);
      for (const model::EventAction& action : event.actions)
        expressions.insert(expressions.end(), action.values.begin(), action.values.end());
    }
    return expressions;
  }

  std::vector<Leaf> branch_leaves() const {
    const derive::Branches& branches = dae_.branches;
    return branches.values.empty() ? std::vector<Leaf>{}
                                   : expr::leaves(*branches.graph, branches.values);
  }

  /// f_i and their offsets; whether their derivatives are written out.
  void collect_equations() {
    const auto& of = offsets();
    problem_.written_out =
        std::all_of(of.c.begin(), of.c.end(), [](int times) { return times <= 2; });
    const Kind kind = problem_.formulation.kind;
    if (!problem_.written_out && kind != Kind::projection && kind != Kind::index1)
      throw ModelError({Severity::error,
                        model_.place,
                        fmt::format("model '{}' has index {}: {} is there up to index 3",
                                    model_.name, of.index, name(kind)),
                        {},
                        "the formulation projection holds its constraints on every level"});
    problem_.equations = dae_.residual;
    problem_.c = of.c;
    problem_.d = of.d;
    problem_.has_work = problem_.written_out && !dae_.mechanics.conservative && !dae_.inverse;
    if (!problem_.has_work) return;
    add_work_equation(problem_.equations);
    problem_.c.push_back(0);
    problem_.d.push_back(1);
  }

  /// derivative_[k]: the k-th derivative of every equation with c_i >= k, at its row.
  void differentiate() {
    derivative_.push_back(dae_.residual);
    const int highest =
        offsets().c.empty() ? 0 : *std::max_element(offsets().c.begin(), offsets().c.end());
    for (int k = 1; k <= highest; ++k)
      derivative_.push_back(expr::time_derivative(
          rows_where(derivative_.back(), [&](std::uint32_t i) { return c(i) >= k; }), varies_));
  }

  /// How often each constraint left out would be differentiated: to the tops of its unknowns.
  std::vector<int> watched_orders() const {
    std::vector<int> orders(dae_.left_out.constraints.size(), std::numeric_limits<int>::max());
    for (const expr::Occurrence& o : expr::occurrences(dae_.left_out.residual))
      if (const std::uint32_t j = index_[o.leaf.symbol]; j != Family::no_row)
        orders[o.row] = std::min(orders[o.row], d(j) - int{o.leaf.order});
    return orders;
  }

  void watch_left_out() {
    const derive::LeftOut& out = dae_.left_out;
    if (out.constraints.empty()) return;
    const std::vector<int> orders = watched_orders();
    std::vector<Function> derivative{out.residual};
    for (int k = 1; k <= *std::max_element(orders.begin(), orders.end()); ++k)
      derivative.push_back(expr::time_derivative(
          rows_where(derivative.back(), [&](std::uint32_t i) { return orders[i] >= k; }), varies_));
    for (int level = 1 - static_cast<int>(derivative.size()); level <= 0; ++level) {
      WatchedLevel watched;
      watched.level = level;
      std::vector<std::uint32_t> row(orders.size(), Family::no_row);
      for (std::uint32_t i = 0; i < orders.size(); ++i) {
        if (orders[i] + level < 0) continue;
        row[i] = static_cast<std::uint32_t>(watched.constraint.size());
        watched.constraint.push_back(out.constraints[i]);
        watched.derivative.push_back(static_cast<std::uint16_t>(orders[i] + level));
      }
      const auto rows = static_cast<std::uint32_t>(watched.constraint.size());
      watched.residual.rows = rows;
      for (std::size_t k = 0; k < derivative.size(); ++k) {
        std::vector<std::uint32_t> to(orders.size(), Family::no_row);
        for (std::uint32_t i = 0; i < orders.size(); ++i)
          if (orders[i] + level == static_cast<int>(k)) to[i] = row[i];
        watched.residual = expr::sum(watched.residual, expr::select_rows(derivative[k], to, rows));
      }
      problem_.watched.push_back(std::move(watched));
    }
  }

  bool is_definition(std::uint32_t equation) const {
    return dae_.equations[equation].kind == derive::EquationKind::definition;
  }
  bool is_lifted(std::uint32_t unknown) const {
    return model_.symbols[dae_.unknowns[unknown]].kind == SymbolKind::lifted;
  }

  bool is_penalised(std::uint32_t equation) const {
    return problem_.formulation.kind == Kind::penalty && c(equation) > 0 &&
           dae_.equations[equation].kind == derive::EquationKind::constraint;
  }

  /// Stiffness acts on positions, damping on velocities, whichever level the constraint is written on.
  std::vector<double> penalty(std::uint32_t equation) const {
    const Penalty& p = problem_.formulation.penalty;
    if (c(equation) == 2) return {p.stiffness, p.damping};
    if (p.damping > 0) return {p.damping};
    throw ModelError(
        {Severity::error,
         dae_.equations[equation].place,
         fmt::format("constraint '{}' is on velocity level: penalty holds it by damping",
                     dae_.equations[equation].name),
         {},
         "give a damping above 0"});
  }

  /// Coefficients of f^(0) .. f^(c-1) that the formulation adds: to f^(c), where the roots of s^c + ... are Baumgarte's
  /// poles, or to the multiplier.
  std::vector<double> stabilisation(std::uint32_t equation) const {
    const Formulation& f = problem_.formulation;
    const int order = c(equation);
    if (is_penalised(equation)) return penalty(equation);
    if (f.kind != Kind::baumgarte || order == 0 || is_definition(equation)) return {};
    const std::string& name = dae_.equations[equation].name;
    const auto own = std::find_if(f.each.begin(), f.each.end(), [&](const auto& e) {
      return name == e.first || name.starts_with(e.first + "[");
    });
    const Baumgarte& b = own == f.each.end() ? f.all : own->second;
    if (order == 2) return {b.a0, b.a1};
    // c = 1: c' + a c with a the mean root, which is the pole when both roots are equal; higher orders alike.
    std::vector<double> coefficients;
    double binomial = 1;
    for (int k = 0; k < order; ++k) {
      coefficients.push_back(binomial * std::pow(b.a1 / 2, order - k));
      binomial = binomial * (order - k) / (k + 1);
    }
    return coefficients;
  }

  void assemble_residual() {
    Function residual;
    residual.rows = size();
    std::map<std::vector<double>, std::set<std::uint32_t>>
        groups;  // equations of one stabilisation together
    for (std::uint32_t i = 0; i < size(); ++i) groups[stabilisation(i)].insert(i);
    for (std::size_t k = 0; k < derivative_.size(); ++k)
      residual = expr::sum(residual, rows_where(derivative_[k], [&](std::uint32_t i) {
                             return c(i) == static_cast<int>(k) && !is_penalised(i);
                           }));
    residual = expr::sum(residual, penalised_multipliers());
    for (const auto& [coefficients, equations] : groups)
      for (std::size_t k = 0; k < coefficients.size(); ++k)
        if (coefficients[k] != 0)
          residual = expr::sum(
              residual,
              scaled(rows_where(derivative_[k],
                                [&, &set = equations](std::uint32_t i) { return set.contains(i); }),
                     coefficients[k]));
    if (problem_.has_work) add_work_equation(residual);
    problem_.residual = std::move(residual);
  }

  /// Series are those of springs and dampers then, whose forces need no differentiation, not those of constraints.
  void expand_springs() {
    const auto is_spring = [&](std::uint32_t i) { return i < size() && is_penalised(i); };
    problem_.equations =
        expr::sum(rows_where(problem_.equations, [&](std::uint32_t i) { return !is_spring(i); }),
                  rows_where(problem_.residual, is_spring));
    for (std::uint32_t i = 0; i < size(); ++i)
      if (is_spring(i)) problem_.c[i] = 0;
  }

  /// Constraints that act, with their multipliers. (Released ones are equations and left out ones none: only names tell
  /// which is which.)
  std::vector<std::pair<std::uint32_t, SymbolId>> multipliers_by_equation() const {
    std::map<std::string_view, SymbolId> by_name;
    for (const model::Relation& constraint : model_.constraints)
      by_name[constraint.name] = constraint.multiplier;
    std::vector<std::pair<std::uint32_t, SymbolId>> pairs;
    for (std::uint32_t i = 0; i < size(); ++i)
      if (dae_.equations[i].kind == derive::EquationKind::constraint)
        pairs.emplace_back(i, by_name.at(dae_.equations[i].name));
    return pairs;
  }

  /// The multipliers of penalised constraints, each at the row of its constraint.
  Function penalised_multipliers() const {
    auto graph = std::make_shared<expr::Graph>(model_.graph);
    std::vector<expr::Term> terms;
    for (const auto& [equation, multiplier] : multipliers_by_equation())
      if (is_penalised(equation)) terms.push_back({graph->leaf({multiplier, 0}), equation});
    Function multipliers{size(), {}};
    if (!terms.empty()) multipliers.families.push_back(expr::identity_family(graph, terms));
    return multipliers;
  }

  /// work' = power, one more equation: the energy balance is integrated with the motion, by the same method.
  void add_work_equation(Function& residual) {
    const std::uint32_t row = residual.rows++;
    auto graph = std::make_shared<expr::Graph>(model_.graph);
    const expr::Term rate[] = {{graph->leaf({work_, 1}), row}};
    residual.families.push_back(expr::identity_family(graph, rate));
    const std::uint32_t to[] = {row};
    residual =
        expr::sum(residual, scaled(expr::select_rows(dae_.mechanics.power, to, residual.rows), -1));
  }

  void lay_out() {
    compile::Layout& layout = problem_.layout;
    layout.add({expr::time_symbol, 0});
    std::vector<Leaf> tops;
    int highest = 0;
    for (std::uint32_t j = 0; j < size(); ++j) {
      highest = std::max(highest, d(j));
      tops.push_back({dae_.unknowns[j], static_cast<std::uint16_t>(d(j))});
    }
    const auto add_below_tops = [&](bool lifted) {  // positions, then velocities, ...
      for (int order = 0; order < highest; ++order)
        for (std::uint32_t j = 0; j < size(); ++j)
          if (d(j) > order && is_lifted(j) == lifted)
            layout.add({dae_.unknowns[j], static_cast<std::uint16_t>(order)});
    };
    add_below_tops(false);
    if (problem_.has_work) {
      layout.add({work_, 0});
      tops.push_back({work_, 1});
    }
    problem_.states = layout.size() - 1;
    for (const Leaf& top : tops) layout.add(top);
    problem_.tops = static_cast<std::uint32_t>(tops.size());
    add_below_tops(true);
    problem_.lifted = layout.size() - problem_.first_lifted();
    for (std::uint32_t i = 0; i < problem_.states; ++i) {
      const Leaf leaf = layout.leaf(1 + i);
      problem_.next.push_back(
          layout.find({leaf.symbol, static_cast<std::uint16_t>(leaf.order + 1)}));
    }
    lay_out_known();
  }

  /// Lifted positions by substitution of their definitions, in order, and the derivatives of that.
  void make_scan() {
    const auto graph = std::make_shared<expr::Graph>(model_.graph);
    std::vector<expr::Expr> values;
    std::map<SymbolId, std::size_t> number;
    for (const model::LiftedLet& let : model_.lifted) {
      const auto earlier = [&](Leaf leaf) -> std::optional<expr::Expr> {
        const auto known = number.find(leaf.symbol);
        return known == number.end() ? std::nullopt : std::optional(values[known->second]);
      };
      const expr::Expr value =
          expr::copy(*model_.graph, std::span(&let.value, 1), *graph, earlier)[0];
      number.emplace(let.symbol, values.size());
      values.push_back(value);
    }
    std::vector<expr::Term> terms;
    int order = 0;
    for (std::uint32_t k = 0; k < problem_.lifted; ++k) {
      const Leaf leaf = problem_.layout.leaf(problem_.first_lifted() + k);
      for (; order < leaf.order; ++order) values = expr::time_derivative(*graph, values, varies_);
      terms.push_back({values[number.at(leaf.symbol)], k});
    }
    problem_.scan = {problem_.lifted, {}};
    if (!terms.empty()) problem_.scan.families.push_back(expr::identity_family(graph, terms));
  }

  /// An inverse model asks for its inputs.
  bool is_known(SymbolId input) const { return index_[input] == Family::no_row; }

  /// Inputs (with the derivatives that occur) and parameters.
  void lay_out_known() {
    std::set<Leaf> inputs;
    std::set<SymbolId> parameters;
    const auto collect = [&](Leaf leaf) {
      if (leaf.symbol == work_) return;
      const SymbolKind kind = model_.symbols[leaf.symbol].kind;
      if (kind == SymbolKind::input && is_known(leaf.symbol)) inputs.insert(leaf);
      if (kind == SymbolKind::parameter) parameters.insert(leaf.symbol);
    };
    const auto collect_function = [&](const Function& f) {
      for (const Leaf& leaf : leaves_of(f)) collect(leaf);
    };
    const derive::Mechanics& mechanics = dae_.mechanics;
    for (const Function* f :
         {&std::as_const(problem_).equations, &dae_.outputs, &mechanics.energy, &mechanics.kinetic,
          &mechanics.power, &mechanics.drive_force, &mechanics.mass_matrix.values})
      collect_function(*f);
    for (const Function& f : derivative_) collect_function(f);
    for (const WatchedLevel& watched : problem_.watched) collect_function(watched.residual);
    collect_function(dae_.left_out.reactions.values);
    std::vector<expr::Expr> others = event_expressions();
    for (const model::LimitRange& limit : model_.limits)
      others.insert(others.end(), {limit.value, limit.low, limit.high});
    for (const model::InputDefault& input : model_.inputs) {
      if (!is_known(input.input)) continue;
      others.push_back(input.value);
      inputs.insert({input.input, 0});  // every input has its column
    }
    for (const Leaf& leaf : expr::leaves(*model_.graph, others)) collect(leaf);
    for (const Leaf& leaf : branch_leaves()) collect(leaf);
    compile::Layout& layout = problem_.layout;
    problem_.first_input = layout.size();
    const std::vector<Leaf> needed(inputs.begin(), inputs.end());
    for (const Leaf& leaf : needed) layout.add(leaf);
    problem_.inputs = input_signals(model_, needed);
    for (const Leaf& leaf : leaves_of(problem_.inputs)) collect(leaf);
    for (const std::uint32_t i : dae_.left_out.constraints)
      layout.add({model_.constraints[i].multiplier, 0});
    if (problem_.formulation.kind == Kind::augmented_lagrangian) lay_out_held();
    layout.first_parameter = layout.size();
    for (const SymbolId s : parameters) {
      layout.add({s, 0});
      problem_.parameters.push_back(model_.symbols[s].value);
    }
  }

  /// Values that multipliers are sought around have no name in the model; their symbols follow that of the work.
  void lay_out_held() {
    SymbolId symbol = work_;
    for (const auto& [equation, multiplier] : multipliers_by_equation()) {
      if (c(equation) == 0) continue;
      const std::uint32_t held = problem_.layout.size();
      problem_.layout.add({++symbol, 0});
      problem_.held.push_back({equation, problem_.layout.find({multiplier, 0}), held});
    }
  }

  void make_levels() {
    int deepest = 0;
    for (std::uint32_t j = 0; j < size(); ++j) deepest = std::max(deepest, d(j));
    for (int level = -deepest; level < 0; ++level) {
      Level made;
      made.level = level;
      for (std::uint32_t i = 0; i < size(); ++i)
        if (c(i) + level >= 0) {
          made.equation.push_back(i);
          made.derivative.push_back(static_cast<std::uint16_t>(c(i) + level));
          made.definitions += is_definition(i);
        }
      if (!made.equation.empty()) problem_.levels.push_back(finish_level(std::move(made)));
    }
  }

  /// f_i^(k) of the level, written out.
  Function level_residual(const Level& level) const {
    const auto rows = static_cast<std::uint32_t>(level.equation.size());
    Function residual{rows, {}};
    for (std::size_t k = 0; k < derivative_.size(); ++k) {
      std::vector<std::uint32_t> to(size(), Family::no_row);
      for (std::uint32_t r = 0; r < rows; ++r)
        if (level.derivative[r] == k) to[level.equation[r]] = r;
      residual = expr::sum(residual, expr::select_rows(derivative_[k], to, rows));
    }
    return residual;
  }

  /// d f_i^(c_i + k) / d x_j^(d_j + k): the rows and columns of the system Jacobian that have come this far, by
  /// Griewank's lemma.
  expr::SparseFunction level_jacobian(const Level& level,
                                      const std::vector<std::uint32_t>& column_of) const {
    const expr::SparseFunction& all =
        system_jacobian_.rows > 0 ? system_jacobian_ : problem_.top_matrix;
    expr::SparseFunction result;
    result.columns = static_cast<std::uint32_t>(level.unknowns.size());
    result.rows = static_cast<std::uint32_t>(level.equation.size());
    result.row_start.push_back(0);
    std::vector<std::uint32_t> to(all.column.size(), Family::no_row);
    for (const std::uint32_t i : level.equation) {
      for (std::uint32_t e = all.row_start[i]; e < all.row_start[i + 1]; ++e) {
        if (all.column[e] >= size() || column_of[all.column[e]] == Family::no_row) continue;
        to[e] = static_cast<std::uint32_t>(result.column.size());
        result.column.push_back(column_of[all.column[e]]);
      }
      result.row_start.push_back(static_cast<std::uint32_t>(result.column.size()));
    }
    result.values =
        expr::select_rows(all.values, to, static_cast<std::uint32_t>(result.column.size()));
    return result;
  }

  Level finish_level(Level level) {
    if (problem_.written_out) level.residual = level_residual(level);
    std::vector<std::uint32_t> column_of(size(), Family::no_row);               // by unknown
    std::vector<std::uint32_t> column(problem_.layout.size(), Family::no_row);  // by point position
    std::map<SymbolId, std::uint32_t> drive_equation;
    for (const model::Drive& drive : model_.drives)
      drive_equation[drive.coordinate] = index_[drive.coordinate];
    for (std::uint32_t j = 0; j < size(); ++j) {
      const int order = d(j) + level.level;
      if (order < 0) continue;
      const std::uint32_t position =
          problem_.layout.find({dae_.unknowns[j], static_cast<std::uint16_t>(order)});
      column[position] = column_of[j] = static_cast<std::uint32_t>(level.unknowns.size());
      level.unknowns.push_back(position);
      // A driven coordinate follows its drive: it moves only where the drive itself is a constraint on this level.
      const auto drive = drive_equation.find(dae_.unknowns[j]);
      level.movable.push_back(dae_.inverse || drive == drive_equation.end() ||
                              c(drive->second) + level.level >= 0);
    }
    level.jacobian = level_jacobian(level, column_of);
    level.metric = metric(level, column);
    return level;
  }

  /// By symbol: lifted positions, and positions with inertia, of their own or of a lifted position that contains them.
  /// All false without lifted positions.
  std::vector<bool> moving_with_others() const {
    const derive::Mechanics& mechanics = dae_.mechanics;
    std::vector<bool> inertia(model_.symbols.size(), false);
    if (model_.lifted.empty()) return inertia;
    for (std::size_t k = 0; k < mechanics.coordinates.size(); ++k)
      inertia[mechanics.coordinates[k]] =
          mechanics.mass_matrix.row_start[k] < mechanics.mass_matrix.row_start[k + 1];
    for (auto let = model_.lifted.rbegin(); let != model_.lifted.rend(); ++let)
      if (inertia[let->symbol])
        for (const Leaf& leaf : expr::leaves(*model_.graph, std::span(&let->value, 1)))
          inertia[leaf.symbol] = true;
    for (const model::LiftedLet& let : model_.lifted) inertia[let.symbol] = true;
    return inertia;
  }

  /// Mass matrix on free coordinates, 1/nominal^2 on plain variables. What moves with lifted positions alone has a weight
  /// of 0 that is written down: it is not free to move, and its inertia is theirs.
  expr::SparseFunction metric(const Level& level, const std::vector<std::uint32_t>& column) const {
    const derive::Mechanics& mechanics = dae_.mechanics;
    const auto size_of_level = static_cast<std::uint32_t>(level.unknowns.size());
    std::vector<std::uint32_t> of_coordinate(mechanics.coordinates.size(), Family::no_row);
    for (std::size_t k = 0; k < mechanics.coordinates.size(); ++k) {
      const int order = d(index_[mechanics.coordinates[k]]) + level.level;
      if (order < 0 || mechanics.driven[k]) continue;
      of_coordinate[k] = column[problem_.layout.find(
          {mechanics.coordinates[k], static_cast<std::uint16_t>(order)})];
    }
    expr::SparseFunction result;
    result.rows = result.columns = size_of_level;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
        mass_entry;  // (row, column) -> entry of the mass matrix
    const expr::SparseFunction& mass = mechanics.mass_matrix;
    for (std::uint32_t r = 0; r < mass.rows; ++r)
      for (std::uint32_t e = mass.row_start[r]; e < mass.row_start[r + 1]; ++e)
        if (of_coordinate[r] != Family::no_row && of_coordinate[mass.column[e]] != Family::no_row)
          mass_entry[{of_coordinate[r], of_coordinate[mass.column[e]]}] = e;
    std::vector<double> constant(size_of_level, 0);
    for (std::uint32_t k = 0; k < size_of_level; ++k) {
      const model::Symbol& symbol = model_.symbols[problem_.layout.leaf(level.unknowns[k]).symbol];
      if (symbol.kind == SymbolKind::variable ||
          (symbol.kind == SymbolKind::coordinate &&
           is_driven(problem_.layout.leaf(level.unknowns[k]).symbol)))
        constant[k] = 1 / (symbol.nominal * symbol.nominal);
    }
    std::vector<std::uint32_t> to(mass.column.size(), Family::no_row);
    auto graph = std::make_shared<expr::Graph>(model_.graph);
    std::vector<expr::Term> diagonal;
    result.row_start.push_back(0);
    auto entry = mass_entry.begin();
    const std::vector<bool> with_others = moving_with_others();
    for (std::uint32_t k = 0; k < size_of_level; ++k) {
      const bool weightless = (entry == mass_entry.end() || entry->first.first != k) &&
                              with_others[problem_.layout.leaf(level.unknowns[k]).symbol];
      if (constant[k] != 0 || weightless) {
        diagonal.push_back(
            {graph->constant(constant[k]), static_cast<std::uint32_t>(result.column.size())});
        result.column.push_back(k);
      }
      for (; entry != mass_entry.end() && entry->first.first == k; ++entry) {
        to[entry->second] = static_cast<std::uint32_t>(result.column.size());
        result.column.push_back(entry->first.second);
      }
      result.row_start.push_back(static_cast<std::uint32_t>(result.column.size()));
    }
    const auto entries = static_cast<std::uint32_t>(result.column.size());
    result.values = expr::select_rows(mass.values, to, entries);
    if (!diagonal.empty()) result.values.families.push_back(expr::identity_family(graph, diagonal));
    return result;
  }

  bool is_driven(SymbolId coordinate) const {
    return std::any_of(model_.drives.begin(), model_.drives.end(),
                       [&](const model::Drive& drive) { return drive.coordinate == coordinate; });
  }

  bool is_top(Leaf leaf) const {
    const std::uint32_t position = problem_.layout.find(leaf);
    return position > problem_.states && position <= problem_.states + problem_.tops;
  }

  void make_matrices() {
    const std::uint32_t states = problem_.states, tops = problem_.tops;
    const auto position = [&](Leaf leaf) { return problem_.layout.find(leaf); };
    problem_.top_matrix =
        problem_.written_out
            ? expr::jacobian(problem_.residual, tops,
                             [&](Leaf leaf) {
                               return is_top(leaf) ? position(leaf) - states - 1 : Family::no_row;
                             })
            : structure::system_jacobian(dae_, offsets());
    const std::vector<Leaf> in_matrix = leaves_of(problem_.top_matrix.values);
    problem_.linear =
        std::none_of(in_matrix.begin(), in_matrix.end(), [&](Leaf leaf) { return is_top(leaf); });
    if (problem_.formulation.kind == Kind::penalty)
      system_jacobian_ = structure::system_jacobian(dae_, offsets());
    if (!problem_.written_out) return;
    problem_.right_hand_side = scaled(
        problem_.linear ? with_zeros(problem_.residual, [&](Leaf leaf) { return is_top(leaf); })
                        : problem_.residual,
        -1);
  }

  const Dae& dae_;
  const model::Model& model_;
  std::vector<std::uint32_t> index_;
  expr::VariesInTime varies_;
  SymbolId work_ = 0;
  std::vector<Function> derivative_;
  expr::SparseFunction system_jacobian_;  // d f^(c) / d z, where top_matrix is another
  Problem problem_;
};

}  // namespace

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::index1:
      return "index1";
    case Kind::baumgarte:
      return "baumgarte";
    case Kind::projection:
      return "projection";
    case Kind::index2:
      return "index2";
    case Kind::index3:
      return "index3";
    case Kind::penalty:
      return "penalty";
    case Kind::augmented_lagrangian:
      return "augmented_lagrangian";
    case Kind::nonlinear_stabiliser:
      return "nonlinear_stabiliser";
    case Kind::ggl:
      return "ggl";
    case Kind::null_space:
      return "null_space";
    case Kind::minimal:
      return "minimal";
    case Kind::hamilton:
      return "hamilton";
  }
  return {};
}

namespace {

/// These work on the levels as constraints alone, and definitions of lifted positions stand there too.
bool knows_no_lifting(Kind kind) {
  using enum Kind;
  return kind == augmented_lagrangian || kind == nonlinear_stabiliser || kind == ggl ||
         kind == null_space || kind == minimal || kind == hamilton;
}

}  // namespace

Problem formulate(std::shared_ptr<const Dae> dae, const Formulation& formulation) {
  const model::Model& model = *dae->model;
  if (!model.lifted.empty() && knows_no_lifting(formulation.kind))
    throw ModelError(
        {Severity::error,
         model.place,
         fmt::format("model '{}': the formulation {} is not there for lifted positions", model.name,
                     name(formulation.kind)),
         {},
         "run it with  --lifting never, or take the formulation projection"});
  return Formulator(std::move(dae), formulation).run();
}

std::shared_ptr<const compile::JetProgram> jet_program(const Problem& problem) {
  const model::Model& model = *problem.dae->model;
  auto graph = std::make_shared<expr::Graph>(model.graph);
  compile::JetSpec spec;
  spec.rows = expr::expand(problem.equations, *graph);
  spec.graph = graph;
  spec.c = problem.c;
  spec.d = problem.d;
  for (std::uint32_t j = 0; j < problem.tops; ++j)
    spec.unknowns.push_back(problem.layout.leaf(problem.top_position(j)).symbol);
  for (std::uint32_t p = problem.layout.first_parameter; p < problem.layout.size(); ++p)
    spec.parameters.push_back(problem.layout.leaf(p).symbol);
  for (const model::InputDefault& input : model.inputs)
    if (std::find(spec.unknowns.begin(), spec.unknowns.end(), input.input) == spec.unknowns.end())
      spec.signals.emplace_back(input.input, input.value);
  return compile::make_jet_program(spec);
}

Problem descriptor_form(std::shared_ptr<const derive::Dae> dae) {
  return Formulator(std::move(dae), {.kind = Kind::index1}).run_as_descriptor();
}

}  // namespace daedal::formulate
