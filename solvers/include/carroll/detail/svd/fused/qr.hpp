// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/math.hpp>
#include <carroll/detail/svd/fused/team.hpp>
#include <carroll/detail/unroll.hpp>

/// Householder QR of a matrix in the registers of a team, and its reflectors at work.
namespace carroll::detail {

/// One step of a QR factorisation as all lanes know it: the reflector I - g·u·uᵀ that takes x to
/// -signed_norm·e, with u = x + signed_norm·e. Below 2^-60 in single, 2^-500 in double precision
/// what is left of a column is zero and there is nothing to reflect.
template <class Real>
struct FusedReflector {
  Real signed_norm, g, head;
  Real scaling, scaled_head;  ///< √g·u has these times x, and this in place of its first entry

  KOKKOS_FORCEINLINE_FUNCTION FusedReflector(Real square, Real alpha) {
    constexpr int least = sizeof(Real) == 4 ? -120 : -1000;
    bool const zero = !(square > power_of_two<Real>(least));
    Real const inverse = zero ? Real(0) : refined_rsqrt(square, rough_rsqrt(square));
    Real const tau = Kokkos::fma(Kokkos::abs(alpha), inverse, Real(1));
    Real const inverse_root = refined_rsqrt(tau, rough_rsqrt(tau));
    signed_norm = with_sign_of(alpha, square * inverse);
    head = alpha + signed_norm;
    scaling = inverse * inverse_root;
    g = scaling * scaling;
    scaled_head = with_sign_of(alpha, zero ? Real(0) : tau * inverse_root);
  }
};

/// The same column, which is read again where registers cannot hold it.
template <class Shape, class Real>
KOKKOS_FORCEINLINE_FUNCTION Real const* once_more(Real const* column) {
  if constexpr (holds_third_column<Real, Shape>)
    return column;
  else
    return column + opaque_register(0);
}

/// add(t, x) for the entries x of a column in scratch that belong to a lane's registers t < K.
template <class Shape, int K, class Real, class Add>
KOKKOS_FORCEINLINE_FUNCTION void walk_column(Real const* column, int part, Add const& add) {
  constexpr int length = chunk_length<Real>;
  auto const* const chunks = reinterpret_cast<Chunk<Real> const*>(column);
  CARROLL_UNROLL
  for (int c = 0; c < K / length; ++c) {
    Chunk<Real> const chunk = chunks[c * Shape::split + part];
    CARROLL_UNROLL
    for (int k = 0; k < length; ++k) add(c * length + k, chunk.x[k]);
  }
}

/// The sum of several chains of additions.
template <class Real, int C>
KOKKOS_FORCEINLINE_FUNCTION Real joined(Real const (&chains)[C]) {
  Real sum = chains[0];
  CARROLL_UNROLL
  for (int c = 1; c < C; ++c) sum += chains[c];
  return sum;
}

/// F = Q·R of the n columns that the team holds, which are used up. write_row(k, j, r) is called by
/// the lane that has R(k, j), j >= k, as soon as it is known. The reflectors, with norm √2 so that
/// each is I - v·vᵀ, go to V, columns of Shape::rows entries, unless that is null.
///
/// One barrier a column: the next column is handed round, through scratch, as soon as it is up to
/// date, and every warp forms its norm beside the products with its own columns, so that a step is
/// two sums over lanes long: that of three products, and what follows from it. Rows that are done
/// are zero. 4·rows·n² flops.
template <class Team, class Real, int K, class WriteRow>
KOKKOS_FORCEINLINE_FUNCTION void factorise(Team const& team, int n, Real (&p)[K], Real (&q)[K],
                                           Real* V, WriteRow const& write_row) {
  using Shape = typename Team::Shape;
  constexpr int length = chunk_length<Real>;
  auto const& group = team.group;
  auto const shared = [&](int k) { return team.scratch.staged() + k % 2 * Shape::rows; };
  if (team.warp == 0 && group.pair == 0) store_column<Shape>(shared(0), group.part, p);
  CARROLL_NO_UNROLL
  for (int first = 0; first < n; first += length) {
    // Row first + u is in register chunk·length + u of the lanes that are `holder`.
    int const chunk = first / length / Shape::split, holder = first / length % Shape::split;
    bool const holds = group.part == holder;
    CARROLL_UNROLL
    for (int u = 0; u < length; ++u) {
      int const k = first + u;
      if (k >= n) break;
      team.barrier();
      if (team.first + Shape::cols <= k) continue;
      Real const* const x = shared(k);
      Real const alpha = x[k];
      Real p_head = 0, q_head = 0;
      CARROLL_UNROLL
      for (int c = 0; c < K / length; ++c) {
        p_head = c == chunk ? p[c * length + u] : p_head;
        q_head = c == chunk ? q[c * length + u] : q_head;
      }
      int const from = group.lane_of(group.pair) - group.part + holder;
      p_head = group.warp.from(p_head, from);
      q_head = group.warp.from(q_head, from);
      Real p_dots[4] = {}, q_dots[4] = {}, squares[4] = {};
      walk_column<Shape, K>(x, group.part, [&](int t, Real v) {
        p_dots[t % 4] = Kokkos::fma(v, p[t], p_dots[t % 4]);
        q_dots[t % 4] = Kokkos::fma(v, q[t], q_dots[t % 4]);
        squares[t % 4] = Kokkos::fma(v, v, squares[t % 4]);
      });
      Real const p_dot = group.sum_parts(joined(p_dots));
      Real const q_dot = group.sum_parts(joined(q_dots));
      FusedReflector<Real> const reflector(group.sum_parts(joined(squares)), alpha);
      Real const p_weight = Kokkos::fma(reflector.signed_norm, p_head, p_dot) * reflector.g;
      Real const q_weight = Kokkos::fma(reflector.signed_norm, q_head, q_dot) * reflector.g;
      walk_column<Shape, K>(once_more<Shape>(x), group.part, [&](int t, Real v) {
        bool const done = t % length == u && t / length == chunk && holds;
        p[t] = done ? Real(0) : Kokkos::fma(-p_weight, v, p[t]);
        q[t] = done ? Real(0) : Kokkos::fma(-q_weight, v, q[t]);
      });
      int const next = k + 1;
      if (team.warp == next / Shape::cols && group.pair == next % Shape::cols / 2)
        store_column<Shape>(shared(next), group.part, u % 2 == 0 ? q : p);
      if (holds) {
        auto const write = [&](int j, Real y, Real weight) {
          if (k <= j && j < n)
            write_row(k, j,
                      j == k ? -reflector.signed_norm : Kokkos::fma(-weight, reflector.head, y));
        };
        write(team.p, p_head, p_weight);
        write(team.q, q_head, q_weight);
      }
      if (V && team.warp == k / Shape::cols && group.pair == k % Shape::cols / 2) {
        Real scaled[K];
        walk_column<Shape, K>(once_more<Shape>(x), group.part, [&](int t, Real v) {
          bool const is_head = t % length == u && t / length == chunk && holds;
          scaled[t] = is_head ? reflector.scaled_head : v * reflector.scaling;
        });
        store_column<Shape>(V + k * Shape::rows, group.part, scaled);
      }
    }
  }
}

/// Calls f(k, column k of M) for columns 0 to n - 1, or for n - 1 to 0, of Shape::rows entries
/// each, which pass through scratch. The team calls it together; a barrier per `staged_columns`.
template <bool descending, class Team, class Real, class F>
KOKKOS_FORCEINLINE_FUNCTION void walk_columns(Team const& team, Real const* M, int n, F const& f) {
  using Shape = typename Team::Shape;
  constexpr int block = Team::staged_columns;
  constexpr int chunks_per_column = Shape::rows / chunk_length<Real>;
  int const thread = team.member.team_rank(), threads = team.member.team_size();
  int const blocks = (n + block - 1) / block;
  auto const first_of = [&](int s) { return (descending ? blocks - 1 - s : s) * block; };
  auto const chunk_of = [&](int s, int e) {
    auto const* const from = reinterpret_cast<Chunk<Real> const*>(M + first_of(s) * Shape::rows);
    return first_of(s) + e / chunks_per_column < n ? from[e] : Chunk<Real>{};
  };
  // The first chunk of each thread is fetched while the block before is at work.
  constexpr int chunks = block * chunks_per_column;
  Chunk<Real> fetched = chunk_of(0, Kokkos::min(thread, chunks - 1));
  team.barrier();  // nobody uses the room any more
  CARROLL_NO_UNROLL
  for (int s = 0; s < blocks; ++s) {
    Real* const staged = team.scratch.staged() + s % 2 * block * Shape::rows;
    auto* const to = reinterpret_cast<Chunk<Real>*>(staged);
    if (thread < chunks) to[thread] = fetched;
    for (int e = thread + threads; e < chunks; e += threads) to[e] = chunk_of(s, e);
    team.barrier();
    if (s + 1 < blocks) fetched = chunk_of(s + 1, Kokkos::min(thread, chunks - 1));
    CARROLL_UNROLL
    for (int c = 0; c < block; ++c) {
      int const in_block = descending ? block - 1 - c : c;
      int const k = first_of(s) + in_block;
      if (k < n) f(k, staged + in_block * Shape::rows);
    }
  }
}

/// The lane's columns := Q·columns, with Q the product of the reflectors 0 to n - 1 in V, of which
/// those after `last` leave them as they are. 4·rows flops a reflector and column.
template <class Team, class Real, int K>
KOKKOS_FORCEINLINE_FUNCTION void apply_reflectors(Team const& team, Real const* V, int n, int last,
                                                  Real (&p)[K], Real (&q)[K]) {
  walk_columns<true>(team, V, n, [&](int k, Real const* column) {
    if (k > last) return;
    using Shape = typename Team::Shape;
    Real p_dots[4] = {}, q_dots[4] = {};
    walk_column<Shape, K>(column, team.group.part, [&](int t, Real v) {
      p_dots[t % 4] = Kokkos::fma(v, p[t], p_dots[t % 4]);
      q_dots[t % 4] = Kokkos::fma(v, q[t], q_dots[t % 4]);
    });
    Real const p_weight = team.group.sum_parts(joined(p_dots));
    Real const q_weight = team.group.sum_parts(joined(q_dots));
    walk_column<Shape, K>(once_more<Shape>(column), team.group.part, [&](int t, Real v) {
      p[t] = Kokkos::fma(-p_weight, v, p[t]);
      q[t] = Kokkos::fma(-q_weight, v, q[t]);
    });
  });
}

}  // namespace carroll::detail
