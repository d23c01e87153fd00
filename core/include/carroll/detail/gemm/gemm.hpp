// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/gemm/host.hpp>
#include <carroll/detail/gemm/tile.hpp>
#include <carroll/detail/team.hpp>
#include <utility>

/// Matrix products in our own kernels: any strides, and sums in an order that depends on the
/// extents alone, so that results are the same bits in every run, for every layout and every number
/// of threads. Enqueued, without fences or allocations.
namespace carroll::detail {

/// Tiles on GPUs, chosen from measurements on an H200. 8×8 sums per thread read least from scratch
/// for a multiplication; smaller tiles are for products that have too few large ones to fill a GPU.
template <class Real>
struct GemmTiles {
  using Large = GemmTile<128, 64, sizeof(Real) == 4 ? 16 : 8, 8, 8>;
  using Small = GemmTile<64, 64, 16, 8, 4>;
  using Narrow = GemmTile<64, 16, 16, 4, 4>;
};

/// The sum of a cut product's parts, in their order.
template <class ExecSpace, class Real>
class GemmPartsKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  GemmPartsKernel(Gemm<Real> const& gemm, int parts, Real const* partial)
      : gemm_(gemm), parts_(parts), partial_(partial) {}

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    if (gemm_.skip && *gemm_.skip) return;
    std::int64_t const distance = static_cast<std::int64_t>(gemm_.m) * gemm_.n;
    Real sum = partial_[entry];
    for (int part = 1; part < parts_; ++part) sum += partial_[part * distance + entry];
    gemm_.store(static_cast<int>(entry % gemm_.m), static_cast<int>(entry / gemm_.m), sum);
  }

 private:
  Gemm<Real> gemm_;
  int parts_;
  Real const* partial_;
};

/// Work items for a large GPU, two teams on each of its multiprocessors, or for a host with some
/// threads.
template <class ExecSpace>
inline constexpr int gemm_items = lanes<ExecSpace> == 1 ? 16 : 2 * 132;
/// Terms of a sum, below which cutting it costs more than it gives.
inline constexpr int gemm_least_depth = 128;

constexpr int pieces_of(int extent, int by) {
  return extent / by + (extent % by != 0);
}

/// Then the product of the transposes is computed, which has few columns.
constexpr bool has_few_rows(int m, int n) {
  return m <= 32 && n > 32;
}

/// f(tile) for the tile that suits a product.
template <class ExecSpace, class Real, class F>
auto with_gemm_tile(int m, int n, int k, F const& f) {
  if constexpr (lanes<ExecSpace> == 1) {
    return f(typename GemmHostKernel<ExecSpace, Real>::Tile{});
  } else {
    using Tiles = GemmTiles<Real>;
    using Large = typename Tiles::Large;
    if (n <= 32) return f(typename Tiles::Narrow{});
    double const large = double(pieces_of(m, Large::rows)) * pieces_of(n, Large::cols) *
                         pieces_of(k, gemm_least_depth);
    if (large < 256) return f(typename Tiles::Small{});
    return f(Large{});
  }
}

/// C's tiles, and the sum in as many parts as it takes to have enough work items.
template <class ExecSpace, class Tile>
GemmCut gemm_cut(int m, int n, int k) {
  GemmCut cut{pieces_of(m, Tile::rows), pieces_of(n, Tile::cols), 1, std::max(k, 1)};
  int const parts =
      std::min(gemm_items<ExecSpace> / std::max(cut.tiles(), 1), pieces_of(k, gemm_least_depth));
  if (parts > 1) {
    cut.depth = pieces_of(pieces_of(k, parts), 16) * 16;
    cut.parts = pieces_of(k, cut.depth);
  }
  return cut;
}

/// Entries of `partial` that a product of these extents wants.
template <class ExecSpace, class Real>
std::int64_t gemm_partial_size(int m, int n, int k) {
  if (has_few_rows(m, n)) std::swap(m, n);
  int const parts = with_gemm_tile<ExecSpace, Real>(
      m, n, k, [&](auto tile) { return gemm_cut<ExecSpace, decltype(tile)>(m, n, k).parts; });
  return parts > 1 ? static_cast<std::int64_t>(parts) * m * n : 0;
}

template <class Tile, class ExecSpace, class Real>
void launch_gemm_tiles(char const* label, ExecSpace const& exec, Gemm<Real> const& gemm,
                       GemmCut const& cut, Real* partial) {
  if constexpr (lanes<ExecSpace> == 1) {
    using Kernel = GemmHostKernel<ExecSpace, Real>;
    Kokkos::parallel_for(label,
                         typename Kernel::Policy(exec, 0, cut.league(), Kokkos::ChunkSize(1)),
                         Kernel(gemm, cut, partial));
  } else {
    using Kernel = GemmTileKernel<ExecSpace, Real, Tile>;
    launch_teams(
        label, exec, Kernel(gemm, cut, partial),
        {.count = cut.league(), .threads = Tile::threads, .scratch = Kernel::bytes_per_team});
  }
}

/// Enqueues a product. `partial` points to gemm_partial_size entries that nobody else uses before
/// the product is done; without it the sums are not cut, and small C leave most of a GPU idle.
template <class ExecSpace, class Real>
void enqueue_gemm(char const* label, ExecSpace const& exec, Gemm<Real> const& gemm,
                  Real* partial = nullptr) {
  if (gemm.m == 0 || gemm.n == 0) return;
  if (has_few_rows(gemm.m, gemm.n))
    return enqueue_gemm(label, exec,
                        Gemm<Real>{gemm.n, gemm.m, gemm.k, gemm.alpha, gemm.b.transposed(),
                                   gemm.a.transposed(), gemm.beta, gemm.c.transposed(), gemm.skip},
                        partial);
  with_gemm_tile<ExecSpace, Real>(gemm.m, gemm.n, gemm.k, [&](auto tile) {
    using Tile = decltype(tile);
    GemmCut cut = gemm_cut<ExecSpace, Tile>(gemm.m, gemm.n, gemm.k);
    if (!partial) {
      cut.parts = 1;
      cut.depth = std::max(gemm.k, 1);
    }
    Real* const parts = cut.parts > 1 ? partial : nullptr;
    launch_gemm_tiles<Tile>(label, exec, gemm, cut, parts);
    if (!parts) return;
    using Sum = GemmPartsKernel<ExecSpace, Real>;
    Kokkos::parallel_for(label,
                         typename Sum::Policy(exec, 0, static_cast<std::int64_t>(gemm.m) * gemm.n),
                         Sum(gemm, cut.parts, parts));
  });
}

}  // namespace carroll::detail
