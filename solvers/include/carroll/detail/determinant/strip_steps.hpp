// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/magnitude_range.hpp>
#include <carroll/detail/determinant/strip.hpp>
#include <carroll/detail/determinant/strip_columns.hpp>
#include <carroll/detail/determinant/strip_state.hpp>
#include <carroll/detail/determinant/strip_tasks.hpp>

namespace carroll::detail {

/// `blocked` on a GPU beyond the orders of strip_matrix.hpp: all of it in one launch, by teams that
/// share each matrix (strip_tasks.hpp). While one team condenses a strip, or several up to 1024
/// columns each, the others still take the strip before off the rows behind it.
///
/// 2n³/3 flops. Every strip's update reads and writes what is left of the matrix, n³/(3R) entries
/// each way, and W once per block of B rows, n³/(3B) entries, from the second-level cache. The way
/// from strip to strip, which nothing shortens: R steps, three hand-overs through memory, a block.
template <class ExecSpace, class T, int R, int B>
class StripStepsKernel {
 public:
  static constexpr int W = 8;
  static constexpr int threads_per_team = 32 * W;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads_per_team, 1>>;
  using Member = typename Policy::member_type;

  StripStepsKernel(DeterminantBatch<T> const& batch, StripWorkspace<T> const& workspace,
                   int teams_per_member)
      : batch_(batch), workspace_(workspace), teams_per_member_(teams_per_member) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    StripPlan const plan = this->plan();
    auto const candidates =
        plan.teams(0) > 1 ? 2 * plan.teams(0) * sizeof(StripCandidate<T, R>) : std::size_t{0};
    auto const bytes = sizeof(Scratch) + hole_words(plan.n) * sizeof(std::uint32_t) + candidates;
    Policy policy(exec, batch_.members * teams_per_member_, int{threads_per_team}, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes) + 64));
    return policy;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    StripPlan const plan = this->plan();
    StripThreads<Member> const threads(team);
    auto const& space = team.team_scratch(int{0});
    auto* const scratch = static_cast<Scratch*>(space.get_shmem_aligned(sizeof(Scratch), 16));
    auto* const holes = static_cast<std::uint32_t*>(
        space.get_shmem_aligned(hole_words(plan.n) * sizeof(std::uint32_t), 16));
    void* const candidates =
        plan.teams(0) > 1
            ? space.get_shmem_aligned(2 * plan.teams(0) * sizeof(StripCandidate<T, R>), 16)
            : nullptr;
    // Teams of a matrix start together, whatever the order in which the device starts teams.
    if (threads.thread == 0)
      scratch->number = Kokkos::atomic_fetch_add(workspace_.started(plan, batch_.members), 1);
    threads.barrier();
    int const member = scratch->number / teams_per_member_;
    Worker worker{threads,
                  *scratch,
                  holes,
                  candidates,
                  plan,
                  workspace_.of(member, plan),
                  batch_.source_of(member),
                  batch_.work_of(member)};
    if (!worker.begin()) return;
    StripTasks tasks(plan);
    for (;;) {
      tasks.find(worker.next_task());
      if (tasks.kind == StripTasks::Kind::end) return;
      if (tasks.kind == StripTasks::Kind::update_slice)
        worker.template update<strip_slice>(tasks.strip, tasks.part);
      else if (tasks.kind == StripTasks::Kind::update_block)
        worker.template update<B>(tasks.strip, tasks.part);
      else
        worker.condense(tasks.strip, tasks.part, batch_.info_of(member));
    }
  }

 private:
  static constexpr int columns_at_once = sizeof(T) == 4 ? 4 : 2;

  KOKKOS_FUNCTION static int hole_words(int n) { return (n + 127) / 128 * 4; }
  [[nodiscard]] KOKKOS_FUNCTION StripPlan plan() const { return {batch_.n, int{R}, int{B}}; }

  struct Scratch {
    StripScratch<T, R, W> strip;
    alignas(16) T factors[R][B];
    int largest[W][B];
    StripRecord record;
    int tails[32];
    int number;
    int scaling;
  };

  struct Worker {
    StripThreads<Member> const& threads;
    Scratch& scratch;
    std::uint32_t* holes;  ///< a bit per column
    void* candidates;
    StripPlan plan;
    StripMemory<T> memory;
    StridedMatrix<T const> source;
    StridedMatrix<T> work;

    /// False if the determinant is known.
    KOKKOS_FUNCTION bool begin() {
      for (int k = threads.thread; k < hole_words(plan.n); k += threads.size()) holes[k] = 0;
      if (threads.thread == 0) scratch.record.filled = 0;
      if (memory.progress->balanced) source = {work.data, work.row_stride, work.col_stride};
      return memory.progress->status == Status::success;
    }

    KOKKOS_FUNCTION int next_task() {
      threads.barrier();  // nobody reads the number of the task before any more
      if (threads.thread == 0) scratch.number = Kokkos::atomic_fetch_add(memory.ticket, 1);
      threads.barrier();
      return scratch.number;
    }

    // ---- a strip ----

    KOKKOS_FUNCTION void condense(int s, int part, DeterminantInfo<T>& info) {
      int const m = plan.columns(s);
      wait_for_rows(s);
      if (s > 0 && memory.records[(s - 1) % strip_ring].stop != 0) {
        if (part == 0 && threads.thread == 0) {
          memory.records[s % strip_ring].stop = 1;
          memory.records[s % strip_ring].filled = 0;
        }
        return publish(s);
      }
      // Fewer columns per thread make shorter steps.
      constexpr int most = strip_team_columns / threads_per_team;
      if (m > 2 * threads_per_team)
        condense<most>(s, part, info);
      else if (m > threads_per_team)
        condense<2>(s, part, info);
      else
        condense<1>(s, part, info);
    }

    template <int C>
    KOKKOS_FORCEINLINE_FUNCTION void condense(int s, int part, DeterminantInfo<T>& info) {
      int const first = s * R;
      int const m = plan.columns(s);
      int const rows = Kokkos::min(int{R}, m);
      int const begin = part * strip_team_columns;
      Strip<T, R, C, W> strip;
      load(strip, s, first, rows, begin, m);
      bool regular;
      if constexpr (C * threads_per_team < strip_team_columns) {
        regular = strip.condense(threads, scratch.strip, rows, begin, NoExchange{});
      } else {
        TeamExchange<T> const exchange{memory.words, candidates, part, plan.teams(s),
                                       static_cast<std::uint32_t>(first + 1)};
        regular = strip.condense(threads, scratch.strip, rows, begin, exchange);
      }
      if (regular && rows < m) store(strip, s, begin, m);
      bool const records = part == 0 && threads.warp_index == 0;
      bool const odd = records && record(s, rows, m, regular);
      publish(s);
      if (records) multiply(s, first, rows, m, regular, odd, info);
    }

    KOKKOS_FUNCTION void publish(int s) const {
      threads.barrier();
      if (threads.thread == 0) release_increase(memory.published + s);
    }

    /// The rows have been updated by the strip before, and nobody reads W of the strip whose place
    /// in the ring is to be taken.
    KOKKOS_FUNCTION void wait_for_rows(int s) {
      if (threads.warp_index == 0) {
        int const slice = plan.first_slice(s) + threads.warp.lane;
        if (slice < plan.end_slice(s))
          while (acquire(memory.applied + slice) < s) {
          }
      } else if (threads.thread == 32 && s >= strip_ring) {
        int const before = s - strip_ring;
        while (acquire(memory.finished + before) < plan.updates(before)) {
        }
      }
      threads.barrier();
    }

    template <int C>
    KOKKOS_FORCEINLINE_FUNCTION void load(Strip<T, R, C, W>& strip, int s, int first, int rows,
                                          int begin, int m) const {
      T const* const base = s == 0 ? source.data : work.data;
      std::ptrdiff_t const row_stride = s == 0 ? source.row_stride : work.row_stride;
      std::ptrdiff_t const col_stride = s == 0 ? source.col_stride : work.col_stride;
      int const j = begin + threads.thread;
      T const* at = base + first * row_stride + j * col_stride;
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) {
        CARROLL_UNROLL
        for (int c = 0; c < C; ++c)
          strip.a[r][c] =
              r < rows && j + c * threads.size() < m ? at[c * threads.size() * col_stride] : T(0);
        at += row_stride;
      }
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) {
        T const factor = r < rows ? memory.row_factor[first + r] : T(0);
        CARROLL_UNROLL
        for (int c = 0; c < C; ++c) strip.a[r][c] *= factor;
      }
    }

    KOKKOS_FUNCTION T* rows_of_W(int s) const {
      return memory.W + static_cast<std::ptrdiff_t>(s % strip_ring) * R * plan.n;
    }

    template <int C>
    KOKKOS_FORCEINLINE_FUNCTION void store(Strip<T, R, C, W> const& strip, int s, int begin,
                                           int m) const {
      T* at = rows_of_W(s) + begin + threads.thread;
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) {
        CARROLL_UNROLL
        for (int c = 0; c < C; ++c)
          if (begin + threads.thread + c * threads.size() < m)
            at[c * threads.size()] = strip.a[r][c];
        at += plan.n;
      }
    }

    /// Says which columns are to move: one warp of a strip's first team. Is their order odd?
    KOKKOS_FUNCTION bool record(int s, int rows, int m, bool regular) const {
      int const lane = threads.warp.lane;
      StripRecord& to = memory.records[s % strip_ring];
      if (lane == 0) {
        to.stop = !regular;
        to.filled = 0;
      }
      if (!regular) return false;
      ColumnMoves const moves(threads.warp, scratch.strip.columns, rows, m, scratch.tails);
      std::uint32_t const filled = threads.warp.ballot(moves.hole >= 0);
      std::uint32_t const before = (std::uint32_t{1} << lane) - 1;
      to.pivots[lane] = lane < rows ? scratch.strip.columns[lane] : 0;
      if (moves.hole >= 0) {
        to.holes[count_bits(filled & before)] = moves.hole;
        to.fillers[count_bits(filled & before)] = moves.filler;
      }
      if (lane == 0) to.filled = count_bits(filled);
      return moves.odd;
    }

    /// Multiplies the pivots; strips take turns, nobody else waits for it. The same warp.
    KOKKOS_FUNCTION void multiply(int s, int first, int rows, int m, bool regular, bool odd,
                                  DeterminantInfo<T>& info) const {
      int const lane = threads.warp.lane;
      if (lane == 0)
        while (acquire(memory.multiplied) < s) {
        }
      threads.warp.sync();
      StripProgress<T>& progress = *memory.progress;
      StripState<T> state = progress.state;
      if (regular) {
        state.take_pivots(threads.warp, scratch.strip.pivots, memory.row_top + first, rows, odd);
        int scaling = lane < rows ? memory.row_exponent[first + lane] : 0;
        for (int step = 16; step > 0; step /= 2) scaling += threads.warp.from(scaling, lane ^ step);
        state.exponent += scaling;
      }
      if (lane != 0) return;
      progress.state = state;
      if (!regular || rows == m) info = state.info(regular ? Status::success : Status::singular, 0);
      release_increase(memory.multiplied);
    }

    // ---- its update of a block of rows ----

    template <int Rows>
    KOKKOS_FUNCTION void update(int s, int part) {
      constexpr int slices = Rows / strip_slice;
      int const begin = part * Rows;
      int const count = Kokkos::min(int{Rows}, plan.n - begin);
      int* const applied = memory.applied + begin / strip_slice;
      bool const has_slice =
          threads.thread < slices && begin + threads.thread * strip_slice < plan.n;
      if (has_slice)
        while (acquire(applied + threads.thread) < s) {
        }
      if (threads.thread == 32)
        while (acquire(memory.published + s) < plan.teams(s)) {
        }
      threads.barrier();
      copy_record(s);
      if (scratch.record.stop == 0) {
        StridedMatrix<T const> const from =
            s == 0 ? source : StridedMatrix<T const>{work.data, work.row_stride, work.col_stride};
        find_factors<Rows>(from, begin, count);
        threads.barrier();
        subtract<Rows>(from, s, begin, count);
        threads.barrier();
        settle(begin, count);
      }
      threads.barrier();
      if (has_slice) release_increase(applied + threads.thread);
      if (threads.thread == 32) release_increase(memory.finished + s);
    }

    KOKKOS_FUNCTION void copy_record(int s) {
      StripRecord const& from = memory.records[s % strip_ring];
      StripRecord& to = scratch.record;
      if (threads.thread < 32) {
        int const lane = threads.thread;
        int const pivot = from.pivots[lane], hole = from.holes[lane], filler = from.fillers[lane];
        int const filled = from.filled, stop = from.stop;
        if (lane < to.filled) holes[to.holes[lane] / 32] = 0;  // of the update before
        threads.warp.sync();
        to.pivots[lane] = pivot;
        to.holes[lane] = hole;
        to.fillers[lane] = filler;
        if (lane < filled) Kokkos::atomic_or(&holes[hole / 32], std::uint32_t{1} << hole % 32);
        if (lane == 0) {
          to.filled = filled;
          to.stop = stop;
        }
      }
      threads.barrier();
    }

    /// The rows' entries in the pivots' columns.
    template <int Rows>
    KOKKOS_FUNCTION void find_factors(StridedMatrix<T const> const& from, int begin,
                                      int count) const {
      for (int e = threads.thread; e < R * Rows; e += threads.size()) {
        int const r = e % Rows, k = e / Rows;
        scratch.factors[k][r] =
            r < count ? from(begin + r, scratch.record.pivots[k]) * memory.row_factor[begin + r]
                      : T(0);
      }
    }

    /// The column that will stand at j.
    KOKKOS_FUNCTION int source_of(int j) const {
      if ((holes[j / 32] >> j % 32 & 1U) == 0) return j;
      int h = 0;
      while (scratch.record.holes[h] != j) ++h;
      return scratch.record.fillers[h];
    }

    template <int U>
    KOKKOS_FORCEINLINE_FUNCTION void read_weights(T const* (&w)[U],
                                                  T (&weights)[strip_terms][U]) const {
      CARROLL_UNROLL
      for (int k = 0; k < strip_terms; ++k) {
        CARROLL_UNROLL
        for (int c = 0; c < U; ++c) {
          weights[k][c] = *w[c];
          w[c] += plan.n;
        }
      }
    }

    template <int Rows>
    KOKKOS_FUNCTION void subtract(StridedMatrix<T const> const& from, int s, int begin,
                                  int count) const {
      constexpr int U = columns_at_once;
      int const rest = plan.n - (s + 1) * R;
      T const* const strip = rows_of_W(s);
      int largest = 0;  // of row begin + lane
      for (int j0 = 0; j0 < rest; j0 += U * threads.size()) {
        T held[Rows][U];
        T const* w[U];
        CARROLL_UNROLL
        for (int c = 0; c < U; ++c) {
          int const j = j0 + c * threads.size() + threads.thread;
          int const column = j < rest ? source_of(j) : 0;
          w[c] = strip + column;
          T const* at = &from(begin, column);
          CARROLL_UNROLL
          for (int r = 0; r < Rows; ++r) {
            held[r][c] = j < rest && r < count ? *at : T(0);
            at += from.row_stride;
          }
        }
        CARROLL_UNROLL
        for (int r = 0; r < Rows; ++r) {
          T const factor = r < count ? memory.row_factor[begin + r] : T(0);
          CARROLL_UNROLL
          for (int c = 0; c < U; ++c) held[r][c] *= factor;
        }
        T next[strip_terms][U];
        read_weights(w, next);
        CARROLL_NO_UNROLL
        for (int k0 = 0; k0 < R; k0 += strip_terms) {
          T sum[Rows][U] = {};
          T weights[strip_terms][U];
          CARROLL_UNROLL
          for (int k = 0; k < strip_terms; ++k) CARROLL_UNROLL
          for (int c = 0; c < U; ++c) weights[k][c] = next[k][c];
          if (k0 + strip_terms < R) read_weights(w, next);
          CARROLL_UNROLL
          for (int k = 0; k < strip_terms; ++k) {
            CARROLL_UNROLL
            for (int r = 0; r < Rows; r += 4) {
              auto const four = *reinterpret_cast<StripQuad<T> const*>(&scratch.factors[k0 + k][r]);
              CARROLL_UNROLL
              for (int u = 0; u < 4; ++u) CARROLL_UNROLL
              for (int c = 0; c < U; ++c)
                sum[r + u][c] = Kokkos::fma(four.x[u], weights[k][c], sum[r + u][c]);
            }
          }
          CARROLL_UNROLL
          for (int r = 0; r < Rows; ++r) CARROLL_UNROLL
          for (int c = 0; c < U; ++c) held[r][c] -= sum[r][c];
        }
        int const j = j0 + threads.thread;
        T* at = &work(begin, j);
        CARROLL_UNROLL
        for (int r = 0; r < Rows; ++r) {
          int size = 0;
          CARROLL_UNROLL
          for (int c = 0; c < U; ++c) {
            if (r >= count || j + c * threads.size() >= rest) continue;
            at[c * threads.size() * work.col_stride] = held[r][c];
            size = Kokkos::max(size, magnitude(held[r][c]));
          }
          at += work.row_stride;
          int const row = threads.warp.max(size);
          if (threads.warp.lane == r) largest = Kokkos::max(largest, row);
        }
      }
      if (threads.warp.lane < Rows)
        scratch.largest[threads.warp_index][threads.warp.lane] = largest;
    }

    /// Rows that have left the range in which they are safe are scaled when they are read next.
    KOKKOS_FUNCTION void settle(int begin, int count) const {
      int const r = threads.thread;
      if (r >= count) return;
      int largest = 0;
      for (int w = 0; w < W; ++w) largest = Kokkos::max(largest, scratch.largest[w][r]);
      int const e = unsettled_exponent<T>(largest);
      memory.row_factor[begin + r] = power_of_two<T>(-e);
      if (e == 0) return;
      memory.row_exponent[begin + r] += e;
      memory.row_top[begin + r] = scale(memory.row_top[begin + r], -e);
    }
  };

  DeterminantBatch<T> batch_;
  StripWorkspace<T> workspace_;
  int teams_per_member_;
};

}  // namespace carroll::detail
