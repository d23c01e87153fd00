// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/magnitude_range.hpp>
#include <carroll/detail/determinant/outer_block/row_bounds.hpp>
#include <carroll/detail/device/math.hpp>

namespace carroll::detail {

/// What is done to a team's rows, for outer_block/rows.hpp.
template <class T, int R, int M, bool Second, class Member>
struct OuterBlockTeamRows : OuterBlockRowBounds<T, R, M, Second, Member> {
  using Base = OuterBlockRowBounds<T, R, M, Second, Member>;
  using Base::grow_bounds, Base::rescale, Base::rescale_far, Base::upper_end;
  using Base::P, Base::G, Base::W;
  using Base::threads, Base::scratch, Base::first, Base::count, Base::columns, Base::in_place,
      Base::A, Base::outer_block, Base::held;
  using typename Base::Column;

  /// The rows' entries in the pivots' columns. Then columns change places.
  KOKKOS_FUNCTION void gather() {
    int const hole = outer_block.holes[threads.thread],
              filler = outer_block.fillers[threads.thread];
    T moved[M];
    T const* at = nullptr;
    if constexpr (Second) {
      at = &A(first, columns + threads.thread);
      CARROLL_UNROLL
      for (int r = 0; r < M; ++r) {
        scratch.known[threads.thread].x[r] = r < count ? *at : T(0);
        at += A.row_stride;
      }
    }
    at = &A(first, outer_block.pivots[threads.thread]);
    CARROLL_UNROLL
    for (int r = 0; r < M; ++r) {
      held[r] = r < count ? *at : T(0);
      at += A.row_stride;
    }
    read_within();
    at = &A(first, hole < 0 ? 0 : filler);
    CARROLL_UNROLL
    for (int r = 0; r < M; ++r) {
      moved[r] = hole >= 0 && r < count ? *at : T(0);
      at += A.row_stride;
    }
    threads.barrier();
    if (hole < 0) return;
    CARROLL_UNROLL
    for (int r = 0; r < M; ++r)
      if (r < count) A(first + r, hole) = moved[r];
  }

  /// By each warp for itself, and before the next barrier.
  KOKKOS_FORCEINLINE_FUNCTION void read_within() const {
    if constexpr (R < G) {
      constexpr int shares = R * R / 32;
      int const lane = threads.warp.lane, begin = threads.warp_index * G;
      T const* at = outer_block.U + (begin + lane / R) * P + begin + R + lane % R;
      CARROLL_UNROLL
      for (int i = 0; i < shares; ++i)
        (&scratch.within[threads.warp_index][0][0])[i * 32 + lane] = at[i * (32 / R) * P];
    }
  }

  /// Rows whose entries are out of range, or small, are to be scaled.
  KOKKOS_FUNCTION void find_bounds(bool measure) {
    int const r = threads.thread;
    if (r < M) {
      scratch.bound[r] = r < count ? outer_block.row_bound[first + r] : T(0);
      scratch.factor[r] = T(1);
    }
    if (!measure) return;
    threads.barrier();  // columns have changed places
    int largest[M];
    CARROLL_UNROLL
    for (int i = 0; i < M; ++i) largest[i] = magnitude(held[i]);
    for (int j = threads.thread; j < columns - P; j += P) {
      CARROLL_UNROLL
      for (int i = 0; i < M; ++i)
        if (i < count) largest[i] = Kokkos::max(largest[i], magnitude(A(first + i, j)));
    }
    CARROLL_UNROLL
    for (int i = 0; i < M; ++i) {
      int const most = threads.warp.max(largest[i]);
      if (threads.warp.lane == 0) scratch.largest[threads.warp_index][i] = most;
    }
    threads.barrier();
    int most = 0;
    if (r < M)
      for (int w = 0; w < W; ++w) most = Kokkos::max(most, scratch.largest[w][r]);
    if (r < M) scratch.bound[r] = upper_end(most);
    rescale([&](int i) {
      int size = 0;
      for (int w = 0; w < W; ++w) size = Kokkos::max(size, scratch.largest[w][i]);
      return i < count ? pending_exponent<T>(size) : 0;
    });
  }

