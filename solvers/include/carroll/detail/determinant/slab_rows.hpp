// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/magnitude_range.hpp>
#include <carroll/detail/determinant/slab.hpp>
#include <carroll/detail/determinant/strip.hpp>

namespace carroll::detail {

/// X = A3·U⁻¹ for rows below a slab, some rows to a warp, by substitution: what a strip's columns
/// of X are is taken off all later columns at once, which the lanes hold in registers. And all else
/// that a row needs before the product: its columns change places, and it is kept in range. A bound
/// of each row's entries grows by Σ|x|·max|W| with every slab; every few slabs the row itself is
/// looked at.
///
/// n·P² flops for n rows and P = slab_rows; n·P entries read, whole sectors of memory each, and n·P
/// written; U comes from caches. With `measure` all entries of the rows are read.
template <class ExecSpace, class T, int R>
class SlabRowsKernel {
 public:
  static constexpr int P = slab_rows;
  static constexpr int W = 4;
  static constexpr int warp_rows = sizeof(T) == 4 ? 8 : 4;
  static constexpr int rows = W * warp_rows;  ///< of a team
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32 * W, 4>>;
  using Member = typename Policy::member_type;

  /// For rows `begin` to `end` - 1 below the slab of `plan`.
  SlabRowsKernel(DeterminantBatch<T> const& batch, StripWorkspace<T> const& workspace,
                 SlabMemory<T> const& slab, StripPlan const& plan, int begin, int end, bool measure)
      : batch_(batch),
        workspace_(workspace),
        slab_(slab),
        columns_(plan.n),
        begin_(begin),
        end_(end),
        measure_(measure) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    Policy policy(exec, (end_ - begin_ + rows - 1) / rows, 32 * W, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(sizeof(Scratch)) + 16));
    return policy;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    StripMemory<T> const memory = workspace_.of(0);
    if (memory.progress->status != Status::success) return;
    auto& scratch =
        *static_cast<Scratch*>(team.team_scratch(int{0}).get_shmem_aligned(sizeof(Scratch), 16));
    StripThreads<Member> const threads(team);
    int const first = begin_ + team.league_rank() * rows + threads.warp_index * warp_rows;
    if (first >= end_) return;  // nobody waits for other warps
    Rows work{threads.warp, scratch.x[threads.warp_index],
              first,        Kokkos::min(int{warp_rows}, end_ - first),
              columns_,     batch_.work_of(0),
              memory,       slab_};
    work.gather();
    work.move_columns();
    work.find_bounds(measure_);
    CARROLL_NO_UNROLL
    for (int s = 0; s < P / R; ++s) work.substitute(s);
    work.finish();
  }

 private:
  /// Of a strip's columns, those of X.
  struct alignas(16) Column {
    T x[warp_rows];
  };
  struct Scratch {
    Column x[W][R];
  };

  /// A warp's rows. Lane l holds columns l, l + 32, … of X, or of what will be X: those of the
  /// strip at hand first, then the later ones; those that are done are behind them.
  struct Rows {
    static constexpr int Q = P / 32;  ///< columns of a lane

    DeviceWarp const& warp;
    Column (&x)[R];
    int first, count;
    int columns;
    StridedMatrix<T> A;
    StripMemory<T> memory;
    SlabMemory<T> slab;
    T held[Q][warp_rows];
    T bound[warp_rows];
    T factor[warp_rows];

    /// The rows' entries in the pivots' columns.
    KOKKOS_FUNCTION void gather() {
      T const* at[Q];
      CARROLL_UNROLL
      for (int q = 0; q < Q; ++q) at[q] = &A(first, slab.pivots[32 * q + warp.lane]);
      CARROLL_UNROLL
      for (int r = 0; r < warp_rows; ++r) {
        CARROLL_UNROLL
        for (int q = 0; q < Q; ++q) {
          held[q][r] = r < count ? *at[q] : T(0);
          at[q] += A.row_stride;
        }
      }
      warp.sync();
    }

    KOKKOS_FUNCTION void move_columns() const {
      CARROLL_NO_UNROLL
      for (int k = warp.lane; k < P; k += 32) {
        int const hole = slab.holes[k], filler = slab.fillers[k];
        if (hole < 0) continue;
        T moved[warp_rows];
        CARROLL_UNROLL
        for (int r = 0; r < warp_rows; ++r)
          if (r < count) moved[r] = A(first + r, filler);
        CARROLL_UNROLL
        for (int r = 0; r < warp_rows; ++r)
          if (r < count) A(first + r, hole) = moved[r];
      }
      warp.sync();
    }

    /// Rows whose entries are out of range, or small, are scaled.
    KOKKOS_FUNCTION void find_bounds(bool measure) {
      CARROLL_UNROLL
      for (int r = 0; r < warp_rows; ++r) {
        bound[r] = r < count ? slab.row_bound[first + r] : T(0);
        factor[r] = T(1);
      }
      if (!measure) return;
      int largest[warp_rows] = {};
      CARROLL_UNROLL
      for (int q = 0; q < Q; ++q) {
        CARROLL_UNROLL
        for (int r = 0; r < warp_rows; ++r)
          largest[r] = Kokkos::max(largest[r], magnitude(held[q][r]));
      }
      for (int j = warp.lane; j < columns - P; j += 32) {
        CARROLL_UNROLL
        for (int r = 0; r < warp_rows; ++r)
          if (r < count) largest[r] = Kokkos::max(largest[r], magnitude(A(first + r, j)));
      }
      CARROLL_UNROLL
      for (int r = 0; r < warp_rows; ++r) {
        int const most = warp.max(largest[r]);
        bound[r] = upper_end(most);
        int const e = r < count ? unsettled_exponent<T>(most) : 0;
        if (e != 0) rescale(r, e);
      }
    }

    /// The columns of X that belong to strip s are known; they are taken off all later ones.
    KOKKOS_FUNCTION void substitute(int s) {
      int const done = s * R % 32;  // columns of held[0] that belong to strips before
      int const lane = warp.lane - done;
      bool const mine = 0 <= lane && lane < R;
      T const top = mine ? slab.W_top[s * R + lane] : T(0);
      if (mine) {
        CARROLL_UNROLL
        for (int r = 0; r < warp_rows; ++r) x[lane].x[r] = held[0][r];
      }
      warp.sync();
      CARROLL_UNROLL
      for (int r = 0; r < warp_rows; ++r) {
        T size = Kokkos::abs(held[0][r]) * top;
        CARROLL_UNROLL
        for (int step = 1; step < 32; step *= 2) size += warp.from(size, warp.lane ^ step);
        bound[r] += size;
      }
      int const later = Q - s * R / 32;  // of held, that are not behind
      bool const behind_in_first = lane >= R;
      T const* u = slab.U + static_cast<std::ptrdiff_t>(s) * R * P + s * R / 32 * 32 + warp.lane;
      constexpr int K = 4;
      CARROLL_NO_UNROLL
      for (int k0 = 0; k0 < R; k0 += K) {
        T weights[K][Q];
        CARROLL_UNROLL
        for (int k = 0; k < K; ++k) {
          CARROLL_UNROLL
          for (int q = 0; q < Q; ++q)
            weights[k][q] = (q == 0 ? R < 32 && behind_in_first : q < later) ? u[32 * q] : T(0);
          u += P;
        }
        CARROLL_UNROLL
        for (int k = 0; k < K; ++k) {
          Column const column = x[k0 + k];
          CARROLL_UNROLL
          for (int q = R < 32 ? 0 : 1; q < Q; ++q) CARROLL_UNROLL
          for (int r = 0; r < warp_rows; ++r)
            held[q][r] = Kokkos::fma(-column.x[r], weights[k][q], held[q][r]);
        }
      }
      warp.sync();  // x may be overwritten
      if (done + R == 32) {
        CARROLL_UNROLL
        for (int r = 0; r < warp_rows; ++r) {
          T const first_column = held[0][r];
          CARROLL_UNROLL
          for (int q = 1; q < Q; ++q) held[q - 1][r] = held[q][r];
          held[Q - 1][r] = first_column;
        }
      }
      CARROLL_UNROLL
      for (int r = 0; r < warp_rows; ++r)
        if (bound[r] > power_of_two<T>(slab_exponent<T>)) rescale(r, exponent_of(bound[r]));
    }

    /// Divides row r by 2^e, but for its entries in memory.
    KOKKOS_FORCEINLINE_FUNCTION void rescale(int r, int e) {
      T const by = power_of_two<T>(-e);
      CARROLL_UNROLL
      for (int q = 0; q < Q; ++q) held[q][r] *= by;
      bound[r] *= by;
      factor[r] *= by;
      if (warp.lane != 0) return;
      memory.row_exponent[first + r] += e;
      memory.row_top[first + r] = scale(memory.row_top[first + r], -e);
    }

    /// X, in an order in which its columns meet the rows of W when both are read as they stand in
    /// memory.
    KOKKOS_FUNCTION void finish() const {
      int const rest = columns - P;
      CARROLL_UNROLL
      for (int r = 0; r < warp_rows; ++r) {
        if (r >= count) continue;
        CARROLL_UNROLL
        for (int q = 0; q < Q; ++q) A(first + r, columns - 1 - (32 * q + warp.lane)) = held[q][r];
        if (warp.lane == 0) slab.row_bound[first + r] = bound[r];
        if (factor[r] == T(1)) continue;
        for (int j = warp.lane; j < rest; j += 32) A(first + r, j) *= factor[r];
      }
    }

    /// A power of two above all numbers of that magnitude.
    KOKKOS_FUNCTION static T upper_end(int size) {
      return size == 0 ? T(0) : power_of_two<T>(exponent_of(of_magnitude<T>(size)));
    }
  };

  DeterminantBatch<T> batch_;
  StripWorkspace<T> workspace_;
  SlabMemory<T> slab_;
  int columns_;  ///< before the slab
  int begin_, end_;
  bool measure_;
};

