// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/common/ql.hpp>
#include <carroll/detail/eigh/divided/merge.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/eigh/divided/tree.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// The leaves of T by implicit QL steps (common/ql.hpp), a leaf to a thread with registers of its
/// own, as many to a team as a warp has lanes. T and S are in scratch meanwhile, an entry of all
/// leaves side by side.
///
/// Some 0.9·m² rotations for m <= 8 rows, one after the other, and 5.4·m³ flops for S. T is read
/// once, d and m² entries of S are written once. The rows beside a coupling to a neighbour lose its
/// modulus from their diagonal entries.
template <class ExecSpace, class Real>
class DividedLeavesKernel {
  static constexpr int most = most_leaf_rows;
  static constexpr int width = lanes<ExecSpace>;
  using Chain = QlChain<Real, width != 1, width>;

  struct Scratch {
    Real S[most * most * width];  ///< column by column
    Real d[most * width], e[most * width];
    QlRotation<Real> rotation[most * width];  ///< of a step; a leaf's lie together
  };

 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<width>>;
  using Storage = DividedTridiagonal<Real>;
  static constexpr int leaves_of_team = width;

  /// `leaves`: of a member, at most.
  DividedLeavesKernel(EighBatch<Real> const& batch, int members, int leaves)
      : batch_(batch), members_(members), leaves_(leaves) {}

  static constexpr int teams(int members, int leaves) {
    return static_cast<int>((std::int64_t{members} * leaves + width - 1) / width);
  }
  static constexpr std::size_t scratch_bytes() { return sizeof(Scratch) + alignof(Scratch); }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    auto& scratch = *static_cast<Scratch*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(Scratch), alignof(Scratch)));
    int const number = team.league_rank() * width + team.team_rank();
    int const k = number / leaves_, leaf = number % leaves_;
    if (k >= members_) return;
    Storage const at(batch_(batch_.index(k)));
    DivideTree const tree(at.n);
    if (leaf >= tree.leaves() || at.message[Storage::is_finite] == 0) return;
    Leaf const place{scratch, team.team_rank(), tree.begin_of(tree.levels, leaf),
                     tree.begin_of(tree.levels, leaf + 1)};
    place.load(at);
    int const steps = place.diagonalise();
    place.store(at, tree.in_place_after(0) ? at.S : at.P);
    if (leaf == 0) at.message[Storage::steps] = Kokkos::min(steps, int(most_steps)) + tree.levels;
    if (steps > most_steps) at.message[Storage::done] = 0;
  }

 private:
  /// Two for a row are the rule.
  static constexpr int most_steps = 30 * most;

  /// Rows begin to end - 1 of a matrix.
  struct Leaf {
    Scratch& scratch;
    int lane, begin, end;

    KOKKOS_FUNCTION int rows() const { return end - begin; }
    KOKKOS_FUNCTION Real& S(int i, int j) const { return scratch.S[(j * most + i) * width + lane]; }
    KOKKOS_FUNCTION Chain chain() const { return {rows(), scratch.d + lane, scratch.e + lane}; }

    KOKKOS_FUNCTION void load(Storage const& at) const {
      Chain const T = chain();
      Real before = begin > 0 ? Kokkos::abs(at.e[begin - 1]) : Real(0), largest = 0;
      for (int i = 0; i < rows(); ++i) {
        Real const d = at.d[begin + i], e = begin + i + 1 < at.n ? at.e[begin + i] : Real(0);
        bool const is_last = i == rows() - 1;
        largest = Kokkos::max(largest, Kokkos::max(Kokkos::abs(d), Kokkos::abs(e)));
        T.d(i) = d - before - (is_last ? Kokkos::abs(e) : Real(0));
        T.e(i) = is_last ? Real(0) : e;
        before = 0;
        for (int j = 0; j < rows(); ++j) S(i, j) = i == j ? Real(1) : Real(0);
      }
      divided_leaf_sizes(at)[begin] = largest;
    }

    /// Returns the number of steps, one more than are allowed if that has not been enough.
    KOKKOS_FUNCTION int diagonalise() const {
      Chain const T = chain();
      int steps = 0;
      QlRotation<Real>* const rotation = scratch.rotation + most * lane;
      for (EighBlock block = T.find_block(0); block.length() > 0; ++steps) {
        if (steps > most_steps) break;
        EighBlock const turned = block;
        block = T.take_step(turned, rotation);
        for (int j = turned.last - 1; j >= turned.first; --j) {
          auto const [c, s] = rotation[j - turned.first];
          for (int i = 0; i < rows(); ++i) {
            Real const x = S(i, j), y = S(i, j + 1);
            S(i, j + 1) = s * x + c * y;
            S(i, j) = c * x - s * y;
          }
        }
      }
      return steps;
    }

    /// In ascending order.
    KOKKOS_FUNCTION void store(Storage const& at, Columns<Real> const& to) const {
      Chain const T = chain();
      for (int j = 0; j < rows(); ++j) {
        Real const own = T.d(j);
        int place = begin;
        for (int i = 0; i < rows(); ++i) place += T.d(i) < own || (T.d(i) == own && i < j) ? 1 : 0;
        at.d[place] = own;
        for (int i = 0; i < rows(); ++i) to(begin + i, place) = S(i, j);
      }
    }
  };

  EighBatch<Real> batch_;
  int members_, leaves_;
};

}  // namespace carroll::detail
