// An algebraic loop is a block of the order of solution that contains a command and an unknown of the mechanism: each is found
// only together with the other [Pryce2001].
#include "daedal/design/algebraic_loop.hpp"

#include "daedal/structure/analysis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

namespace daedal::design {

namespace {

class Loops {
 public:
  Loops(const derive::Dae& dae, const model::Controller& controller)
      : dae_(dae), controller_(controller), own_(controller.name + ".") {}

  void find(const structure::Block& block, const structure::Offsets& offsets,
            const std::vector<structure::SignatureEntry>& signature,
            std::vector<Diagnostic>& loops) const {
    const std::string commands = controller_.name + " commands ";
    for (const std::uint32_t row : block.equations) {
      const derive::Equation& equation = dae_.equations[row];
      if (!equation.name.starts_with(commands)) continue;
      const std::string input = equation.name.substr(commands.size());
      const std::vector<std::string> through = quantities(block, offsets, signature, input);
      if (through.empty()) continue;
      loops.push_back(
          {Severity::warning,
           equation.place,
           fmt::format("controller '{}': its command '{}' depends without delay on {}, and {} on "
                       "the command: an algebraic loop",
                       controller_.name, input, fmt::join(through, ", "),
                       through.size() == 1 ? "that" : "those"),
           {},
           "a filter or a clock breaks it:  measure lowpass(..., 0.01)"});
    }
  }

 private:
  bool is_own(const std::string& name) const {
    return name.starts_with(own_) || name.starts_with(controller_.name + " commands ") ||
           name.starts_with("measurement " + own_) || name.starts_with("rate of " + own_);
  }

  /// Of the mechanism, found together with the command, in equations of the controller.
  std::vector<std::string> quantities(const structure::Block& block,
                                      const structure::Offsets& offsets,
                                      const std::vector<structure::SignatureEntry>& signature,
                                      const std::string& input) const {
    const auto has = [](const std::vector<std::uint32_t>& list, std::uint32_t i) {
      return std::ranges::find(list, i) != list.end();
    };
    std::vector<std::string> names;
    for (const structure::SignatureEntry& entry : signature) {
      const model::Symbol& symbol = dae_.model->symbols[dae_.unknowns[entry.unknown]];
      if (has(block.equations, entry.equation) && has(block.unknowns, entry.unknown) &&
          offsets.d[entry.unknown] - offsets.c[entry.equation] == entry.order &&
          is_own(dae_.equations[entry.equation].name) && !is_own(symbol.name) &&
          symbol.name != input)
        names.push_back("'" + model::name_of(symbol, entry.order) + "'");
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  const derive::Dae& dae_;
  const model::Controller& controller_;
  std::string own_;
};

}  // namespace

std::vector<Diagnostic> algebraic_loops(const derive::Dae& dae) {
  std::vector<Diagnostic> loops;
  const auto& controllers = dae.model->controllers;
  const auto is_continuous = [](const model::Controller& c) { return c.period == 0; };
  if (std::ranges::none_of(controllers, is_continuous)) return loops;
  const std::vector<structure::SignatureEntry> signature = structure::signature(dae);
  const structure::Offsets offsets =
      structure::offsets(static_cast<std::uint32_t>(dae.equations.size()), signature);
  if (offsets.singular()) return loops;
  for (const structure::Block& block : structure::fine_blocks(offsets, signature))
    for (const model::Controller& controller : controllers)
      if (is_continuous(controller)) Loops(dae, controller).find(block, offsets, signature, loops);
  return loops;
}

}  // namespace daedal::design
