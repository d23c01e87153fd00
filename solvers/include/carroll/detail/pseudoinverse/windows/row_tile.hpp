// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/independent.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/host/vector.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>

namespace carroll::detail {

/// Rows in the scratch memory of a thread, column after column, that its lanes factorise.
struct RowTile {
  double* data = nullptr;
  int capacity = 0;  ///< rows of a column

  KOKKOS_FUNCTION double& operator()(int i, int c) const {
    return data[static_cast<std::ptrdiff_t>(c) * capacity + i];
  }
};

/// Σ x·yₗ of a stretch of columns, by the lanes of a device: the same roundings in every kernel,
/// which may get its rows from anywhere.
template <int K, class Member>
KOKKOS_INLINE_FUNCTION Sums<double, K> lane_dots([[maybe_unused]] Member const& team,
                                                 double const* x, double const* const (&y)[K],
                                                 int n) {
  Sums<double, K> total;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, n),
      [&](int i, Sums<double, K>& partial) {
        for (int l = 0; l < K; ++l)
          partial.value[l] = multiply_add(x[i], y[l][i], partial.value[l]);
      },
      total);
  return total;
}

/// Σ x·y of a stretch of two columns.
template <class Member>
KOKKOS_INLINE_FUNCTION double dot([[maybe_unused]] Member const& team, double const* x,
                                  double const* y, int n) {
  double sum = 0;
  KOKKOS_IF_ON_HOST((sum = host_dot(x, y, n);))
  KOKKOS_IF_ON_DEVICE(
      (double const* const columns[1] = {y}; sum = lane_dots<1>(team, x, columns, n)[0];))
  return sum;
}

/// What a column with Σx² = d explains of one with Σx·y = dot: dot/d, and 0 where d is 0; there NaN
/// and infinities of y are seen all the same, for they are in the product.
KOKKOS_INLINE_FUNCTION double quotient(double dot, double d) {
  return d > 0 ? dot / d : dot - dot;
}

/// `eliminate_column` on a host.
template <class Share, class Store>
struct HostColumnElimination {
  RowTile const* tile;
  int begin, rows, column, last;
  Share const* share;
  Store const* store;

  template <int Bytes>
  void run() const {
    double const* const x = &(*tile)(begin, column);
    double const d = dot_of<Bytes>(x, x, rows), taken = (*share)(d);
    (*store)(column, d, 1.0);
    for (int l = column + 1; l <= last; ++l) {
      double* const y = &(*tile)(begin, l);
      double const q = quotient(dot_of<Bytes>(x, y, rows), d), factor = taken * q;
      CARROLL_INDEPENDENT
      for (int i = 0; i < rows; ++i) y[i] -= x[i] * factor;
      (*store)(l, d, q);
    }
  }
};

/// One step of modified Gram-Schmidt on rows begin <= i < end of columns c, …, last: column c is
/// taken off the later ones, `share(d)` times, and stays as it is. Calls store(l, d, q) once per
/// column, l = c included, with d = ‖column c‖² and q = (column c · column l)/d; see quotient().
/// 4 flops per entry. On a GPU four columns at a time, whose sums are then formed together.
template <class Member, class Share, class Store>
KOKKOS_INLINE_FUNCTION void eliminate_column([[maybe_unused]] Member const& team,
                                             RowTile const& tile, int begin, int end, int c,
                                             int last, Share const& share, Store const& store) {
  int const n = end - begin;
  [[maybe_unused]] double const* const x = &tile(begin, c);
  KOKKOS_IF_ON_HOST(
      (with_host_vectors(HostColumnElimination{&tile, begin, n, c, last, &share, &store});))
  KOKKOS_IF_ON_DEVICE(
      (constexpr int width = 4; double d = 0; for (int first = c; first <= last; first += width) {
        // Behind the last column the last one again: its sums are not used.
        double* y[width];
        double const* columns[width];
        for (int l = 0; l < width; ++l)
          columns[l] = y[l] = &tile(begin, first + l < last ? first + l : last);
        auto const dots = lane_dots<width>(team, x, columns, n);
        if (first == c) d = dots[0];
        double q[width];
        for (int l = 0; l < width; ++l) q[l] = quotient(dots[l], d);
        double const taken = share(d);
        lane_for(team, n, [&](int i) {
          for (int l = 0; l < width; ++l)
            if (first + l > c && first + l <= last)
              y[l][i] = multiply_add(-x[i], taken * q[l], y[l][i]);
        });
        once_per_thread(team, [&] {
          for (int l = 0; l < width; ++l)
            if (first + l <= last) store(first + l, d, q[l]);
        });
      }))
}

/// The triangle (R | z), k×(k+1), of `count` rows of k columns and a right-hand side in the tile's
/// columns first, …, first+k. Row-major into `triangle`; entries below the diagonal are not
/// written.
template <class Member>
KOKKOS_INLINE_FUNCTION void factorise_tile(Member const& team, RowTile const& tile, int count,
                                           int first, int k, double* triangle) {
  for (int j = 0; j < k; ++j)
    eliminate_column(
        team, tile, 0, count, first + j, first + k, [](double) { return 1.0; },
        [&](int l, double d, double q) {
          triangle[j * (k + 1) + l - first] =
              l == first + j ? Kokkos::sqrt(d) : Kokkos::sqrt(d) * q;
        });
}

}  // namespace carroll::detail
