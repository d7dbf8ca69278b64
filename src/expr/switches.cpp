#include "daedal/expr/switches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace daedal::expr {

namespace {

constexpr double time_epsilon = std::numeric_limits<double>::epsilon();
/// An argument that cannot be separated from a value for longer than this part of the time is undecided: twelve roots that fall
/// together, say, look alike within 1e-16^(1/12) of their place.
constexpr double longest_doubt = 1e-6;

class SwitchSearch {
 public:
  SwitchSearch(TimeFunction& g, const Switch& values, double t0, double t1, std::size_t most)
      : g_(g), values_(values), t0_(t0), t1_(t1), most_(most) {}

  FoundSwitches run() {
    stack_.push_back({t0_, t1_});
    while (!stack_.empty() && !found_.too_many) {
      const Span span = stack_.back();
      stack_.pop_back();
      look_at(span);
    }
    end_doubt();
    std::sort(found_.times.begin(), found_.times.end());
    return std::move(found_);
  }

 private:
  struct Span {
    double begin = 0, end = 0;
  };

  /// Times closer than this are one.
  double resolution(double t) const {
    return 4 * time_epsilon * std::max(std::abs(t), time_epsilon * (t1_ - t0_));
  }

  void look_at(Span span) {
    const Enclosure g = g_.over(span.begin, span.end);
    const bool constant = g.rate.low == 0 && g.rate.high == 0;
    if (constant || !any_value_in(g.value)) return end_doubt();
    if (g.rate.low >= 0 || g.rate.high <= 0) {
      end_doubt();
      return pass(span, g_.value(span.begin), g_.value(span.end));
    }
    const bool bounded = std::isfinite(g.rate.low) && std::isfinite(g.rate.high);
    if (bounded && !any_value_in(mean_value_form(span, g))) return end_doubt();
    const double middle = std::midpoint(span.begin, span.end);
    const double shortest = std::max(resolution(span.end), doubt_);
    if (span.end - span.begin <= shortest || middle == span.begin || middle == span.end)
      return remember_doubt(span);
    stack_.push_back({middle, span.end});
    stack_.push_back({span.begin, middle});
  }

  /// g(m) + g' (t - m), which is tighter than g over short intervals.
  Interval mean_value_form(Span span, const Enclosure& g) {
    const double middle = std::midpoint(span.begin, span.end);
    const Interval at = g_.over(middle, middle).value;
    const double radius = std::max(span.end - middle, middle - span.begin) * (1 + 2 * time_epsilon);
    const double spread = std::max(std::abs(g.rate.low), std::abs(g.rate.high)) * radius;
    const double rounding =
        2 * time_epsilon * (spread + std::max(std::abs(at.low), std::abs(at.high))) +
        std::numeric_limits<double>::denorm_min();
    return {std::max(g.value.low, at.low - spread - rounding),
            std::min(g.value.high, at.high + spread + rounding)};
  }

  bool any_value_in(Interval range) const {
    if (range.is_empty()) return false;
    if (values_.whole_numbers) return std::ceil(range.low) <= range.high;
    const auto first = std::lower_bound(values_.values.begin(), values_.values.end(), range.low);
    return first != values_.values.end() && *first <= range.high;
  }

  /// The values that lie between those at both ends of a span, and how many they are.
  struct Values {
    double first = 0, count = 0;
  };
  Values between(double a, double b) const {
    const double low = std::min(a, b), high = std::max(a, b);
    if (!(low <= high)) return {};  // NaN
    if (values_.whole_numbers) return {std::ceil(low), std::floor(high) - std::ceil(low) + 1};
    const auto first = std::lower_bound(values_.values.begin(), values_.values.end(), low);
    const auto last = std::upper_bound(first, values_.values.end(), high);
    return {first == last ? 0 : *first, static_cast<double>(last - first)};
  }

  /// All values between the ends of a span on which g rises or falls.
  void pass(Span span, double at_begin, double at_end) {
    std::vector<std::pair<Span, std::pair<double, double>>> spans{{span, {at_begin, at_end}}};
    while (!spans.empty()) {
      const auto [s, ends] = spans.back();
      spans.pop_back();
      const Values values = between(ends.first, ends.second);
      if (values.count < 1 || ends.first == ends.second) continue;
      if (static_cast<double>(found_.times.size()) + values.count > static_cast<double>(most_)) {
        found_.too_many = true;
        return;
      }
      const double middle = std::midpoint(s.begin, s.end);
      if (values.count == 1 || middle == s.begin || middle == s.end) {
        locate(s, values.first);
        continue;
      }
      const double at_middle = g_.value(middle);
      spans.push_back({{middle, s.end}, {at_middle, ends.second}});
      spans.push_back({{s.begin, middle}, {ends.first, at_middle}});
    }
  }

  int side(double t, double value) { return side_of(g_.value(t) - value); }

  int side_of(double difference) const {
    if (difference == 0 && values_.equal != Switch::Equal::apart)
      return values_.equal == Switch::Equal::with_above ? 1 : -1;
    return (difference > 0) - (difference < 0);
  }

