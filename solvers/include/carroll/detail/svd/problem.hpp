// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/double_word.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/svd/layout.hpp>
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
  int rotated = 0;     ///< the rotations begin with what is in their place, rather than with I, and
                       ///< there is no second QR
  int direct = 0;      ///< such a start was from A: there is no QR at all
  int refactored = 0;  ///< such a start has left longer columns in the place of A: Q is of these,
                       ///< and their triangle is swept
  /// Tile path: how often teams have published reflectors, in each of the three factorisations.
  Kokkos::Array<int, 3> published{};
  /// Tile path, in the first member's state: teams that have begun, of each launch that counts.
  Kokkos::Array<int, 8> begun{};
  int met = 0;  ///< how often teams that sweep a member together have come to a barrier
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
  /// Left vectors times singular values, which are longer where there is no QR.
  KOKKOS_FUNCTION Columns<Real> orthogonal() const {
    return state->direct && rows > cols ? factor() : working();
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

/// x, and +0 for -0: the sign of a zero says how the work was arranged, not what the matrix is.
template <class Real>
KOKKOS_INLINE_FUNCTION Real unsigned_zero(Real x) {
  return x + Real(0);
}

}  // namespace carroll::detail
