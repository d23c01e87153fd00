// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/certified_determinant/workspace.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/error.hpp>
#include <concepts>
#include <string>

/// From the caller's Views to a checked CertifiedBatch.
namespace carroll::detail {

template <class ExecSpace, class AView>
consteval void assert_certified_views() {
  static_assert(ReadableView<AView, ExecSpace, 2> || ReadableView<AView, ExecSpace, 3>,
                "carroll::certified_determinant: A must be a strided View of float or double, of "
                "rank 2 (one matrix) or 3 (a batch), in memory that the execution space can "
                "access");
}

template <class ExecSpace, class InfoView, class Real, int Rank>
consteval void assert_certified_info() {
  static_assert(Kokkos::is_view_v<InfoView>,
                "carroll::certified_determinant_async: info must be a writable View of "
                "carroll::CertifiedDeterminantInfo");
  static_assert(
      int(InfoView::rank) == Rank &&
          std::same_as<typename InfoView::value_type, CertifiedDeterminantInfo<Real>> &&
          bool(Kokkos::SpaceAccessibility<ExecSpace, typename InfoView::memory_space>::accessible),
      "carroll::certified_determinant_async: info must be a writable View of "
      "carroll::CertifiedDeterminantInfo of A's scalar type, of rank 0 for one matrix and 1 for a "
      "batch, in memory that the execution space can access");
}

/// Extents as the caller wrote them: without the batch for one matrix.
template <class AView>
std::string certified_extents_text(AView const& A) {
  auto const extent = [&](int d) { return static_cast<long long>(A.extent(d)); };
  if constexpr (int(AView::rank) == 2)
    return extents_text({extent(0), extent(1)});
  else
    return extents_text({extent(0), extent(1), extent(2)});
}

/// What a workspace for A has to be made for.
template <class AView>
CertifiedDeterminantExtents certified_extents(char const* function, AView const& A) {
  constexpr int rank = int(AView::rank);
  auto const rows = static_cast<std::int64_t>(A.extent(rank - 2));
  auto const cols = static_cast<std::int64_t>(A.extent(rank - 1));
  require(rows == cols, function, [&] {
    return "A is " + certified_extents_text(A) + ", must be square: it has " +
           std::to_string(rows) + " rows and " + std::to_string(cols) + " columns";
  });
  return {rank == 3 ? static_cast<std::int64_t>(A.extent(0)) : 1, rows};
}

/// The caller's matrices into a batch, checked against the workspace.
template <class ExecSpace, class Real, class AView>
CertifiedBatch<Real> bind_certified(char const* function,
                                    CertifiedDeterminantWorkspace<ExecSpace, Real> const& workspace,
                                    AView const& A) {
  static_assert(std::same_as<typename AView::non_const_value_type, Real>,
                "carroll::certified_determinant: the workspace must have the scalar type of A");
  auto const actual = certified_extents(function, A);
  auto const& made = workspace.extents();
  require(actual.batch == made.batch && actual.n == made.n, function, [&] {
    return "A is " + certified_extents_text(A) + ", the workspace was made for " +
           extents_text({made.batch, made.n, made.n}) + " (batch×n×n)";
  });
  typename AView::const_type const read_only = A;
  return CertifiedDeterminantAccess<ExecSpace, Real>::batch(workspace, strided_batch(read_only));
}

template <class ExecSpace, class Real, class InfoView>
void bind_certified_info(char const* function, CertifiedBatch<Real>& batch, InfoView const& info,
                         CertifiedDeterminantWorkspace<ExecSpace, Real> const& workspace) {
  if constexpr (int(InfoView::rank) == 1) {
    require_extents(function, "info", {static_cast<long long>(info.extent(0))},
                    {workspace.extents().batch});
    batch.info_stride = static_cast<std::ptrdiff_t>(info.stride(0));
  }
  batch.infos = info.data();
}

}  // namespace carroll::detail
