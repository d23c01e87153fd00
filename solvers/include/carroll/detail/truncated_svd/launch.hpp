// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <carroll/detail/truncated_svd/certify.hpp>
#include <carroll/detail/truncated_svd/finish.hpp>
#include <carroll/detail/truncated_svd/load.hpp>
#include <carroll/detail/truncated_svd/orthonormalise.hpp>
#include <carroll/detail/truncated_svd/problem.hpp>
#include <carroll/detail/truncated_svd/product.hpp>
#include <carroll/svd.hpp>
#include <carroll/truncated_svd/workspace.hpp>

/// Which kernels run, and in which order.
namespace carroll::detail {

/// Multiplies the subspace by A and by Aᵀ, `steps` times:
///
///   Q := basis(A·P),  Z := Aᵀ·Q,  P := basis(Z)
///
/// On return Q is in long_blocks[0], Z in short_blocks[0] and P in short_blocks[2], both bases
/// orthonormal to rounding. 4·rows·cols·width flops per step.
template <class ExecSpace, class Real, class Product>
void enqueue_power_steps(ExecSpace const& exec, TruncatedProblem<Real> const& p,
                         Product const& product, int steps) {
  Real* const q = p.long_blocks[0];
  Real* const z = p.short_blocks[0];
  Real* basis = p.short_blocks[2];
  for (int step = 1; step <= steps; ++step) {
    bool const last = step == steps;
    product.enqueue("carroll::truncated_svd::multiply", exec, false, p.width,
                    read_only(p.wide(basis)), p.tall(q));
    enqueue_orthonormalise(exec, p, p.rows, q, p.long_blocks[1], q, last);
    product.enqueue("carroll::truncated_svd::multiply_transposed", exec, true, p.width,
                    read_only(p.tall(q)), p.wide(z));
    basis = enqueue_orthonormalise(exec, p, p.cols, z, p.short_blocks[1], p.short_blocks[2], last);
  }
}

/// Pieces of the workspace as Views.
template <class ExecSpace, class Real>
using PieceMatrix = Kokkos::View<Real**, Kokkos::LayoutLeft, typename ExecSpace::memory_space,
                                 Kokkos::MemoryUnmanaged>;
template <class ExecSpace, class Real>
using PieceVector = Kokkos::View<Real*, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;

/// The triplets that the subspace holds (Rayleigh and Ritz): with T = Qᵀ·A·P = Zᵀ·P = X·diag(σ)·Yᵀ
/// they are the leading ones of Q·X, σ, P·Y. One decomposition of order `width`.
template <class ExecSpace, class Real>
void enqueue_subspace_triplets(ExecSpace const& exec, TruncatedProblem<Real> const& p,
                               SvdInfo<Real>* core_info, SvdWorkspace<ExecSpace, Real>& core) {
  using Info =
      Kokkos::View<SvdInfo<Real>, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;
  int const l = p.width;
  auto const square = [l](Real* data) { return PieceMatrix<ExecSpace, Real>(data, l, l); };
  auto const z = read_only(p.wide(p.short_blocks[0]));
  auto const basis = read_only(p.wide(p.short_blocks[2]));
  enqueue_gemm("carroll::truncated_svd::core", exec,
               Gemm<Real>{l, l, p.cols, 1, z.transposed(), basis, 0, p.square(p.core)}, p.partial);
  svd_async(exec, square(p.core), square(p.core_left), PieceVector<ExecSpace, Real>(p.sigma, l),
            square(p.core_right), Info(core_info), core);
  enqueue_gemm("carroll::truncated_svd::left_vectors", exec,
               Gemm<Real>{p.rows, p.rank, l, 1, read_only(p.tall(p.long_blocks[0])),
                          read_only(p.square(p.core_left)), 0, p.left},
               p.partial);
  enqueue_gemm(
      "carroll::truncated_svd::right_vectors", exec,
      Gemm<Real>{p.cols, p.rank, l, 1, basis, read_only(p.square(p.core_right)), 0, p.right},
      p.partial);
}

/// to(i, j) := from(i, j) for the leading columns; a thread per entry.
template <class ExecSpace, class Real>
struct LeadingColumnsKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  Real const* from;
  int rows;
  StridedMatrix<Real> to;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    to(static_cast<int>(entry % rows), static_cast<int>(entry / rows)) = from[entry];
  }
};

