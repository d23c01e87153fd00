// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/denoise/bind.hpp>
#include <carroll/detail/robust_pca/driver.hpp>
#include <carroll/error.hpp>
#include <carroll/robust_pca/types.hpp>
#include <cmath>
#include <string>

/// A matrix as the sum of one of low rank and a sparse one: background and foreground of a video.
///
///   auto info = carroll::robust_pca(exec, D, L, S);
///
///   D   m×n; read only: a frame in each row, or in each column
///   L   m×n, S m×n: of low rank, and sparse; overwritten whole
///
/// Strided Views of rank 2, each its own layout, over float or double; they must not overlap.
///
/// Principal component pursuit, min ‖L‖_* + λ‖S‖₁ with L + S = D (Candès, Li, Ma and Wright 2011),
/// by the inexact method of augmented Lagrange multipliers (Lin, Chen and Ma 2010): in turn the
/// singular values of D − S + Y/μ are made smaller by 1/μ, and the entries of D − L + Y/μ by λ/μ.
///
/// With s the smaller extent, N the larger one: singular values and vectors come from the s×s
/// product ZᵀZ in double precision, which knows singular values to about 1e-8 of the largest; the
/// threshold 1/μ is above that as long as the tolerance is. All are computed, so that the rank is
/// counted, not guessed. D, L and S are gone through in blocks of rows; nothing else is as large.
///
/// Each iteration: 1.25·N·s² + 4·N·s·rank flops, an s×s SVD, and D twice, S three times and L once
/// through memory. Allocates three blocks, three s×s matrices and a workspace of `svd`; fences
/// `exec` some times for each block. The same bits for any number of threads. There is no async
/// form: after each SVD the host counts the values that stay, which is how large the products of
/// the iteration are, and by the residual it decides whether there is another.
///
/// A D that is not finite has Status::non_finite, and L and S are NaN. Misuse throws
/// std::invalid_argument before anything is written.
namespace carroll {

namespace detail {

struct NoPcaProgress {
  void operator()(RobustPcaInfo const&) const {}
};

inline void require_usable(char const* function, RobustPcaOptions const& options) {
  auto const usable = [&](char const* name, double value, double least) {
    require(std::isfinite(value) && value >= least, function, [&] {
      return std::string(name) + " is " + std::to_string(value) + ", must be finite and at least " +
             std::to_string(least);
    });
  };
  usable("options.sparsity", options.sparsity, 0);
  usable("options.tolerance", options.tolerance, 0);
  usable("options.growth", options.growth, 1.01);
  usable("options.max_iterations", options.max_iterations, 0);
  usable("options.block", static_cast<double>(options.block), 0);
}

}  // namespace detail

/// `progress`(info so far) is called after each iteration.
template <ExecutionSpace ExecSpace, class DView, class LView, class SView,
          class Progress = detail::NoPcaProgress>
[[nodiscard]] RobustPcaInfo robust_pca(ExecSpace const& exec, DView const& D, LView const& L,
                                       SView const& S, RobustPcaOptions const& options = {},
                                       Progress const& progress = {}) {
  static_assert(ReadableView<DView, ExecSpace, 2> && WritableView<LView, ExecSpace, 2> &&
                    WritableView<SView, ExecSpace, 2>,
                "carroll::robust_pca: D, L and S must be strided Views of float or double, of rank "
                "2, in memory that the execution space can access, L and S writable");
  using From = typename DView::non_const_value_type;
  using To = typename LView::non_const_value_type;
  static_assert(std::is_same_v<To, typename SView::non_const_value_type>,
                "carroll::robust_pca: L and S must be of the same type");
  constexpr char const* function = "carroll::robust_pca";
  auto const rows = static_cast<std::int64_t>(D.extent(0));
  auto const columns = static_cast<std::int64_t>(D.extent(1));
  detail::require_usable(function, options);
  detail::require_size(function, "the number of rows", rows);
  detail::require_size(function, "the number of columns", columns);
  detail::StridedBatch<From const> d;
  detail::StridedBatch<To> l, s;
  detail::Binder bind(function);
  bind.input(d, "D", D, {1, rows, columns});
  bind.output(l, "L", L, {1, rows, columns});
  bind.output(s, "S", S, {1, rows, columns});
  bool const turned = rows < columns;
  auto const as_long = [&](auto const& batch) {
    using T = std::remove_reference_t<decltype(*batch.data)>;
    return turned ? detail::LongMatrix<T>{batch.data, columns, rows, batch.strides[2],
                                          batch.strides[1]}
                  : detail::LongMatrix<T>{batch.data, rows, columns, batch.strides[1],
                                          batch.strides[2]};
  };
  auto const range = detail::range_of(
      exec, detail::BoundPlanes<From, From>{
                1, static_cast<int>(rows), static_cast<int>(columns), detail::planes_of(d), {}});
  detail::RobustPcaCall call(exec, as_long(d), as_long(l), as_long(s), options);
  return call.run(range, progress);
}

}  // namespace carroll
