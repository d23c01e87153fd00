// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/compiled.hpp>
#include <carroll/detail/complex_svd/batch.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/svd/types.hpp>
#include <carroll/svd/workspace.hpp>
#include <span>

namespace carroll {

/// Kokkos::complex<float> or Kokkos::complex<double>.
template <class T>
concept ComplexScalar = FieldScalar<T> && !RealScalar<T>;

/// The workspace for complex matrices: of uniform batches, as that for real ones.
template <class ExecSpace, class Real>
class SvdWorkspace<ExecSpace, Kokkos::complex<Real>>
    : public detail::SolverWorkspace<ExecSpace, SvdInfo<Real>, SvdExtents, SvdOptions> {
 public:
  /// What asks for the kernels that calls with this workspace take: never `automatic`.
  [[nodiscard]] SvdPath path() const { return path_; }

 private:
  friend struct detail::AccessTo<SvdWorkspace>;

  SvdPath path_ = SvdPath::team;
  detail::ComplexSvdBatch<Real> batch_{};  ///< without the caller's Views
};

namespace detail {

/// Defined in detail/complex_svd/access.hpp.
template <class ExecSpace, class Real>
struct AccessTo<SvdWorkspace<ExecSpace, Kokkos::complex<Real>>> {
  static_assert(is_compiled_for<ExecSpace>());
  using Workspace = SvdWorkspace<ExecSpace, Kokkos::complex<Real>>;

  static Workspace uniform(ExecSpace const& exec, char const* function, SvdExtents const& extents,
                           SvdOptions const& options);

  /// The problems of a call on the caller's matrices.
  static ComplexSvdBatch<Real> batch(Workspace const& w, ComplexSvdViews<Real> const& views);

  static void enqueue(ExecSpace const& exec, ComplexSvdBatch<Real> const& batch,
                      Workspace const& w);

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<SvdInfo<Real> const> fetch_infos(ExecSpace const& exec, Workspace const& w) {
    return w.infos_.fetch(exec, "carroll::svd::info");
  }
};

}  // namespace detail

/// `svd_workspace` for complex matrices.
///
///   using Complex = Kokkos::complex<double>;
///   auto workspace = carroll::svd_workspace<Complex>(exec, {.batch = 100, .rows = 8, .cols = 8});
template <ComplexScalar Value, ExecutionSpace ExecSpace>
[[nodiscard]] SvdWorkspace<ExecSpace, Value> svd_workspace(ExecSpace const& exec,
                                                           SvdExtents const& extents,
                                                           SvdOptions const& options = {}) {
  return detail::AccessTo<SvdWorkspace<ExecSpace, Value>>::uniform(exec, "carroll::svd_workspace",
                                                                   extents, options);
}

}  // namespace carroll

#ifndef CARROLL_COMPILED
#include <carroll/detail/complex_svd/access.hpp>
#endif
