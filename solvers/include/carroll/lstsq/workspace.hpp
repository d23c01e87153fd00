// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/complex_svd/workspace.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/compiled.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/lstsq/batch.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/gemm/workspace.hpp>
#include <carroll/lstsq/types.hpp>
#include <carroll/svd/workspace.hpp>
#include <cstddef>
#include <span>

namespace carroll {

namespace detail {

/// What the steps between are left to: the suite's decompositions and products.
template <class ExecSpace, class T>
struct LstsqSteps {
  SvdWorkspace<ExecSpace, T> factors;        ///< of A
  GemmWorkspace<ExecSpace, T> coefficients;  ///< Uᴴ·B, where there is B
  GemmWorkspace<ExecSpace, T> solution;      ///< V·Σ⁺·Uᴴ·B
};

}  // namespace detail

/// Everything that `lstsq` or `pinv` needs besides the caller's Views, made by `lstsq_workspace` or
/// `pinv_workspace` for fixed extents and options. Calls that are given one allocate nothing. One
/// call at a time may use it; copies share the memory.
template <class ExecSpace, class T>
class LstsqWorkspace : public detail::SolverWorkspace<ExecSpace, LstsqInfo<detail::RealOf<T>>,
                                                      LstsqExtents, LstsqOptions> {
 public:
  /// Was it made by `pinv_workspace`? Its extents' rhs are then its rows.
  [[nodiscard]] bool is_for_pinv() const { return batch_.inverse; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const {
    return this->bytes_.span() + steps_.factors.bytes() + steps_.coefficients.bytes() +
           steps_.solution.bytes();
  }

 private:
  friend struct detail::AccessTo<LstsqWorkspace>;

  detail::LstsqBatch<T> batch_{};  ///< without the caller's Views
  detail::LstsqSteps<ExecSpace, T> steps_;
};

namespace detail {

/// The inside of a workspace, for the entry points. Defined in detail/lstsq/access.hpp.
template <class ExecSpace, class T>
struct AccessTo<LstsqWorkspace<ExecSpace, T>> {
  static_assert(is_compiled_for<ExecSpace>());
  using Workspace = LstsqWorkspace<ExecSpace, T>;

  /// `inverse`: for pinv, extents.rhs is as extents.rows.
  static Workspace make(ExecSpace const& exec, char const* function, LstsqExtents const& extents,
                        LstsqOptions const& options, bool inverse);

  /// The problems of a call on the caller's matrices.
  static LstsqBatch<T> batch(Workspace const& w, LstsqViews<T> const& views);

  static void enqueue(ExecSpace const& exec, LstsqBatch<T> const& batch, Workspace const& w);

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<LstsqInfo<RealOf<T>> const> fetch_infos(ExecSpace const& exec,
                                                           Workspace const& w) {
    return w.infos_.fetch(exec, "carroll::lstsq::info");
  }
};

}  // namespace detail

/// A workspace for least-squares problems of the given extents. Allocates, for which Kokkos may
/// wait for the instance; freeing it waits for the whole device on CUDA. With OpenMP the first call
/// that uses it may still make Kokkos enlarge its own team scratch. Throws std::invalid_argument
/// for unusable extents or options, AllocationError for want of memory.
///
///   auto workspace = carroll::lstsq_workspace<double>(exec, {.batch = 100, .rows = 16, .cols =
///   8});
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] LstsqWorkspace<ExecSpace, T> lstsq_workspace(ExecSpace const& exec,
                                                           LstsqExtents const& extents,
                                                           LstsqOptions const& options = {}) {
  static_assert(FieldScalar<T>,
                "carroll::lstsq_workspace: T must be float, double or Kokkos::complex of these");
  return detail::AccessTo<LstsqWorkspace<ExecSpace, T>>::make(exec, "carroll::lstsq_workspace",
                                                              extents, options, false);
}

/// The same for pseudoinverses.
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] LstsqWorkspace<ExecSpace, T> pinv_workspace(ExecSpace const& exec,
                                                          PinvExtents const& extents,
                                                          LstsqOptions const& options = {}) {
  static_assert(FieldScalar<T>,
                "carroll::pinv_workspace: T must be float, double or Kokkos::complex of these");
  auto const& [batch, rows, cols] = extents;
  return detail::AccessTo<LstsqWorkspace<ExecSpace, T>>::make(
      exec, "carroll::pinv_workspace", {batch, rows, cols, rows}, options, true);
}

}  // namespace carroll

#ifndef CARROLL_COMPILED
#include <carroll/detail/lstsq/access.hpp>
#endif
