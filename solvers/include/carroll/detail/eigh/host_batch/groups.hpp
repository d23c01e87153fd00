// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/host_batch/hermitian.hpp>
#include <carroll/detail/eigh/host_batch/ql.hpp>
#include <carroll/detail/eigh/host_batch/tridiagonal.hpp>
#include <carroll/detail/eigh/host_batch/work.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/svd/host_batch/work.hpp>
#include <limits>

namespace carroll::detail::simd {

/// What one thread does with some members: groups of equal order, as many as a register has lanes.
template <class T, class Pack>
class SymmetricGroups {
  using Real = RealOf<T>;
  static constexpr bool complex = is_complex<T>;

 public:
  static constexpr int width = Pack::width;

  SymmetricGroups(EighBatch<T> const& batch, int max_sweeps)
      : batch_(batch), max_sweeps_(max_sweeps) {}

  /// Members begin <= b < end of the selection. `room`: eigh_room of the largest order.
  void run(int begin, int end, Pack* room) const {
    for (int b = begin; b < end;) {
      int const n = order(b), most = n <= most_twin_order<complex> ? 2 : 1;
      Group groups[2];
      int count = 0;
      while (count < most && b < end && order(b) == n) {
        Group& group = groups[count++];
        do group.add(batch_.index(b++));
        while (group.count < width && b < end && order(b) == n);
      }
      if (count == 2)
        solve<2>(groups, n, room);
      else
        solve<1>(groups, n, room);
    }
  }

 private:
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  using Group = simd::Group<width>;
  using Work = SymmetricWork<Pack>;

  int order(int b) const { return batch_(batch_.index(b)).n; }

  template <int Count>
  void solve(Group const* groups, int n, Pack* room) const {
    if (n == 0) {
      for (int t = 0; t < Count; ++t)
        for (int l = 0; l < groups[t].count; ++l) *batch_(groups[t][l]).info = {};
      return;
    }
    Work at[Count];
    Ints exponents[Count];
    Mask finite[Count];
    QlResult<Pack> results[Count];
    bool const vectors = batch_(groups[0][0]).vectors();
    for (int t = 0; t < Count; ++t) {
      at[t] = Work(n, complex, room + static_cast<std::size_t>(t) * eigh_packs<complex>(n));
      for (int l = 0; l < width; ++l) load(batch_(groups[t][l]), at[t], l);
      by_itself<Pack::bytes>([&] { finite[t] = scale_down(at[t], exponents[t]); });
      if constexpr (complex) {
        tridiagonalise_hermitian(at[t]);
        if (vectors) form_complex_vectors(at[t]);
      } else {
        tridiagonalise(at[t]);
        if (vectors) form_vectors(at[t]);
      }
    }
    diagonalise<Count>(at, most_ql_steps(max_sweeps_, n), vectors, results);
    for (int t = 0; t < Count; ++t) {
      by_itself<Pack::bytes>([&] {
        put_in_order(at[t]);
        if (vectors) complex ? normalise_phases(at[t]) : normalise_signs(at[t]);
      });
      for (int l = 0; l < groups[t].count; ++l) {
        EighProblem<T> const problem = batch_(groups[t][l]);
        if (finite[t][l])
          write(problem, at[t], l, static_cast<int>(exponents[t][l]), results[t]);
        else
          refuse(problem);
      }
    }
  }

  static void load(EighProblem<T> const& problem, Work const& at, int l) {
    for (int i = 0; i < at.n; ++i) {
      auto* const to = reinterpret_cast<Real*>(at.row(i)) + l;
      if constexpr (complex) {
        auto* const imaginary = reinterpret_cast<Real*>(at.imaginary(i)) + l;
        for (int j = 0; j <= i; ++j) {
          T const z = problem.lower(i, j);
          to[j * width] = z.real();
          imaginary[j * width] = z.imag();
        }
      } else {
        for (int j = 0; j <= i; ++j) to[j * width] = problem.a(i, j);
      }
    }
  }

  /// f of the lower triangle's entries, of complex ones of both parts.
  template <class F>
  static void for_entries(Work const& at, F const& f) {
    for (int r = 0; r < at.rows; ++r)
      for (int j = 0; j <= (r < at.n ? r : r - at.n); ++j) f(at.row(r)[j]);
  }

  /// Brings the largest entry of each matrix near 1, and what is not finite to 0. Returns the lanes
  /// that are finite.
  static Mask scale_down(Work const& at, Ints& exponents) {
    Pack const infinity = std::numeric_limits<Real>::infinity();
    Pack largest = Pack(0);
    for_entries(at, [&](Pack const& x) {
      Pack const size = abs(x);
      largest = max(largest, select(size < infinity, size, infinity));
    });
    Mask const finite = largest < infinity;
    exponents = (finite & (largest > Pack(0))) & Ints(exponent_of(largest));
    Ints const half = -exponents >> 1;
    Pack const first = Pack::power_of_two(half), second = Pack::power_of_two(-exponents - half);
    for_entries(at, [&](Pack& x) { x = select(finite, x * first * second, Pack(0)); });
    return finite;
  }