  /// As soon as a warp's columns of X are known, they are taken off all later ones; X1 before
  /// all.
  KOKKOS_FUNCTION void substitute() {
    constexpr int K = M <= 2 ? G : 64 / sizeof(T);  // rows of U that are on their way
    T const top = this->top();
    T const* u = (Second ? outer_block.U_before : outer_block.U) + threads.thread;
    T weights[K];
    auto const read_weights = [&] {
      CARROLL_UNROLL
      for (int k = 0; k < K; ++k) weights[k] = u[k * P];
      u += K * P;
    };
    // Takes off a warp's columns, and reads the first weights for more.
    auto const take_off = [&](Column const* x, bool more) {
      CARROLL_NO_UNROLL
      for (int k0 = 0; k0 < G; k0 += K) {
        T used[K];
        CARROLL_UNROLL
        for (int k = 0; k < K; ++k) used[k] = weights[k];
        if (k0 + K < G || more) read_weights();
        CARROLL_UNROLL
        for (int k = 0; k < K; ++k) {
          Column const column = x[k0 + k];
          CARROLL_UNROLL
          for (int r = 0; r < M; ++r) held[r] = Kokkos::fma(-column.x[r], used[k], held[r]);
        }
      }
    };
    int const mine = threads.warp_index;
    if (Second || mine > 0) read_weights();
    if constexpr (Second) {
      CARROLL_NO_UNROLL
      for (int s = 0; s < W; ++s) take_off(scratch.known + s * G, s + 1 < W || mine > 0);
    }
    if (mine == 0) rescale_rows(0);
    publish(0);
    threads.barrier();
    CARROLL_NO_UNROLL
    for (int s = 0; s < W; ++s) {
      if (s == mine) grow_bounds(s, top);
      if (s < mine) take_off(scratch.x[s % 2], s + 1 < mine);
      if (s + 1 == mine) rescale_rows(s + 1);
      publish(s + 1);
      threads.barrier();
      if (!scratch.out_of_range[s % 2]) continue;
      rescale_far();
      publish(s + 1);
      threads.barrier();
    }
  }

  /// Takes the first row panel of warp s off its second one: by that warp, once all before are
  /// off.
  KOKKOS_FORCEINLINE_FUNCTION void rescale_rows(int s) {
    if constexpr (R < G) {
      publish(s);
      threads.warp.sync();
      int const lane = threads.warp.lane;
      T const* const u = &scratch.within[s][0][lane % R];
      CARROLL_UNROLL
      for (int k = 0; k < R; ++k) {
        Column const column = scratch.x[s % 2][k];
        T const weight = lane < R ? T(0) : u[k * R];
        CARROLL_UNROLL
        for (int r = 0; r < M; ++r) held[r] = Kokkos::fma(-column.x[r], weight, held[r]);
      }
      threads.warp.sync();
    }
  }

  /// The columns of warp s of X, by that warp.
  KOKKOS_FORCEINLINE_FUNCTION void publish(int s) const {
    if (s != threads.warp_index) return;
    CARROLL_UNROLL
    for (int r = 0; r < M; ++r) scratch.x[s % 2][threads.warp.lane].x[r] = held[r];
  }

  /// X, in an order in which its columns meet the rows of V or W when both are read as they stand
  /// in memory; the second outer block's behind the first one's.
  KOKKOS_FUNCTION void finish() const {
    int const place = in_place ? threads.thread : P - 1 - threads.thread;
    T* at = &A(first, columns - (Second ? 0 : P) + place);
    CARROLL_UNROLL
    for (int r = 0; r < M; ++r) {
      if (r < count) {
        *at = held[r];
        if (Second) at[-P * A.col_stride] = scratch.known[threads.thread].x[r] * scratch.factor[r];
      }
      at += A.row_stride;
    }
    if (threads.thread < count)
      outer_block.row_bound[first + threads.thread] = scratch.bound[threads.thread];
    for (int r = 0; r < count; ++r) {
      T const factor = scratch.factor[r];
      if (factor == T(1)) continue;
      for (int j = threads.thread; j < columns - P; j += P) A(first + r, j) *= factor;
    }
  }
};

}  // namespace carroll::detail