  /// Where g leaves the side it is on at the begin, and where it leaves the value when it has stayed there.
  void locate(Span span, double value) {
    const int before = side(span.begin, value), behind = side(span.end, value);
    if (before == behind) return;
    const double first = first_change(span, value, before);
    add(first);
    if (before == 0 || behind == 0 || side(first, value) != 0) return;
    add(first_change({first, span.end}, value, 0));
  }

  /// The first time at which g is on another side than `before`, where it is at the begin: secants, then bisection.
  double first_change(Span span, double value, int before) {
    double a = span.begin, b = span.end;
    double ga = g_.value(a) - value, gb = g_.value(b) - value;
    const auto take = [&](double t) {
      if (!(t > a && t < b)) return;
      const double g = g_.value(t) - value;
      const bool same = side_of(g) == before;
      (same ? a : b) = t;
      (same ? ga : gb) = g;
    };
    for (int round = 0; round < 1200 && b - a > resolution(b) / 8; ++round) {
      const double guess = a + (b - a) * (ga / (ga - gb));
      const double margin = resolution(guess) / 2;
      take(guess);
      take(guess - margin);
      take(guess + margin);
      take(std::midpoint(a, b));
      if (std::midpoint(a, b) == a || std::midpoint(a, b) == b) break;
    }
    return b;
  }

  void add(double t) {
    if (found_.times.size() >= most_)
      found_.too_many = true;
    else
      found_.times.push_back(t);
  }

  /// Spans next to each other that no bound decides are one, and the longer it gets the coarser it is searched: a function
  /// that cannot be separated from a value over a whole second takes no 10^15 spans.
  void remember_doubt(Span span) {
    const bool goes_on = in_doubt_ && span.begin <= doubt_end_;
    if (!goes_on) {
      end_doubt();
      doubt_begin_ = span.begin;
    }
    in_doubt_ = true;
    doubt_end_ = span.end;
    doubt_ = 0.5 * (doubt_end_ - doubt_begin_);
  }

  /// Both ends are switches, and one when they are close.
  void end_doubt() {
    if (!in_doubt_) return;
    in_doubt_ = false;
    doubt_ = 0;
    add(doubt_end_);
    if (doubt_end_ - doubt_begin_ <= 16 * resolution(doubt_end_)) return;
    add(doubt_begin_);
    if (doubt_end_ - doubt_begin_ > longest_doubt * (t1_ - t0_) && !found_.undecided)
      found_.undecided = {doubt_begin_, doubt_end_};
  }

  TimeFunction& g_;
  const Switch& values_;
  double t0_, t1_;
  std::size_t most_;
  std::vector<Span> stack_;
  bool in_doubt_ = false;
  double doubt_begin_ = 0, doubt_end_ = 0, doubt_ = 0;
  FoundSwitches found_;
};

/// Each operation that is not smooth by itself.
struct Switching {
  using Form = TimeFunction::Form;
  const Graph& graph;
  const Node& node;
  Expr e, a, b;

  Switch of(Is<Op::rest_to_rest>) const { return {e, a, a, Form::plain, {0, 1}}; }
  Switch of(Is<Op::spline>) const {
    std::vector<double> breaks = graph.spline(node.aux).breaks;
    std::sort(breaks.begin(), breaks.end());
    return {e, a, a, Form::plain, std::move(breaks)};
  }
  Switch of(Is<Op::abs>) const { return {e, a, a, Form::plain, {0}}; }
  Switch of(Is<Op::sign>) const { return {e, a, a, Form::plain, {0}, false, Switch::Equal::apart}; }
  /// Jumps by a turn where its first argument passes 0.
  Switch of(Is<Op::atan2>) const { return of(Is<Op::sign>()); }
  Switch of(Is<Op::floor>) const { return {e, a, a, Form::plain, {}, true}; }
  Switch of(Is<Op::mod>) const { return {e, a, b, Form::quotient, {}, true}; }
  Switch of(Is<Op::min>) const { return of(Is<Op::less>()); }
  Switch of(Is<Op::max>) const { return of(Is<Op::less>()); }
  Switch of(Is<Op::less>) const { return {e, a, b, Form::difference, {0}}; }
  Switch of(Is<Op::less_equal>) const {
    return {e, a, b, Form::difference, {0}, false, Switch::Equal::with_below};
  }
};

}  // namespace

std::optional<Switch> switch_of(const Graph& graph, Expr e) {
  const Node& node = graph.node(e);
  using enum Operation::Smoothness;
  const Operation::Smoothness smoothness = facts(node.op).smoothness;
  if (smoothness == smooth || smoothness == chosen) return std::nullopt;
  return visit(node.op, [&](auto op) -> std::optional<Switch> {
    if constexpr (facts(op).smoothness == smooth || facts(op).smoothness == chosen)
      return std::nullopt;
    else
      return Switching{graph, node, e, {node.a}, {node.b}}.of(op);
  });
}

FoundSwitches find_switches(TimeFunction& g, const Switch& values, double t0, double t1,
                            std::size_t most) {
  return SwitchSearch(g, values, t0, t1, most).run();
}

}  // namespace daedal::expr
