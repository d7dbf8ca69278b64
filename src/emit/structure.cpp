#include "daedal/emit/structure.hpp"

#include "daedal/structure/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::emit {

namespace {

const std::string& unknown_name(const derive::Dae& dae, std::uint32_t j) {
  return dae.model->symbols[dae.unknowns[j]].name;
}

/// A rectangle of words, columns aligned; the first column to the left, the others to the right.
class Grid {
 public:
  std::vector<std::string>& add() { return rows_.emplace_back(); }

  std::string text() const {
    std::vector<std::size_t> width;
    for (const auto& row : rows_)
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (width.size() <= k) width.push_back(0);
        width[k] = std::max(width[k], row[k].size());
      }
    std::string result;
    for (const auto& row : rows_) {
      std::string line = fmt::format("  {:<{}}", row[0], width[0]);
      for (std::size_t k = 1; k < row.size(); ++k)
        line += fmt::format("  {:>{}}", row[k], width[k]);
      line.erase(line.find_last_not_of(' ') + 1);
      result += line + "\n";
    }
    return result;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// "a, b, c and 3 more"
template <class Name>
std::string listed(const std::vector<std::uint32_t>& items, Name name) {
  constexpr std::size_t shown = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(items.size(), shown); ++k)
    text += fmt::format("{}{}", k == 0 ? "" : ", ", name(items[k]));
  if (items.size() > shown) text += fmt::format(" and {} more", items.size() - shown);
  return text;
}

}  // namespace

std::string signature_table(const derive::Dae& dae, const structure::Offsets& offsets) {
  const std::size_t size = dae.unknowns.size();
  std::vector<std::vector<std::string>> cell(size, std::vector<std::string>(size));
  for (const structure::SignatureEntry& e : structure::signature(dae)) {
    const bool reaches = offsets.d[e.unknown] - offsets.c[e.equation] == e.order;
    const bool matched = offsets.assignment[e.equation] == e.unknown;
    cell[e.equation][e.unknown] = matched   ? fmt::format("{}*", e.order)
                                  : reaches ? fmt::format("{} ", e.order)
                                            : fmt::format("({})", e.order);
  }
  Grid grid;
  std::vector<std::string>& head = grid.add();
  head.emplace_back();
  for (std::uint32_t j = 0; j < size; ++j) head.push_back(unknown_name(dae, j) + " ");
  head.emplace_back("c");
  for (std::uint32_t i = 0; i < size; ++i) {
    std::vector<std::string>& row = grid.add();
    row.push_back(dae.equations[i].name);
    for (std::uint32_t j = 0; j < size; ++j) row.push_back(cell[i][j].empty() ? ". " : cell[i][j]);
    row.push_back(std::to_string(offsets.c[i]));
  }
  std::vector<std::string>& foot = grid.add();
  foot.emplace_back("d");
  for (std::uint32_t j = 0; j < size; ++j) foot.push_back(fmt::format("{} ", offsets.d[j]));
  return grid.text();
}

std::string order_of_solution(const derive::Dae& dae, const structure::Offsets& offsets,
                              const std::vector<structure::Block>& blocks, std::size_t shown) {
  std::string text;
  const auto equation = [&](std::uint32_t i) {
    const int c = offsets.c[i];
    return dae.equations[i].name + (c == 0 ? "" : fmt::format(" ({})", c));
  };
  const auto unknown = [&](std::uint32_t j) {
    return model::name_of(dae.model->symbols[dae.unknowns[j]], offsets.d[j]);
  };
  for (std::size_t k = 0; k < std::min(blocks.size(), shown); ++k) {
    std::vector<std::uint32_t> unknowns = blocks[k].unknowns;  // in the model's order
    std::sort(unknowns.begin(), unknowns.end());
    text += fmt::format("  {} -> {}\n", listed(blocks[k].equations, equation),
                        listed(unknowns, unknown));
  }
  if (blocks.size() > shown) text += fmt::format("  ... and {} more\n", blocks.size() - shown);
  return text;
}

}  // namespace daedal::emit
