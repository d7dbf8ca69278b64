// Highest-value transversal by shortest augmenting paths, then the canonical offsets by longest paths.
//
// Unknowns start with the dual d_j = max_i Sigma_ij and equations with the smallest slack to it. Edges of zero slack are
// matched first, by depth-first passes that visit every edge at most once each (Pothen and Fan): a mechanism with its
// constraints is matched completely that way. What is left is inserted one equation at a time by a sparse Dijkstra search
// over the slacks d_j - c_i - Sigma_ij >= 0.
#include "daedal/base/progress.hpp"
#include "daedal/structure/examine.hpp"
#include "no_row.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

namespace daedal::structure {

namespace {

class Assignment {
 public:
  Assignment(std::uint32_t size, std::span<const SignatureEntry> signature)
      : size_(size),
        start_(size + 1, 0),
        unknown_of_(size, no_row),
        equation_of_(size, no_row),
        u_(size, 0),
        v_(size, 0) {
    std::vector<SignatureEntry> sorted(signature.begin(), signature.end());
    std::sort(sorted.begin(), sorted.end(), [](const SignatureEntry& a, const SignatureEntry& b) {
      return a.equation != b.equation ? a.equation < b.equation : a.unknown < b.unknown;
    });
    for (const SignatureEntry& e : sorted) ++start_[e.equation + 1];
    for (std::uint32_t i = 0; i < size; ++i) start_[i + 1] += start_[i];
    entries_ = std::move(sorted);
  }

  /// Matches as many equations as possible, heaviest in all; false when some cannot be matched.
  bool run() {
    for (const SignatureEntry& e : entries_) v_[e.unknown] = std::max(v_[e.unknown], e.order);
    for (std::uint32_t i = 0; i < size_; ++i) set_dual(i);
    match_tight_edges();
    bool complete = true;
    for (std::uint32_t i = 0; i < size_; ++i)
      if (unknown_of_[i] == no_row) complete = augment(i) && complete;
    return complete;
  }

  const std::vector<std::uint32_t>& unknown_of() const { return unknown_of_; }
  const std::vector<std::uint32_t>& equation_of() const { return equation_of_; }
  /// Offsets of a sort: v_j - u_i >= Sigma_ij, with equality on the transversal.
  const std::vector<int>& equation_duals() const { return u_; }
  const std::vector<int>& unknown_duals() const { return v_; }

 private:
  std::span<const SignatureEntry> row(std::uint32_t i) const {
    return std::span(entries_).subspan(start_[i], start_[i + 1] - start_[i]);
  }
  /// Reduced cost v_j - u_i - Sigma_ij >= 0; zero on matched edges.
  int slack(const SignatureEntry& e) const { return v_[e.unknown] - u_[e.equation] - e.order; }

  void set_dual(std::uint32_t i) {
    if (row(i).empty()) return;
    int best = std::numeric_limits<int>::max();
    for (const SignatureEntry& e : row(i)) best = std::min(best, v_[e.unknown] - e.order);
    u_[i] = best;
  }

  void match(std::uint32_t equation, std::uint32_t unknown) {
    unknown_of_[equation] = unknown;
    equation_of_[unknown] = equation;
  }

  /// As many equations as possible along edges of zero slack, in passes; a pass visits every equation at most once.
  void match_tight_edges() {
    std::vector<std::uint32_t> visited(size_, no_row);
    for (std::uint32_t pass = 0;; ++pass) {
      bool progress = false;
      stop_point();
      for (std::uint32_t i = 0; i < size_; ++i)
        if (unknown_of_[i] == no_row && match_from(i, pass, visited)) progress = true;
      if (!progress) return;
    }
  }

  /// Depth-first search for a free unknown over tight edges; an equation looks for a free neighbour before it goes deeper.
  bool match_from(std::uint32_t source, std::uint32_t pass, std::vector<std::uint32_t>& visited) {
    struct Frame {
      std::uint32_t equation, next;
    };
    std::vector<Frame> path{{source, 0}};
    visited[source] = pass;
    while (!path.empty()) {
      Frame& top = path.back();
      const auto entries = row(top.equation);
      if (top.next == 0)
        for (const SignatureEntry& e : entries)
          if (slack(e) == 0 && equation_of_[e.unknown] == no_row) {
            std::uint32_t unknown = e.unknown;
            for (auto frame = path.rbegin(); frame != path.rend(); ++frame) {
              const std::uint32_t given_up = unknown_of_[frame->equation];
              match(frame->equation, unknown);
              unknown = given_up;
            }
            return true;
          }
      bool deeper = false;
      while (!deeper && top.next < entries.size()) {
        const SignatureEntry& e = entries[top.next++];
        const std::uint32_t owner = equation_of_[e.unknown];
        if (slack(e) == 0 && owner != no_row && visited[owner] != pass) {
          visited[owner] = pass;
          path.push_back({owner, 0});
          deeper = true;
        }
      }
      if (!deeper) path.pop_back();
    }
    return false;
  }

