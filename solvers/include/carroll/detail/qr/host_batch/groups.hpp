// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/host_lanes.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/host_batch/pivoting.hpp>
#include <carroll/detail/qr/host_batch/reflect.hpp>
#include <carroll/detail/qr/host_batch/work.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/field.hpp>
#include <carroll/detail/svd/host_batch/work.hpp>
#include <limits>

namespace carroll::detail::simd {

/// What one thread does with some members: groups of equal extents, as many as a register has
/// lanes.
template <class Value, class Pack>
class QrGroups {
  using Real = RealOf<Value>;

 public:
  static constexpr int width = Pack::width;

  explicit QrGroups(QrBatch<Value> const& batch) : batch_(batch) {}

  /// Members begin <= b < end of the selection. `room`: qr_room of the largest.
  void run(int begin, int end, Pack* room) const {
    for (int b = begin; b < end;) {
      QrProblem<Value> const first = problem(b);
      Group group;
      do group.add(batch_.index(b++));
      while (group.count < width && b < end && problem(b).m == first.m && problem(b).n == first.n);
      solve(group, first, room);
    }
  }

 private:
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  using Group = simd::Group<width>;
  using Number = NumberOf<Value, Pack>;
  using Work = QrWork<Number>;
  static constexpr int strip = qr_strip<parts_of<Number>>;

  QrProblem<Value> problem(int b) const { return batch_(batch_.index(b)); }

  void solve(Group const& group, QrProblem<Value> const& first, Pack* room) const {
    Work const at(first.m, first.n, room);
    Mask finite, overflow;
    load_lanes(lane_matrices<width, Value const>([&](int l) { return batch_(group[l]).a; }), at.m,
               at.n, at.m, reinterpret_cast<Real*>(at.A));
    by_itself<Pack::bytes>([&] {
      finite = scale_down(at);
      if (first.pivots())
        factorise_pivoted(at);
      else
        factorise(at);
    });
    for_strips<strip>(0, first.q_cols, [&]<int C>(int j) {
      by_itself<Pack::bytes>([&] {
        form_columns<C>(at, j);
        give_signs<C>(at, j);
      });
      store_lanes(
          reinterpret_cast<Real const*>(at.Q), at.m, C, at.m,
          lane_matrices<width, Value>([&](int l) { return from_column(batch_(group[l]).q, j); }),
          group.count);
    });
    int ranks[width];
    for (int l = 0; l < group.count; ++l) ranks[l] = first.pivots() ? rank(first, at, l) : -1;
    by_itself<Pack::bytes>([&] { overflow = scale_up(at); });
    for (int l = 0; l < group.count; ++l) {
      QrProblem<Value> const own = batch_(group[l]);
      if (!finite[l]) {
        refuse(own);
        continue;
      }
      write_triangle(own, at, l);
      *own.info = {.status = overflow[l] ? Status::overflow : Status::success, .rank = ranks[l]};
    }
  }

  /// Takes a power of two out of each column, so that its largest entry is near 1, and makes what
  /// is not finite 0. Returns the lanes that are finite.
  static Mask scale_down(Work const& at) {
    Pack const infinity = std::numeric_limits<Real>::infinity();
    Mask finite = ~Mask(0);
    for (int j = 0; j < at.n; ++j) {
      Pack largest = Pack(0);
      for (int i = 0; i < at.m; ++i) {
        largest = max(largest, bounded_part(at.col(j)[i], infinity));
      }
      finite = finite & (largest < infinity);
      at.exponents[j] = (largest > Pack(0)) & (largest < infinity) & Ints(exponent_of(largest));
    }
    bool const all = !any(~finite);
    for (int j = 0; j < at.n; ++j) {
      Ints const half = -at.exponents[j] >> 1;
      Pack const first = Pack::power_of_two(half),
                 second = Pack::power_of_two(-at.exponents[j] - half);
      for (int i = 0; i < at.m; ++i) {
        Number const x = at.col(j)[i] * first * second;
        at.col(j)[i] = all ? x : select(finite, x, real_number<Number>(Pack(0)));
      }
    }
    return finite;
  }

  /// Diagonal entries before the first one that counts as zero.
  int rank(QrProblem<Value> const& own, Work const& at, int l) const {
    Real const tolerance = batch_.tolerance(own);
    int count = 0;
    for (; count < at.k; ++count) {
      auto const shift = static_cast<int>(at.exponents[count][l] - at.exponents[0][l]);
      Real const size = Kokkos::abs(at.beta[count][l]);
      if (!(carroll::detail::scale(size, shift) > tolerance * Kokkos::abs(at.beta[0][l]))) break;
    }
    return count;
  }

  /// Of Q's columns [first, first + C), so that R's diagonal is not negative.
  template <int C>
  static void give_signs(Work const& at, int first) {
    for (int c = 0; c < C; ++c) {
      bool const reflected = first + c < at.k;
      Pack const sign =
          !reflected ? Pack(1) : select(at.beta[first + c] < Pack(0), Pack(-1), Pack(1));
      Number* const y = at.Q + static_cast<std::ptrdiff_t>(c) * at.m;
      for (int i = 0; i < at.m; ++i) y[i] = without_negative_zeros(y[i] * sign);
    }
  }

  /// R's triangle with its signs and powers of two. Returns the lanes where an entry is beyond the
  /// range.
  static Mask scale_up(Work const& at) {
    Pack const infinity = std::numeric_limits<Real>::infinity();
    Mask overflow = Mask(0);
    for (int i = 0; i < at.k; ++i) at.signs[i] = select(at.beta[i] < Pack(0), Pack(-1), Pack(1));
    for (int j = 0; j < at.n; ++j) {
      Number* const x = at.col(j);
      if (j < at.k) x[j] = real_number<Number>(at.beta[j]);
      Ints const half = at.exponents[j] >> 1;
      Pack const first = Pack::power_of_two(half),
                 second = Pack::power_of_two(at.exponents[j] - half);
      for (int i = 0; i < at.k && i <= j; ++i) {
        x[i] = without_negative_zeros(x[i] * at.signs[i] * first * second);
        overflow = overflow | ~(bounded_part(x[i], infinity) < infinity);
      }
    }
    return overflow;
  }

  static StridedMatrix<Value> from_column(StridedMatrix<Value> const& x, int j) {
    return {x.data + j * x.col_stride, x.row_stride, x.col_stride};
  }

  static void write_triangle(QrProblem<Value> const& own, Work const& at, int l) {
    for (int j = 0; j < at.n; ++j) {
      auto const* const from = reinterpret_cast<Real const*>(at.col(j));
      int const above = j < at.k ? j + 1 : at.k;
      for (int i = 0; i < above; ++i)
        own.r(i, j) = lane_entry<width, Value>(from + i * width * parts_of<Number>, l);
      for (int i = above; i < own.r_rows; ++i) own.r(i, j) = 0;
      if (own.pivots()) own.p(j) = static_cast<int>(at.order[j][l]);
    }
  }

  static void refuse(QrProblem<Value> const& own) {
    Value const nan = quiet_nan<Value>();
    for (int j = 0; j < own.n; ++j) {
      for (int i = 0; i < own.r_rows; ++i) own.r(i, j) = nan;
      if (own.pivots()) own.p(j) = j;
    }
    for (int j = 0; j < own.q_cols; ++j)
      for (int i = 0; i < own.m; ++i) own.q(i, j) = nan;
    *own.info = {.status = Status::non_finite, .rank = own.pivots() ? 0 : -1};
  }

  QrBatch<Value> batch_;
};

}  // namespace carroll::detail::simd
