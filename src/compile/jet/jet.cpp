// The recurrences of jets, run by run, see program.hpp and daedal/compile/jet.hpp.

#include "daedal/compile/jet.hpp"

#include "compile/jet/large_vector.hpp"
#include "compile/jet/program.hpp"
#include "compile/jet/scalar.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <tuple>

namespace daedal::compile {

namespace {

constexpr int padding = 8;  // InnerProducts reads whole vectors
constexpr int careful =
    6;  // coefficients of rows up to this one are summed without rounding errors

/// (n+1) (n+2) ... (n+order): what coefficient n of a derivative takes from coefficient n + order.
double shift_factor(int n, int order) {
  double factor = 1;
  for (int k = 1; k <= order; ++k) factor *= n + k;
  return factor;
}

double number_of(const expr::Node& constant) {
  return std::bit_cast<double>(std::uint64_t{constant.b} << 32 | constant.a);
}

}  // namespace

/// Coefficients of every slot upwards from 0, and downwards from `top` where a convolution reads them backwards, so that it
/// runs through both operands in steps of one. Slots are known by the place of their coefficient 0 upwards, and of
/// coefficient `top` downwards.
template <class T>
struct Jet<T>::Storage {
  /// One operation: places of the result and of what it reads (for an unknown: its coefficients; for a sum: its terms,
  /// products from a to b, kept slots from b to c, others from c to d).
  struct Item {
    std::uint32_t slot = 0, to = 0, back = 0, a = 0, b = 0, c = 0, d = 0;
  };
  struct Term {
    std::uint32_t a = 0, b = 0, factor = 0;
  };
  /// d(result) = by_a d(a) + by_b d(b): how a hot slot moves with its operands.
  struct Movement {
    std::uint32_t slot = 0, to = 0, back = 0, first = 0, end = 0;  // of partials
    std::uint32_t unknown = 0;
  };
  /// Movements of one operation, lead and order.
  struct MovementRun {
    JetOp op = JetOp::invariant;
    int lead = 0, order = 0;
    bool kept = false;
    std::uint32_t begin = 0, end = 0;
  };
  struct Partial {
    std::uint32_t operand = 0;
    T value = 0;
  };
  struct Correction {
    LargeVector<Movement> movements;
    std::vector<MovementRun> runs;
    LargeVector<Partial> partials;
  };

  Storage(const JetProgram& p, int last_stage)
      : program(p), last(last_stage), top(last_stage + p.most_lead) {
    stride = static_cast<std::uint32_t>(top + 1 + padding);
    find_places();
    values.back() = T(1);  // the factor of terms without one
    change.assign(p.slots.size(), T(0));
    int most_d = 0;
    for (const int d : p.d) most_d = std::max(most_d, d);
    unknowns.assign(p.d.size() * static_cast<std::size_t>(last_stage + most_d + 1), T(0));
    for (const std::uint32_t s : p.order) items.push_back(item(s));
    is_row.assign(p.slots.size(), false);
    for (const std::uint32_t s : p.rows) {
      is_row[s] = true;
      rows.push_back({place(s), keeps(s) ? 1 : 0});
    }
    make_room_for_compositions();
    of_all = list_movements([](std::uint32_t) { return true; });
    of_lasting = list_movements([last = find_lasting()](std::uint32_t slot) { return last[slot]; });
  }