/// Before the first slab: rows are scaled, and copied where A is kept. n² entries read, n² written.
template <class ExecSpace, class T>
class SlabScaleKernel {
 public:
  static constexpr int threads = 256;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads, 4>>;
  using Member = typename Policy::member_type;

  SlabScaleKernel(DeterminantBatch<T> const& batch, StripWorkspace<T> const& workspace,
                  SlabMemory<T> const& slab)
      : batch_(batch), workspace_(workspace), slab_(slab) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    StripMemory<T> const memory = workspace_.of(0);
    if (memory.progress->status != Status::success) return;
    int const i = team.league_rank();
    StridedMatrix<T> const to = batch_.work_of(0);
    StridedMatrix<T const> const from =
        memory.progress->balanced ? StridedMatrix<T const>{to.data, to.row_stride, to.col_stride}
                                  : batch_.source_of(0);
    T const factor = memory.row_factor[i];
    if (factor != T(1) || from.data != to.data)
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, batch_.n),
                           [&](int j) { to(i, j) = from(i, j) * factor; });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      memory.row_factor[i] = T(1);
      slab_.row_bound[i] = T(1);
    });
  }

 private:
  DeterminantBatch<T> batch_;
  StripWorkspace<T> workspace_;
  SlabMemory<T> slab_;
};

}  // namespace carroll::detail
