// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/double_word.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/svd/common/round_robin.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/svd/types.hpp>
#include <cstdint>

/// What a kernel sees of one matrix: its views, oriented so that there are at least as many rows as
/// columns, and its slice of the workspace.
namespace carroll::detail {

/// Columns of a matrix without gaps: entry (i, j) is at data[i + j·rows].
template <class Real>
struct Columns {
  Real* data;
  int rows;
  KOKKOS_FUNCTION Real* col(int j) const { return data + static_cast<std::ptrdiff_t>(j) * rows; }
  KOKKOS_FUNCTION Real& operator()(int i, int j) const { return col(j)[i]; }
};

/// The first n columns of M := those of the identity. One team; ends with a barrier.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void set_identity(Member const& team, Columns<Real> const& M, int n) {
  thread_for(team, n, [&](int j) {
    lane_for(team, M.rows, [&](int i) { M(i, j) = i == j ? Real(1) : Real(0); });
  });
  team.team_barrier();
}

/// What an earlier kernel tells a later one.
struct SvdState {
  int turned = 0;      ///< a square A is worked on as its transpose
  int columns = 0;     ///< columns that Jacobi works on: the rank met by the first QR, or n
  int inner_rank = 0;  ///< reflectors of the second QR
  int converged = 0;
  int left_over = 0;  ///< a fast path has met its limits: the team kernels will do it
  /// Tile path: how often teams have published reflectors, in each of the three factorisations.
  Kokkos::Array<int, 3> published{};
  /// Tile path, in the first member's state: teams that have begun, of each launch that counts.
  Kokkos::Array<int, 5> begun{};
};

/// May a problem of this size have its first QR repeated in double words? Beyond it rounding in the
/// QR is no longer what limits the accuracy, and the room would be felt.
KOKKOS_INLINE_FUNCTION constexpr bool has_double_words(std::int64_t rows, std::int64_t cols) {
  return cols <= 32 && rows <= 1024;
}

/// Columns that a team holds in registers on the tile path, and cols rounded up to whole tiles.
inline constexpr int tile_columns = 16;
KOKKOS_INLINE_FUNCTION constexpr std::int64_t whole_tiles(std::int64_t cols) {
  return (cols + tile_columns - 1) / tile_columns * tile_columns;
}

/// Up to so many columns a warp holds a pair of blocks and a team a matrix; beyond, a team holds a
/// pair of blocks. In double precision ten tiles of 160 rows would want more registers than there
/// are.
template <class Real>
inline constexpr int most_sweeps_columns = sizeof(Real) == 4 ? 160 : 128;

/// Columns of a block of the sweeps by Gram matrices, and of two blocks that meet.
inline constexpr int gram_columns = 32;
inline constexpr int gram_pair_columns = 2 * gram_columns;
inline constexpr int gram_entries = gram_pair_columns * gram_pair_columns;

/// Rows whose products are summed before they are added to others': at most 16 parts, so that bits
/// depend on the size alone, whether a team sums one part or all.
KOKKOS_INLINE_FUNCTION constexpr int gram_part_rows(int cols) {
  int rows = 64;
  while (16 * rows < cols) rows *= 2;
  return rows;
}
KOKKOS_INLINE_FUNCTION constexpr int gram_parts(int cols) {
  return (cols + gram_part_rows(cols) - 1) / gram_part_rows(cols);
}
/// Blocks meet as columns do in round robin.
KOKKOS_INLINE_FUNCTION constexpr RoundRobin gram_schedule(int cols) {
  return {(cols + gram_columns - 1) / gram_columns};
}
/// What the pairs of a set need: products of rotations, twice, and a Gram matrix per part.
KOKKOS_INLINE_FUNCTION constexpr std::int64_t gram_reals(int cols) {
  return static_cast<std::int64_t>(gram_schedule(cols).pairs()) * (gram_parts(cols) + 2) *
         gram_entries;
}

/// Rows beyond which several teams share 16 columns on the tile path, a chunk of this many each.
template <class Real>
inline constexpr int panel_chunk_rows = sizeof(Real) == 4 ? 2048 : 1024;
template <class Real>
KOKKOS_INLINE_FUNCTION constexpr int panel_chunks(std::int64_t rows) {
  return static_cast<int>((rows + panel_chunk_rows<Real> - 1) / panel_chunk_rows<Real>);
}