  /// Places in the order in which slots are computed: a stage then walks through memory from one end to the other, which
  /// large programs need far more than anything else. Factors keep one number only. Slots that nothing reads backwards share
  /// one place for that, which is never read.
  void find_places() {
    const std::size_t slots = program.slots.size();
    std::vector<bool> read(slots, false), mirrored(slots, false);
    for (const std::uint32_t s : program.order) {
      const JetSlot& slot = program.slots[s];
      visit_operands(program, slot, [&](std::uint32_t operand, int) { read[operand] = true; });
      if (slot.op == JetOp::mul) mirrored[slot.b] = true;
      if (slot.op == JetOp::turn) mirrored[slot.partner] = true;
      if (slot.op == JetOp::div || slot.op == JetOp::sqrt) mirrored[s] = true;
    }
    for (const std::uint32_t s : program.rows) read[s] = true;
    for (const JetTerm& term : program.terms)
      if (term.b != no_slot) mirrored[term.b] = true;

    std::uint32_t end = stride;  // the first place is the unread one
    forward.assign(slots, 0);
    backward.assign(slots, 0);
    const auto give_places = [&](std::uint32_t s, bool whole) {
      forward[s] = end;
      end += whole ? stride : 1;
      if (!mirrored[s]) return;
      backward[s] = end;
      end += stride;
    };
    for (const std::uint32_t s : program.invariants) give_places(s, read[s]);
    for (const std::uint32_t s : program.order) give_places(s, program.slots[s].kept);
    values.assign(end + 1, T(0));
  }

  std::uint32_t place(std::uint32_t slot) const { return forward[slot]; }

  Item item(std::uint32_t s) {
    const JetSlot& slot = program.slots[s];
    Item made{s, place(s), backward[s], 0, 0, 0, 0};
    switch (slot.op) {
      case JetOp::unknown:
        made.a = unknown_place(slot.a, slot.order);
        made.b = static_cast<std::uint32_t>(slot.order);
        break;
      case JetOp::sum:
        made.a = static_cast<std::uint32_t>(terms.size());
        made.b = list_terms(slot, [&](const JetTerm& term) { return term.b != no_slot; });
        made.c = list_terms(
            slot, [&](const JetTerm& term) { return term.b == no_slot && keeps(term.a); });
        made.d = list_terms(
            slot, [&](const JetTerm& term) { return term.b == no_slot && !keeps(term.a); });
        break;
      case JetOp::turn:
        made.a = place(slot.rate);
        made.b = backward[slot.partner];
        break;
      case JetOp::integral:
        made.a = place(slot.rate);
        break;
      case JetOp::mul:
        made.a = place(slot.a);
        made.b = backward[slot.b];
        break;
      default:
        if (slot.a != no_slot) made.a = place(slot.a);
        if (slot.b != no_slot) made.b = place(slot.b);
    }
    return made;
  }

  /// The terms of a sum that are of one kind; where they end.
  template <class Kind>
  std::uint32_t list_terms(const JetSlot& sum, Kind of_this_kind) {
    for (std::uint32_t k = sum.first_term; k < sum.end_term; ++k) {
      const JetTerm& term = program.terms[k];
      if (!of_this_kind(term)) continue;
      const auto one = static_cast<std::uint32_t>(values.size() - 1);
      terms.push_back({place(term.a), term.b == no_slot ? 0 : backward[term.b],
                       term.factor == no_slot ? one : place(term.factor)});
    }
    return static_cast<std::uint32_t>(terms.size());
  }

  void make_room_for_compositions() {
    composed.assign(program.slots.size(), 0);
    for (const std::uint32_t s : program.order) {
      if (program.slots[s].op != JetOp::compose) continue;
      composed[s] = outer.size();
      const std::size_t terms_kept = static_cast<std::size_t>(top) + 2;
      outer.resize(outer.size() + terms_kept * (program.slots[s].affine ? 1 : 1 + terms_kept),
                   T(0));
    }
  }

  // ---- access

