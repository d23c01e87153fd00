// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/certified_determinant/workspace.hpp>
#include <carroll/detail/assert_views.hpp>
#include <carroll/detail/determinant/square.hpp>
#include <carroll/detail/strided.hpp>

/// From the caller's Views to a checked CertifiedBatch.
namespace carroll::detail {

template <class ExecSpace, class AView>
consteval void assert_certified_views() {
  CARROLL_ASSERT_MATRICES("carroll::certified_determinant", AView, ExecSpace);
}

template <class ExecSpace, class InfoView, class Real, int Rank>
consteval void assert_certified_info() {
  CARROLL_ASSERT_INFO_OF_REAL("carroll::certified_determinant_async", InfoView, ExecSpace,
                              CertifiedDeterminantInfo, Real, Rank, "matrix");
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
  CARROLL_ASSERT_WORKSPACE("carroll::certified_determinant", AView, Real);
  require_square(function, A, workspace.extents());
  typename AView::const_type const read_only = A;
  return AccessTo<CertifiedDeterminantWorkspace<ExecSpace, Real>>::batch(workspace,
                                                                         strided_batch(read_only));
}

}  // namespace carroll::detail