/// 64-bit words through which the teams of one tile exchange sums: two turns of 256 sums per chunk,
/// half a number to a word.
template <class Real>
KOKKOS_INLINE_FUNCTION constexpr std::int64_t exchange_words_per_tile(std::int64_t rows) {
  int const chunks = panel_chunks<Real>(rows);
  return chunks > 1 ? std::int64_t{2} * tile_columns * tile_columns * chunks * (sizeof(Real) / 4)
                    : 0;
}

/// Their room, aligned to 8 bytes; vectors may have as many columns as rows.
template <class Real>
KOKKOS_INLINE_FUNCTION constexpr std::int64_t exchange_reals(std::int64_t rows) {
  return whole_tiles(rows) / tile_columns * exchange_words_per_tile<Real>(rows) * 8 /
             std::int64_t{sizeof(Real)} +
         2;
}

/// Rows up to which a team holds a matrix in its registers, and no fewer than those that it then
/// has room for (FusedClasses).
inline constexpr int most_fused_rows = 128;
constexpr std::int64_t fused_rows(std::int64_t rows) {
  return std::max<std::int64_t>(64, (rows + 31) / 32 * 32);
}

/// What is kept of a tile's reflectors beside themselves: 16×16 each.
template <class Real>
struct BlockFactor {
  static constexpr int block = tile_columns * tile_columns, size = 3 * block;
  Real* data;

  /// T, row by row, upper triangular.
  KOKKOS_FUNCTION Real* T() const { return data; }
  /// Their rows in the diagonal block, column by column, with zeros and ones.
  KOKKOS_FUNCTION Real* V() const { return data + block; }
  /// The diagonal block of R, column by column, with zeros.
  KOKKOS_FUNCTION Real* R() const { return data + 2 * block; }
};

/// Elements of workspace that a rows×cols problem, rows >= cols, needs.
struct SvdWorkspaceSizes {
  std::int64_t reals;
  std::int64_t ints;

  /// `tiles`: on the path of tiled/launch.hpp.
  template <class Real>
  static SvdWorkspaceSizes of(std::int64_t rows, std::int64_t cols, SvdMethod method, bool vectors,
                              bool tiles) {
    std::int64_t const squares = (method == SvdMethod::preconditioned ? 2 : 0) + (vectors ? 1 : 0);
    bool const double_words = method == SvdMethod::preconditioned && has_double_words(rows, cols);
    std::int64_t reals = rows * cols + squares * cols * cols + 4 * cols + rows +
                         (double_words ? 2 * (rows + 2) * cols : 0);
    std::int64_t ints = 6 * cols;
    if (tiles) {
      std::int64_t const columns = whole_tiles(cols);
      reals += 3 * BlockFactor<Real>::size * (columns / tile_columns) + exchange_reals<Real>(rows);
      if (cols > most_sweeps_columns<Real>)
        reals =
            round_up(reals) + gram_reals(static_cast<int>(cols)) + (vectors ? 2 : 1) * cols * cols;
      ints += 2 * cols;
      if (rows <= most_fused_rows)
        reals = std::max(reals, (vectors ? 4 : 1) * fused_rows(rows) * cols);
    }
    return {round_up(reals), round_up(ints)};
  }

  /// Members, and what is read in groups of 16 bytes, begin at multiples of 128 bytes, a cache line
  /// on GPUs.
  KOKKOS_FUNCTION static std::int64_t round_up(std::int64_t n) { return (n + 31) / 32 * 32; }
  /// Makes room for another use of the same memory.
  void cover(SvdWorkspaceSizes const& other) {
    if (other.reals > reals) reals = round_up(other.reals);
    if (other.ints > ints) ints = round_up(other.ints);
  }
};

/// Column j of any matrix in the workspace stands for data·2^exponent[j], with data near 1. No
/// product, sum of squares or cosine formed from such columns can over- or underflow, whatever the
/// scale of A and of its columns.
template <class Real>
struct SvdProblem {
  int rows, cols;  ///< rows >= cols
  StridedMatrix<Real const> a;
  StridedMatrix<Real> left, right;  ///< singular vectors of length rows and cols
  int left_cols, right_cols;        ///< 0 where not wanted
  StridedVector<Real> s;
  SvdInfo<Real>* info;
  SvdState* state;
  Real* reals;
  int* ints;
  bool preconditioned;

  KOKKOS_FUNCTION bool vectors() const { return left_cols + right_cols > 0; }