  T* up(std::uint32_t at) { return values.data() + at; }
  const T* up(std::uint32_t at) const { return values.data() + at; }
  /// Points at coefficient n, with n-1, n-2, ... after it.
  const T* down(std::uint32_t at, int n) const {
    return values.data() + at + static_cast<std::uint32_t>(top - n);
  }
  bool keeps(std::uint32_t slot) const {
    return program.slots[slot].kept || program.slots[slot].op == JetOp::invariant;
  }
  std::uint32_t unknown_place(std::uint32_t unknown, int n) const {
    return static_cast<std::uint32_t>(n) * static_cast<std::uint32_t>(program.d.size()) + unknown;
  }
  void set(std::uint32_t at, std::uint32_t back, int n, T value) {
    values[at + static_cast<std::uint32_t>(n)] = value;
    values[back + static_cast<std::uint32_t>(top - n)] = value;
  }
  void set_invariant(std::uint32_t slot, T value) { set(place(slot), backward[slot], 0, value); }
  T at_0(std::uint32_t slot) const { return slot == no_slot ? T(0) : values[place(slot)]; }
  T base(const JetSlot& slot) const {
    return apply_at(*program.graph, slot.base, at_0(slot.a), at_0(slot.b), at_0(slot.c));
  }

  void compute_invariants(std::span<const double> parameters) {
    for (std::size_t p = 0; p < parameters.size(); ++p)
      if (program.parameters[p] != no_slot) set_invariant(program.parameters[p], T(parameters[p]));
    for (const std::uint32_t s : program.invariants) {
      const JetSlot& slot = program.slots[s];
      if (slot.base.op == expr::Op::leaf) continue;
      set_invariant(s, slot.base.op == expr::Op::constant ? T(number_of(slot.base)) : base(slot));
    }
  }

  // ---- evaluation

  template <class Formula>
  void each(const JetRun& run, int n, Formula formula) {
    const int at = run.kept ? n : 0;
    for (std::uint32_t k = run.begin; k < run.end; ++k)
      set(items[k].to, items[k].back, at, formula(items[k]));
  }

  void compute(const JetRun& run, int n) {
    const auto slot_of = [&](const Item& w) -> const JetSlot& { return program.slots[w.slot]; };
    switch (run.op) {
      case JetOp::invariant:
      case JetOp::add:  // these are sums by now
      case JetOp::sub:
      case JetOp::neg:
      case JetOp::scale:
        break;
      case JetOp::time:
        return each(run, n, [&](const Item&) { return n == 0 ? time : T(n == 1 ? 1 : 0); });
      case JetOp::unknown:
        return each(run, n, [&](const Item& w) {
          return T(shift_factor(n, static_cast<int>(w.b))) * unknowns[w.a + unknown_place(0, n)];
        });
      case JetOp::shift:
        return each(run, n, [&](const Item& w) {
          const int order = slot_of(w).order;
          return T(shift_factor(n, order)) * up(w.a)[n + order];
        });
      case JetOp::sum: {
        const Window<T> window(n + 1);
        return each(run, n, [&](const Item& w) {
          return n <= careful && is_row[w.slot] ? careful_sum(w, n) : sum(w, window, n);
        });
      }
      case JetOp::ratio:
        return each(run, n, [&](const Item& w) { return up(w.a)[n] / up(w.b)[0]; });
      case JetOp::mul: {
        const Window<T> window(n + 1);
        return each(run, n,
                    [&](const Item& w) { return inner_product<T>(window, up(w.a), down(w.b, n)); });
      }
      case JetOp::div: {  // w b = a
        if (n == 0) return each(run, n, [&](const Item& w) { return up(w.a)[0] / up(w.b)[0]; });
        const Window<T> window(n);
        return each(run, n, [&](const Item& w) {
          const T known = inner_product<T>(window, up(w.b) + 1, down(w.back, n - 1));
          return (up(w.a)[n] - known) / up(w.b)[0];
        });
      }
      case JetOp::sqrt: {  // w w = a
        if (n == 0) return each(run, n, [&](const Item& w) { return square_root(up(w.a)[0]); });
        const Window<T> window(std::max(n - 1, 1));
        return each(run, n, [&](const Item& w) {
          const T known =
              n == 1 ? T(0) : inner_product<T>(window, up(w.to) + 1, down(w.back, n - 1));
          return (up(w.a)[n] - known) / (2 * up(w.to)[0]);
        });
      }
      case JetOp::turn: {
        if (n == 0) return each(run, n, [&](const Item& w) { return base(slot_of(w)); });
        const Window<T> window(n);
        return each(run, n, [&](const Item& w) {
          return T(slot_of(w).sign) * inner_product<T>(window, up(w.a), down(w.b, n - 1)) / T(n);
        });
      }
      case JetOp::integral:
        return each(run, n, [&](const Item& w) {
          return n == 0 ? base(slot_of(w)) : up(w.a)[n - 1] / T(n);
        });
      case JetOp::compose:
        return each(run, n, [&](const Item& w) { return compose(slot_of(w), w.slot, n); });
      case JetOp::select:
        return each(run, n, [&](const Item& w) {
          const JetSlot& slot = slot_of(w);
          return up(place(up(w.a)[0] != 0 ? slot.b : slot.c))[n];
        });
      case JetOp::step:
        return each(run, n, [&](const Item& w) { return n == 0 ? base(slot_of(w)) : T(0); });
    }
  }

