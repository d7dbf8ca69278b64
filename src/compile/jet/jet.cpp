// The recurrences of jets, run by run, see program.hpp and daedal/compile/jet.hpp.

#include "daedal/compile/jet.hpp"

#include "compile/jet/program.hpp"
#include "compile/jet/scalar.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace daedal::compile {

namespace {

constexpr int lanes = 8;  // inner_product reads whole vectors

/// (n+1) (n+2) ... (n+order): what n-th coefficient of a derivative takes from coefficient n + order.
double shift_factor(int n, int order) {
  double factor = 1;
  for (int k = 1; k <= order; ++k) factor *= n + k;
  return factor;
}

double number_of(const expr::Node& constant) {
  return std::bit_cast<double>(std::uint64_t{constant.b} << 32 | constant.a);
}

}  // namespace

/// Coefficients of every slot twice: upwards, and downwards from `top` so that a convolution runs through both in
/// steps of one.
template <class T>
struct Jet<T>::Storage {
  Storage(const JetProgram& p, int last_stage)
      : program(p),
        last(last_stage),
        top(last_stage + p.most_lead),
        stride(static_cast<std::size_t>(top) + 1 + lanes),
        upwards(p.slots.size() * stride, T(0)),
        downwards(p.slots.size() * stride, T(0)),
        change(p.slots.size(), T(0)) {
    int most_d = 0;
    for (const int d : p.d) most_d = std::max(most_d, d);
    unknown_stride = static_cast<std::size_t>(last_stage + most_d) + 1;
    unknowns.assign(p.d.size() * unknown_stride, T(0));
    composed.assign(p.slots.size(), 0);
    for (const std::uint32_t s : p.order) {
      const JetSlot& slot = p.slots[s];
      if (slot.op != JetOp::compose) continue;
      composed[s] = outer.size();
      const std::size_t terms = static_cast<std::size_t>(top) + 2;
      outer.resize(outer.size() + terms * (slot.affine ? 1 : 1 + terms), T(0));
    }
  }

  T* up(std::uint32_t s) { return upwards.data() + s * stride; }
  const T* up(std::uint32_t s) const { return upwards.data() + s * stride; }
  /// Points at coefficient n of s, with n-1, n-2, ... behind it.
  const T* down(std::uint32_t s, int n) const {
    return downwards.data() + s * stride + static_cast<std::size_t>(top - n);
  }
  void set(std::uint32_t s, int n, T value) {
    up(s)[n] = value;
    downwards[s * stride + static_cast<std::size_t>(top - n)] = value;
  }
  T& unknown(std::uint32_t j, int n) {
    return unknowns[j * unknown_stride + static_cast<std::size_t>(n)];
  }

  T at_0(std::uint32_t s) const { return s == no_slot ? T(0) : up(s)[0]; }
  T base(const JetSlot& slot) const {
    return apply_at(*program.graph, slot.base, at_0(slot.a), at_0(slot.b), at_0(slot.c));
  }

  void compute_invariants(std::span<const double> parameters) {
    for (std::size_t p = 0; p < parameters.size(); ++p)
      if (program.parameters[p] != no_slot) set(program.parameters[p], 0, T(parameters[p]));
    for (const std::uint32_t s : program.invariants) {
      const JetSlot& slot = program.slots[s];
      if (slot.base.op == expr::Op::leaf) continue;
      set(s, 0, slot.base.op == expr::Op::constant ? T(number_of(slot.base)) : base(slot));
    }
  }

  template <class Formula>
  void each(const JetRun& run, int n, Formula formula) {
    for (std::uint32_t k = run.begin; k < run.end; ++k) {
      const std::uint32_t s = program.order[k];
      set(s, n, formula(program.slots[s], s));
    }
  }

