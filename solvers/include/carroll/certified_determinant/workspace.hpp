// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/certified_determinant/types.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/certified_determinant/dispatch.hpp>
#include <carroll/detail/certified_determinant/problem.hpp>
#include <carroll/detail/compiled.hpp>
#include <carroll/detail/workspace.hpp>
#include <cstddef>
#include <span>

namespace carroll {

/// Everything that `certified_determinant` needs besides the caller's matrices, made by
/// `certified_determinant_workspace` for fixed extents. Calls that are given one allocate nothing.
/// One call at a time may use it; copies share the memory.
template <class ExecSpace, class Real>
class CertifiedDeterminantWorkspace
    : public detail::SolverWorkspace<ExecSpace, CertifiedDeterminantInfo<Real>,
                                     CertifiedDeterminantExtents> {
  friend struct detail::AccessTo<CertifiedDeterminantWorkspace>;

  detail::CertifiedPlan plan_;
  detail::CertifiedMemory memory_;
};

namespace detail {

/// The inside of a workspace, for the entry points. Defined in
/// detail/certified_determinant/access.hpp.
template <class ExecSpace, class Real>
struct AccessTo<CertifiedDeterminantWorkspace<ExecSpace, Real>> {
  static_assert(is_compiled_for<ExecSpace>());
  using Workspace = CertifiedDeterminantWorkspace<ExecSpace, Real>;

  static Workspace make(ExecSpace const& exec, char const* function,
                        CertifiedDeterminantExtents const& extents);

  static CertifiedBatch<Real> batch(Workspace const& w, StridedBatch<Real const> const& A);

  static void enqueue(ExecSpace const& exec, CertifiedBatch<Real> const& batch, Workspace const& w);

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<CertifiedDeterminantInfo<Real> const> fetch_infos(ExecSpace const& exec,
                                                                     Workspace const& w) {
    return w.infos_.fetch(exec, "carroll::certified_determinant::info");
  }
};

}  // namespace detail

/// A workspace for `batch` matrices of order n. Allocates, for which Kokkos may wait for the
/// instance; freeing it waits for the whole device on CUDA. Holds 8n² doubles for each matrix that
/// is worked on at the same time: one per thread of a host, some 500 on a GPU, one for orders above
/// 160, none up to 3. Throws std::invalid_argument for unusable extents, AllocationError for want
/// of memory.
///
///   auto workspace = carroll::certified_determinant_workspace<double>(exec, {.batch = 9, .n = 8});
template <class Real, ExecutionSpace ExecSpace>
[[nodiscard]] CertifiedDeterminantWorkspace<ExecSpace, Real> certified_determinant_workspace(
    ExecSpace const& exec, CertifiedDeterminantExtents const& extents) {
  static_assert(RealScalar<Real>,
                "carroll::certified_determinant_workspace: Real must be float or double");
  return detail::AccessTo<CertifiedDeterminantWorkspace<ExecSpace, Real>>::make(
      exec, "carroll::certified_determinant_workspace", extents);
}

}  // namespace carroll

#ifndef CARROLL_COMPILED
#include <carroll/detail/certified_determinant/access.hpp>
#endif
