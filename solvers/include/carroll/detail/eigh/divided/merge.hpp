// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/eigh/divided/tree.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>

/// Two neighbouring blocks of T, whose eigenvalues and vectors are known, become one:
///
///   T = (S₁ ⊕ S₂)·(D + ρ·z·zᵀ)·(S₁ ⊕ S₂)ᵀ,   ρ = 2·|e|,  z = (last row of S₁, ± first of S₂)/√2
///
/// where |e| has been taken from the two diagonal entries beside the coupling e (Cuppen, Numer.
/// Math. 36, 1981; Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 16, 1995). "Poles" are the
/// entries of D that take part, "roots" the eigenvalues between them.
namespace carroll::detail {

/// Where the leaves leave the largest entries of their rows of T, each at its first row.
template <class Real>
KOKKOS_INLINE_FUNCTION Real* divided_leaf_sizes(DividedTridiagonal<Real> const& at) {
  return at.reals + 7 * static_cast<std::ptrdiff_t>(at.n);
}

/// What the kernels of a merge tell one another. Indices of rows and columns count from the block's
/// first row; arrays have an entry for each of its rows.
template <class Real>
struct DividedMerge {
  /// How many there are: poles; of these with columns of the upper block, with dense ones;
  /// rotations; eigenvalues whose z has weight; pairs of near ones. Blocks have 8 rows at least.
  enum Count { kept, top, both, rotations, live, near };
  /// Rows in which a column is not zero: those of the upper block, of the lower one, all.
  enum Mask { upper = 1, lower = 2, dense = 3 };

  int rows = 0;        ///< 0: nothing is to be done
  int upper_rows = 0;  ///< of the first block
  Real coupling;
  Columns<Real> from, to;  ///< S₁ ⊕ S₂, whose zeros are not stored; S
  Real* d;                 ///< in: of each block, ascending; out: ascending

  // Of `kept` poles, then, from the end on, of columns that take no part.
  Real* value;  ///< poles, later roots
  int* column;  ///< in `from`
  int* target;  ///< column in `to`
  // Of poles, ascending.
  Real *pole, *z;
  Real* weight;  ///< ẑ: the roots are exactly those for this z
  int* order;  ///< of poles by the mask of their columns: upper, dense, lower; `top` and `both` of
               ///< them
  // Of roots.
  Real* root;    ///< distance from the nearest pole: the one below, if positive, or the one above
  Real* factor;  ///< makes the vector's length 1
  // Of columns.
  int* mask;
  // Rotations of two columns each, one after the other.
  Real *cosine, *sine;
  int *first, *second;  ///< four times the column, and its mask before that
  int* list;
  int* count;

  KOKKOS_FUNCTION int poles() const { return count[kept]; }
  KOKKOS_FUNCTION int mask_of_row(int i) const { return i < upper_rows ? upper : lower; }
  /// The pole that root j counts from.
  KOKKOS_FUNCTION Real origin(int j) const { return pole[root[j] < Real(0) ? j + 1 : j]; }
  /// From root j to pole i, d_i - λ_j.
  KOKKOS_FUNCTION Real distance(int i, int j) const { return (pole[i] - origin(j)) - root[j]; }
};

/// The merges of a level, of all members: teams are numbered by chunks, merges and members.
template <class Real>
struct DividedLevel {
  EighBatch<Real> batch;
  int level;
  int merges;  ///< of a member, at most
  int chunks;  ///< of a merge, at most

  KOKKOS_FUNCTION int chunk_of(int team) const { return team % chunks; }

  KOKKOS_FUNCTION DividedMerge<Real> operator()(int team) const {
    int const number = team / chunks % merges;
    DividedTridiagonal<Real> const at(problem(team));
    DivideTree const tree(at.n);
    DividedMerge<Real> merge{};
    if (level > tree.levels || number >= tree.merges_at(level)) return merge;
    if (at.message[DividedTridiagonal<Real>::is_finite] == 0) return merge;
    int const depth = tree.levels - level;
    std::ptrdiff_t const n = at.n, begin = tree.begin_of(depth, number);
    int const middle = tree.begin_of(depth + 1, 2 * number + 1);
    merge.rows = tree.begin_of(depth, number + 1) - static_cast<int>(begin);
    merge.upper_rows = middle - static_cast<int>(begin);
    merge.coupling = at.e[middle - 1];
    merge.d = at.d + begin;
    bool const in_place = tree.in_place_after(level);
    Columns<Real> const& source = in_place ? at.P : at.S;
    Columns<Real> const& result = in_place ? at.S : at.P;
    merge.from = {source.col(static_cast<int>(begin)) + begin, at.n};
    merge.to = {result.col(static_cast<int>(begin)) + begin, at.n};
    Real* const reals = at.reals + begin;
    merge.value = reals;
    merge.pole = reals + n;
    merge.z = reals + 2 * n;
    merge.weight = reals + 3 * n;
    merge.root = reals + 4 * n;
    merge.factor = merge.cosine = reals + 5 * n;
    merge.sine = reals + 6 * n;
    int* const integers = at.integers + begin;
    merge.column = integers;
    merge.target = integers + n;
    merge.order = integers + 2 * n;
    merge.mask = integers + 3 * n;
    merge.first = integers + 4 * n;
    merge.second = integers + 5 * n;
    merge.list = integers + 6 * n;
    merge.count = integers + 7 * n;
    return merge;
  }

  /// What may be left out of T: 8·ε/2 of its largest entry, of those that the leaves have found.
  template <class Member>
  KOKKOS_FUNCTION Real tolerance(Member const& team) const {
    DividedTridiagonal<Real> const at(problem(team.league_rank()));
    DivideTree const tree(at.n);
    Real const* const sizes = divided_leaf_sizes(at);
    Real const largest = lane_max<Real>(
        team, tree.leaves(), [&](int leaf) { return sizes[tree.begin_of(tree.levels, leaf)]; });
    return 4 * Kokkos::Experimental::epsilon_v<Real> * largest;
  }

 private:
  KOKKOS_FUNCTION EighProblem<Real> problem(int team) const {
    return batch(batch.index(team / chunks / merges));
  }
};

}  // namespace carroll::detail
