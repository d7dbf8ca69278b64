// Lowering: what the outputs need of a graph, as a Program.
#include "daedal/compile/program.hpp"

#include "daedal/base/progress.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <unordered_map>

namespace daedal::compile {
namespace {

using expr::Expr;
using expr::Node;
using expr::Op;

struct InstructionHash {
  std::size_t operator()(const Instruction& i) const {
    std::uint64_t h = (std::uint64_t{i.a} << 32 | i.b) * 0x9e3779b97f4a7c15u;
    h ^= (std::uint64_t{i.c} << 24 | std::uint64_t{i.aux} << 8 | static_cast<std::uint64_t>(i.op)) +
         (h >> 29);
    return static_cast<std::size_t>(h * 0xbf58476d1ce4e5b9u);
  }
};

// While lowering, the three kinds of values grow independently: a value is its kind in the top two bits and its index.
enum Kind : std::uint32_t { constant = 0, load = 1u << 30, code = 2u << 30, kind_mask = 3u << 30 };

class Lowering {
 public:
  Lowering(const expr::Graph& graph, const Source& source) : graph_(graph), source_(source) {}

  Program run(std::span<const Expr> outputs) {
    find_needed(outputs);
    value_.resize(needed_.size());
    for (std::uint32_t id = 0; id < needed_.size(); ++id) {
      if (id % 4096 == 0) stop_point();
      if (needed_[id]) value_[id] = lower_node({id});
    }
    for (Expr output : outputs) program_.outputs.push_back(value_[output.id]);
    number_values();
    return std::move(program_);
  }

 private:
  // A node with a source is read, so its children are not needed on its account.
  void find_needed(std::span<const Expr> outputs) {
    std::uint32_t size = 0;
    for (Expr output : outputs) size = std::max(size, output.id + 1);
    needed_.assign(size, false);
    source_of_.resize(size);
    for (Expr output : outputs) needed_[output.id] = true;
    for (std::uint32_t id = size; id-- > 0;) {
      if (!needed_[id]) continue;
      const Node& node = graph_.node({id});
      if (node.op == Op::constant) continue;
      source_of_[id] = source_({id});
      if (source_of_[id]) continue;
      if (node.op == Op::leaf) throw std::invalid_argument("a leaf has no place in the layout");
      const std::uint32_t children[] = {node.a, node.b, node.c};
      for (int i = 0; i < arity(node.op); ++i) needed_[children[i]] = true;
    }
  }

  std::uint32_t lower_node(Expr e) {
    const Node& node = graph_.node(e);
    if (node.op == Op::constant) return constant_value(graph_.constant_value(e));
    if (source_of_[e.id]) return load_value(*source_of_[e.id]);
    if (node.op == Op::powi) return power(value_[node.a], static_cast<std::int16_t>(node.aux));
    if (expr::facts(node.op).kind == expr::Operation::Kind::trajectory) {
      const std::uint16_t table = node.op == Op::spline ? spline_index(node.aux) : node.aux;
      return emit({node.op, table, value_[node.a], node.b, 0});
    }
    const int operands = arity(node.op);
    return emit({node.op, 0, value_[node.a], operands > 1 ? value_[node.b] : 0,
                 operands > 2 ? value_[node.c] : 0});
  }

  std::uint32_t constant_value(double value) {
    const auto [place, is_new] =
        constants_.emplace(std::bit_cast<std::uint64_t>(value), program_.constants.size());
    if (is_new) program_.constants.push_back(value);
    return constant | place->second;
  }

  std::uint32_t load_value(const Load& from) {
    const auto [place, is_new] = loads_.emplace(from.key, program_.loads.size());
    if (is_new) {
      program_.loads.push_back(from.key);
      load_is_parameter_.push_back(from.parameter);
    }
    return load | place->second;
  }

  std::uint16_t spline_index(std::uint16_t index) {
    const auto [place, is_new] = splines_.emplace(index, program_.splines.size());
    if (is_new) program_.splines.push_back(graph_.spline(index));
    return static_cast<std::uint16_t>(place->second);
  }

  std::uint32_t emit(const Instruction& instruction) {
    const auto [place, is_new] = known_.emplace(instruction, program_.code.size());
    if (is_new) {
      program_.code.push_back(instruction);
      code_is_parameter_.push_back(parameters_only(instruction));
    }
    return code | place->second;
  }

