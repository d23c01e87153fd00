// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/distributed/detail/tall_qr/host/block.hpp>
#include <carroll/distributed/detail/tall_qr/host/copy.hpp>
#include <carroll/distributed/detail/tall_qr/host/node.hpp>
#include <carroll/distributed/detail/tall_qr/problem.hpp>

/// The kernels of a host: few workers, one for each thread, take every so-manieth piece of the work
/// with room of their own.
namespace carroll::distributed::detail::host {

/// Blocks of a part of the tree that one worker goes through, so that triangles meet in its cache.
inline constexpr std::int64_t part_blocks = 16;

/// A worker's room: a block in a tile, of more than one panel of columns a second one, T, and a
/// triangle.
template <class Real>
struct Room {
  Columns<Real> tile, product;
  Real* factor;
  Real* triangle;

  static int tile_pitch(int block, int cols) {
    return blocks::padded_rows<Real>(std::max(block, cols));
  }
  static std::int64_t factor_size(int cols) {
    constexpr int panel = blocks::panel;
    return std::int64_t{(cols + panel - 1) / panel} * panel * panel;
  }
  static std::int64_t size(int block, int cols) {
    std::int64_t const tile = std::int64_t{tile_pitch(block, cols)} * cols;
    return (cols > blocks::panel ? 2 : 1) * tile + factor_size(cols) +
           std::int64_t{Triangles<Real>::pitch_of(cols)} * cols;
  }

  Room(TallProblem<Real> const& p, int worker) {
    int const pitch = tile_pitch(p.block, p.cols);
    Real* at = p.room + worker * p.room_size;
    tile = product = {at, pitch};
    at += std::int64_t{pitch} * p.cols;
    if (p.cols > blocks::panel) {
      product.data = at;
      at += std::int64_t{pitch} * p.cols;
    }
    factor = at;
    triangle = at + factor_size(p.cols);
  }
};

/// f(first, last) for the blocks of each part of the tree that is this worker's.
template <class Real, class F>
void for_parts(TallProblem<Real> const& p, int worker, F const& f) {
  std::int64_t const begin = p.first / part_blocks, end = (p.last - 1) / part_blocks + 1;
  for (std::int64_t part = begin + worker; part < end; part += p.workers)
    f(std::max(p.first, part * part_blocks), std::min(p.last, (part + 1) * part_blocks));
}

/// Every part of the tree within this rank's blocks: a block's QR, then the joins that it makes
/// possible.
///
/// 2mn² flops; A is read once, and of Q's memory, if it is wanted, once written: with the
/// reflectors.
template <class ExecSpace, class Real>
struct FactorisePartsKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  TallProblem<Real> p;

  void operator()(int worker) const {
    Room<Real> const room(p, worker);
    for_parts(p, worker, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t b = first; b < last; ++b) {
        factorise(room, b);
        join_up_to(b);
      }
    });
  }

 private:
  void factorise(Room<Real> const& room, std::int64_t b) const {
    std::int64_t const slot = b - p.first;
    int const rows = p.rows_of(b);
    Columns<Real> const R = p.triangles(slot);
    Real* const factor =
        p.factors ? p.factors + slot * Room<Real>::factor_size(p.cols) : room.factor;
    BlockReflectors<Real> const Q{room.tile, std::max(rows, p.cols), p.cols, factor};
    load_tile(p.rows_from(p.a, b), rows, p.cols, Q.end_row(), room.tile);
    std::fill_n(R.data, p.triangles.size(), Real(0));
    blocks::with_packs<Real>([&]<class V>() {
      carroll::detail::by_itself<V::bytes>([&] {
        p.triangles.non_finite(slot) =
            balance_tile<V>(room.tile, p.cols, Q.end_row(), p.triangles.exponents(slot)) ? 0 : 1;
        factorise_block<V>(Q, R);
      });
    });
    if (p.q.data) store_tile(room.tile, rows, p.cols, p.rows_from(p.q, b));
  }

  /// Nodes of the part that end with block b.
  void join_up_to(std::int64_t b) const {
    for (std::int64_t half = 1; half < part_blocks; half *= 2) {
      std::int64_t const right = b / half * half;
      if (right / half % 2 == 0) continue;
      auto const node = TreeNode::of(right, p.blocks);
      if (node.end == b + 1 && node.within(p.first, p.last))
        join(p.triangles, node.left - p.first, node.right - p.first);
    }
  }
};

