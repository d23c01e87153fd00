// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/compiled.hpp>
#include <carroll/detail/matrix_product/dispatch.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/gemm/types.hpp>
#include <cstddef>

namespace carroll {

namespace detail {

inline void require_usable(char const* function, GemmExtents const& extents) {
  require_size(function, "the number of rows", extents.rows);
  require_size(function, "the number of columns", extents.cols);
  require_size(function, "the number of terms", extents.terms);
  require_size(function, "the batch", extents.batch);
}

}  // namespace detail

/// What `gemm` needs besides the caller's Views, made by `gemm_workspace` for fixed extents and
/// options: sums of parts, or a host's packed panels. Calls that are given one allocate nothing.
/// One call at a time may use it; copies share the memory.
template <class ExecSpace, class T>
class GemmWorkspace : public detail::SpacesOf<ExecSpace> {
 public:
  [[nodiscard]] GemmOptions const& options() const { return options_; }
  [[nodiscard]] GemmExtents const& extents() const { return extents_; }
  /// What calls will say.
  [[nodiscard]] GemmInfo const& info() const { return plan_.info; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return bytes_.span(); }

 private:
  friend struct detail::AccessTo<GemmWorkspace>;

  GemmOptions options_;
  GemmExtents extents_{0, 0, 0, 0};
  detail::ProductPlan plan_;
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> bytes_;
};

namespace detail {

/// The inside of a workspace, for the entry points. Defined in detail/matrix_product/access.hpp.
template <class ExecSpace, class T>
struct AccessTo<GemmWorkspace<ExecSpace, T>> {
  static_assert(is_compiled_for<ExecSpace>());
  using Workspace = GemmWorkspace<ExecSpace, T>;

  /// `in_parts`: a device may cut sums into parts. Without, C's extents leave no trace in its bits.
  static Workspace make(ExecSpace const& exec, char const* function, GemmExtents const& extents,
                        GemmOptions const& options, bool in_parts = true);
  /// Enqueues a call. Throws std::invalid_argument where the vendor's library cannot take how the
  /// matrices lie.
  static void enqueue(ExecSpace const& exec, char const* function, MatrixProduct<T> const& product,
                      Workspace const& workspace);
};

}  // namespace detail

/// A workspace for products of the given extents. What runs is decided here, from the extents, the
/// options and the device. Allocates, for which Kokkos may wait for the instance; freeing it waits
/// for the whole device on CUDA. Throws std::invalid_argument for unusable extents or options,
/// AllocationError for want of memory.
///
///   auto workspace = carroll::gemm_workspace<double>(exec, {.rows = 4096, .cols = 32,
///                                                           .terms = 4096});
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] GemmWorkspace<ExecSpace, T> gemm_workspace(ExecSpace const& exec,
                                                         GemmExtents const& extents,
                                                         GemmOptions const& options = {}) {
  static_assert(FieldScalar<T>,
                "carroll::gemm_workspace: T must be float, double or Kokkos::complex of these");
  return detail::AccessTo<GemmWorkspace<ExecSpace, T>>::make(exec, "carroll::gemm_workspace",
                                                             extents, options);
}

}  // namespace carroll

#ifndef CARROLL_COMPILED
#include <carroll/detail/matrix_product/access.hpp>
#endif
