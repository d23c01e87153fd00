// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/host_batch/factor.hpp>
#include <carroll/detail/svd/host_batch/finish.hpp>
#include <carroll/detail/svd/host_batch/jacobi.hpp>
#include <carroll/detail/svd/host_batch/pack.hpp>
#include <carroll/detail/svd/host_batch/work.hpp>
#include <type_traits>

namespace carroll::detail::simd {

/// What one thread does with some members: groups of as many as a register has lanes.
template <class Real, class Pack>
class Groups {
 public:
  /// `tolerance` 0 lets PairRule choose.
  Groups(SvdBatch<Real> const& batch, Real tolerance, int max_sweeps)
      : batch_(batch), tolerance_(tolerance), max_sweeps_(max_sweeps) {}

  /// Members begin <= b < end of the selection. `room`: packs_of their extents.
  void run(int begin, int end, Pack* room) const {
    Queue poor;
    for (int b = begin; b < end;) {
      Group group;
      // Ragged members differ in their extents: each is a group of its own.
      do group.add(batch_.index(b++));
      while (!batch_.slots && group.count < Pack::width && b < end);
      solve(group, false, room, poor);
      if (poor.count >= (batch_.slots ? 1 : Pack::width)) solve(poor.take(), true, room, poor);
    }
    if (poor.count > 0) solve(poor.take(), true, room, poor);
  }

 private:
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  using DoublePack = simd::DoublePack<Pack>;
  using Group = simd::Group<Pack::width>;
  using Queue = simd::Queue<Pack::width>;
  using Work = simd::Work<Real, Pack>;
  static constexpr bool has_double_words = first_words<Real> == 2;

  Work start(Group const& group) const {
    Work w{};
    for (int l = 0; l < Pack::width; ++l) {
      if (l < group.count) batch_.states[group[l]] = {};
      w.problem[l] = batch_(group[l]);
    }
    w.m = w.problem[0].rows;
    w.n = w.problem[0].cols;
    return w;
  }

  void solve(Group const& group, bool in_double_words, Pack* room, Queue& poor) const {
    by_itself<Pack::bytes>([&] { decompose(group, in_double_words, room, poor); });
  }

  /// The decomposition of a group, `in_double_words` with its first factorisation in these. Without
  /// it those that want it are added to `poor`.
  void decompose(Group const& group, bool in_double_words, Pack* room, Queue& poor) const {
    Work w = start(group);
    w.arrange(room);
    Mask failed = load(group, w);
    if constexpr (has_double_words)
      failed |= in_double_words ? factorise<DoublePack>(w) : factorise<Pack>(w);
    else
      failed |= factorise<Pack>(w);
    Factor<Pack> const A = w.template as<Pack>();
    Mask waits = 0;
    if (has_double_words && !in_double_words) waits = poorly_separated(A) & ~failed;
    Factor<Pack> const G = w.inner_factor();
    failed = failed | factorise_again(A, G);
    SweepResult<Pack> const result = diagonalise(w, G, failed | waits);
    finish(w, A, G);
    for (int l = 0; l < group.count; ++l) {
      if (waits[l])
        poor.add(group[l]);
      else if (result.failed[l])
        batch_.fallback.add(group[l]);
      else
        write(w, l, result);
    }
    if (w.left_cols > w.n) complete(group, w, A, waits | result.failed);
  }

  /// basis := A as it is, in every lane the member's own or, where `should_transpose` says so, its
  /// transpose. Returns the lanes with an entry that is not finite, or with a zero column.
  Mask load(Group const& group, Work& w) const {
    for (int l = 0; l < Pack::width; ++l) load_lane(w, l);
    Pack const infinity = Kokkos::Experimental::infinity_v<double>;
    Mask const turned = w.m == w.n ? should_transpose(w) : Mask(0);
    for (int l = 0; l < Pack::width; ++l) {
      if (!turned[l]) continue;
      batch_.states[group[l]].turned = 1;
      w.problem[l] = batch_(group[l]);
      load_lane(w, l);
    }
    for (SvdProblem<Real> const& problem : w.problem) {
      w.left_cols = std::max(w.left_cols, problem.left_cols);
      w.right_cols = std::max(w.right_cols, problem.right_cols);
    }
    Mask fine = -1;
    for (int j = 0; j < w.n; ++j) {
      Pack const largest = largest_entry(w.basis.col(j), 1, w.m);
      fine = fine & (largest > Pack(0.0)) & (largest < infinity);
      w.exponents[j] = exponent_of(largest);
    }
    return ~fine;
  }

  void load_lane(Work const& w, int l) const {
    auto* const to = reinterpret_cast<double*>(w.basis.data) + l;
    StridedMatrix<Real const> const& a = w.problem[l].a;
    for (int j = 0; j < w.n; ++j)
      for (int i = 0; i < w.m; ++i) to[(j * w.m + i) * Pack::width] = static_cast<double>(a(i, j));
  }

  /// Infinite if an entry is not finite.
  static Pack largest_entry(Pack const* x, int stride, int count) {
    Pack const infinity = Kokkos::Experimental::infinity_v<double>;
    Pack largest = 0.0;
    for (int i = 0; i < count; ++i) {
      Pack const size = abs(x[i * stride]);
      largest = max(largest, select(size < infinity, size, infinity));
    }
    return largest;
  }

