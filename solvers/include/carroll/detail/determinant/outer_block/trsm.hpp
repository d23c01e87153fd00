// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/outer_block/outer_block.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// V = U⁻¹·W in the place of an outer block's rows of the matrix, by substitution from the last row
/// panel to the first; behind the second outer block of two also V1 - V12·V2 in the place of V1.
/// Then rows below need nothing but their entries in the pivots' columns. If entries could become
/// too large, V = W and V1 remains; a bound follows from the sums of U's rows: with y_s that of row
/// panel s,
///
///   y_s = max (W_top + Σ_{t>s} Σ|u_st|·y_t)   over the rows of the row panel.
///
/// A team has some columns for itself, a warp 8 rows of the row panel at hand, in registers; row
/// panels of V that are done come back through scratch. m·P² flops for m columns and P =
/// outer_block_rows (the second outer block: 3·m·P²); m·P entries read and written, 3.5·m·P read
/// again from the second-level cache (the second outer block: 2·m·P and 11.5·m·P).
template <class ExecSpace, class T>
class OuterBlockTrsmKernel {
 public:
  static constexpr int P = outer_block_rows;
  static constexpr int R = 32;  ///< rows of a row panel
  static constexpr int S = P / R;
  static constexpr int W = 4;
  static constexpr int C = 2;  ///< columns of a lane
  static constexpr int team_columns = 32 * C;

 private:
  static constexpr int team_size = 32 * W;
  static constexpr int rows = R / W;  ///< of a row panel, to a warp
  static constexpr int v_share = R * team_columns / team_size;
  static constexpr int u_share = R * R / team_size;
  static constexpr int pitch = R + static_cast<int>(16 / sizeof(T));
  struct Scratch {
    alignas(16) T v[R][team_columns];
    alignas(16) T u[R][pitch];  ///< column by column
    int folds;
  };

 public:
  using Policy = BoundedTeams<ExecSpace, team_size, 4, sizeof(Scratch) + 16>;

