// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/cyclic_layout.hpp>
#include <carroll/distributed/detail/determinant/memory.hpp>
#include <carroll/distributed/determinant/types.hpp>
#include <cstddef>
#include <memory>

namespace carroll::distributed {

namespace detail {
template <class ExecSpace, class T>
struct DeterminantCall;
}  // namespace detail

/// Everything that a determinant over ranks needs besides the caller's rows, made by
/// `determinant_workspace` for a communicator, a layout and options. One call at a time may use it;
/// copies share the memory. Like the communicator, it must be gone before MPI_Finalize.
template <class ExecSpace, class T>
class DeterminantWorkspace {
 public:
  [[nodiscard]] CyclicLayout const& layout() const { return memory_->layout; }
  /// Never `automatic`.
  [[nodiscard]] DeterminantEngine engine() const { return memory_->engine; }
  /// Bytes of memory that kernels can access, on this rank.
  [[nodiscard]] std::size_t bytes() const { return memory_->bytes.span(); }

 private:
  friend struct detail::DeterminantCall<ExecSpace, T>;
  std::shared_ptr<detail::DeterminantMemory<ExecSpace, T>> memory_;
};

/// A layout of n rows over the communicator's ranks, in blocks that suit `determinant`.
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] CyclicLayout determinant_layout(Communicator<ExecSpace> const& comm, std::int64_t n) {
  return cyclic_layout(n, detail::default_block<ExecSpace, T>(n), comm.size());
}

/// A workspace for a matrix whose rows are dealt out as `layout` says. Collective; allocates: some
/// 2·128·n entries for messages, on devices 1600·n (`panels`: 512·n and 256 for each of the rank's
/// rows; `gathered`: 2n² on rank 0; `scalapack`: the rank's n²/p for another layout). Throws on all
/// ranks std::invalid_argument for a layout that is not for these ranks, options that cannot be had
/// or that differ, AllocationError for want of memory.
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] DeterminantWorkspace<ExecSpace, T> determinant_workspace(
    Communicator<ExecSpace> const& comm, CyclicLayout const& layout,
    DeterminantOptions const& options = {}) {
  static_assert(FieldScalar<T>,
                "carroll::distributed::determinant_workspace: T must be float, double or "
                "Kokkos::complex of one of them");
  return detail::DeterminantCall<ExecSpace, T>::make(
      comm, "carroll::distributed::determinant_workspace", layout, options);
}

}  // namespace carroll::distributed

#include <carroll/distributed/detail/determinant/call.hpp>