  /// A, then the first QR's reflectors and R; for the plain methods the rotated columns.
  KOKKOS_FUNCTION Columns<Real> factor() const { return {reals, rows}; }
  /// The second QR's reflectors and R.
  KOKKOS_FUNCTION Columns<Real> inner_factor() const { return {square(0), cols}; }
  /// The columns that Jacobi makes orthogonal; ends as the left vectors times the singular values.
  KOKKOS_FUNCTION Columns<Real> working() const {
    return preconditioned ? Columns<Real>{square(1), state->columns} : factor();
  }
  /// The rotations' product; ends as the right vectors. Exists when vectors are wanted.
  KOKKOS_FUNCTION Columns<Real> rotations() const { return {square(preconditioned ? 2 : 0), cols}; }
  KOKKOS_FUNCTION Real* tau() const { return tail(0); }
  KOKKOS_FUNCTION Real* inner_tau() const { return tail(1); }
  KOKKOS_FUNCTION Real* norms() const { return tail(2); }
  /// Norms of the working columns; with working_exponents() the singular values.
  KOKKOS_FUNCTION Real* sigma() const { return tail(3); }
  /// Largest cosine that each pair slot of the round robin has met in the current sweep.
  KOKKOS_FUNCTION Real* slot_cosines() const { return tail(4); }
  /// `rows` entries for the completion of a basis, after the sweeps.
  KOKKOS_FUNCTION Real* dots() const { return tail(4); }

  /// A once more, in double words, with its reflectors' factors and its columns' norms behind it.
  KOKKOS_FUNCTION Columns<DoubleWord<Real>> double_word_factor() const {
    return {reinterpret_cast<DoubleWord<Real>*>(tail(4) + rows), rows};
  }
  KOKKOS_FUNCTION DoubleWord<Real>* double_word_tau() const {
    return double_word_factor().col(cols);
  }
  KOKKOS_FUNCTION DoubleWord<Real>* double_word_norms() const { return double_word_tau() + cols; }

  /// Tile path: a BlockFactor per tile of each of the three QR factorisations.
  KOKKOS_FUNCTION BlockFactor<Real> block_factor(int which, int tile) const {
    auto const k = which * (whole_tiles(cols) / tile_columns) + tile;
    return {tile_reals() + k * BlockFactor<Real>::size};
  }
  /// Tile path: see exchange_words_per_tile.
  KOKKOS_FUNCTION std::uint64_t* exchange_words() const {
    auto const end = reinterpret_cast<std::uintptr_t>(block_factor(3, 0).data);
    return reinterpret_cast<std::uint64_t*>((end + 7) / 8 * 8);
  }
  /// Tile path: pairs of blocks at work, see GramMember.
  KOKKOS_FUNCTION Real* gram_work() const {
    std::ptrdiff_t const before = block_factor(3, 0).data - reals + exchange_reals<Real>(rows);
    return reals + SvdWorkspaceSizes::round_up(before);
  }
  /// Tile path: the other places of the working columns (0) and of the rotations (1), which sweeps
  /// by Gram matrices write from one to the other.
  KOKKOS_FUNCTION Real* spare(int which) const {
    std::ptrdiff_t const n = cols;
    return gram_work() + gram_reals(cols) + which * n * n;
  }
  /// Tile path: where row j of the first R went among the columns of the second QR.
  KOKKOS_FUNCTION int* inner_places() const { return ints + 6 * cols; }
  /// Tile path: rotations that each pair of blocks has made.
  KOKKOS_FUNCTION int* slot_counts() const { return ints + 7 * cols; }
  /// Tile path, behind them: one more number for each pair of blocks, of which there are at most
  /// cols / 4.
  KOKKOS_FUNCTION int* slot_flags() const { return slot_counts() + cols / 2; }

  KOKKOS_FUNCTION int* permutation() const { return ints; }
  KOKKOS_FUNCTION int* inner_permutation() const { return ints + cols; }
  /// Rotations that each pair slot of the round robin has made in the current sweep.
  KOKKOS_FUNCTION int* slot_rotations() const { return inner_permutation(); }
  KOKKOS_FUNCTION int* exponents() const { return ints + 2 * cols; }
  KOKKOS_FUNCTION int* inner_exponents() const { return ints + 3 * cols; }
  /// Plain methods: exponent of the largest norm that each column has had.
  KOKKOS_FUNCTION int* top_exponents() const { return inner_exponents(); }
  KOKKOS_FUNCTION int* working_exponents() const {
    return preconditioned ? ints + 4 * cols : exponents();
  }
  /// order()[k] is the working column with the k-th largest norm.
  KOKKOS_FUNCTION int* order() const { return ints + 5 * cols; }