  void compute(const JetRun& run, int n) {
    switch (run.op) {
      case JetOp::invariant:
        break;
      case JetOp::time:
        return each(run, n, [&](const JetSlot&, std::uint32_t) {
          return n == 0 ? time : T(n == 1 ? 1 : 0);
        });
      case JetOp::unknown:
        return each(run, n, [&](const JetSlot& w, std::uint32_t) {
          return T(shift_factor(n, w.order)) * unknown(w.a, n + w.order);
        });
      case JetOp::shift:
        return each(run, n, [&](const JetSlot& w, std::uint32_t) {
          return T(shift_factor(n, w.order)) * up(w.a)[n + w.order];
        });
      case JetOp::add:
        return each(run, n,
                    [&](const JetSlot& w, std::uint32_t) { return up(w.a)[n] + up(w.b)[n]; });
      case JetOp::sub:
        return each(run, n,
                    [&](const JetSlot& w, std::uint32_t) { return up(w.a)[n] - up(w.b)[n]; });
      case JetOp::neg:
        return each(run, n, [&](const JetSlot& w, std::uint32_t) { return -up(w.a)[n]; });
      case JetOp::scale:
        return each(run, n,
                    [&](const JetSlot& w, std::uint32_t) { return up(w.a)[0] * up(w.b)[n]; });
      case JetOp::ratio:
        return each(run, n,
                    [&](const JetSlot& w, std::uint32_t) { return up(w.a)[n] / up(w.b)[0]; });
      case JetOp::mul:
        return each(run, n, [&](const JetSlot& w, std::uint32_t) {
          return inner_product(up(w.a), down(w.b, n), n + 1);
        });
      case JetOp::div:  // w b = a
        return each(run, n, [&](const JetSlot& w, std::uint32_t s) {
          const T known = n == 0 ? T(0) : inner_product(up(w.b) + 1, down(s, n - 1), n);
          return (up(w.a)[n] - known) / up(w.b)[0];
        });
      case JetOp::sqrt:  // w w = a
        return each(run, n, [&](const JetSlot& w, std::uint32_t s) {
          if (n == 0) return square_root(up(w.a)[0]);
          const T known = n == 1 ? T(0) : inner_product(up(s) + 1, down(s, n - 1), n - 1);
          return (up(w.a)[n] - known) / (2 * up(s)[0]);
        });
      case JetOp::turn:
        return each(run, n, [&](const JetSlot& w, std::uint32_t) {
          if (n == 0) return base(w);
          return T(w.sign) * inner_product(up(w.rate), down(w.partner, n - 1), n) / T(n);
        });
      case JetOp::integral:
        return each(run, n, [&](const JetSlot& w, std::uint32_t) {
          return n == 0 ? base(w) : up(w.rate)[n - 1] / T(n);
        });
      case JetOp::compose:
        return each(run, n, [&](const JetSlot& w, std::uint32_t s) { return compose(w, s, n); });
      case JetOp::select:
        return each(run, n, [&](const JetSlot& w, std::uint32_t) {
          return up(up(w.a)[0] != 0 ? w.b : w.c)[n];
        });
      case JetOp::step:
        return each(run, n,
                    [&](const JetSlot& w, std::uint32_t) { return n == 0 ? base(w) : T(0); });
    }
  }

