// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/team.hpp>

/// A symmetric matrix of a stack in a team's scratch, whole, rows of `order` numbers.
namespace carroll::detail {

/// f(i) for 0 ≤ i < n over all lanes of all threads.
template <class Member, class F>
KOKKOS_INLINE_FUNCTION void team_for(Member const& team, int n, F const& f) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), f);
}

/// A := YᵀY for `members` rows Y, in tiles of 4×4: a lane reads 8 numbers for 16 products.
template <class Member>
KOKKOS_INLINE_FUNCTION void team_gram(Member const& team, float const* Y, int members, int order,
                                      float* A) {
  constexpr int side = 4;
  int const tiles = (order + side - 1) / side;
  team_for(team, tiles * tiles, [&](int tile) {
    int const i = tile / tiles * side, j = tile % tiles * side;
    if (j > i) return;
    float sum[side][side] = {};
    for (int m = 0; m < members; ++m) {
      float const* const y = Y + m * order;
      float left[side], right[side];
      for (int k = 0; k < side; ++k) {
        left[k] = i + k < order ? y[i + k] : 0.0F;
        right[k] = j + k < order ? y[j + k] : 0.0F;
      }
      for (int r = 0; r < side; ++r)
        for (int c = 0; c < side; ++c) sum[r][c] += left[r] * right[c];
    }
    for (int r = 0; r < side && i + r < order; ++r)
      for (int c = 0; c < side && j + c < order; ++c) {
        A[(i + r) * order + j + c] = sum[r][c];
        A[(j + c) * order + i + r] = sum[r][c];
      }
  });
  team.team_barrier();
}

/// The same as HostTridiagonalisation: A = Q·T·Qᵀ, reflection i left in row i. `work`: 2·order.
template <class Member>
KOKKOS_INLINE_FUNCTION void team_tridiagonalise(Member const& team, float* A, int order,
                                                float* diagonal, float* coupling, float* factor,
                                                float* work) {
  float *const product = work, *const update = work + order;
  for (int i = order - 1; i > 0; --i) {
    float* const v = A + i * order;
    float const alpha = v[i - 1], last = v[i];
    float const rest = lane_sum<float>(team, i - 1, [&](int j) { return v[j] * v[j]; });
    bool const done = rest <= 1e-12F * alpha * alpha || rest < 1e-30F;
    float const norm = Kokkos::sqrt(alpha * alpha + rest);
    float const beta = done ? alpha : (alpha > 0 ? -norm : norm);
    float const f = done ? 0.0F : (beta - alpha) / beta;
    float const scale = done ? 0.0F : 1 / (alpha - beta);
    team.team_barrier();  // all have read the row
    team_for(team, i, [&](int j) { v[j] = j == i - 1 ? 1.0F : v[j] * scale; });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      diagonal[i] = last;
      coupling[i - 1] = beta;
      factor[i] = f;
    });
    team.team_barrier();  // v is there
    if (done) continue;
    team_for(team, i, [&](int r) {
      float sum = 0;
      for (int j = 0; j < i; ++j) sum += A[j * order + r] * v[j];
      product[r] = sum;
    });
    team.team_barrier();  // A·v is there
    float const half =
        0.5F * f * f * lane_sum<float>(team, i, [&](int j) { return product[j] * v[j]; });
    team_for(team, i, [&](int j) { update[j] = f * product[j] - half * v[j]; });
    team.team_barrier();  // w is there
    thread_for(team, i, [&](int r) {
      float const vr = v[r], wr = update[r];
      float* const a = A + r * order;
      lane_for(team, i, [&](int j) { a[j] -= vr * update[j] + wr * v[j]; });
    });
    team.team_barrier();  // A is there
  }
  Kokkos::single(Kokkos::PerTeam(team), [&] {
    diagonal[0] = A[0];
    coupling[order - 1] = 0;
    factor[0] = 0;
  });
  team.team_barrier();
}

/// z := Q·z for vectors z of `order` numbers, one behind the other.
template <class Member>
KOKKOS_INLINE_FUNCTION void team_reflect_back(Member const& team, float const* A,
                                              float const* factor, int order, int count,
                                              float* vectors) {
  thread_for(team, count, [&](int k) {
    float* const z = vectors + k * order;
    for (int i = 1; i < order; ++i) {
      float const* const v = A + i * order;
      float const scaled = factor[i] * lane_sum<float>(team, i, [&](int j) { return v[j] * z[j]; });
      lane_for(team, i, [&](int j) { z[j] -= v[j] * scaled; });
    }
  });
  team.team_barrier();
}

}  // namespace carroll::detail
