// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/gram/member.hpp>
#include <carroll/detail/team.hpp>

/// What stands between a library's eigenvectors and products, for SpectralStart: a team per column.
namespace carroll::detail {

/// Can a member's working columns be begun with, and the exponent that all get then.
struct SpectralEntry {
  int ready, top;
};

/// How far a start has come. What is not a number counts as infinite.
struct SpectralMeasure {
  double cosine = 0;     ///< the largest of two columns of Y
  double angles = 0;     ///< the largest sum of angles of a column with others
  double deviation = 0;  ///< the largest entry of VᵀV - I
  int complaint = 0;     ///< of the library
};

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

/// Columns whose lengths differ by more than 2^20, or are 0, are left to the sweeps: eigenvectors
/// of XᵀX could not tell the shortest ones apart.
inline constexpr int most_spectral_spread = 20;

template <class ExecSpace, class Real>
struct SpectralReadyKernel {
  SvdBatch<Real> batch;
  SpectralEntry* entries;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const k = team.league_rank();
    SvdProblem<Real> const problem = batch(batch.index(k));
    int const n = problem.cols;
    int const* const exponents = problem.working_exponents();
    bool const whole = problem.state->columns == n && !problem.state->left_over;
    int top = 0, bottom = 0, zeros = 0;
    if (whole) {
      Columns<Real> const X = problem.working();
      // Columns of zeros, whose exponents say nothing, are for the team kernels.
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, n),
          [&](int j, int& count) { count += X(j, j) == Real(0) ? 1 : 0; }, zeros);
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, n),
          [&](int j, int& most) { most = Kokkos::max(most, exponents[j]); }, Kokkos::Max<int>(top));
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, n),
          [&](int j, int& least) { least = Kokkos::min(least, exponents[j]); },
          Kokkos::Min<int>(bottom));
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      entries[k] = {whole && zeros == 0 && top - bottom <= most_spectral_spread, top};
    });
  }
};

/// A member's working columns as doubles, all with the exponent `top`.
template <class ExecSpace, class Real>
struct SpectralLoadKernel {
  SvdBatch<Real> batch;
  int place, top;
  SpectralMatrices matrices;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SvdProblem<Real> const problem = batch(batch.index(place));
    int const j = team.league_rank();
    Real const* const from = problem.working().col(j);
    double* const to = matrices.columns(matrices.x).col(j);
    int const exponent = problem.working_exponents()[j] - top;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, matrices.n),
                         [&](int i) { to[i] = scale(static_cast<double>(from[i]), exponent); });
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
    int const n = matrices.n, j = team.league_rank();
    Columns<double> const S = matrices.columns(matrices.gram);
    double* const angles = matrices.columns(matrices.angles()).col(j);
    double const* const overlap = matrices.columns(matrices.overlap).col(j);
    auto const range = Kokkos::TeamVectorRange(team, n);
    double cosine = 0, deviation = 0, sum = 0;
    Kokkos::parallel_reduce(
        range,
        [&](int i, double& most) {
          if (i != j) most = Kokkos::max(most, cosine_of(S, i, j));
        },
        Kokkos::Max<double>(cosine));
    Kokkos::parallel_reduce(
        range,
        [&](int i, double& most) {
          double const off = i > j || !basis ? 0 : Kokkos::abs(overlap[i] - (i == j ? 1 : 0));
          most = Kokkos::max(most, off <= 1 ? off : infinite());
        },
        Kokkos::Max<double>(deviation));
    Kokkos::parallel_reduce(
        range,
        [&](int i, double& total) {
          bool const turns = i != j && cosine_of(S, i, j) > least_cosine;
          double const angle = turns ? angle_of(S, i, j) : 0;
          angles[i] = angle;
          total += Kokkos::abs(angle);
        },
        sum);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      Kokkos::atomic_max(&measure->cosine, cosine);
      Kokkos::atomic_max(&measure->deviation, deviation);
      Kokkos::atomic_max(&measure->angles, sum >= 0 ? sum : infinite());
    });
  }

 private:
  KOKKOS_FUNCTION static double infinite() { return Kokkos::Experimental::infinity_v<double>; }

  KOKKOS_FUNCTION static double cosine_of(Columns<double> const& S, int i, int j) {
    double const cosine =
        Kokkos::abs(S(Kokkos::min(i, j), Kokkos::max(i, j))) / Kokkos::sqrt(S(i, i) * S(j, j));
    return cosine <= 2 ? cosine : infinite();
  }
  /// θ with tan 2θ = 2s₁₂/(s₂₂ - s₁₁), |θ| <= 45°: Y·[cos θ, sin θ; -sin θ, cos θ] is orthogonal.
  /// Read from one half of S, so that (j, i) is -(i, j) to the last bit.
  KOKKOS_FUNCTION static double angle_of(Columns<double> const& S, int i, int j) {
    int const p = Kokkos::min(i, j), q = Kokkos::max(i, j);
    double const angle = Kokkos::atan(2 * S(p, q) / (S(q, q) - S(p, p))) / 2;
    return i < j ? angle : -angle;
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
    SvdProblem<Real> const problem = batch(batch.index(place));
    int const n = matrices.n, j = team.league_rank();
    double const* const y = matrices.columns(matrices.y).col(j);
    double const* const v = matrices.columns(matrices.v).col(j);
    Real* const x = problem.working().col(j);
    double largest = 0;
    auto const range = Kokkos::TeamVectorRange(team, n);
    Kokkos::parallel_reduce(
        range, [&](int i, double& most) { most = Kokkos::max(most, Kokkos::abs(y[i])); },
        Kokkos::Max<double>(largest));
    int const exponent = largest > 0 ? exponent_of(largest) : 0;
    Kokkos::parallel_for(range, [&](int i) { x[i] = static_cast<Real>(scale(y[i], -exponent)); });
    if (problem.right_cols > 0) {
      Real* const rotations = problem.rotations().col(j);
      Kokkos::parallel_for(range, [&](int i) { rotations[i] = static_cast<Real>(v[i]); });
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      problem.working_exponents()[j] = top + exponent;
      if (j > 0) return;
      problem.state->rotated = 1;
      problem.state->converged = converged;
    });
    // Where the sweep before the first would have left it.
    int const pairs = gram_schedule(n).pairs();
    if (j == 0)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, pairs),
                           [&](int k) { problem.slot_cosines()[pairs + k] = cosine; });
  }
};

}  // namespace carroll::detail