  T sum(const Item& w, const Window<T>& window, int n) const {
    T single = 0;
    for (std::uint32_t k = w.b; k < w.c; ++k) single += values[terms[k].factor] * up(terms[k].a)[n];
    for (std::uint32_t k = w.c; k < w.d; ++k)
      single += values[terms[k].factor] * values[terms[k].a];
    if (w.a == w.b) return single;
    InnerProducts<T> products(window);
    for (std::uint32_t k = w.a; k < w.b; ++k)
      products.add(values[terms[k].factor], up(terms[k].a), down(terms[k].b, n));
    return single + products.value();
  }

  /// Low coefficients of rows, where large terms cancel and what is left decides how fast errors grow.
  T careful_sum(const Item& w, int n) const {
    CompensatedProducts<T> sum;
    for (std::uint32_t k = w.a; k < w.b; ++k)
      sum.add(values[terms[k].factor], up(terms[k].a), down(terms[k].b, n), n + 1);
    for (std::uint32_t k = w.b; k < w.c; ++k) sum.add(values[terms[k].factor], up(terms[k].a)[n]);
    for (std::uint32_t k = w.c; k < w.d; ++k) sum.add(values[terms[k].factor], values[terms[k].a]);
    return sum.value();
  }

  /// Coefficient n of F(s_0 + sigma), sigma_0 = 0: sum of F_m (sigma^m)[n], the powers of sigma kept in a table.
  T compose(const JetSlot& w, std::uint32_t s, int n) {
    const int terms_kept = top + 2;
    T* const f = outer.data() + composed[s];
    const T* const sigma = up(place(w.a));
    if (n == 0) {
      outer_coefficients(*program.graph, w.base, sigma[0], terms_kept, f);
      return f[0];
    }
    if (w.affine) {
      T product = f[n];  // from there: 0.01^200 alone would be 0
      for (int k = 0; k < n; ++k) product *= sigma[1];
      return product;
    }
    const auto row = [&](int m) { return f + static_cast<std::ptrdiff_t>(m - 1) * terms_kept; };
    const T* below =
        sigma;  // sigma^(m-1); sigma itself is read where it lies, for it may yet be corrected
    T sum = f[1] * sigma[n];
    for (int m = 2; m <= n; ++m) {
      T product = 0;
      for (int i = 1; i <= n - m + 1; ++i) product += sigma[i] * below[n - i];
      below = row(m);
      row(m)[n] = product;
      sum += f[m] * product;
    }
    return sum;
  }

  // ---- correction

  /// Hot slots from which a kept one follows: the effect of a correction on the next stages.
  std::vector<bool> find_lasting() const {
    std::vector<bool> lasting(program.slots.size(), false);
    for (auto s = program.hot.rbegin(); s != program.hot.rend(); ++s) {
      lasting[*s] = lasting[*s] || program.slots[*s].kept;
      if (lasting[*s]) visit_movers(*s, [&](std::uint32_t operand) { lasting[operand] = true; });
    }
    return lasting;
  }

