// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/outer_block/outer_block.hpp>
#include <carroll/detail/determinant/row_panel/threads.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>

namespace carroll::detail {

/// A team's M rows below an outer block, and bounds of their entries: a row that may leave the
/// range in which it is safe is scaled.
template <class T, int R, int M, bool Second, class Member>
struct OuterBlockRowBounds {
  static constexpr int P = outer_block_rows;  ///< columns of X, and threads
  static constexpr int G = 32;                ///< columns of a warp
  static constexpr int W = P / G;

  /// One column of X.
  struct alignas(16) Column {
    T x[M];
  };
  struct Scratch {
    Column x[2][G];                 ///< of a warp: while one is read, the next is written
    Column known[Second ? P : 1];   ///< X1
    T within[R < G ? W : 1][R][R];  ///< U between the two row panels of a warp
    union {
      int largest[W][M];
      T sums[W][M];
    };
    T bound[M];
    T factor[M];  ///< by which the rows' entries in memory are to be multiplied
    int out_of_range[2];
  };

  RowPanelThreads<Member> const& threads;
  Scratch& scratch;
  int first, count;
  int columns;
  bool in_place;
  StridedMatrix<T> A;
  RowPanelMemory<T> memory;
  OuterBlock<T> outer_block;
  T held[M];

  /// At least as large as all entries of the thread's row of V or W.
  [[nodiscard]] KOKKOS_FUNCTION T top() const {
    return in_place ? of_magnitude<T>(outer_block.V_top[threads.thread] + 1)
                    : outer_block.W_top[threads.thread];
  }

  /// Σ|x|·top over the warp's columns, of row lane / lanes_of_row.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T growth(T top) const {
    T terms[M];
    CARROLL_UNROLL
    for (int r = 0; r < M; ++r) terms[r] = Kokkos::abs(held[r]) * top;
    return scattered_sums(threads.warp, terms);
  }
  static constexpr int lanes_of_row = 32 / M;

  /// Adds something to the bound of row lane / lanes_of_row. Is a row out of range then?
  KOKKOS_FORCEINLINE_FUNCTION bool grow_bound(T size) const {
    T& bound = scratch.bound[threads.warp.lane / lanes_of_row];
    T const sum = bound + size;
    threads.warp.sync();
    if (threads.warp.lane % lanes_of_row == 0) bound = sum;
    return threads.warp.ballot(sum > power_of_two<T>(outer_block_exponent<T>)) != 0;
  }

  /// Adds to the bounds what warp s can add to the rows' entries: by that warp. `top`: the
  /// largest entry of the thread's row of V.
  KOKKOS_FUNCTION void grow_bounds(int s, T top) const {
    bool const any = grow_bound(growth(top));
    if (threads.warp.lane == 0) scratch.out_of_range[s % 2] = any;
  }

  /// The same for all of them at once, by all warps.
  KOKKOS_FUNCTION void grow_bounds() {
    int const row = threads.warp.lane / lanes_of_row;
    T const size = growth(top());
    if (threads.warp.lane % lanes_of_row == 0) scratch.sums[threads.warp_index][row] = size;
    threads.barrier();
    if (threads.warp_index == 0) {
      T sum = 0;
      for (int w = 0; w < W; ++w) sum += scratch.sums[w][row];
      bool const any = grow_bound(sum);
      if (threads.warp.lane == 0) scratch.out_of_range[0] = any;
    }
    threads.barrier();
    if (scratch.out_of_range[0]) rescale_far();
  }

  /// Rows whose bounds are out of range.
  KOKKOS_FUNCTION void rescale_far() {
    rescale([&](int i) {
      T const bound = scratch.bound[i];
      return bound > power_of_two<T>(outer_block_exponent<T>) ? exponent_of(bound) : 0;
    });
  }

  /// Divides rows by 2^exponent(row), but for their entries in memory. The whole team, for which
  /// `exponent` says the same; it ends with a barrier.
  template <class Exponent>
  KOKKOS_FORCEINLINE_FUNCTION void rescale(Exponent const& exponent) {
    CARROLL_UNROLL
    for (int r = 0; r < M; ++r) held[r] *= power_of_two<T>(-exponent(r));
    int const r = threads.thread;
    int const e = r < M ? exponent(r) : 0;
    threads.barrier();  // nobody asks any more
    if (e != 0) {
      T const by = power_of_two<T>(-e);
      scratch.bound[r] *= by;
      scratch.factor[r] *= by;
      memory.row_exponent[first + r] += e;
      memory.row_top[first + r] = scale(memory.row_top[first + r], -e);
    }
    threads.barrier();
  }

  /// A power of two above all numbers of that magnitude.
  KOKKOS_FUNCTION static T upper_end(int size) {
    return size == 0 ? T(0) : power_of_two<T>(exponent_of(of_magnitude<T>(size)));
  }
};

}  // namespace carroll::detail
