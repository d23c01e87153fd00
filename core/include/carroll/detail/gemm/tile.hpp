// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstdint>

namespace carroll::detail {

/// C := alpha·A·B + beta·C with m×k A, k×n B, m×n C; a transpose is a StridedMatrix::transposed().
/// With beta = 0, C is not read. C must not overlap A or B.
template <class Real>
struct Gemm {
  int m, n, k;
  Real alpha;
  StridedMatrix<Real const> a, b;
  Real beta;
  StridedMatrix<Real> c;
  /// Where given and not 0 when the kernel runs, nothing is done.
  int const* skip = nullptr;

  KOKKOS_FUNCTION void store(int i, int j, Real sum) const {
    Real& entry = c(i, j);
    entry = beta == Real(0) ? alpha * sum : alpha * sum + beta * entry;
  }
};

/// How a product is cut: tiles of C, and for each of them `parts` ranges of `depth` terms, whose
/// sums go to partial[part][j][i] when there are several. Fixed by the extents alone, so that the
/// order of summation is.
struct GemmCut {
  int tile_rows, tile_cols;
  int parts, depth;

  KOKKOS_FUNCTION int tiles() const { return tile_rows * tile_cols; }
  KOKKOS_FUNCTION int league() const { return tiles() * parts; }
};

/// Where to put the sum for C(i, j) of one part.
template <class Real>
struct GemmResult {
  Gemm<Real> gemm;
  Real* partial;  ///< null for a single part

  KOKKOS_FUNCTION void store(int part, int i, int j, Real sum) const {
    if (partial) {
      auto const column = static_cast<std::ptrdiff_t>(part) * gemm.n + j;
      partial[column * gemm.m + i] = sum;
    } else {
      gemm.store(i, j, sum);
    }
  }
};

/// Extents of a tile of C, the terms staged at a time, and the block of C that a thread holds in
/// registers.
template <int Rows, int Cols, int Depth, int ThreadRows, int ThreadCols>
struct GemmTile {
  static constexpr int rows = Rows, cols = Cols, depth = Depth;
  static constexpr int thread_rows = ThreadRows, thread_cols = ThreadCols;
  static constexpr int threads = (Rows / ThreadRows) * (Cols / ThreadCols);
};

/// A GPU's matrix product: a team per tile of C and part of the sum.
///
/// `depth` columns of A's rows and `depth` rows of B's columns are staged in scratch, twice, so
/// that the next ones are on their way while the current ones are used; a thread adds outer
/// products of thread_rows entries of A and thread_cols of B to its block of C in registers. Blocks
/// are spread over the tile in groups of 16 bytes, so that neighbouring lanes read neighbouring
/// groups.
///
/// 2mnk flops; A is read from memory n/cols times, B m/rows times. Per multiplication and addition
/// (1/thread_rows + 1/thread_cols) entries are read from scratch.
template <class ExecSpace, class Real, class Tile>
class GemmTileKernel {
 public:
  GemmTileKernel(Gemm<Real> const& gemm, GemmCut const& cut, Real* partial)
      : gemm_(gemm), cut_(cut), partial_(partial) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (gemm_.skip && *gemm_.skip) return;
    int const tile = team.league_rank() % cut_.tiles();
    int const part = team.league_rank() / cut_.tiles();
    int const i0 = tile % cut_.tile_rows * Tile::rows;
    int const j0 = tile / cut_.tile_rows * Tile::cols;
    int const begin = part * cut_.depth;
    int const end = Kokkos::min(gemm_.k, begin + cut_.depth);
    int const rank = team.team_rank();

    Stager<Tile::rows> a(gemm_.a, gemm_.m - i0, i0, begin, rank);
    Stager<Tile::cols> b(gemm_.b.transposed(), gemm_.n - j0, j0, begin, rank);
    Real* const stages = scratch(team);  // each A's columns, then B's rows

    Real sum[Tile::thread_rows][Tile::thread_cols] = {};
    int const row = rank % row_threads;
    int const col = rank / row_threads;
    a.fetch(end - begin);
    b.fetch(end - begin);
    a.put(stages);
    b.put(stages + a_stage);
    team.team_barrier();
    for (int p = begin, current = 0; p < end; p += Tile::depth, current ^= 1) {
      int const left = end - p - Tile::depth;
      if (left > 0) {
        a.fetch(left);
        b.fetch(left);
      }
      Real* const stage = stages + current * (a_stage + b_stage);
      add_outer_products(stage, stage + a_stage, row, col, sum);
      if (left > 0) {
        Real* const next = stages + (current ^ 1) * (a_stage + b_stage);
        a.put(next);
        b.put(next + a_stage);
      }
      team.team_barrier();  // the next stage is full, and nobody reads the current one any more
    }

    GemmResult<Real> const result{gemm_, partial_};
    for (int v = 0; v < Tile::thread_cols; ++v)
      for (int u = 0; u < Tile::thread_rows; ++u) {
        int const i = i0 + place<a_group, Tile::rows, Tile::thread_rows>(row, u);
        int const j = j0 + place<b_group, Tile::cols, Tile::thread_cols>(col, v);
        if (i < gemm_.m && j < gemm_.n) result.store(part, i, j, sum[u][v]);
      }
  }