  /// The place of each eigenvalue, first come first on equal ones.
  static void put_in_order(Work const& at) {
    for (int j = 0; j < at.n; ++j) at.places[j] = Ints(0);
    for (int j = 0; j < at.n; ++j)
      for (int i = 0; i < j; ++i) {
        Mask const after = at.d[j] < at.d[i];
        at.places[i] -= after;
        at.places[j] -= ~after;
      }
  }

  /// Turns vectors so that the first of their largest entries is positive.
  static void normalise_signs(Work const& at) {
    for (int j = 0; j < at.n; ++j) {
      Pack largest = Pack(0), sign = Pack(1);
      for (int i = 0; i < at.n; ++i) {
        Pack const x = at.row(i)[j], size = abs(x);
        Mask const larger = size > largest;
        largest = select(larger, size, largest);
        sign = select(larger, select(x < Pack(0), Pack(-1), Pack(1)), sign);
      }
      at.w[j] = sign;
    }
    for (int i = 0; i < at.n; ++i)
      for (int j = 0; j < at.n; ++j) at.row(i)[j] = at.row(i)[j] * at.w[j] + Pack(0);
  }

  /// Turns complex vectors so that the first of their largest entries is positive.
  static void normalise_phases(Work const& at) {
    for (int j = 0; j < at.n; ++j) {
      Pack largest = Pack(0), re = Pack(1), im = Pack(0);
      Ints first = Ints(0);
      for (int i = 0; i < at.n; ++i) {
        Pack const x = at.row(i)[j], y = at.imaginary(i)[j];
        Pack const square = accumulate(x * x, y, y);
        Mask const larger = square > largest;
        largest = select(larger, square, largest);
        re = select(larger, x, re);
        im = select(larger, y, im);
        first = select(larger, Ints(i), first);
      }
      Pack const size = sqrt(largest);
      Pack const divisor = select(largest > Pack(0), size, Pack(1));
      Pack const c = re / divisor, s = im / divisor;
      for (int i = 0; i < at.n; ++i) {
        Pack const x = at.row(i)[j], y = at.imaginary(i)[j];
        Mask const own = first == Ints(i);
        at.row(i)[j] = select(own, size, accumulate(x * c, y, s) + Pack(0));
        at.imaginary(i)[j] = select(own, Pack(0), subtract_product(y * c, x, s) + Pack(0));
      }
    }
  }

  static void refuse(EighProblem<T> const& problem) {
    Real const nan = std::numeric_limits<Real>::quiet_NaN();
    for (int k = 0; k < problem.n; ++k) problem.w(k) = nan;
    for (int j = 0; problem.vectors() && j < problem.n; ++j)
      for (int i = 0; i < problem.n; ++i) problem.v(i, j) = quiet_nan<T>();
    *problem.info = {.status = Status::non_finite};
  }

  static void write(EighProblem<T> const& problem, Work const& at, int l, int exponent,
                    QlResult<Pack> const& result) {
    int const n = at.n;
    Real largest = 0;
    bool overflow = false;
    for (int j = 0; j < n; ++j) {
      Real const x = at.d[j][l];
      Real const value = carroll::detail::scale(x, exponent) + Real(0);
      problem.w(static_cast<int>(at.places[j][l])) = value;
      overflow = overflow || Kokkos::isinf(value);
      largest = Kokkos::max(largest, Kokkos::abs(x));
    }
    Real const least = largest * rank_limit<Real>(n);
    EighInfo<Real> info;
    for (int j = 0; j < n; ++j) {
      Real const x = at.d[j][l];
      info.rank += Kokkos::abs(x) > least ? 1 : 0;
      info.negative += -x > least ? 1 : 0;
    }
    info.sweeps = static_cast<int>(result.steps[l]);
    info.status = !result.converged[l] ? Status::not_converged
                  : overflow           ? Status::overflow
                                       : Status::success;
    *problem.info = info;
    if (!problem.vectors()) return;
    for (int j = 0; j < n; ++j) {
      auto const k = static_cast<int>(at.places[j][l]);
      for (int i = 0; i < n; ++i) {
        if constexpr (complex)
          problem.v(i, k) = T(at.row(i)[j][l], at.imaginary(i)[j][l]);
        else
          problem.v(i, k) = at.row(i)[j][l];
      }
    }
  }

  EighBatch<T> batch_;
  int max_sweeps_;
};

}  // namespace carroll::detail::simd