/// All triplets of A, of which the leading ones are kept.
template <class ExecSpace, class Real>
void enqueue_all_triplets(ExecSpace const& exec, TruncatedProblem<Real> const& p,
                          TruncatedSvdWorkspace<ExecSpace, Real>& workspace) {
  using Access = AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>>;
  using Matrix = PieceMatrix<ExecSpace, Real>;
  using Strided = Kokkos::View<Real const**, Kokkos::LayoutStride, typename ExecSpace::memory_space,
                               Kokkos::MemoryUnmanaged>;
  auto const stride = [](std::ptrdiff_t x) { return static_cast<std::size_t>(x); };
  Strided const a(p.scaled.data, Kokkos::LayoutStride(p.rows, stride(p.scaled.row_stride), p.cols,
                                                      stride(p.scaled.col_stride)));
  Real* const left = Access::full_left(workspace);
  Real* const right = Access::full_right(workspace);
  svd_async(exec, a, Matrix(left, p.rows, p.cols), PieceVector<ExecSpace, Real>(p.sigma, p.cols),
            Matrix(right, p.cols, p.cols), Access::svd_info(workspace), Access::svd(workspace));
  using Copy = LeadingColumnsKernel<ExecSpace, Real>;
  Kokkos::parallel_for("carroll::truncated_svd::leading_columns",
                       typename Copy::Policy(exec, 0, std::int64_t{p.rows} * p.rank),
                       Copy{left, p.rows, p.left});
  Kokkos::parallel_for("carroll::truncated_svd::leading_columns",
                       typename Copy::Policy(exec, 0, std::int64_t{p.cols} * p.rank),
                       Copy{right, p.cols, p.right});
}

/// Measures the triplets, and writes what is left to write.
template <class ExecSpace, class Real, class Product>
void enqueue_finish(ExecSpace const& exec, TruncatedProblem<Real> const& p, Product const& product,
                    SvdInfo<Real> const* inner, int power_steps) {
  if (p.rank > 0) enqueue_certify(exec, p, product);
  launch_fitting_teams("carroll::truncated_svd::finish", exec,
                       TruncatedFinishKernel<ExecSpace, Real>{p, inner, power_steps},
                       {std::max(p.rank, 1), 1});
}

/// From the subspace as it is: so many multiplications by A and Aᵀ, its triplets, and what they are
/// worth. `power_steps` of them have been power steps in all.
template <class ExecSpace, class Real, class Product>
void enqueue_from_subspace(ExecSpace const& exec, TruncatedProblem<Real> const& p,
                           Product const& product, SvdInfo<Real>* core_info,
                           SvdWorkspace<ExecSpace, Real>& core, int multiplications,
                           int power_steps) {
  enqueue_power_steps(exec, p, product, multiplications);
  enqueue_subspace_triplets(exec, p, core_info, core);
  enqueue_finish(exec, p, product, core_info, power_steps);
}

/// A random subspace, and `power_steps` on it.
template <class ExecSpace, class Real, class Product>
void enqueue_from_random(ExecSpace const& exec, TruncatedProblem<Real> const& p,
                         Product const& product, SvdInfo<Real>* core_info,
                         SvdWorkspace<ExecSpace, Real>& core, int power_steps) {
  enqueue_random("carroll::truncated_svd::sketch", exec, p.short_blocks[2],
                 std::int64_t{p.cols} * p.width, p.seed, sketch_stream);
  enqueue_from_subspace(exec, p, product, core_info, core, power_steps + 1, power_steps);
}

/// Enqueues a call. Never fences, never allocates.
template <class ExecSpace, class Real>
void enqueue_truncated(ExecSpace const& exec, TruncatedProblem<Real> const& p,
                       TruncatedSvdWorkspace<ExecSpace, Real>& workspace) {
  using Access = AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>>;
  enqueue_load(exec, p);
  DenseProduct<Real> const product(p);
  SvdInfo<Real>* const inner = Access::svd_info(workspace).data();
  if (p.rank > 0 && p.path != TruncatedSvdPath::full)
    return enqueue_from_random(exec, p, product, inner, Access::svd(workspace),
                               workspace.options().power_steps);
  if (p.rank > 0) enqueue_all_triplets(exec, p, workspace);
  enqueue_finish(exec, p, product, inner, 0);
}

/// Goes on from where a call on the randomized path has stopped.
template <class ExecSpace, class Real>
void enqueue_more(ExecSpace const& exec, TruncatedProblem<Real> const& p,
                  TruncatedSvdWorkspace<ExecSpace, Real>& workspace, int steps_before,
                  int more_steps) {
  using Access = AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>>;
  enqueue_from_subspace(exec, p, DenseProduct<Real>(p), Access::svd_info(workspace).data(),
                        Access::svd(workspace), more_steps, steps_before + more_steps);
}

}  // namespace carroll::detail
