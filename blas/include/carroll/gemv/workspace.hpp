// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/compiled.hpp>
#include <carroll/detail/matrix_vector/device/block.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/gemv/types.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace carroll {

/// What `gemv` needs besides the caller's Views, made by `gemv_workspace` for fixed extents and
/// options: sums of pieces of long rows. Calls that are given one allocate nothing. One call at a
/// time may use it; copies share the memory.
template <class ExecSpace, class T>
class GemvWorkspace : public detail::SpacesOf<ExecSpace> {
 public:
  [[nodiscard]] GemvOptions const& options() const { return options_; }
  [[nodiscard]] GemvExtents const& extents() const { return extents_; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return bytes_.span(); }

 private:
  friend struct detail::AccessTo<GemvWorkspace>;

  GemvOptions options_;
  GemvExtents extents_{0, 0, 0};
  detail::MatrixVectorMemory<typename detail::MatrixVector<T>::Sum> memory_;
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> bytes_;
};

namespace detail {

inline void require_usable(char const* function, GemvExtents const& extents,
                           GemvOptions const& options) {
  require_size(function, "the number of rows", extents.rows);
  require_size(function, "the number of terms", extents.terms);
  require_size(function, "the batch", extents.batch);
  constexpr std::int64_t most = std::int64_t{1} << 32;
  require(extents.rows * extents.batch <= most, function, [&] {
    return "a batch of " + std::to_string(extents.batch) + " with " + std::to_string(extents.rows) +
           " rows has more than " + std::to_string(most) + " entries of y";
  });
  require(MatrixOp::identity <= options.op && options.op <= MatrixOp::conjugate_transpose, function,
          [&] {
            return "options.op is " + std::to_string(static_cast<int>(options.op)) +
                   ", must be an enumerator of MatrixOp";
          });
}

/// The inside of a workspace, for the entry points. Defined in detail/matrix_vector/access.hpp.
template <class ExecSpace, class T>
struct AccessTo<GemvWorkspace<ExecSpace, T>> {
  static_assert(is_compiled_for<ExecSpace>());
  using Workspace = GemvWorkspace<ExecSpace, T>;

  static Workspace make(ExecSpace const& exec, char const* function, GemvExtents const& extents,
                        GemvOptions const& options);
  static GemvInfo enqueue(ExecSpace const& exec, MatrixVector<T> const& problem,
                          Workspace const& w);
  /// Or can it be enqueued with a workspace that nobody made?
  static bool needs_memory(ExecSpace const& exec, MatrixVector<T> const& problem);
};

}  // namespace detail

/// A workspace for products of the given extents, whichever way their matrices lie. Allocates, for
/// which Kokkos may wait for the instance; freeing it waits for the whole device on CUDA. Throws
/// std::invalid_argument for unusable extents or options, AllocationError for want of memory.
///
///   auto workspace = carroll::gemv_workspace<double>(exec, {.rows = 8, .terms = 10'000'000});
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] GemvWorkspace<ExecSpace, T> gemv_workspace(ExecSpace const& exec,
                                                         GemvExtents const& extents,
                                                         GemvOptions const& options = {}) {
  static_assert(FieldScalar<T>,
                "carroll::gemv_workspace: T must be float, double or Kokkos::complex of these");
  return detail::AccessTo<GemvWorkspace<ExecSpace, T>>::make(exec, "carroll::gemv_workspace",
                                                             extents, options);
}

}  // namespace carroll

#ifndef CARROLL_COMPILED
#include <carroll/detail/matrix_vector/access.hpp>
#endif