/// Nodes of one level within this rank's blocks, of halves of `half` blocks: joined, or split.
template <class ExecSpace, class Real, bool joins>
struct LevelKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  TallProblem<Real> p;
  std::int64_t half;

  /// The first one, and how many there may be.
  std::int64_t first_right() const {
    std::int64_t const node = (p.first + 2 * half - 1) / (2 * half);
    return node * 2 * half + half;
  }
  std::int64_t count() const {
    return first_right() >= p.last ? 0 : (p.last - 1 - first_right()) / (2 * half) + 1;
  }

  void operator()(int worker) const {
    Room<Real> const room(p, worker);
    std::int64_t right = first_right() + worker * 2 * half;
    for (; right < p.last; right += p.workers * 2 * half) {
      auto const node = TreeNode::of(right, p.blocks);
      if (!node.within(p.first, p.last)) continue;
      if constexpr (joins)
        join(p.triangles, node.left - p.first, node.right - p.first);
      else
        split(p.triangles, node.left - p.first, node.right - p.first, room.triangle);
    }
  }
};

/// The nodes above the ranks, one after the other: all are joined by every rank, and those split
/// that lead to its own blocks.
template <class ExecSpace, class Real, bool joins>
struct TopKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  TallProblem<Real> p;

  void operator()(int worker) const {
    Room<Real> const room(p, worker);
    for (int k = 0; k < p.node_count; ++k) {
      TopNode const& node = p.nodes[joins ? k : p.node_count - 1 - k];
      if constexpr (joins)
        join(p.top, node.left, node.right);
      else if (node.begin < p.last && p.first < node.end)
        split(p.top, node.left, node.right, room.triangle);
    }
  }
};

/// Q·core, block by block: the reflectors in Q's memory give way to it.
///
/// 2mn² flops for up to 32 columns, at most twice as many for more; Q is read and written once.
template <class ExecSpace, class Real>
struct ExpandPartsKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  TallProblem<Real> p;

  void operator()(int worker) const {
    Room<Real> const room(p, worker);
    for_parts(p, worker, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t half = part_blocks / 2; half > 0; half /= 2)
        split_level(room, first, last, half);
      for (std::int64_t b = first; b < last; ++b) expand(room, b);
    });
  }

 private:
  void split_level(Room<Real> const& room, std::int64_t first, std::int64_t last,
                   std::int64_t half) const {
    for (std::int64_t right = first / (2 * half) * 2 * half + half; right < last;
         right += 2 * half) {
      auto const node = TreeNode::of(right, p.blocks);
      if (node.within(p.first, p.last))
        split(p.triangles, node.left - p.first, node.right - p.first, room.triangle);
    }
  }

  void expand(Room<Real> const& room, std::int64_t b) const {
    std::int64_t const slot = b - p.first;
    int const rows = p.rows_of(b);
    StridedMatrix<Real> const q = p.rows_from(p.q, b);
    if (p.outcome->non_finite != 0) {
      for_pieces(q, rows, p.cols, [&](int i, int j, int count) {
        for (int r = i; r < i + count; ++r) q(r, j) = Kokkos::Experimental::quiet_NaN_v<Real>;
      });
      return;
    }
    BlockReflectors<Real> const Q{room.tile, std::max(rows, p.cols), p.cols,
                                  p.factors + slot * Room<Real>::factor_size(p.cols)};
    StridedMatrix<Real const> const reflectors{q.data, q.row_stride, q.col_stride};
    load_tile(reflectors, rows, p.cols, Q.end_row(), room.tile);
    blocks::with_packs<Real>([&]<class V>() {
      carroll::detail::by_itself<V::bytes>(
          [&] { expand_block<V>(Q, p.triangles(slot), p.cols, room.product); });
    });
    store_tile(room.product, rows, p.cols, q);
  }
};

}  // namespace carroll::distributed::detail::host
