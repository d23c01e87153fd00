// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/dense/types.hpp>
#include <carroll/distributed/detail/dense.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#ifdef CARROLL_HAVE_SCALAPACK
#include <carroll/distributed/detail/scalapack/least_squares.hpp>
#endif

/// The X that makes ‖A·X − B‖ least, column by column, for one large dense matrix whose rows are
/// spread over ranks, through ScaLAPACK's p?gels: by QR where A is tall, and where it is wide by LQ
/// the shortest of the X that solve A·X = B.
///
///   auto const info = carroll::distributed::least_squares(comm, A, layout, B, X);
///
///   A   rows×n   this rank's rows, read only; of full rank
///   B   rows×k   the same rows, read only
///   X   n×k      on every rank
///
/// Views of rank 2 in memory of the host, of any strided layout, over float, double or
/// Kokkos::complex of one of them. X must overlap neither A nor B. Besides its arguments a rank
/// holds two times mn/p entries.
///
/// Status: success; non_finite (NaN or infinities in A or B: X is NaN); singular: A has no full
/// rank, as an exact zero shows; one that is only nearly deficient is not told. Misuse throws on
/// all ranks before anything is written: std::invalid_argument, or RankError where another rank's
/// arguments are wrong. Results may differ in their last bits between numbers of ranks.
namespace carroll::distributed {

/// Collective; allocates, blocks until it is done.
template <ExecutionSpace ExecSpace, class AView, class BView, class XView>
[[nodiscard]] DenseInfo least_squares(Communicator<ExecSpace> const& comm, AView const& A,
                                      BlockLayout const& layout, BView const& B, XView const& X,
                                      DenseOptions const& options = {}) {
  constexpr char const* function = "carroll::distributed::least_squares";
  using T = typename AView::non_const_value_type;
  static_assert(FieldScalar<T>,
                "carroll::distributed::least_squares: A must be a View of float, double or "
                "Kokkos::complex of one of them");
  detail::assert_host_space<ExecSpace>();
  static_assert(carroll::detail::rank_of<AView>() == 2 && carroll::detail::rank_of<BView>() == 2 &&
                    carroll::detail::rank_of<XView>() == 2,
                "carroll::distributed::least_squares: A, B and X must be Views of rank 2");
  auto const n = static_cast<std::int64_t>(A.extent(1)), k = static_cast<std::int64_t>(B.extent(1));
  detail::agree_dense(comm, function, layout, n, k, options, [&] {
    std::int64_t const rows = layout.count(comm.rank());
    carroll::detail::StridedBatch<T const> a, b;
    carroll::detail::StridedBatch<T> x;
    carroll::detail::Binder bind(function);
    bind.input(a, "A", A, {1, rows, n});
    bind.input(b, "B", B, {1, rows, k});
    bind.output(x, "X", X, {1, n, k});
  });
  DenseInfo info;
  info.engine = DenseEngine::scalapack;
#ifdef CARROLL_HAVE_SCALAPACK
  comm.exec().fence(function);
  info.status = detail::scalapack::least_squares(comm, function, layout, A, B, X, options.block);
#endif
  return info;
}

}  // namespace carroll::distributed
