// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/spectral/columns.hpp>
#include <carroll/detail/team.hpp>

/// What stands between a library's eigenvectors and products, for SpectralStart: a team per column.
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

/// A member's working columns as doubles, all with the exponent `top`.
template <class ExecSpace, class Real>
struct SpectralLoadKernel {
  SvdBatch<Real> batch;
  int place, top;
  SpectralMatrices matrices;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const j = team.league_rank();
    load_column(team, batch(batch.index(place)), top, j, matrices.columns(matrices.x).col(j));
  }
};

/// The angles of the rotations that would make each two columns of Y orthogonal, were they alone:
/// an antisymmetric matrix. And how far that is, and V from orthonormal.
template <class ExecSpace>
struct SpectralAnglesKernel {
  SpectralMatrices matrices;
  double least_cosine;  ///< of columns that are to be turned
  bool basis;           ///< VᵀV is there
  SpectralMeasure* measure;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const j = team.league_rank();
    Columns<double> const S = matrices.columns(matrices.gram);
    double const cosine = largest_cosine(team, S, j);
    double const deviation = basis ? deviation_of(team, matrices.columns(matrices.overlap), j) : 0;
    double const sum =
        find_angles(team, S, j, least_cosine, matrices.columns(matrices.angles()).col(j));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      Kokkos::atomic_max(&measure->cosine, cosine);
      Kokkos::atomic_max(&measure->deviation, deviation);
      Kokkos::atomic_max(&measure->angles, sum);
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
  SpectralMatrices matrices;
  SpectralTurn how;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const n = matrices.n, j = team.league_rank();
    Columns<double> const turn = matrices.columns(matrices.turn());
    auto const at = [&](double* data) { return matrices.columns(data).col(j); };
    double* const angles = at(matrices.angles());
    double* const squares = at(matrices.gram);
    double const* const v = at(matrices.v);
    double const* const y = at(matrices.y);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), [&](int i) {
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
  }
};

/// Y and V become a member's working columns and rotations; the sweeps have nothing left to do if
/// it has `converged`.
template <class ExecSpace, class Real>
struct SpectralStoreKernel {
  SvdBatch<Real> batch;
  int place, top;
  SpectralMatrices matrices;
  Real cosine;
  bool converged;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const j = team.league_rank();
    auto const at = [&](double* data) { return matrices.columns(data).col(j); };
    store_column(team, batch(batch.index(place)), {top, cosine, converged}, at(matrices.y),
                 at(matrices.v), j);
  }
};

}  // namespace carroll::detail