  /// The lanes whose square A is scaled by rows rather than by columns, by more than 2^8: see
  /// PrepareKernel.
  static Mask should_transpose(Work const& w) {
    auto const spread = [&](int stride, int next) {
      Ints top = -(1 << 30), bottom = 1 << 30;
      for (int j = 0; j < w.n; ++j) {
        Pack const largest = largest_entry(w.basis.data + j * next, stride, w.n);
        Mask const present = largest > Pack(0.0);
        Ints const e = exponent_of(largest);
        top = select(present, max(top, e), top);
        bottom = select(present, min(bottom, e), bottom);
      }
      return top - bottom;
    };
    return spread(w.m, 1) > spread(1, w.m) + Ints(8);
  }

  /// A·P = Q·R of the columns scaled to largest entries in [1/2, 1). With T of double words the
  /// result is rounded: of R's entries that disturbs each by its own last digit only.
  template <class T>
  Mask factorise(Work const& w) const {
    Factor<T> const A = w.template as<T>();
    for (int j = 0; j < w.n; ++j) {
      Scaling<Pack> const down(-w.exponents[j]);
      T* const x = A.F.col(j);
      for (int i = 0; i < w.m; ++i) x[i] = down(w.basis(i, j));
      A.norms[j] = square_root(dot(x, x, 0, w.m));
    }
    Mask const failed = pivoted_qr(A);
    if constexpr (!std::is_same_v<T, Pack>) {
      // Downwards in place: a rounded entry is never written over one still to be read.
      Factor<Pack> const rounded = w.template as<Pack>();
      for (int k = 0; k < w.m * w.n; ++k) rounded.F.data[k] = leading(A.F.data[k]);
      for (int k = 0; k < w.n; ++k) rounded.tau[k] = leading(A.tau[k]);
    }
    return failed;
  }

  /// Rᵀ·P₂ = Q₂·R₂.
  static Mask factorise_again(Factor<Pack> const& A, Factor<Pack> const& G) {
    transpose_triangle(A, G.F, G.exponents);
    for (int j = 0; j < G.cols; ++j) G.norms[j] = sqrt(dot(G.F.col(j), G.F.col(j), j, G.cols));
    return pivoted_qr(G);
  }

  /// X := W·Σ and J. J is solved for; in lanes where it does not come out orthogonal the sweeps are
  /// run once more to accumulate it.
  SweepResult<Pack> diagonalise(Work const& w, Factor<Pack> const& G, Mask const& excluded) const {
    auto const rule = PairRule<Real>::of(tolerance_, w.n);
    PairRule<double> const wide{rule.tolerance, rule.rotate_above};
    transpose_triangle(G, w.X, w.x_exponents);
    Sweeping<Pack> at{w.X, w.n, w.x_exponents, w.sigma, {nullptr, 0}};
    auto const result = sweep_all(wide, max_sweeps_, at, excluded);
    if (w.right_cols == 0) return result;
    solve_rotations(G, w.X, w.x_exponents, w.J);
    double const limit = 6 * w.n * double(Kokkos::Experimental::epsilon_v<Real>);
    Mask wanted = 0;
    for (int l = 0; l < Pack::width; ++l) wanted.set(l, w.problem[l].right_cols > 0 ? -1 : 0);
    Mask const poor = not_orthonormal(w.J, w.n, limit, w.sigma) & wanted & ~result.failed;
    if (any(poor)) {
      PackColumns<Pack> const accumulated = w.basis;
      for (int j = 0; j < w.n; ++j)
        for (int i = 0; i < w.n; ++i) accumulated(i, j) = i == j ? 1.0 : 0.0;
      transpose_triangle(G, w.X, w.x_exponents);
      at.J = accumulated;
      sweep_all(wide, max_sweeps_, at, excluded);
      for (int j = 0; j < w.n; ++j)
        for (int i = 0; i < w.n; ++i) w.J(i, j) = select(poor, accumulated(i, j), w.J(i, j));
    }
    return result;
  }

  /// The left vectors that belong to no singular value: Q's columns from n on, n at a time.
  void complete(Group const& group, Work const& w, Factor<Pack> const& A,
                Mask const& excluded) const {
    for (int begin = w.n; begin < w.left_cols; begin += w.n) {
      int const count = std::min(w.n, w.left_cols - begin);
      for (int j = 0; j < count; ++j)
        for (int i = 0; i < w.m; ++i) w.basis(i, j) = i == begin + j ? 1.0 : 0.0;
      apply_reflectors(A, w.basis, count);
      for (int l = 0; l < group.count; ++l) {
        if (excluded[l]) continue;
        for (int j = 0; j < count && begin + j < w.problem[l].left_cols; ++j)
          for (int i = 0; i < w.m; ++i)
            w.problem[l].left(i, begin + j) = entry<Real>(w.basis(i, j), l);
      }
    }
  }

  SvdBatch<Real> batch_;
  Real tolerance_;
  int max_sweeps_;
};

}  // namespace carroll::detail::simd
