// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/randomized_svd/driver.hpp>
#include <carroll/distributed/detail/signature.hpp>
#include <carroll/distributed/randomized_svd/types.hpp>
#include <carroll/distributed/tall_layout.hpp>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

/// The k leading singular triplets of a matrix, dense or sparse, whose rows are dealt out to ranks:
/// A ≈ U·diag(S)·Vᵀ, with a measured error.
///
///   auto const layout = carroll::distributed::randomized_svd_layout<double>(comm.size(), m, n, k);
///   auto const info = carroll::distributed::randomized_svd(comm, layout, A, U, S, V);
///
///   A   this rank's rows × n   read only: a View, or CsrRows
///   U   this rank's rows × k   orthonormal columns (over all ranks)
///   S   k                      descending, >= 0, on every rank; its extent is k <= min(m, n)
///   V   n × k                  orthonormal columns, on every rank
///
/// Views of float or double, one scalar type, any strided layout each; U, S and V must not overlap
/// A or each other. Ranks may have no rows. A layout must not cut a stretch of rows, a function of
/// n, k and the options; that of `randomized_svd_layout` does not.
///
/// Method: that of `truncated_svd`, with the same random numbers: a random subspace of l = k +
/// oversampling columns, multiplied by A and Aᵀ in turn (Halko, Martinsson and Tropp, SIAM Review
/// 53(2), 2011):
///
///   Y = A·P,  Y = Q·R by `tall_qr`,  Z = AᵀQ,  Z = P·R
///
/// and in the end Z = V·S·Cᵀ by `tall_svd`, U = Q·C. Terms of AᵀQ are formed for each stretch and
/// added in a binary tree over the stretches of the whole matrix; what is n×l is on every rank.
/// S, V and each row of U have the same bits for every number of ranks and threads.
///
/// Accuracy is measured: RandomizedSvdInfo. The absolute error of the singular values is what
/// counts, relative to σ₁. Entries are not scaled: those of more than the largest number divided by
/// √(mn) can make a step overflow, which is Status::non_finite, as a NaN or an infinity in A is.
///
/// Cost of q power steps: 4mnl·(q + 1) + 2mnk flops for dense A, which is read 2q + 4 times; sent
/// in each step at most 2·log₂(stretches) blocks of n×l from each rank to each. Products with a
/// sparse Aᵀ are as parallel as the subspace is wide. Allocates and frees its workspace; some
/// fences in each step.
///
/// Collective. Misuse on one rank throws std::invalid_argument there and RankError on the others,
/// before anything is written.
namespace carroll::distributed {

/// The rows of a matrix dealt out as `randomized_svd` takes them.
template <class Real>
[[nodiscard]] BlockLayout randomized_svd_layout(int ranks, std::int64_t rows, std::int64_t cols,
                                                std::int64_t rank,
                                                RandomizedSvdOptions const& options = {}) {
  return block_layout(
      ranks, rows,
      detail::stretch_rows<Real>(cols, detail::sketch_width(rows, cols, rank, options)));
}

namespace detail {

template <class Real>
void require_randomized(char const* function, BlockLayout const& layout, int ranks,
                        std::int64_t cols, std::int64_t rank, RandomizedSvdOptions const& options) {
  using carroll::detail::require;
  require_layout(function, layout, ranks);
  carroll::detail::require_size(function, "the number of columns", cols);
  std::int64_t const most = std::min(layout.length(), cols);
  require(rank >= 0 && rank <= most, function, [&] {
    return "S has " + std::to_string(rank) + " entries, must have from 0 to " +
           std::to_string(most) + ", the smaller extent of A";
  });
  require(options.oversampling >= 0 && options.power_steps >= 0 && options.tolerance >= 0 &&
              options.tolerance < 1,
          function, [] {
            return std::string(
                "options: oversampling and power_steps must be at least 0, "
                "tolerance in [0, 1)");
          });
  std::int64_t const stretch =
      stretch_rows<Real>(cols, sketch_width(layout.length(), cols, rank, options));
  for (int r = 0; r < ranks; ++r)
    require(layout.end(r) % stretch == 0 || layout.end(r) == layout.length(), function, [&] {
      return "rank " + std::to_string(r) + " of the layout ends with row " +
             std::to_string(layout.end(r)) + ", must end with a multiple of " +
             std::to_string(stretch) +
             " or the last row: carroll::distributed::randomized_svd_layout makes such layouts";
    });
}

template <class ExecSpace, class Real, class UView, class SView, class VView>
consteval void assert_randomized_views() {
  static_assert(carroll::detail::is_output_of<UView, ExecSpace, Real> &&
                    carroll::detail::rank_of<UView>() == 2,
                "carroll::distributed::randomized_svd: U must be a writable strided View of rank 2 "
                "of A's scalar type, in memory that the execution space can access");
  static_assert(carroll::detail::is_output_of<SView, ExecSpace, Real> &&
                    carroll::detail::rank_of<SView>() == 1,
                "carroll::distributed::randomized_svd: S must be a writable strided View of rank 1 "
                "of A's scalar type, in memory that the execution space can access");
  static_assert(carroll::detail::is_output_of<VView, ExecSpace, Real> &&
                    carroll::detail::rank_of<VView>() == 2,
                "carroll::distributed::randomized_svd: V must be a writable strided View of rank 2 "
                "of A's scalar type, in memory that the execution space can access");
}

/// The call, with `bind_rows(bind, problem)` for A.
template <class Real, class Rows, class ExecSpace, class UView, class SView, class VView,
          class BindRows>
RandomizedSvdInfo<Real> randomized_svd(Communicator<ExecSpace> const& comm,
                                       BlockLayout const& layout, std::int64_t cols, UView const& U,
                                       SView const& S, VView const& V,
                                       RandomizedSvdOptions const& options,
                                       BindRows const& bind_rows) {
  constexpr char const* function = "carroll::distributed::randomized_svd";
  assert_randomized_views<ExecSpace, Real, UView, SView, VView>();
  auto const rank = static_cast<std::int64_t>(S.extent(0));
  auto signature = Signature().with(layout);
  for (auto number : {static_cast<std::uint64_t>(cols), static_cast<std::uint64_t>(rank),
                      static_cast<std::uint64_t>(options.oversampling),
                      static_cast<std::uint64_t>(options.power_steps), options.seed,
                      Kokkos::bit_cast<std::uint64_t>(options.tolerance)})
    signature.with(number);
  std::optional<RandomizedSvd<ExecSpace, Real, Rows>> solver;
  comm.agree(function, signature.value(), [&] {
    require_randomized<Real>(function, layout, comm.size(), cols, rank, options);
    RandomizedProblem<Real> problem{};
    problem.rows = static_cast<int>(layout.count(comm.rank()));
    problem.cols = static_cast<int>(cols);
    problem.rank = static_cast<int>(rank);
    problem.width = sketch_width(layout.length(), cols, rank, options);
    carroll::detail::Binder bind(function);
    Rows const rows = bind_rows(bind, problem);
    carroll::detail::StridedBatch<Real> u, s, v;
    bind.output(u, "U", U, {1, problem.rows, problem.rank});
    bind.output(s, "S", S, {1, problem.rank});
    bind.output(v, "V", V, {1, problem.cols, problem.rank});
    problem.u = matrix_of(u);
    problem.v = matrix_of(v);
    problem.s = {s.data, s.strides[1]};
    if (rank > 0) solver.emplace(comm, function, layout, problem, rows, options);
  });
  return solver ? solver->run() : RandomizedSvdInfo<Real>{};
}

}  // namespace detail

/// Of a dense matrix.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView>
requires Kokkos::is_view_v<AView>
[[nodiscard]] auto randomized_svd(Communicator<ExecSpace> const& comm, BlockLayout const& layout,
                                  AView const& A, UView const& U, SView const& S, VView const& V,
                                  RandomizedSvdOptions const& options = {}) {
  static_assert(ReadableView<AView, ExecSpace, 2>,
                "carroll::distributed::randomized_svd: A must be a strided View of float or double "
                "of rank 2, in memory that the execution space can access, or CsrRows");
  using Real = typename AView::non_const_value_type;
  using Rows = detail::DenseRows<ExecSpace, Real>;
  return detail::randomized_svd<Real, Rows>(
      comm, layout, static_cast<std::int64_t>(A.extent(1)), U, S, V, options,
      [&](carroll::detail::Binder& bind, detail::RandomizedProblem<Real> const& problem) {
        carroll::detail::StridedBatch<Real const> a;
        bind.input(a, "A", A, {1, problem.rows, problem.cols});
        return Rows(detail::matrix_of(a), problem.cols);
      });
}

/// Of a sparse one. Columns out of range are undefined behaviour: they are not looked at before.
template <ExecutionSpace ExecSpace, class Offsets, class Columns, class Values, class UView,
          class SView, class VView>
[[nodiscard]] auto randomized_svd(Communicator<ExecSpace> const& comm, BlockLayout const& layout,
                                  CsrRows<Offsets, Columns, Values> const& A, UView const& U,
                                  SView const& S, VView const& V,
                                  RandomizedSvdOptions const& options = {}) {
  using Real = typename Values::non_const_value_type;
  using Offset = typename Offsets::non_const_value_type;
  using Column = typename Columns::non_const_value_type;
  static_assert(RealScalar<Real> && std::integral<Offset> && std::integral<Column> &&
                    int(Values::rank) == 1 && int(Offsets::rank) == 1 && int(Columns::rank) == 1 &&
                    AccessibleView<Values, ExecSpace> && AccessibleView<Offsets, ExecSpace> &&
                    AccessibleView<Columns, ExecSpace>,
                "carroll::distributed::randomized_svd: CsrRows must have Views of rank 1 of two "
                "kinds of integers and of float or double, in memory that the execution space can "
                "access");
  using Rows = detail::SparseRows<ExecSpace, Real, Offset, Column>;
  return detail::randomized_svd<Real, Rows>(
      comm, layout, A.cols, U, S, V, options,
      [&](carroll::detail::Binder& bind, detail::RandomizedProblem<Real> const& problem) {
        auto const entries = static_cast<std::int64_t>(A.values.extent(0));
        carroll::detail::StridedBatch<Offset const> offsets;
        carroll::detail::StridedBatch<Column const> columns;
        carroll::detail::StridedBatch<Real const> values;
        bind.packed_input(offsets, "A.offsets", A.offsets, problem.rows + std::int64_t{1});
        bind.packed_input(columns, "A.columns", A.columns, entries);
        bind.packed_input(values, "A.values", A.values, entries);
        return Rows(offsets.data, columns.data, values.data, problem.cols);
      });
}

}  // namespace carroll::distributed
