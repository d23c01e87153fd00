// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/spectral/columns.hpp>
#include <carroll/detail/svd/tiled/shared_columns.hpp>
#include <carroll/detail/team.hpp>

/// What stands between a library's eigenvectors and products, for SpectralStart: a warp per column.
namespace carroll::detail {

/// Five n×n matrices of doubles, column by column.
struct SpectralMatrices {
  double *x, *v, *y;  ///< X as doubles; V; Y = X·V
  double* overlap;    ///< the upper triangle of VᵀV
  double* gram;       ///< the upper triangle of YᵀY
  int n;

  KOKKOS_FUNCTION Columns<double> columns(double* data) const { return {data, n}; }
  KOKKOS_FUNCTION double* angles() const { return x; }  ///< once Y is there
  /// What V and Y are to be multiplied by, less I.
  KOKKOS_FUNCTION double* turn() const { return overlap; }
};

template <class ExecSpace, class Real>
struct SpectralReadyKernel {
  SvdBatch<Real> batch;
  SpectralEntry* entries;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const k = team.league_rank();
    SpectralEntry const entry = spectral_entry(team, batch(batch.index(k)));
    Kokkos::single(Kokkos::PerTeam(team), [&] { entries[k] = entry; });
  }
};

/// The columns of a matrix, some to a team.
struct SpectralColumns : SharedColumns<4> {
  SpectralMatrices matrices;

  explicit SpectralColumns(SpectralMatrices const& at) : SharedColumns(at.n), matrices(at) {}

  template <class Member, class F>
  KOKKOS_FUNCTION void each(Member const& team, F const& f) const {
    int const first = first_of(team);
    thread_for(team, Kokkos::min(matrices.n - first, int{columns_per_team}),
               [&](int k) { f(first + k); });
  }
};

/// A member's triangle as doubles, all columns with the exponent `top`.
template <class ExecSpace, class Real>
struct SpectralLoadKernel {
  SvdBatch<Real> batch;
  int place, top;
  SpectralColumns columns;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SvdProblem<Real> const problem = batch(batch.index(place));
    SpectralMatrices const& at = columns.matrices;
    columns.each(team, [&](int j) { load_column(team, problem, top, j, at.columns(at.x).col(j)); });
  }
};

/// The angles of the rotations that would make each two columns of Y orthogonal, were they alone:
/// an antisymmetric matrix. And how far that is, and V from orthonormal.
template <class ExecSpace>
struct SpectralAnglesKernel {
  SpectralColumns columns;
  double least_cosine;  ///< of columns that are to be turned
  bool basis;           ///< VᵀV is there
  SpectralMeasure* measure;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SpectralMatrices const& at = columns.matrices;
    Columns<double> const S = at.columns(at.gram);
    columns.each(team, [&](int j) {
      double const cosine = largest_cosine(team, S, j);
      double const deviation = basis ? deviation_of(team, at.columns(at.overlap), j) : 0;
      double* const angles = at.columns(at.angles()).col(j);
      double const sum = lane_sum<double>(team, at.n, [&](int i) {
        int const p = Kokkos::min(i, j), q = Kokkos::max(i, j);
        double const s = S(p, q);
        bool const turns = p != q && s * s > least_cosine * least_cosine * (S(p, p) * S(q, q));
        double const angle = turns ? angle_of(S(p, p), S(q, q), s) : 0;
        angles[i] = i < j ? angle : -angle;
        return Kokkos::abs(angle);
      });
      once_per_thread(team, [&] {
        Kokkos::atomic_max(&measure->cosine, cosine);
        Kokkos::atomic_max(&measure->deviation, deviation);
        Kokkos::atomic_max(&measure->angles, sum >= 0 ? sum : SpectralMeasure::infinite());
      });
    });
  }
};

/// What V and Y are multiplied by, less I.
enum class SpectralTurn {
  newton,   ///< -(VᵀV - I)/2, a step to where V is orthonormal
  angles,   ///< E, the angles: all rotations at once, to first order
  squares,  ///< E + E²/2, to second order; E² is in the place of YᵀY
};

/// That matrix, and copies of V and Y, to which the products are added, in the place of E and E².
template <class ExecSpace>
struct SpectralTurnKernel {
  SpectralColumns columns;
  SpectralTurn how;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SpectralMatrices const& matrices = columns.matrices;
    Columns<double> const turn = matrices.columns(matrices.turn());
    columns.each(team, [&](int j) {
      auto const at = [&](double* data) { return matrices.columns(data).col(j); };
      double* const angles = at(matrices.angles());
      double* const squares = at(matrices.gram);
      double const* const v = at(matrices.v);
      double const* const y = at(matrices.y);
      lane_for(team, matrices.n, [&](int i) {
        if (how == SpectralTurn::angles) {
          turn(i, j) = angles[i];
        } else if (how == SpectralTurn::squares) {
          turn(i, j) = angles[i] + squares[i] / 2;
        } else if (i <= j) {
          turn(i, j) = ((i == j ? 1 : 0) - turn(i, j)) / 2;
          turn(j, i) = turn(i, j);
        }
        angles[i] = v[i];
        squares[i] = y[i];
      });
    });
  }
};

/// Y and V become a member's working columns and rotations; the sweeps have nothing left to do if
/// it has `converged`.
template <class ExecSpace, class Real>
struct SpectralStoreKernel {
  SvdBatch<Real> batch;
  int place;
  SpectralOutcome<Real> outcome;
  SpectralColumns columns;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SvdProblem<Real> const problem = batch(batch.index(place));
    SpectralMatrices const& matrices = columns.matrices;
    columns.each(team, [&](int j) {
      auto const at = [&](double* data) { return matrices.columns(data).col(j); };
      store_column(team, problem, outcome, at(matrices.y), at(matrices.v), problem.working(), j);
    });
  }
};

}  // namespace carroll::detail
