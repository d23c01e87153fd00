// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/magnitude_range.hpp>
#include <carroll/detail/determinant/outer_block/outer_block.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>
#include <carroll/detail/device/launch.hpp>

namespace carroll::detail {

/// All that rows below an outer block need before the product, M rows to a team, a thread for each
/// of the outer block's columns: their entries in the pivots' columns, A3, are gathered behind the
/// columns that remain, other columns fill the gaps, and rows are kept in range. A bound of each
/// row's entries grows by Σ|x|·max|V| with every outer block; every few outer blocks the row itself
/// is looked at.
///
/// If U⁻¹ is not in V (outer_block/trsm.hpp), A3 becomes X = A3·U⁻¹, by substitution: a warp holds
/// the columns of one row panel, or of two, which it settles by itself; in turn the warps tell the
/// others theirs through scratch, who take them off their own. For the second outer block of two
/// X1·V12 goes first.
///
/// 2·n·P entries read for n rows and P = outer_block_rows, half of them, and half of 2·n·P written,
/// whole sectors of memory each; substitution: n·P² flops (the second outer block: 3·n·P²), half of
/// U from the second-level cache for M rows, P/32 + 2 barriers. With `measure`, not for the second
/// outer block, all entries of the rows are read.
template <class ExecSpace, class T, int R, int M, bool Second>
class OuterBlockRowsKernel {
 public:
  static constexpr int P = outer_block_rows;  ///< columns of X, and threads
  static constexpr int G = 32;                ///< columns of a warp
  static constexpr int W = P / G;
  /// On a multiprocessor: few rows to a team are for few rows in all.
  static constexpr int teams = M <= 2 ? 1 : M <= 4 ? 6 : M * sizeof(T) <= 32 ? 4 : 3;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<P, teams>>;
  using Member = typename Policy::member_type;

  /// For rows `begin` to `end` - 1 below the outer block of `plan`, which has row panels of R rows,
  /// 16 or 32. `in_place`: V stands in the outer block's rows of the matrix, otherwise W is in the
  /// workspace.
  OuterBlockRowsKernel(DeterminantBatch<T> const& batch, RowPanelWorkspace<T> const& workspace,
                       OuterBlock<T> const& outer_block, RowPanelPlan const& plan, int begin,
                       int end, bool in_place, bool measure)
      : batch_(batch),
        workspace_(workspace),
        outer_block_(outer_block),
        columns_(plan.n),
        begin_(begin),
        end_(end),
        in_place_(in_place),
        measure_(measure) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    return team_policy<Policy>(
        exec,
        {.count = (end_ - begin_ + M - 1) / M, .threads = P, .scratch = sizeof(Scratch) + 16});
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    RowPanelMemory<T> const memory = workspace_.of(0);
    if (memory.progress->status != Status::success) return;
    auto& scratch =
        *static_cast<Scratch*>(team.team_scratch(int{0}).get_shmem_aligned(sizeof(Scratch), 16));
    RowPanelThreads<Member> const threads(team);
    int const first = begin_ + team.league_rank() * M;
    Rows work{threads,
              scratch,
              first,
              Kokkos::min(int{M}, end_ - first),
              columns_,
              in_place_,
              batch_.work_of(0),
              memory,
              outer_block_};
    work.gather();
    work.find_bounds(measure_);
    if (in_place_ && *outer_block_.folded != 0)
      work.grow_bounds();
    else
      work.substitute();
    work.finish();
  }

 private:
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

  /// A team's rows.
  struct Rows {
    RowPanelThreads<Member> const& threads;
    Scratch& scratch;
    int first, count;
    int columns;
    bool in_place;
    StridedMatrix<T> A;
    RowPanelMemory<T> memory;
    OuterBlock<T> outer_block;
    T held[M];

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

    /// At least as large as all entries of the thread's row of V or W.
    [[nodiscard]] KOKKOS_FUNCTION T top() const {
      return in_place ? of_magnitude<T>(outer_block.V_top[threads.thread] + 1)
                      : outer_block.W_top[threads.thread];
    }

    /// Σ|x|·top over the warp's columns, of row lane / lanes_of_row: at each step the lanes share
    /// the rows that they still have.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T growth(T top) const {
      T sum[M];
      CARROLL_UNROLL
      for (int r = 0; r < M; ++r) sum[r] = Kokkos::abs(held[r]) * top;
      CARROLL_UNROLL
      for (int kept = M / 2, step = 16; step > 0; kept /= 2, step /= 2) {
        bool const upper = (threads.warp.lane & step) != 0;
        CARROLL_UNROLL
        for (int r = 0; r < kept; ++r) {
          T const given =
              threads.warp.from(upper ? sum[r] : sum[r + kept], threads.warp.lane ^ step);
          sum[r] = (upper ? sum[r + kept] : sum[r]) + given;
        }
        if (kept == 0) sum[0] += threads.warp.from(sum[0], threads.warp.lane ^ step);
      }
      return sum[0];
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

    /// X, in an order in which its columns meet the rows of V or W when both are read as they stand
    /// in memory; the second outer block's behind the first one's.
    KOKKOS_FUNCTION void finish() const {
      int const place = in_place ? threads.thread : P - 1 - threads.thread;
      T* at = &A(first, columns - (Second ? 0 : P) + place);
      CARROLL_UNROLL
      for (int r = 0; r < M; ++r) {
        if (r < count) {
          *at = held[r];
          if (Second)
            at[-P * A.col_stride] = scratch.known[threads.thread].x[r] * scratch.factor[r];
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

    /// A power of two above all numbers of that magnitude.
    KOKKOS_FUNCTION static T upper_end(int size) {
      return size == 0 ? T(0) : power_of_two<T>(exponent_of(of_magnitude<T>(size)));
    }
  };

  DeterminantBatch<T> batch_;
  RowPanelWorkspace<T> workspace_;
  OuterBlock<T> outer_block_;
  int columns_;  ///< before the outer block
  int begin_, end_;
  bool in_place_, measure_;
};

}  // namespace carroll::detail
