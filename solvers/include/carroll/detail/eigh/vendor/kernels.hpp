// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/common/output.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>

/// What stands between a library's eigenvectors and the caller's matrices, for VendorEigenpairs: a
/// thread of a team per column.
namespace carroll::detail {

/// Of a matrix, and of what the library has made of it. What is not a number counts as infinite.
struct VendorMeasure {
  double largest = 0;    ///< entry
  double norm = 0;       ///< of the scaled matrix: the largest sum of a column's moduli, as below
  double residual = 0;   ///< of A·V - V·diag(W)
  double deviation = 0;  ///< of VᵀV - I
  int complaint = 0;     ///< of the library
};

/// Matrices of doubles, column by column without gaps.
struct VendorMatrices {
  double* a;        ///< both triangles of A, scaled; later V as it is returned
  double* v;        ///< what the library is given, and gives back
  double* product;  ///< A·V
  double* overlap;  ///< the upper triangle of VᵀV
  double* values;
  int n;

  KOKKOS_FUNCTION Columns<double> columns(double* data) const { return {data, n}; }
};

/// Columns of a team.
inline constexpr int vendor_columns = 8;

/// f(j) for the columns of a team.
template <class Member, class F>
KOKKOS_INLINE_FUNCTION void for_own_columns(Member const& team, int n, F const& f) {
  int const first = team.league_rank() * vendor_columns;
  int const left = n - first;
  thread_for(team, left < vendor_columns ? left : vendor_columns, [&](int c) { f(first + c); });
}

/// Takes a thread's result into account, in any order.
template <class Member>
KOKKOS_INLINE_FUNCTION void keep_largest(Member const& team, double* largest, double x) {
  double const infinity = Kokkos::Experimental::infinity_v<double>;
  double const counted = x >= 0 ? x : infinity;
  once_per_thread(team, [&] { Kokkos::atomic_max(largest, counted); });
}

template <class ExecSpace, class Real>
struct VendorLargestKernel {
  EighBatch<Real> batch;
  int place;
  VendorMeasure* measure;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    EighProblem<Real> const problem = batch(batch.index(place));
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    for_own_columns(team, problem.n, [&](int j) {
      Real const largest = lane_max<Real>(team, problem.n - j, [&](int i) {
        Real const size = Kokkos::abs(problem.a(j + i, j));
        return size < infinity ? size : infinity;
      });
      keep_largest(team, &measure->largest, static_cast<double>(largest));
    });
  }
};

/// A·2^-exponent, twice, and its norm.
template <class ExecSpace, class Real>
struct VendorLoadKernel {
  EighBatch<Real> batch;
  int place, exponent;
  VendorMatrices matrices;
  VendorMeasure* measure;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    EighProblem<Real> const problem = batch(batch.index(place));
    int const n = matrices.n;
    for_own_columns(team, n, [&](int j) {
      double* const a = matrices.columns(matrices.a).col(j);
      double* const v = matrices.columns(matrices.v).col(j);
      lane_for(team, n, [&](int i) {
        Real const x = i < j ? problem.a(j, i) : problem.a(i, j);
        v[i] = a[i] = scale(static_cast<double>(x), -exponent);
      });
      keep_largest(team, &measure->norm,
                   lane_sum<double>(team, n, [&](int i) { return Kokkos::abs(a[i]); }));
    });
  }
};

/// How far what the library says is from being true.
template <class ExecSpace>
struct VendorMeasureKernel {
  VendorMatrices matrices;
  VendorMeasure* measure;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const n = matrices.n;
    Columns<double> const overlap = matrices.columns(matrices.overlap);
    for_own_columns(team, n, [&](int j) {
      double const* const v = matrices.columns(matrices.v).col(j);
      double const* const product = matrices.columns(matrices.product).col(j);
      double const value = matrices.values[j];
      bool const ascends = j == 0 || matrices.values[j - 1] <= value;
      double const residual =
          lane_sum<double>(team, n, [&](int i) { return Kokkos::abs(product[i] - value * v[i]); });
      double const deviation = lane_sum<double>(team, n, [&](int i) {
        double const x = overlap(Kokkos::min(i, j), Kokkos::max(i, j));
        return Kokkos::abs(x - (i == j ? 1 : 0));
      });
      keep_largest(team, &measure->residual, ascends ? residual : -1.0);
      keep_largest(team, &measure->deviation, deviation);
    });
  }
};

/// W, V and the info from what the library says, as write_eigenpairs does.
template <class ExecSpace, class Real>
struct VendorStoreKernel {
  EighBatch<Real> batch;
  int place, exponent;
  VendorMatrices matrices;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    EighProblem<Real> const problem = batch(batch.index(place));
    int const n = matrices.n;
    for_own_columns(team, n, [&](int j) {
      once_per_thread(team, [&] { problem.w(j) = value(j); });
      if (!problem.vectors()) return;
      double const* const v = matrices.columns(matrices.v).col(j);
      // The sign is that of numbers as they are returned, of which more are equal.
      Real* const x = reinterpret_cast<Real*>(matrices.a) + std::ptrdiff_t{n} * j;
      lane_for(team, n, [&](int i) { x[i] = static_cast<Real>(v[i]); });
      int const first = first_largest(team, n, x);
      Real const sign = first < n && x[first] < Real(0) ? Real(-1) : Real(1);
      lane_for(team, n, [&](int i) { problem.v(i, j) = sign * x[i] + Real(0); });
    });
    if (team.league_rank() == 0) write_info(team, problem);
  }

 private:
  /// What rounding errors of rounding errors have left of a zero would not be the same bits at
  /// every scale: in single precision it would leave the range.
  KOKKOS_FUNCTION Real value(int j) const {
    double const* const w = matrices.values;
    double const least =
        power_of_two<double>(-60) * Kokkos::max(Kokkos::abs(w[0]), Kokkos::abs(w[matrices.n - 1]));
    double const kept = Kokkos::abs(w[j]) < least ? 0.0 : w[j];
    return static_cast<Real>(scale(kept, exponent)) + Real(0);
  }

  KOKKOS_FUNCTION void write_info(TeamMember<ExecSpace> const& team,
                                  EighProblem<Real> const& problem) const {
    int const n = matrices.n;
    double const* const w = matrices.values;
    double const least = static_cast<double>(rank_limit<Real>(n)) *
                         Kokkos::max(Kokkos::abs(w[0]), Kokkos::abs(w[n - 1]));
    int const rank = count_of(team, n, [&](int k) { return Kokkos::abs(w[k]) > least; });
    int const negative = count_of(team, n, [&](int k) { return -w[k] > least; });
    bool const overflow = Kokkos::isinf(value(0)) || Kokkos::isinf(value(n - 1));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      *problem.info = {.status = overflow ? Status::overflow : Status::success,
                       .sweeps = 0,
                       .rank = rank,
                       .negative = negative};
    });
  }
};

/// Of a matrix with entries that are not finite.
template <class ExecSpace, class Real>
struct VendorRefuseKernel {
  EighBatch<Real> batch;
  int place;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    refuse(team, batch(batch.index(place)), Status::non_finite);
  }
};

}  // namespace carroll::detail
