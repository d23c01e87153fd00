// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/dense/types.hpp>
#include <carroll/distributed/detail/dense.hpp>
#include <carroll/error.hpp>
#include <carroll/none.hpp>
#include <cstdint>
#ifdef CARROLL_HAVE_SCALAPACK
#include <carroll/distributed/detail/scalapack/svd.hpp>
#endif

/// Singular value decomposition A = U·diag(S)·Vᵀ of one large dense matrix whose rows are spread
/// over ranks, through ScaLAPACK's p?gesvd.
///
///   auto const layout = carroll::distributed::block_layout(comm.size(), m);
///   auto const info = carroll::distributed::svd(comm, A, layout, U, S, V);
///
/// With m×n A and r = min(m, n), on a rank that has `rows` rows of A:
///
///   A   rows×n   read only
///   U   rows×r   its rows of U, or carroll::none
///   S   r        descending, on every rank
///   V   its rows of V, n×r, as block_layout(comm.size(), n) deals them out, or carroll::none
///
/// Views in memory of the host, of any strided layout, over float or double. U, S and V must not
/// overlap A or each other. The rows are moved to blocks in two dimensions and back: besides its
/// arguments a rank holds three times mn/p entries, and what p?gesvd wants.
///
/// Accuracy is that of bidiagonalisation: errors of order eps·‖A‖ in every singular value. For
/// matrices with few columns tall_svd.hpp keeps small ones, too, and is much faster. Results may
/// differ in their last bits between numbers of ranks.
///
/// Status: success; non_finite (NaN or infinities in A: outputs are NaN); not_converged. Misuse
/// throws on all ranks before anything is written: std::invalid_argument, or RankError where
/// another rank's arguments are wrong.
namespace carroll::distributed {

/// Collective; allocates, blocks until it is done.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView>
[[nodiscard]] DenseInfo svd(Communicator<ExecSpace> const& comm, AView const& A,
                            BlockLayout const& layout, UView const& U, SView const& S,
                            VView const& V, DenseOptions const& options = {}) {
  constexpr char const* function = "carroll::distributed::svd";
  using T = typename AView::non_const_value_type;
  static_assert(RealScalar<T>, "carroll::distributed::svd: A must be a View of float or double");
  detail::assert_host_space<ExecSpace>();
  static_assert(carroll::detail::rank_of<AView>() == 2 && carroll::detail::rank_of<SView>() == 1,
                "carroll::distributed::svd: A must be a View of rank 2, S of rank 1");
  detail::agree_dense(
      comm, function, layout, static_cast<std::int64_t>(A.extent(1)), 0, options, [&] {
        std::int64_t const rows = layout.count(comm.rank());
        auto const n = static_cast<std::int64_t>(A.extent(1));
        std::int64_t const r = std::min(layout.length(), n);
        carroll::detail::StridedBatch<T const> a;
        carroll::detail::StridedBatch<T> u, s, v;
        carroll::detail::Binder bind(function);
        bind.input(a, "A", A, {1, rows, n});
        bind.output(u, "U", U, {1, rows, r});
        bind.output(s, "S", S, {1, r});
        bind.output(v, "V", V, {1, block_layout(comm.size(), n).count(comm.rank()), r});
      });
  DenseInfo info;
  info.engine = DenseEngine::scalapack;
#ifdef CARROLL_HAVE_SCALAPACK
  comm.exec().fence(function);
  info.status = detail::scalapack::svd(comm, function, layout, A, U, S, V, options.block);
#endif
  return info;
}

}  // namespace carroll::distributed