  // The multiplications of expr::integer_power, in its order.
  std::uint32_t power(std::uint32_t base, int exponent) {
    if (exponent == 0) return constant_value(1);
    std::optional<std::uint32_t> result;
    std::uint32_t square = base;
    for (auto bits = static_cast<unsigned>(exponent < 0 ? -exponent : exponent); bits != 0;
         bits >>= 1) {
      if (bits & 1u) result = result ? emit({Op::mul, 0, *result, square, 0}) : square;
      if (bits > 1) square = emit({Op::mul, 0, square, square, 0});
    }
    return exponent < 0 ? emit({Op::div, 0, constant_value(1), *result, 0}) : *result;
  }

  bool parameters_only(const Instruction& i) const {
    const std::uint32_t operands[] = {i.a, i.b, i.c};
    for (int k = 0; k < arity(i.op); ++k) {
      const std::uint32_t index = operands[k] & ~kind_mask, kind = operands[k] & kind_mask;
      if (kind == load && !load_is_parameter_[index]) return false;
      if (kind == code && !code_is_parameter_[index]) return false;
    }
    return true;
  }

  // Parameters first, each group in its order of creation (which is topological).
  template <class T>
  static std::uint32_t parameters_to_front(std::vector<T>& items,
                                           const std::vector<bool>& is_parameter,
                                           std::vector<std::uint32_t>& place) {
    std::vector<T> sorted;
    sorted.reserve(items.size());
    place.resize(items.size());
    std::uint32_t parameters = 0;
    for (const bool wanted : {true, false}) {
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (is_parameter[i] != wanted) continue;
        place[i] = static_cast<std::uint32_t>(sorted.size());
        sorted.push_back(items[i]);
      }
      if (wanted) parameters = static_cast<std::uint32_t>(sorted.size());
    }
    items = std::move(sorted);
    return parameters;
  }

  // By key within each group: neighbours in the point become neighbours among the values.
  void sort_loads(std::vector<std::uint32_t>& place) {
    const auto middle = program_.loads.begin() + program_.prepared_loads;
    std::sort(program_.loads.begin(), middle);
    std::sort(middle, program_.loads.end());
    for (const auto& [key, index] : loads_) {
      const bool parameter = load_is_parameter_[index];
      const auto found = std::lower_bound(parameter ? program_.loads.begin() : middle,
                                          parameter ? middle : program_.loads.end(), key);
      place[index] = static_cast<std::uint32_t>(found - program_.loads.begin());
    }
  }

  void number_values() {
    std::vector<std::uint32_t> load_place, code_place;
    program_.prepared_loads = parameters_to_front(program_.loads, load_is_parameter_, load_place);
    sort_loads(load_place);
    program_.prepared = parameters_to_front(program_.code, code_is_parameter_, code_place);
    const auto number = [&](std::uint32_t value) {
      const std::uint32_t index = value & ~kind_mask;
      switch (value & kind_mask) {
        case load:
          return program_.first_load() + load_place[index];
        case code:
          return program_.first_code() + code_place[index];
        default:
          return index;
      }
    };
    for (Instruction& i : program_.code) {
      const int operands = arity(i.op);
      i.a = number(i.a);
      if (operands > 1) i.b = number(i.b);
      if (operands > 2) i.c = number(i.c);
    }
    for (std::uint32_t& output : program_.outputs) output = number(output);
  }

  const expr::Graph& graph_;
  const Source& source_;
  Program program_;
  std::vector<bool> needed_;
  std::vector<std::optional<Load>> source_of_;
  std::vector<std::uint32_t> value_;  // of each needed node
  std::vector<bool> load_is_parameter_, code_is_parameter_;
  std::unordered_map<std::uint64_t, std::uint32_t> constants_;
  std::unordered_map<std::uint32_t, std::uint32_t> loads_, splines_;
  std::unordered_map<Instruction, std::uint32_t, InstructionHash> known_;
};

}  // namespace

Program lower(const expr::Graph& graph, std::span<const expr::Expr> outputs, const Source& source) {
  return Lowering(graph, source).run(outputs);
}

}  // namespace daedal::compile