  /// Which operands move a hot slot: those that are hot themselves, at the coefficient that is read.
  template <class Visit>
  void visit_movers(std::uint32_t s, Visit&& visit) const {
    const JetSlot& slot = program.slots[s];
    visit_operands(program, slot, [&](std::uint32_t operand, int lag) {
      const JetSlot& other = program.slots[operand];
      if (other.hot && other.lead == slot.lead - lag && other.op != JetOp::invariant)
        visit(operand);
    });
  }

  template <class Wanted>
  Correction list_movements(Wanted&& wanted) const {
    Correction list;
    for (const std::uint32_t s : program.hot) {
      if (!wanted(s)) continue;
      const JetSlot& slot = program.slots[s];
      Movement movement{s, place(s), backward[s], static_cast<std::uint32_t>(list.partials.size()),
                        0, slot.a};
      visit_movers(s, [&](std::uint32_t operand) { list.partials.push_back({operand, T(0)}); });
      movement.end = static_cast<std::uint32_t>(list.partials.size());
      const auto at = static_cast<std::uint32_t>(list.movements.size());
      const auto key = [](const auto& of) { return std::tuple(of.op, of.lead, of.order, of.kept); };
      if (at == 0 || key(list.runs.back()) != key(slot))
        list.runs.push_back({slot.op, slot.lead, slot.order, slot.kept, at, at});
      list.runs.back().end = at + 1;
      list.movements.push_back(movement);
    }
    return list;
  }

  /// d(coefficient n of slot) / d(its operands), which does not depend on n but for the factors of `by_order`.
  void find_partials(Correction& list) const {
    LargeVector<Partial>& partials = list.partials;
    for (const Movement& m : list.movements) {
      const JetSlot& w = program.slots[m.slot];
      std::uint32_t next = m.first;
      const auto partial = [&](std::uint32_t operand, T value) {
        if (next < m.end && partials[next].operand == operand) partials[next++].value = value;
      };
      switch (w.op) {
        case JetOp::sum:
          for (std::uint32_t k = w.first_term; k < w.end_term; ++k) {
            const JetTerm& term = program.terms[k];
            const T factor = term.factor == no_slot ? T(1) : at_0(term.factor);
            partial(term.a, term.b == no_slot ? factor : factor * at_0(term.b));
            if (term.b != no_slot) partial(term.b, factor * at_0(term.a));
          }
          break;
        case JetOp::ratio:
          partial(w.a, 1 / at_0(w.b));
          break;
        case JetOp::mul:
          partial(w.a, at_0(w.b));
          partial(w.b, at_0(w.a));
          break;
        case JetOp::div:
          partial(w.a, 1 / at_0(w.b));
          partial(w.b, -at_0(m.slot) / at_0(w.b));
          break;
        case JetOp::sqrt:
          partial(w.a, 1 / (2 * at_0(m.slot)));
          break;
        case JetOp::turn:
          partial(w.a, T(0));  // moves through its rate
          partial(w.b, T(0));
          partial(w.rate, T(w.sign) * at_0(w.partner));
          break;
        case JetOp::integral:
          partial(w.a, T(0));
          partial(w.b, T(0));
          partial(w.rate, T(1));
          break;
        case JetOp::compose:
          partial(w.a, outer[composed[m.slot] + 1]);
          break;
        case JetOp::select: {
          const bool chosen = at_0(w.a) != 0;
          partial(w.a, T(0));
          partial(w.b, T(chosen ? 1 : 0));
          partial(w.c, T(chosen ? 0 : 1));
          break;
        }
        case JetOp::shift:
          partial(w.a, T(1));
          break;
        case JetOp::unknown:
        case JetOp::invariant:
        case JetOp::add:
        case JetOp::sub:
        case JetOp::neg:
        case JetOp::scale:
        case JetOp::time:
        case JetOp::step:
          break;
      }
    }
  }

