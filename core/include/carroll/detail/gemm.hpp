// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/gemm_host.hpp>
#include <carroll/detail/gemm_tile.hpp>
#include <carroll/detail/team.hpp>

/// Matrix products in our own kernels: any strides, and sums in an order that depends on the
/// extents alone, so that results are the same bits in every run, for every layout and every number
/// of threads. Enqueued, without fences or allocations.
namespace carroll::detail {

/// Tiles on GPUs. 4×4 sums per thread saturate double-precision units with two teams per
/// multiprocessor; single precision, twice as fast, needs larger blocks to be fed from scratch.
template <class Real>
using WideGemmTile = GemmTile<64, 64, 16, sizeof(Real) == 4 ? 8 : 4, 4>;
/// For products with few columns.
template <class Real>
using NarrowGemmTile = GemmTile<64, 32, 16, 4, 2>;

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

/// How C's tiles and the sum are cut, so that there is work for a large GPU, or a host with some
/// threads, also where C is small.
template <class ExecSpace>
GemmCut gemm_cut(int m, int n, int k, int tile_rows, int tile_cols) {
  constexpr bool host = lanes<ExecSpace> == 1;
  constexpr int enough = host ? 16 : 2 * 132;  // work items
  constexpr int least_depth = 128;  // terms, below which cutting costs more than it gives
  auto const count = [](int extent, int by) { return (extent + by - 1) / by; };
  GemmCut cut{count(m, tile_rows), count(n, tile_cols), 1, std::max(k, 1)};
  int const parts = std::min(enough / std::max(cut.tiles(), 1), count(k, least_depth));
  if (parts > 1) {
    cut.depth = count(count(k, parts), 16) * 16;
    cut.parts = count(k, cut.depth);
  }
  return cut;
}

template <class ExecSpace>
GemmCut gemm_cut(int m, int n, int k) {
  constexpr bool host = lanes<ExecSpace> == 1;
  return gemm_cut<ExecSpace>(m, n, k, 64, host || n > 32 ? 64 : 32);
}

/// Entries of `partial` that a product of these extents wants.
template <class ExecSpace>
std::int64_t gemm_partial_size(int m, int n, int k) {
  int const parts = gemm_cut<ExecSpace>(m, n, k).parts;
  return parts > 1 ? static_cast<std::int64_t>(parts) * m * n : 0;
}

template <class Kernel, class ExecSpace, class Real>
void launch_gemm_tiles(char const* label, ExecSpace const& exec, Gemm<Real> const& gemm,
                       GemmCut const& cut, Real* partial, int threads) {
  typename Kernel::Policy policy(exec, cut.league(), threads, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Kernel::bytes_per_team)));
  Kokkos::parallel_for(label, policy, Kernel(gemm, cut, partial));
}

/// Enqueues a product. `partial` points to gemm_partial_size entries that nobody else uses before
/// the product is done; without it the sums are not cut, and small C leave most of a GPU idle.
template <class ExecSpace, class Real>
void enqueue_gemm(char const* label, ExecSpace const& exec, Gemm<Real> const& gemm,
                  Real* partial = nullptr) {
  if (gemm.m == 0 || gemm.n == 0) return;
  GemmCut cut = gemm_cut<ExecSpace>(gemm.m, gemm.n, gemm.k);
  if (!partial) {
    cut.parts = 1;
    cut.depth = std::max(gemm.k, 1);
  }
  Real* const parts = cut.parts > 1 ? partial : nullptr;
  if constexpr (lanes<ExecSpace> == 1) {
    using Kernel = GemmHostKernel<ExecSpace, Real>;
    Kokkos::parallel_for(label,
                         typename Kernel::Policy(exec, 0, cut.league(), Kokkos::ChunkSize(1)),
                         Kernel(gemm, cut, parts));
  } else if (gemm.n > 32) {
    using Tile = WideGemmTile<Real>;
    launch_gemm_tiles<GemmTileKernel<ExecSpace, Real, Tile>>(label, exec, gemm, cut, parts,
                                                             Tile::threads);
  } else {
    using Tile = NarrowGemmTile<Real>;
    launch_gemm_tiles<GemmTileKernel<ExecSpace, Real, Tile>>(label, exec, gemm, cut, parts,
                                                             Tile::threads);
  }
  if (parts) {
    using Sum = GemmPartsKernel<ExecSpace, Real>;
    Kokkos::parallel_for(label,
                         typename Sum::Policy(exec, 0, static_cast<std::int64_t>(gemm.m) * gemm.n),
                         Sum(gemm, cut.parts, parts));
  }
}

}  // namespace carroll::detail
