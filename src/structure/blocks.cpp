// Strongly connected components by Tarjan's algorithm with its own stack: chains of 10^5 equations occur.
#include "daedal/structure/examine.hpp"
#include "no_row.hpp"

#include <algorithm>

namespace daedal::structure {

namespace {

/// Which equations an equation waits for, as compressed rows.
struct Waiting {
  std::vector<std::uint32_t> start, target;
};

Waiting waiting(const Offsets& o, std::span<const SignatureEntry> signature) {
  const auto size = static_cast<std::uint32_t>(o.c.size());
  std::vector<std::uint32_t> equation_of(size, no_row);
  for (std::uint32_t i = 0; i < size; ++i) equation_of[o.assignment[i]] = i;
  const auto matters = [&](const SignatureEntry& e) {
    return o.d[e.unknown] - o.c[e.equation] == e.order && o.assignment[e.equation] != e.unknown;
  };
  Waiting graph;
  graph.start.assign(size + 1, 0);
  for (const SignatureEntry& e : signature)
    if (matters(e)) ++graph.start[e.equation + 1];
  for (std::uint32_t i = 0; i < size; ++i) graph.start[i + 1] += graph.start[i];
  graph.target.resize(graph.start[size]);
  std::vector<std::uint32_t> fill(graph.start.begin(), graph.start.end() - 1);
  for (const SignatureEntry& e : signature)
    if (matters(e)) graph.target[fill[e.equation]++] = equation_of[e.unknown];
  return graph;
}

/// Emits each component after all components it waits for: the order of solution.
class Tarjan {
 public:
  explicit Tarjan(const Waiting& graph)
      : graph_(graph),
        size_(static_cast<std::uint32_t>(graph.start.size() - 1)),
        number_(size_, no_row),
        low_(size_, 0),
        on_stack_(size_, false) {}

  std::vector<std::vector<std::uint32_t>> run() {
    for (std::uint32_t i = 0; i < size_; ++i)
      if (number_[i] == no_row) visit_from(i);
    return std::move(components_);
  }

 private:
  struct Frame {
    std::uint32_t vertex, next;
  };

  void visit_from(std::uint32_t root) {
    std::vector<Frame> path;
    enter(root, path);
    while (!path.empty()) {
      const std::uint32_t v = path.back().vertex;
      if (path.back().next < graph_.start[v + 1]) {
        const std::uint32_t w = graph_.target[path.back().next++];
        if (number_[w] == no_row)
          enter(w, path);
        else if (on_stack_[w])
          low_[v] = std::min(low_[v], number_[w]);
        continue;
      }
      path.pop_back();
      if (!path.empty()) low_[path.back().vertex] = std::min(low_[path.back().vertex], low_[v]);
      if (low_[v] == number_[v]) emit(v);
    }
  }

  void enter(std::uint32_t v, std::vector<Frame>& path) {
    number_[v] = low_[v] = count_++;
    stack_.push_back(v);
    on_stack_[v] = true;
    path.push_back({v, graph_.start[v]});
  }

  void emit(std::uint32_t root) {
    std::vector<std::uint32_t> component;
    std::uint32_t v = no_row;
    while (v != root) {
      v = stack_.back();
      stack_.pop_back();
      on_stack_[v] = false;
      component.push_back(v);
    }
    std::sort(component.begin(), component.end());
    components_.push_back(std::move(component));
  }

  const Waiting& graph_;
  std::uint32_t size_;
  std::vector<std::uint32_t> number_, low_;
  std::vector<bool> on_stack_;
  std::vector<std::uint32_t> stack_;
  std::uint32_t count_ = 0;
  std::vector<std::vector<std::uint32_t>> components_;
};

}  // namespace

std::vector<Block> fine_blocks(const Offsets& offsets, std::span<const SignatureEntry> signature) {
  const Waiting graph = waiting(offsets, signature);
  std::vector<Block> blocks;
  for (std::vector<std::uint32_t>& component : Tarjan(graph).run()) {
    Block block;
    for (const std::uint32_t i : component) block.unknowns.push_back(offsets.assignment[i]);
    block.equations = std::move(component);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace daedal::structure
