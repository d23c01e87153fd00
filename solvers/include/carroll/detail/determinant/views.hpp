// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/determinant/workspace.hpp>
#include <carroll/error.hpp>
#include <concepts>
#include <string>
#include <type_traits>

/// From the caller's Views to a checked DeterminantBatch.
namespace carroll::detail {

template <class View, class ExecSpace>
inline constexpr bool is_field_matrix = false;
template <class View, class ExecSpace>
requires StridedView<View> && AccessibleView<View, ExecSpace>
inline constexpr bool is_field_matrix<View, ExecSpace> =
    (int(View::rank) == 2 || int(View::rank) == 3) &&
    FieldScalar<typename View::non_const_value_type>;

template <class ExecSpace, class AView, bool Overwrites>
consteval void assert_determinant_views() {
  static_assert(
      is_field_matrix<AView, ExecSpace>,
      "carroll::determinant: A must be a strided View of float, double or Kokkos::complex "
      "of one of them, of rank 2 (one matrix) or 3 (a batch), in memory that the "
      "execution space can access");
  static_assert(!Overwrites || !std::is_const_v<typename AView::value_type>,
                "carroll::determinant: A is overwritten and must not be a View of constants; "
                "carroll::determinant_of keeps it");
}

template <class ExecSpace, class InfoView, class T, int Rank>
consteval void assert_determinant_info() {
  static_assert(Kokkos::is_view_v<InfoView>,
                "carroll::determinant_async: info must be a View of carroll::DeterminantInfo");
  static_assert(
      int(InfoView::rank) == Rank &&
          std::same_as<typename InfoView::value_type, DeterminantInfo<T>> &&
          bool(Kokkos::SpaceAccessibility<ExecSpace, typename InfoView::memory_space>::accessible),
      "carroll::determinant_async: info must be a writable View of carroll::DeterminantInfo of A's "
      "scalar type, of rank 0 for one matrix and 1 for a batch, in memory that the execution space "
      "can access");
}

/// Extents as the caller wrote them: without the batch for one matrix.
template <class AView>
std::string determinant_extents_text(AView const& A) {
  auto const extent = [&](int d) { return static_cast<long long>(A.extent(d)); };
  if constexpr (int(AView::rank) == 2)
    return extents_text({extent(0), extent(1)});
  else
    return extents_text({extent(0), extent(1), extent(2)});
}

/// What a workspace for A has to be made for.
template <class AView>
DeterminantExtents determinant_extents(char const* function, AView const& A, bool keep) {
  constexpr int rank = int(AView::rank);
  auto const rows = static_cast<std::int64_t>(A.extent(rank - 2));
  auto const cols = static_cast<std::int64_t>(A.extent(rank - 1));
  require(rows == cols, function, [&] {
    return "A is " + determinant_extents_text(A) + ", must be square: it has " +
           std::to_string(rows) + " rows and " + std::to_string(cols) + " columns";
  });
  return {rank == 3 ? static_cast<std::int64_t>(A.extent(0)) : 1, rows, keep};
}

/// The caller's matrices into a batch, checked against the workspace.
template <bool Overwrites, class ExecSpace, class T, class AView>
DeterminantBatch<T> bind_determinant(char const* function,
                                     DeterminantWorkspace<ExecSpace, T> const& workspace,
                                     AView const& A) {
  static_assert(std::same_as<typename AView::non_const_value_type, T>,
                "carroll::determinant: the workspace must have the scalar type of A");
  auto const actual = determinant_extents(function, A, !Overwrites);
  auto const& made = workspace.extents();
  require(actual.batch == made.batch && actual.n == made.n, function, [&] {
    return "A is " + determinant_extents_text(A) + ", the workspace was made for " +
           extents_text({made.batch, made.n, made.n}) + " (batch×n×n)";
  });
  require(Overwrites || made.keep, function, [] {
    return std::string("the workspace was made without room for copies: extents.keep is false");
  });
  typename AView::const_type const read_only = A;
  T* overwritten = nullptr;
  if constexpr (Overwrites) overwritten = A.data();
  return DeterminantAccess<ExecSpace, T>::batch(workspace, strided_batch(read_only), overwritten);
}

template <class ExecSpace, class T, class InfoView>
void bind_determinant_info(char const* function, DeterminantBatch<T>& batch, InfoView const& info,
                           DeterminantWorkspace<ExecSpace, T> const& workspace) {
  if constexpr (int(InfoView::rank) == 1) {
    require_extents(function, "info", {static_cast<long long>(info.extent(0))},
                    {workspace.extents().batch});
    batch.info_stride = static_cast<std::ptrdiff_t>(info.stride(0));
  }
  batch.infos = info.data();
}

}  // namespace carroll::detail