 private:
  static constexpr int row_threads = Tile::rows / Tile::thread_rows;
  static constexpr int in_16_bytes = 16 / int(sizeof(Real));
  static constexpr int a_group = Tile::thread_rows < in_16_bytes ? Tile::thread_rows : in_16_bytes;
  static constexpr int b_group = Tile::thread_cols < in_16_bytes ? Tile::thread_cols : in_16_bytes;
  // A gap of 16 bytes behind each staged column keeps the writes of a transpose apart.
  static constexpr int a_pitch = Tile::rows + in_16_bytes, b_pitch = Tile::cols + in_16_bytes;
  static constexpr int a_stage = Tile::depth * a_pitch, b_stage = Tile::depth * b_pitch;

  struct alignas(16) Group {
    Real entry[in_16_bytes];
  };

 public:
  static constexpr std::size_t bytes_per_team = 2 * (a_stage + b_stage) * sizeof(Real) + 16;
  using Policy = BoundedTeams<ExecSpace, Tile::threads, 2, bytes_per_team>;

 private:
  KOKKOS_FUNCTION static Real* scratch(TeamMember<ExecSpace> const& team) {
    auto const address = reinterpret_cast<std::uintptr_t>(
        team.team_scratch(0).get_shmem(static_cast<std::ptrdiff_t>(bytes_per_team)));
    return reinterpret_cast<Real*>((address + 15) / 16 * 16);
  }

  /// Position in the tile of entry u of thread t's block.
  template <int GroupSize, int Extent, int Block>
  KOKKOS_FUNCTION static constexpr int place(int t, int u) {
    return u / GroupSize * (Extent / (Block / GroupSize)) + t * GroupSize + u % GroupSize;
  }

  /// A thread's share of one operand: which entries it fetches, and where it puts them.
  /// Consecutive threads go along whichever dimension lies closer together in memory.
  template <int Extent>
  struct Stager {
    static constexpr int count = Extent * Tile::depth / Tile::threads;
    static constexpr int pitch = Extent + in_16_bytes;
    static_assert(Tile::threads % Extent == 0 && Tile::threads % Tile::depth == 0);

    Real const* next;
    std::ptrdiff_t step, advance;
    int i, p, i_step, p_step;
    int extent;
    Real held[count];

    KOKKOS_FUNCTION Stager(StridedMatrix<Real const> const& x, int rows, int i0, int p0, int rank)
        : extent(rows) {
      bool const along_rows = x.row_stride <= x.col_stride;
      i = along_rows ? rank % Extent : rank / Tile::depth;
      p = along_rows ? rank / Extent : rank % Tile::depth;
      i_step = along_rows ? 0 : Tile::threads / Tile::depth;
      p_step = along_rows ? Tile::threads / Extent : 0;
      step = i_step * x.row_stride + p_step * x.col_stride;
      advance = Tile::depth * x.col_stride;
      next = x.data + (i0 + i) * x.row_stride + (p0 + p) * x.col_stride;
    }

    /// The next Tile::depth terms, of which `left` exist; the others count as 0.
    KOKKOS_FUNCTION void fetch(int left) {
      if (extent >= Extent && left >= Tile::depth) {
        CARROLL_UNROLL
        for (int s = 0; s < count; ++s) held[s] = next[s * step];
      } else {
        CARROLL_UNROLL
        for (int s = 0; s < count; ++s)
          held[s] = i + s * i_step < extent && p + s * p_step < left ? next[s * step] : Real(0);
      }
      next += advance;
    }

    KOKKOS_FUNCTION void put(Real* stage) const {
      CARROLL_UNROLL
      for (int s = 0; s < count; ++s) stage[(p + s * p_step) * pitch + i + s * i_step] = held[s];
    }
  };

  KOKKOS_FUNCTION static void add_outer_products(
      Real const* a_stage_data, Real const* b_stage_data, int row, int col,
      Real (&sum)[Tile::thread_rows][Tile::thread_cols]) {
    CARROLL_UNROLL
    for (int p = 0; p < Tile::depth; ++p) {
      Real x[Tile::thread_rows], y[Tile::thread_cols];
      read<a_group, Tile::rows, Tile::thread_rows>(a_stage_data + p * a_pitch, row, x);
      read<b_group, Tile::cols, Tile::thread_cols>(b_stage_data + p * b_pitch, col, y);
      CARROLL_UNROLL
      for (int u = 0; u < Tile::thread_rows; ++u) {
        CARROLL_UNROLL
        for (int v = 0; v < Tile::thread_cols; ++v) sum[u][v] += x[u] * y[v];
      }
    }
  }

  template <int GroupSize, int Extent, int Block>
  KOKKOS_FUNCTION static void read(Real const* stage, int t, Real (&into)[Block]) {
    CARROLL_UNROLL
    for (int u = 0; u < Block; u += GroupSize) {
      Real const* const from = stage + place<GroupSize, Extent, Block>(t, u);
      if constexpr (GroupSize == in_16_bytes) {
        Group const group = *reinterpret_cast<Group const*>(from);
        CARROLL_UNROLL
        for (int v = 0; v < GroupSize; ++v) into[u + v] = group.entry[v];
      } else {
        CARROLL_UNROLL
        for (int v = 0; v < GroupSize; ++v) into[u + v] = from[v];
      }
    }
  }

  Gemm<Real> gemm_;
  GemmCut cut_;
  Real* partial_;
};

}  // namespace carroll::detail