  /// `plan` and `stage`: of the outer block, with row panels of R rows. `before`: the first outer
  /// block, of the second of two.
  OuterBlockTrsmKernel(DeterminantBatch<T> const& batch, RowPanelWorkspace<T> const& workspace,
                       OuterBlock<T> const& outer_block, OuterBlock<T> const& before,
                       RowPanelPlan const& plan, RowPanelStage const& stage, bool second)
      : batch_(batch),
        workspace_(workspace),
        outer_block_(outer_block),
        before_(before),
        stage_(stage),
        columns_(plan.columns(S)),
        second_(second) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    return team_policy<Policy>(exec, {.count = (columns_ + team_columns - 1) / team_columns,
                                      .threads = 32 * W,
                                      .scratch = sizeof(Scratch) + 16});
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    RowPanelMemory<T> const memory = stage_.in(workspace_.of(0));
    if (memory.progress->status != Status::success) return;
    auto& scratch =
        *static_cast<Scratch*>(team.team_scratch(int{0}).get_shmem_aligned(sizeof(Scratch), 16));
    RowPanelThreads<TeamMember<ExecSpace>> const threads(team);
    if (threads.warp_index == 0) {
      bool const folds = bounded(threads.warp);
      if (threads.thread == 0) scratch.folds = folds;
      if (threads.thread == 0 && team.league_rank() == 0) *outer_block_.folded = folds;
    }
    threads.barrier();
    bool const folds = scratch.folds != 0;
    Columns work{threads,      scratch, memory,   stage_.in(batch_.work_of(0)),
                 outer_block_, before_, columns_, team.league_rank() * team_columns};
    CARROLL_NO_UNROLL
    for (int s = S - 1; s >= (second_ && folds ? -S : 0); --s) {
      work.load(s);
      if (folds) work.substitute(s);
      work.store(s);
      threads.barrier();
    }
  }

 private:
  /// Are all entries of V (and those of V1, behind) known to be in range? One warp.
  KOKKOS_FUNCTION bool bounded(DeviceWarp const& warp) const {
    constexpr int limit = (exponent_bias<T> + outer_block_trsm_exponent) << fraction_bits;
    int most = 0;
    T y[S];
    CARROLL_UNROLL
    for (int s = S - 1; s >= 0; --s) {
      int const row = s * R + warp.lane;
      T sum = outer_block_.W_top[row];
      CARROLL_UNROLL
      for (int t = s + 1; t < S; ++t) sum = Kokkos::fma(outer_block_.sums[row * S + t], y[t], sum);
      int const size = Kokkos::min(warp.max(magnitude(sum)), int{limit});
      y[s] = of_magnitude<T>(size + 1);
      most = Kokkos::max(most, size);
    }
    if (!second_ || most >= limit) return most < limit;
    if (*before_.folded == 0) return false;
    int top = 0;
    CARROLL_UNROLL
    for (int s = 0; s < S; ++s) top = Kokkos::max(top, before_.V_top[s * R + warp.lane]);
    T const bound = of_magnitude<T>(warp.max(top) + 1) * (of_magnitude<T>(most + 1) * T(2 * P));
    return magnitude(bound) < limit;
  }

  /// A team's columns of V.
  struct Columns {
    RowPanelThreads<TeamMember<ExecSpace>> const& threads;
    Scratch& scratch;
    RowPanelMemory<T> memory;
    StridedMatrix<T> A;  ///< from the outer block's first row on
    OuterBlock<T> outer_block, before;
    int columns;
    int first;
    T held[rows][C];  ///< of the row panel at hand

    /// RowPanel s of W; s < 0: of the first outer block's V.
    KOKKOS_FUNCTION void load(int s) {
      int const row = s * R + threads.warp_index * rows;
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c) {
        int const j = first + c * 32 + threads.warp.lane;
        T const* at = s < 0 ? &A(row, j) : memory.entry_of_W(row, j);
        std::ptrdiff_t const stride = s < 0 ? A.row_stride : memory.pitch;
        CARROLL_UNROLL
        for (int r = 0; r < rows; ++r) {
          held[r][c] = j < columns ? *at : T(0);
          at += stride;
        }
      }
    }

    /// Takes off what row panels of V that are done add to row panel s.
    KOKKOS_FUNCTION void substitute(int s) {
      T v[v_share], u[u_share];
      int const least = Kokkos::max(s + 1, 0);
      if (least < S) read(s, S - 1, v, u);
      CARROLL_NO_UNROLL
      for (int t = S - 1; t >= least; --t) {
        threads.barrier();  // nobody reads the row panel before any more
        CARROLL_UNROLL
        for (int i = 0; i < v_share; ++i) (&scratch.v[0][0])[i * team_size + threads.thread] = v[i];
        CARROLL_UNROLL
        for (int i = 0; i < u_share; ++i)
          scratch.u[threads.warp.lane][i * W + threads.warp_index] = u[i];
        threads.barrier();
        if (t > least) read(s, t - 1, v, u);  // on its way while this one is worked on
        take_off();
      }
    }

    /// The calling thread's share of row panel t of V, and of U's entries for it in row panel s.
    KOKKOS_FORCEINLINE_FUNCTION void read(int s, int t, T (&v)[v_share], T (&u)[u_share]) const {
      int const j = first + threads.thread % team_columns;
      T const* at = &A(t * R + threads.thread / team_columns, j);
      CARROLL_UNROLL
      for (T& x : v) {
        x = j < columns ? *at : T(0);
        at += team_size / team_columns * A.row_stride;
      }
      at = (s < 0 ? before_U() : outer_block.U) + (s * R + threads.warp_index) * P + t * R +
           threads.warp.lane;
      CARROLL_UNROLL
      for (T& x : u) {
        x = *at;
        at += W * P;
      }
    }

    /// The row panel that is in scratch.
    KOKKOS_FORCEINLINE_FUNCTION void take_off() {
      CARROLL_NO_UNROLL
      for (int k0 = 0; k0 < R; k0 += 4) {
        CARROLL_UNROLL
        for (int k = k0; k < k0 + 4; ++k) {
          T x[C];
          CARROLL_UNROLL
          for (int c = 0; c < C; ++c) x[c] = scratch.v[k][c * 32 + threads.warp.lane];
          CARROLL_UNROLL
          for (int r = 0; r < rows; r += 4) {
            auto const four = *reinterpret_cast<RowPanelQuad<T> const*>(
                &scratch.u[k][threads.warp_index * rows + r]);
            CARROLL_UNROLL
            for (int i = 0; i < 4; ++i) CARROLL_UNROLL
            for (int c = 0; c < C; ++c)
              held[r + i][c] = Kokkos::fma(-four.x[i], x[c], held[r + i][c]);
          }
        }
      }
    }
    /// The rows of U_before are numbered from -P on.
    KOKKOS_FUNCTION T const* before_U() const { return outer_block.U_before + P * P; }

    KOKKOS_FUNCTION void store(int s) const {
      int const row = s * R + threads.warp_index * rows;
      int top = 0;  // of row lane
      CARROLL_UNROLL
      for (int r = 0; r < rows; ++r) {
        int size = 0;
        CARROLL_UNROLL
        for (int c = 0; c < C; ++c) {
          int const j = first + c * 32 + threads.warp.lane;
          if (j < columns) A(row + r, j) = held[r][c];
          size = Kokkos::max(size, magnitude(held[r][c]));
        }
        size = threads.warp.max(size);
        if (threads.warp.lane == r) top = size;
      }
      int* const tops = s < 0 ? before.V_top + P : outer_block.V_top;
      if (threads.warp.lane < rows) Kokkos::atomic_max(tops + row + threads.warp.lane, top);
    }
  };

  static constexpr int fraction_bits = sizeof(T) == 4 ? 23 : 20;  ///< in a magnitude

  DeterminantBatch<T> batch_;
  RowPanelWorkspace<T> workspace_;
  OuterBlock<T> outer_block_, before_;
  RowPanelStage stage_;
  int columns_;  ///< behind the outer block
  bool second_;
};

}  // namespace carroll::detail