  bool augment(std::uint32_t source) {
    stop_point();
    struct Candidate {
      int distance;
      std::uint32_t unknown, equation;
      bool operator>(const Candidate& o) const {
        return distance != o.distance ? distance > o.distance : unknown > o.unknown;
      }
    };
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    if (mark_.empty())
      mark_.assign(size_, 0), previous_.assign(size_, no_row), distance_.assign(size_, 0);
    ++epoch_;
    std::vector<std::uint32_t> settled;  // unknowns
    std::vector<std::pair<std::uint32_t, int>> reached{
        {source, 0}};  // equations and their distance
    const auto scan = [&](std::uint32_t i, int base) {
      for (const SignatureEntry& e : row(i))
        if (mark_[e.unknown] != epoch_) queue.push({base + slack(e), e.unknown, i});
    };
    scan(source, 0);
    while (!queue.empty()) {
      const Candidate c = queue.top();
      queue.pop();
      if (mark_[c.unknown] == epoch_) continue;
      mark_[c.unknown] = epoch_;
      previous_[c.unknown] = c.equation;
      distance_[c.unknown] = c.distance;
      if (equation_of_[c.unknown] == no_row) {
        for (const auto& [i, d] : reached) u_[i] += c.distance - d;
        for (const std::uint32_t j : settled) v_[j] += c.distance - distance_[j];
        flip(c.unknown, source);
        return true;
      }
      settled.push_back(c.unknown);
      reached.emplace_back(equation_of_[c.unknown], c.distance);
      scan(equation_of_[c.unknown], c.distance);
    }
    return false;
  }

  void flip(std::uint32_t unknown, std::uint32_t source) {
    while (true) {
      const std::uint32_t equation = previous_[unknown];
      const std::uint32_t next = unknown_of_[equation];
      match(equation, unknown);
      if (equation == source) return;
      unknown = next;
    }
  }

  std::uint32_t size_;
  std::vector<std::uint32_t> start_;
  std::vector<SignatureEntry> entries_;
  std::vector<std::uint32_t> unknown_of_, equation_of_;
  std::vector<int> u_, v_;
  std::vector<std::uint32_t> mark_, previous_;
  std::vector<int> distance_;
  std::uint32_t epoch_ = 0;
};

/// Smallest c, d above the given ones with d_j - c_i >= Sigma_ij and equality on the transversal [Pryce2001]. Where j is
/// matched to k this asks for c_k >= c_i + Sigma_ij - Sigma_kj: longest paths. Any valid offsets u, v make all lengths
/// non-positive, c_i = y_i + u_i with y_k >= y_i - slack_ij, so that Dijkstra's algorithm settles every equation once.
void settle(Offsets& o, std::span<const SignatureEntry> signature, const std::vector<int>& u,
            const std::vector<int>& v) {
  const auto size = static_cast<std::uint32_t>(o.c.size());
  std::vector<int> matched_order(size, 0);
  std::vector<std::uint32_t> equation_of(size, 0), start(size + 1, 0);
  std::vector<SignatureEntry> row(signature.size());
  for (const SignatureEntry& e : signature) {
    if (o.assignment[e.equation] == e.unknown) matched_order[e.equation] = e.order;
    ++start[e.equation + 1];
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    equation_of[o.assignment[i]] = i;
    start[i + 1] += start[i];
  }
  std::vector<std::uint32_t> fill(start.begin(), start.end() - 1);
  for (const SignatureEntry& e : signature) row[fill[e.equation]++] = e;

  std::vector<int> y(size);
  std::vector<bool> settled(size, false);
  std::priority_queue<std::pair<int, std::uint32_t>> largest;
  for (std::uint32_t i = 0; i < size; ++i) {
    y[i] = std::max(o.c[i], o.d[o.assignment[i]] - matched_order[i]) - u[i];
    largest.emplace(y[i], i);
  }
  while (!largest.empty()) {
    const std::uint32_t i = largest.top().second;
    largest.pop();
    if (settled[i]) continue;
    settled[i] = true;
    for (std::uint32_t e = start[i]; e < start[i + 1]; ++e) {
      const std::uint32_t k = equation_of[row[e].unknown];
      const int reached = y[i] - (v[row[e].unknown] - u[i] - row[e].order);
      if (reached > y[k]) {
        y[k] = reached;
        largest.emplace(reached, k);
      }
    }
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    o.c[i] = y[i] + u[i];
    o.d[o.assignment[i]] = o.c[i] + matched_order[i];
  }
}

}  // namespace

int Offsets::value() const {
  return std::accumulate(d.begin(), d.end(), 0) - std::accumulate(c.begin(), c.end(), 0);
}

Offsets raised(const Offsets& canonical, std::span<const SignatureEntry> signature,
               std::span<const int> at_least) {
  Offsets result = canonical;
  for (std::size_t j = 0; j < result.d.size(); ++j)
    result.d[j] = std::max(result.d[j], at_least[j]);
  settle(result, signature, canonical.c, canonical.d);
  return result;
}

Offsets offsets(std::uint32_t size, std::span<const SignatureEntry> signature) {
  Offsets result;
  Assignment assignment(size, signature);
  const bool complete = assignment.run();
  result.assignment = assignment.unknown_of();
  result.c.assign(size, 0);
  result.d.assign(size, 0);
  if (!complete) {
    for (std::uint32_t i = 0; i < size; ++i) {
      if (assignment.unknown_of()[i] == no_row) result.unmatched_equations.push_back(i);
      if (assignment.equation_of()[i] == no_row) result.unmatched_unknowns.push_back(i);
    }
    return result;
  }
  settle(result, signature, assignment.equation_duals(), assignment.unknown_duals());
  return result;
}

}  // namespace daedal::structure