  /// Derivatives shift coefficients and integrals divide by n: what partials leave out.
  static T by_order(const MovementRun& run, int n) {
    switch (run.op) {
      case JetOp::unknown:
      case JetOp::shift:
        return T(shift_factor(n, run.order));
      case JetOp::turn:
      case JetOp::integral:
        return 1 / T(n);
      default:
        return T(1);
    }
  }

  void correct(int stage, const T* top_change, const Correction& list) {
    for (const MovementRun& run : list.runs) {
      const int n = stage + run.lead, at = run.kept ? n : 0;
      const T factor = by_order(run, n);
      for (std::uint32_t i = run.begin; i < run.end; ++i) {
        const Movement& m = list.movements[i];
        T moved = run.op == JetOp::unknown ? top_change[m.unknown] : T(0);
        for (std::uint32_t k = m.first; k < m.end; ++k)
          moved += list.partials[k].value * change[list.partials[k].operand];
        moved *= factor;
        change[m.slot] = moved;
        set(m.to, m.back, at, up(m.to)[at] + moved);
      }
    }
  }

  const JetProgram& program;
  int last = 0, top = 0;
  std::uint32_t stride = 0;
  T time = 0;
  LargeVector<T> values, change;
  LargeVector<T> unknowns;                       // coefficient 0 of all, coefficient 1 of all, ...
  std::vector<std::uint32_t> forward, backward;  // places of each slot's coefficients
  LargeVector<Item> items;                       // as program.order
  struct Row {
    std::uint32_t at = 0;
    int step = 0;  // from one coefficient to the next, 0 when there is only one
  };
  std::vector<Row> rows;
  std::vector<bool> is_row;
  LargeVector<Term> terms;        // as program.terms
  Correction of_all, of_lasting;  // hot slots; those that affect later stages
  std::vector<T> outer;           // of compositions: F_m, then the powers of sigma
  std::vector<std::size_t> composed;
};

template <class T>
Jet<T>::Jet(std::shared_ptr<const JetProgram> program, int last_stage,
            std::span<const double> parameters)
    : program_(std::move(program)) {
  if (last_stage < 0) throw std::invalid_argument("a jet has no stages before stage 0");
  storage_ = std::make_unique<Storage>(*program_, last_stage);
  storage_->compute_invariants(parameters);
  coefficients_ = storage_->unknowns.data();
  unknowns_ = program_->d.size();
}

template <class T>
Jet<T>::~Jet() = default;
template <class T>
Jet<T>::Jet(Jet&&) noexcept = default;
template <class T>
Jet<T>& Jet<T>::operator=(Jet&&) noexcept = default;

template <class T>
int Jet<T>::last_stage() const {
  return storage_->last;
}
template <class T>
int Jet<T>::first_stage() const {
  return program_->first_stage;
}
template <class T>
void Jet<T>::set_time(T t) {
  storage_->time = t;
}
template <class T>
void Jet<T>::evaluate(int stage) {
  for (const JetRun& run : program_->runs)
    if (const int n = stage + run.lead; n >= 0) storage_->compute(run, n);
  if (stage == 1)
    for (auto* list : {&storage_->of_all, &storage_->of_lasting}) storage_->find_partials(*list);
}

template <class T>
T Jet<T>::row(std::uint32_t i, int stage) const {
  const int n = stage + program_->c[i];
  const auto& [at, step] = storage_->rows[i];
  return n < 0 ? T(0) : storage_->up(at)[n * step];
}

template <class T>
void Jet<T>::correct(int stage, const T* change, bool again) {
  for (std::uint32_t j = 0; j < program_->d.size(); ++j)
    coefficient(j, stage + program_->d[j]) += change[j];
  storage_->correct(stage, change, again ? storage_->of_all : storage_->of_lasting);
}

template class Jet<double>;
template class Jet<Quad>;

}  // namespace daedal::compile
