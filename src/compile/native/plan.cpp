#include "compile/native/plan.hpp"

#include "compile/native/emitter.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace daedal::compile {
namespace {

using expr::Op;

constexpr std::uint32_t most_calls_at_once = 64;
// Up to here one function: code generation is superlinear in the length of a function, but a kernel of ordinary size
// should not pay for memory traffic between functions.
constexpr std::size_t longest_single_function = 2000;

// Calls on the longest path to each instruction, itself not counted.
std::vector<std::uint32_t> call_depths(const Program& program) {
  std::vector<std::uint32_t> depth(program.code.size());
  for (std::uint32_t i = program.prepared; i < program.code.size(); ++i) {
    const Instruction& instruction = program.code[i];
    const std::uint32_t operands[] = {instruction.a, instruction.b, instruction.c};
    for (int k = 0; k < arity(instruction.op); ++k) {
      if (operands[k] < program.first_code() + program.prepared) continue;
      const std::uint32_t operand = operands[k] - program.first_code();
      depth[i] =
          std::max(depth[i], depth[operand] + (Emitter::is_call(program.code[operand].op) ? 1 : 0));
    }
  }
  return depth;
}

// What can be one call of an array function: same function, same constants.
using CallKey = std::tuple<Op, std::uint16_t, std::uint32_t>;
CallKey call_key(const Instruction& i) {
  const bool angle = i.op == Op::sin || i.op == Op::cos;
  const bool table = i.op == Op::rest_to_rest || i.op == Op::spline;
  return {angle ? Op::sin : i.op, i.aux, table ? i.b : 0};
}

void append_calls(const Program& program, const std::vector<std::uint32_t>& calls,
                  std::vector<Group>& order) {
  std::map<CallKey, std::vector<std::uint32_t>> by_function;
  for (std::uint32_t i : calls) by_function[call_key(program.code[i])].push_back(i);
  for (const auto& [key, members] : by_function) {
    std::map<std::uint32_t, std::uint32_t> seen;  // angle -> first instruction
    Group group;
    const auto finish = [&] {
      if (!group.members.empty()) order.push_back(std::move(group));
      group = {};
    };
    std::map<std::uint32_t, std::uint32_t> partner;
    std::vector<std::uint32_t> firsts;
    for (std::uint32_t i : members) {
      if (std::get<0>(key) != Op::sin) {
        firsts.push_back(i);
        continue;
      }
      const auto [place, is_first] = seen.emplace(program.code[i].a, i);
      if (is_first) {
        firsts.push_back(i);
      } else {
        partner[place->second] = i;
      }
    }
    for (std::uint32_t i : firsts) {
      if (group.members.size() == most_calls_at_once) finish();
      group.members.push_back(i);
      group.partners.push_back(partner.contains(i) ? partner[i] : i);
    }
    finish();
  }
}

std::vector<Group> ordered_groups(const Program& program) {
  const std::vector<std::uint32_t> depth = call_depths(program);
  const std::uint32_t deepest = depth.empty() ? 0 : *std::max_element(depth.begin(), depth.end());
  std::vector<std::vector<std::uint32_t>> plain(deepest + 1), calls(deepest + 1);
  for (std::uint32_t i = program.prepared; i < program.code.size(); ++i)
    (Emitter::is_call(program.code[i].op) ? calls : plain)[depth[i]].push_back(i);
  std::vector<Group> order;
  for (std::uint32_t d = 0; d <= deepest; ++d) {
    for (std::uint32_t i : plain[d]) order.push_back({{i}, {i}});
    append_calls(program, calls[d], order);
  }
  return order;
}

}  // namespace

Plan plan(const NativeRequest& request) {
  std::vector<Group> order = ordered_groups(*request.program);
  const std::size_t instructions = request.program->code.size() - request.program->prepared;
  const std::size_t most = instructions <= longest_single_function ? instructions : request.chunk;
  Plan result;
  result.functions.emplace_back();
  std::size_t length = 0;
  for (Group& group : order) {
    if (length > 0 && length + group.members.size() > most) {
      result.functions.emplace_back();
      length = 0;
    }
    length += group.members.size();
    result.largest_group =
        std::max(result.largest_group, static_cast<std::uint32_t>(group.members.size()));
    result.functions.back().push_back(std::move(group));
  }
  return result;
}

}  // namespace daedal::compile
