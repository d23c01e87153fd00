// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/certified_determinant/workspace.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/determinant/square.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/error.hpp>
#include <concepts>

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
  static_assert(
      is_info_view<InfoView, ExecSpace, CertifiedDeterminantInfo<Real>, Rank>,
      "carroll::certified_determinant_async: info must be a writable View of "
      "carroll::CertifiedDeterminantInfo of A's scalar type, of rank 0 for one matrix and 1 for a "
      "batch, in memory that the execution space can access");
}

/// What a workspace for A has to be made for.
template <class AView>
CertifiedDeterminantExtents certified_extents(char const* function, AView const& A) {
  auto const [batch, n] = square_extents(function, A);
  return {batch, n};
}

/// The caller's matrices into a batch, checked against the workspace.
template <class ExecSpace, class Real, class AView>
CertifiedBatch<Real> bind_certified(char const* function,
                                    CertifiedDeterminantWorkspace<ExecSpace, Real> const& workspace,
                                    AView const& A) {
  static_assert(std::same_as<typename AView::non_const_value_type, Real>,
                "carroll::certified_determinant: the workspace must have the scalar type of A");
  require_square(function, A, workspace.extents());
  typename AView::const_type const read_only = A;
  return AccessTo<CertifiedDeterminantWorkspace<ExecSpace, Real>>::batch(workspace,
                                                                         strided_batch(read_only));
}

}  // namespace carroll::detail