  /// Coefficient n of F(s_0 + sigma), sigma_0 = 0: sum of F_m (sigma^m)[n], the powers of sigma kept in a table.
  T compose(const JetSlot& w, std::uint32_t s, int n) {
    const int terms = top + 2;
    T* const f = outer.data() + composed[s];
    if (n == 0) {
      outer_coefficients(*program.graph, w.base, up(w.a)[0], terms, f);
      return f[0];
    }
    const T* const sigma = up(w.a);
    if (w.affine) {
      T power = 1;
      for (int k = 0; k < n; ++k) power *= sigma[1];
      return f[n] * power;
    }
    const auto row = [&](int m) { return f + static_cast<std::ptrdiff_t>(m - 1) * terms; };
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

  /// How much coefficient n of a hot slot moves with the tops, given how its operands do.
  T moved(const JetSlot& w, std::uint32_t s, int n, const T* top_change) {
    const auto by = [&](std::uint32_t operand, int lag) {
      if (operand == no_slot) return T(0);
      const JetSlot& other = program.slots[operand];
      return other.hot && other.lead == w.lead - lag ? change[operand] : T(0);
    };
    switch (w.op) {
      case JetOp::unknown:
        return T(shift_factor(n, w.order)) * top_change[w.a];
      case JetOp::shift:
        return T(shift_factor(n, w.order)) * by(w.a, -w.order);
      case JetOp::add:
        return by(w.a, 0) + by(w.b, 0);
      case JetOp::sub:
        return by(w.a, 0) - by(w.b, 0);
      case JetOp::neg:
        return -by(w.a, 0);
      case JetOp::scale:
        return up(w.a)[0] * by(w.b, 0);
      case JetOp::ratio:
        return by(w.a, 0) / up(w.b)[0];
      case JetOp::mul:
        return by(w.a, 0) * up(w.b)[0] + up(w.a)[0] * by(w.b, 0);
      case JetOp::div:
        return (by(w.a, 0) - up(s)[0] * by(w.b, 0)) / up(w.b)[0];
      case JetOp::sqrt:
        return by(w.a, 0) / (2 * up(s)[0]);
      case JetOp::turn:
        return T(w.sign) * by(w.rate, 1) * up(w.partner)[0] / T(n);
      case JetOp::integral:
        return by(w.rate, 1) / T(n);
      case JetOp::compose:
        return outer[composed[s] + 1] * by(w.a, 0);
      case JetOp::select:
        return by(up(w.a)[0] != 0 ? w.b : w.c, 0);
      case JetOp::invariant:
      case JetOp::time:
      case JetOp::step:
        break;
    }
    return T(0);
  }

  const JetProgram& program;
  int last = 0, top = 0;
  std::size_t stride = 0, unknown_stride = 0;
  T time = 0;
  std::vector<T> upwards, downwards, change, unknowns;
  std::vector<T> outer;  // of compose slots: F_m, then the powers of sigma
  std::vector<std::size_t> composed;
};

template <class T>
Jet<T>::Jet(std::shared_ptr<const JetProgram> program, int last_stage,
            std::span<const double> parameters)
    : program_(std::move(program)) {
  if (last_stage < 0 || last_stage + program_->most_lead > max_jet_order)
    throw std::invalid_argument("the order of a jet is out of range");
  storage_ = std::make_unique<Storage>(*program_, last_stage);
  storage_->compute_invariants(parameters);
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
T& Jet<T>::coefficient(std::uint32_t unknown, int n) {
  return storage_->unknown(unknown, n);
}
template <class T>
T Jet<T>::coefficient(std::uint32_t unknown, int n) const {
  return storage_->unknown(unknown, n);
}

template <class T>
void Jet<T>::evaluate(int stage) {
  for (const JetRun& run : program_->runs)
    if (const int n = stage + run.lead; n >= 0) storage_->compute(run, n);
}

template <class T>
T Jet<T>::row(std::uint32_t i, int stage) const {
  const int n = stage + program_->c[i];
  return n < 0 ? T(0) : storage_->up(program_->rows[i])[n];
}

template <class T>
void Jet<T>::correct(int stage, const T* change) {
  for (std::uint32_t j = 0; j < program_->d.size(); ++j)
    storage_->unknown(j, stage + program_->d[j]) += change[j];
  for (const std::uint32_t s : program_->hot) {
    const JetSlot& slot = program_->slots[s];
    const int n = stage + slot.lead;
    const T moved = storage_->moved(slot, s, n, change);
    storage_->change[s] = moved;
    storage_->set(s, n, storage_->up(s)[n] + moved);
  }
}

template class Jet<double>;
template class Jet<Quad>;

}  // namespace daedal::compile
