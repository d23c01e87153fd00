// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/host_block/prepare.hpp>
#include <carroll/detail/svd/host_block/reflectors.hpp>
#include <carroll/detail/svd/host_block/storage.hpp>
#include <carroll/detail/svd/host_block/tiles.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <limits>

/// From orthogonal columns X = W·Σ to the caller's U, S and V, on a host.
namespace carroll::detail::blocks {

/// Columns of X to length 1, the lengths to `norms`, their order by length.
template <class Real, class Member>
bool normalise(Member const& team, Storage<Real> const& at) {
  int const whole = at.second_qr().end_row();
  share_out(team, at.n, [&](int j) {
    Real* const x = at.X.col(j);
    Real const norm = Kokkos::sqrt(square_of(x, 0, whole));
    at.norms[j] = norm;
    for (int i = 0; i < whole; ++i) x[i] /= norm;
  });
  team.team_barrier();
  if (team.team_rank() == 0) order_columns(at.n, at.norms, at.x_exponents, at.order);
  bool const fine = *std::min_element(at.norms, at.norms + at.n) > Real(0);
  int longest = std::numeric_limits<int>::min(), shortest = std::numeric_limits<int>::max();
  for (int j = 0; fine && j < at.n; ++j) {
    int const length = exponent_of(at.norms[j]) + at.x_exponents[j];
    longest = std::max(longest, length);
    shortest = std::min(shortest, length);
  }
  team.team_barrier();
  // Beyond that J·Σ, whose columns have one exponent, could lose columns. Asked for whether or not
  // vectors are wanted: S has the same bits with and without.
  constexpr int most = sizeof(Real) == 4 ? 60 : 400;
  return fine && longest - shortest <= most;
}

/// Z := J·Σ = R₂·W, columns in order of length, and its QR, R into `third`, which may be where W
/// is. R₂'s columns are brought to one exponent: what underflows is nothing beside the largest.
template <class Real, class Member>
bool find_rotations(Member const& team, Storage<Real> const& at, Columns<Real> const& third) {
  int const n = at.n, whole = at.second_qr().end_row();
  Columns<Real> const R{at.spare.data, at.X.rows};
  int const top = *std::max_element(at.inner_exponents, at.inner_exponents + n);
  share_out(team, n, [&](int j) {
    Real* const r = R.col(j);
    for (int i = 0; i <= j; ++i) r[i] = scale(r[i], at.inner_exponents[j] - top);
    std::fill(r + j + 1, r + whole, Real(0));
  });
  team.team_barrier();
  share_out(team, (n + panel - 1) / panel, [&](int g) {
    int const first = g * panel, count = std::min(panel, n - first);
    Real* out[panel];
    Real* in[panel];
    for (int c = 0; c < count; ++c) {
      out[c] = at.Z.col(first + c);
      in[c] = at.X.col(at.order[first + c]);
      std::fill(out[c], out[c] + whole, Real(0));
    }
    alignas(64) Real W[panel * panel];
    for (int k = 0; k < n; k += panel) {
      int const depth = std::min(panel, n - k);
      for (int c = 0; c < count; ++c)
        for (int i = 0; i < depth; ++i) W[i + c * panel] = -in[c][k + i];
      Real* columns[panel];
      for (int i = 0; i < depth; ++i) columns[i] = R.col(k + i);
      int const rows = whole_tiles_of<Real>(k + depth);
      with_packs<Real>(
          [&]<class V>() { multiply<V, true>(columns, depth, W, panel, out, count, 0, rows); });
    }
    // Each column with the power of two that brings its largest entry near 1.
    for (int c = 0; c < count; ++c) {
      Real largest = 0;
      for (int i = 0; i < n; ++i) largest = std::max(largest, Kokkos::abs(out[c][i]));
      int const e = largest > Real(0) ? exponent_of(largest) : 0;
      for (int i = 0; i < n; ++i) out[c][i] = scale(out[c][i], -e);
    }
  });
  team.team_barrier();
  if (team.team_rank() == 0) std::fill(at.inner_exponents, at.inner_exponents + n, top);
  if (!blocked_qr(team, at.third_qr(), third, at.flag)) return false;
  share_out(team, n, [&](int k) { at.signs[k] = third(k, k) < 0 ? Real(-1) : Real(1); });
  team.team_barrier();
  return true;
}

/// S, the rank and the last word on the status. One thread.
template <class Real>
void write_values(SvdProblem<Real> const& problem, Storage<Real> const& at, SvdInfo<Real> info) {
  int const first = at.order[0];
  int const shift = -at.x_exponents[first];
  Real const least = at.norms[first] * problem.rows * Kokkos::Experimental::epsilon_v<Real>;
  for (int k = 0; k < at.n; ++k) {
    int const j = at.order[k];
    problem.s(k) = scale(at.norms[j], at.x_exponents[j]);
    info.rank += scale(at.norms[j], at.x_exponents[j] + shift) > least ? 1 : 0;
  }
  if (Kokkos::isinf(problem.s(0))) info.status = Status::overflow;
  *problem.info = info;
}

/// For all k < cols, in groups of a panel: fill(c, k) writes column k into a place c of `room`,
/// then work(j, k, count) finds columns [k, k + count) there from column j on. A team, a group per
/// thread.
template <class Real, class Member, class Fill, class Work>
void by_groups(Member const& team, int n, Columns<Real> const& room, int cols, Fill const& fill,
               Work const& work) {
  for (int begin = 0; begin < cols;) {
    // As many as the room's n columns hold: all are done with before it is used again.
    int const here = cols - begin <= n ? cols - begin : n / panel * panel;
    share_out(team, (here + panel - 1) / panel, [&](int g) {
      int const j = g * panel, count = std::min(panel, here - j);
      for (int c = 0; c < count; ++c) fill(room.col(j + c), begin + j + c);
      work(j, begin + j, count);
    });
    team.team_barrier();
    begin += here;
  }
}

/// U = Q·[P₂·W 0; 0 I].
template <class Real, class Member>
void write_left(Member const& team, SvdProblem<Real> const& problem, Storage<Real> const& at) {
  auto const Q = at.first_qr();
  int const n = at.n, whole = Q.end_row();
  by_groups(
      team, n, at.spare, problem.left_cols,
      [&](Real* c, int k) {
        std::fill(c, c + whole, Real(0));
        if (k >= n) {
          c[k] = 1;
          return;
        }
        Real const* const w = at.X.col(at.order[k]);
        for (int i = 0; i < n; ++i) c[at.inner_permutation[i]] = w[i];
      },
      [&](int j, int k, int count) {
        apply_q(Q, at.spare, j, count, n);
        for (int c = 0; c < count; ++c) {
          auto const u = problem.left.col(k + c);
          Real const* const from = at.spare.col(j + c);
          for (int i = 0; i < at.m; ++i) u(i) = from[i];
        }
      });
}

/// V = P·Q₂·J, J = Q₃ with the signs of R₃'s diagonal.
template <class Real, class Member>
void write_right(Member const& team, SvdProblem<Real> const& problem, Storage<Real> const& at) {
  auto const Q2 = at.second_qr(), Q3 = at.third_qr();
  Columns<Real> const room{at.spare.data, at.X.rows};
  int const n = at.n, whole = Q2.end_row();
  by_groups(
      team, n, room, problem.right_cols,
      [&](Real* c, int k) {
        std::fill(c, c + whole, Real(0));
        c[k] = at.signs[k];
      },
      [&](int j, int k, int count) {
        apply_q(Q3, room, j, count, k + count);
        apply_q(Q2, room, j, count, n);
        for (int c = 0; c < count; ++c) {
          auto const v = problem.right.col(k + c);
          Real const* const from = room.col(j + c);
          for (int i = 0; i < n; ++i) v(at.permutation[i]) = from[i];
        }
      });
}

}  // namespace carroll::detail::blocks
