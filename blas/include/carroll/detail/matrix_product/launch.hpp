// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/matrix_product/device/parts.hpp>
#include <carroll/detail/matrix_product/device/tiles.hpp>
#include <carroll/detail/matrix_product/dispatch.hpp>
#include <carroll/detail/matrix_product/host/packed.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <carroll/detail/matrix_product/scale.hpp>
#include <carroll/detail/matrix_product/study/naive.hpp>
#include <carroll/detail/matrix_product/study/tiled.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>

/// Which kernels run, and in which order. Enqueued, without fences or allocations.
namespace carroll::detail {

/// A kernel with a thread for each of its items.
template <class ExecSpace, class Kernel>
void launch_items(char const* label, ExecSpace const& exec, Kernel const& kernel) {
  if (kernel.items() > 0)
    Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, kernel.items()), kernel);
}

/// How an operand lies, as rows of terms.
template <class T>
OperandOrder operand_order(GemmKernel kernel, MatrixBatch<T> const& x) {
  if (x.has_wide_columns()) return OperandOrder::along_rows;
  bool const along_terms =
      kernel == GemmKernel::tensors ? x.transposed().has_wide_columns() : x.col_stride == 1;
  return along_terms ? OperandOrder::along_terms : OperandOrder::any;
}

/// f.template operator()<a, b>() for the orders of both; if one can be any, both are taken as such:
/// fewer kernels.
template <class F>
void with_operand_orders(OperandOrder a, OperandOrder b, F const& f) {
  constexpr auto rows = OperandOrder::along_rows, terms = OperandOrder::along_terms;
  if (a == rows && b == rows) return f.template operator()<rows, rows>();
  if (a == rows && b == terms) return f.template operator()<rows, terms>();
  if (a == terms && b == rows) return f.template operator()<terms, rows>();
  if (a == terms && b == terms) return f.template operator()<terms, terms>();
  f.template operator()<OperandOrder::any, OperandOrder::any>();
}

/// By tiles of a device.
template <class ExecSpace, class T>
void enqueue_tiles(ExecSpace const& exec, GemmKernel which, MatrixProduct<T> product,
                   TermParts<T> const& parts) {
  if (product.c.row_stride > product.c.col_stride) product = product.transposed();
  ProductTile const tile =
      product_tile(product.m, product.n, product.k, std::int64_t{product.batch} * parts.parts,
                   which == GemmKernel::tensors);
  with_operand_orders(
      operand_order(which, product.a), operand_order(which, product.b.transposed()),
      [&]<OperandOrder a, OperandOrder b>() {
        with_product_kernel<ExecSpace, T, a, b>(which, tile, [&]<class Kernel>() {
          using Tile = typename Kernel::Shape;
          TileGrid const grid{quotient_up(product.m, Tile::rows),
                              quotient_up(product.n, Tile::cols), parts.parts,
                              quotient_up(product.batch, Tile::tiles)};
          int const teams = has_lasting_teams(product.k, tile)
                                ? std::min(grid.items(), Tile::teams_at_once * processors(exec))
                                : grid.items();
          launch_teams(
              "carroll::gemm::multiply", exec, Kernel(product, grid, parts),
              {.count = teams, .threads = Kernel::threads, .scratch = Kernel::scratch_bytes});
        });
      });
  if (parts.partial)
    launch_items("carroll::gemm::add_parts", exec, PartsKernel<ExecSpace, T>(product, parts));
}

/// By packed panels of a host.
template <class ExecSpace, class T>
void enqueue_packed(ExecSpace const& exec, MatrixProduct<T> product, int workers,
                    std::byte* packed) {
  if (product.c.row_stride > product.c.col_stride) product = product.transposed();
  using Kernel = HostProductKernel<ExecSpace, T>;
  Kernel const kernel(product, workers, packed);
  Kokkos::parallel_for("carroll::gemm::multiply",
                       typename Kernel::Policy(exec, 0, kernel.workers(), Kokkos::ChunkSize(1)),
                       kernel);
}

/// Enqueues a call, other than the vendor's. `memory`: product_bytes().
template <class ExecSpace, class T>
void enqueue_product(ExecSpace const& exec, MatrixProduct<T> const& product,
                     ProductPlan const& plan, std::byte* memory) {
  if (product.m == 0 || product.n == 0 || product.batch == 0) return;
  if (product.k == 0 || product.alpha == T(0)) {
    if (!(product.beta == T(1)))
      launch_items("carroll::gemm::scale", exec, ScaleKernel<ExecSpace, T>(product));
    return;
  }
  switch (plan.info.kernel) {
    case GemmKernel::naive:
      return launch_items("carroll::gemm::naive", exec, NaiveProductKernel<ExecSpace, T>(product));
    case GemmKernel::tiled: {
      using Kernel = TiledProductKernel<ExecSpace, T>;
      Kernel const kernel(product);
      return launch_fitting_teams("carroll::gemm::tiled", exec, kernel,
                                  {.count = kernel.teams(),
                                   .threads = lanes<ExecSpace> == 1 ? 1 : Kernel::side,
                                   .scratch = Kernel::scratch_bytes});
    }
    default: break;
  }
  if constexpr (lanes<ExecSpace> == 1) {
    enqueue_packed(exec, product, plan.workers, memory);
  } else {
    TermParts<T> parts{plan.info.parts, plan.depth, nullptr};
    if (parts.parts > 1) parts.partial = reinterpret_cast<T*>(memory);
    enqueue_tiles(exec, plan.info.kernel, product, parts);
  }
}

/// Memory that a call wants: panels of threads, or sums of parts.
template <class ExecSpace, class T>
std::int64_t product_bytes(GemmExtents const& extents, ProductPlan const& plan) {
  auto const m = static_cast<int>(extents.rows), n = static_cast<int>(extents.cols);
  auto const k = static_cast<int>(extents.terms);
  if (plan.info.kernel == GemmKernel::packed) {
    using Kernel = HostProductKernel<ExecSpace, T>;
    return plan.workers *
           std::max(Kernel::bytes_per_worker(m, n, k), Kernel::bytes_per_worker(n, m, k));
  }
  if (plan.info.parts == 1) return 0;
  return plan.info.parts * extents.batch * m * n * static_cast<std::int64_t>(sizeof(T));
}

}  // namespace carroll::detail
