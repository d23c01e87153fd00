// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/batch.hpp>
#include <carroll/detail/complex_svd/team/factorise.hpp>
#include <carroll/detail/svd/common/order.hpp>
#include <carroll/detail/team.hpp>

/// From orthogonal columns to the caller's U, S and V, by one team.
namespace carroll::detail {

/// Of one decomposition: sizes that the factorisations have found.
struct ComplexSvdSizes {
  int worked;      ///< columns that Jacobi works on: reflectors of the first QR
  int inner_rank;  ///< reflectors of the second one
};

template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void fill_complex(Member const& team,
                                         StridedMatrix<Kokkos::complex<Real>> const& to, int rows,
                                         int cols, Kokkos::complex<Real> const& value) {
  thread_for(team, cols, [&](int j) { lane_for(team, rows, [&](int i) { to(i, j) = value; }); });
}

/// Column `missing` of Q := a unit vector orthogonal to columns [0, missing), which are
/// orthonormal: as `complete_column` does it for real ones. `dots` holds 2·missing entries.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void complete_complex_column(Member const& team,
                                                    StridedMatrix<Kokkos::complex<Real>> const& Q,
                                                    int m, int missing, Real* dots) {
  using Value = Kokkos::complex<Real>;
  auto const y = Q.col(missing);
  auto const square = [](Value const& z) { return z.real() * z.real() + z.imag() * z.imag(); };
  auto const all_rows = Kokkos::TeamVectorRange(team, m);
  Kokkos::parallel_for(all_rows, [&](int i) {
    Real covered = 0;
    for (int j = 0; j < missing; ++j) covered += square(Q(i, j));
    y(i) = covered;
  });
  team.team_barrier();
  int start = 0;
  for (int i = 1; i < m; ++i)
    if (y(i).real() < y(start).real()) start = i;
  team.team_barrier();
  Kokkos::parallel_for(all_rows, [&](int i) { y(i) = i == start ? Real(1) : Real(0); });
  team.team_barrier();
  for (int pass = 0; pass < 2; ++pass) {
    thread_for(team, missing, [&](int j) {
      auto const dot = column_sums<SummedRows::few, Real, 2>(team, m, [&](int i) {
        Value const z = conjugate(Value(Q(i, j))) * y(i);
        return Sums<Real, 2>{{z.real(), z.imag()}};
      });
      once_per_thread(team, [&] {
        dots[2 * j] = dot[0];
        dots[2 * j + 1] = dot[1];
      });
    });
    team.team_barrier();
    Kokkos::parallel_for(all_rows, [&](int i) {
      Value projection{};
      for (int j = 0; j < missing; ++j) projection += Value(dots[2 * j], dots[2 * j + 1]) * Q(i, j);
      y(i) -= projection;
    });
    team.team_barrier();
  }
  Real const norm =
      Kokkos::sqrt(column_sum<SummedRows::few, Real>(team, m, [&](int i) { return square(y(i)); }));
  team.team_barrier();
  Kokkos::parallel_for(all_rows, [&](int i) { y(i) /= norm; });
  team.team_barrier();
}

/// order(), S and the last of the info, given the norms of Jacobi's columns. Returns how many
/// singular values are not zero.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION int write_complex_values(Member const& team,
                                                ComplexSvdProblem<Real> const& problem, int worked,
                                                SvdInfo<Real> info) {
  Real const* const sigma = problem.norms();
  int const* const exponents = problem.working_exponents();
  int const ordered =
      order_by_norm(team, worked, sigma, exponents, [&](int k, int j) { problem.order()[k] = j; });
  // Relative to a power of two near σ₁ for the rank, so that nothing over- or underflows.
  auto const value = [&](int k, int down) {
    int const j = problem.order()[k];
    return scale(sigma[j], exponents[j] - down);
  };
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, problem.cols),
                       [&](int k) { problem.s(k) = k < ordered ? value(k, 0) : Real(0); });
  if (ordered > 0) {
    int const top = exponents[problem.order()[0]];
    Real const least = value(0, top) * problem.rows * Kokkos::Experimental::epsilon_v<Real>;
    for (int k = 0; k < ordered && value(k, top) > least; ++k) ++info.rank;
    if (info.status == Status::success && Kokkos::isinf(value(0, 0)))
      info.status = Status::overflow;
  }
  Kokkos::single(Kokkos::PerTeam(team), [&] { *problem.info = info; });
  return ordered;
}

/// U := Q·[P₂·W 0; 0 I], W the columns of X divided by their norms. Columns without a singular
/// value come from the reflectors for free, but for those that rotations made exactly zero.
template <SummedRows summed, class Real, class Member>
KOKKOS_INLINE_FUNCTION void write_complex_left(Member const& team,
                                               ComplexSvdProblem<Real> const& problem,
                                               SplitColumns<Real> const& X, int ordered) {
  auto const& U = problem.left;
  int const m = problem.rows, worked = X.rows;
  thread_for(team, ordered, [&](int k) {
    int const j = problem.order()[k];
    Real const norm = problem.norms()[j];
    lane_for(team, m, [&](int i) {
      if (i < worked)
        U(problem.inner_permutation()[i], k) = X(i, j) / norm;
      else
        U(i, k) = Real(0);
    });
  });
  team.team_barrier();
  for (int k = ordered; k < worked; ++k) {
    complete_complex_column<Real>(team, U, worked, k, problem.dots());
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, m - worked),
                         [&](int i) { U(worked + i, k) = Real(0); });
  }
  thread_for(team, problem.left_cols - worked, [&](int c) {
    lane_for(team, m, [&](int i) { U(i, worked + c) = i == worked + c ? Real(1) : Real(0); });
  });
  team.team_barrier();
  thread_for(team, problem.left_cols, [&](int k) {
    apply_complex_reflectors<summed>(team, problem.factor(), problem.tau(), worked,
                                     ComplexColumn<Real>{U.col(k)});
  });
}

/// V := P·Q₂·[J 0; 0 I]. J holds the rotations' product in its leading block of `worked` rows.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void write_complex_right(Member const& team,
                                                ComplexSvdProblem<Real> const& problem,
                                                SplitColumns<Real> const& J,
                                                ComplexSvdSizes const& sizes) {
  int const n = problem.cols, worked = sizes.worked;
  auto const& V = problem.right;
  thread_for(team, problem.right_cols, [&](int k) {
    int const j = k < worked ? problem.order()[k] : k;
    lane_for(team, n, [&](int i) {
      if (j >= worked || i >= worked) J.set(i, j, i == j ? Real(1) : Real(0));
    });
    apply_complex_reflectors<SummedRows::few>(team, problem.inner_factor(), problem.inner_tau(),
                                              sizes.inner_rank, SplitColumn<Real>{J, j});
    lane_for(team, n, [&](int i) { V(problem.permutation()[i], k) = J(i, j); });
  });
}

template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void refuse_complex(Member const& team,
                                           ComplexSvdProblem<Real> const& problem) {
  constexpr Real nan = Kokkos::Experimental::quiet_NaN_v<Real>;
  fill_complex<Real>(team, problem.left, problem.rows, problem.left_cols, {nan, nan});
  fill_complex<Real>(team, problem.right, problem.cols, problem.right_cols, {nan, nan});
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, problem.cols),
                       [&](int k) { problem.s(k) = nan; });
  Kokkos::single(Kokkos::PerTeam(team),
                 [&] { *problem.info = {.status = Status::non_finite, .max_cosine = nan}; });
}

}  // namespace carroll::detail