 private:
  KOKKOS_FUNCTION Real* tile_reals() const {
    return tail(4) + rows + (has_double_words(rows, cols) ? 2 * (rows + 2) * cols : 0);
  }
  KOKKOS_FUNCTION Real* square(int k) const {
    std::ptrdiff_t const n = cols;
    return reals + rows * n + k * n * n;
  }
  KOKKOS_FUNCTION Real* tail(int k) const {
    return square((preconditioned ? 2 : 0) + (vectors() ? 1 : 0)) +
           static_cast<std::ptrdiff_t>(k) * cols;
  }
};

/// A ragged member and its places in the workspace.
struct SvdSlot {
  SvdMember member;
  std::int64_t reals;
  std::int64_t ints;
};

/// x, and +0 for -0: the sign of a zero says how the work was arranged, not what the matrix is.
template <class Real>
KOKKOS_INLINE_FUNCTION Real unsigned_zero(Real x) {
  return x + Real(0);
}

/// Members that a fast path has left to the team kernels, in any order.
struct FallbackList {
  int* count;
  int* members;

  /// Called by one lane.
  KOKKOS_FUNCTION void add(int b) const { members[Kokkos::atomic_fetch_add(count, 1)] = b; }
};

/// All problems of one call: hands out the b-th.
template <class Real>
struct SvdBatch {
  StridedBatch<Real const> a;
  StridedBatch<Real> u, s, v;
  SvdVectors u_wanted, v_wanted;
  SvdMethod method;
  SvdSlot const* slots;  ///< of a ragged batch, else null
  Real* reals;
  int* ints;
  SvdWorkspaceSizes distance;  ///< between the members of a uniform batch
  SvdState* states;
  SvdInfo<Real>* infos;
  std::ptrdiff_t info_stride;
  FallbackList fallback;
  int const* selection = nullptr;  ///< members that a path works on; null: all

  /// Which member the k-th of those is.
  KOKKOS_FUNCTION int index(int k) const { return selection ? selection[k] : k; }

  KOKKOS_FUNCTION SvdProblem<Real> operator()(int b) const {
    return slots ? ragged(b, slots[b]) : uniform(b);
  }

 private:
  KOKKOS_FUNCTION SvdProblem<Real> uniform(int b) const {
    return oriented(b, static_cast<int>(a.extents[1]), static_cast<int>(a.extents[2]), member(a, b),
                    member(u, b), {s.data + b * s.strides[0], s.strides[1]}, member(v, b),
                    reals + b * distance.reals, ints + b * distance.ints);
  }

  template <class T>
  KOKKOS_FUNCTION static StridedMatrix<T> member(StridedBatch<T> const& x, int b) {
    return {x.data + b * x.strides[0], x.strides[1], x.strides[2]};
  }

  /// A packed member; null stays null, for vectors that are not wanted.
  template <class T>
  KOKKOS_FUNCTION static StridedMatrix<T> packed(T* data, std::int64_t offset, std::int64_t rows) {
    return {data ? data + offset : nullptr, 1, static_cast<std::ptrdiff_t>(rows)};
  }

  KOKKOS_FUNCTION SvdProblem<Real> ragged(int b, SvdSlot const& slot) const {
    SvdMember const& at = slot.member;
    return oriented(b, static_cast<int>(at.rows), static_cast<int>(at.cols),
                    packed(a.data, at.a, at.rows), packed(u.data, at.u, at.rows),
                    {s.data + at.s, 1}, packed(v.data, at.v, at.cols), reals + slot.reals,
                    ints + slot.ints);
  }

  KOKKOS_FUNCTION SvdProblem<Real> oriented(int b, int m, int n, StridedMatrix<Real const> A,
                                            StridedMatrix<Real> U, StridedVector<Real> S,
                                            StridedMatrix<Real> V, Real* real_work,
                                            int* int_work) const {
    int const least = m < n ? m : n;
    int const u_cols = static_cast<int>(vector_columns(u_wanted, m, least));
    int const v_cols = static_cast<int>(vector_columns(v_wanted, n, least));
    bool const tall = m > n || (m == n && !states[b].turned);
    return {.rows = tall ? m : n,
            .cols = least,
            .a = tall ? A : A.transposed(),
            .left = tall ? U : V,
            .right = tall ? V : U,
            .left_cols = tall ? u_cols : v_cols,
            .right_cols = tall ? v_cols : u_cols,
            .s = S,
            .info = infos + b * info_stride,
            .state = states + b,
            .reals = real_work,
            .ints = int_work,
            .preconditioned = method == SvdMethod::preconditioned};
  }
};

}  // namespace carroll::detail
