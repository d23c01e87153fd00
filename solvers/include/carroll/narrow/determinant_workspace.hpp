// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/narrow/workspace.hpp>
#include <carroll/determinant/ragged_workspace.hpp>
#include <carroll/determinant/types.hpp>
#include <carroll/determinant/workspace.hpp>
#include <carroll/narrow.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace carroll {

/// The workspace for 16-bit matrices: that for floats, and room for the floats of A, in which the
/// determinants are found. A is kept, whatever extents.keep says.
template <class ExecSpace, NarrowScalar T>
class DeterminantWorkspace<ExecSpace, T>
    : public detail::NarrowSolverWorkspace<DeterminantWorkspace<ExecSpace, float>, 1> {};

/// The same for matrices of different orders.
template <class ExecSpace, NarrowScalar T>
class DeterminantRaggedWorkspace<ExecSpace, T>
    : public detail::NarrowWorkspace<DeterminantRaggedWorkspace<ExecSpace, float>, 1> {
 public:
  /// How many matrices it was made for.
  [[nodiscard]] std::int64_t batch() const { return this->wide_.batch(); }
  /// Entries that A must have at least.
  [[nodiscard]] std::int64_t entries() const { return this->wide_.entries(); }
};

namespace detail {

template <class ExecSpace, NarrowScalar T>
struct AccessTo<DeterminantWorkspace<ExecSpace, T>>
    : NarrowAccess<DeterminantWorkspace<ExecSpace, T>> {
  using Workspace = DeterminantWorkspace<ExecSpace, T>;
  using Wide = AccessTo<DeterminantWorkspace<ExecSpace, float>>;

  static Workspace make(ExecSpace const& exec, char const* function,
                        DeterminantExtents const& extents, DeterminantOptions const& options) {
    auto const& [members, n, keep] = extents;
    auto const wide = Wide::make(exec, function, {members, n, false}, options);
    return AccessTo::made_of(wide, NarrowRoom<ExecSpace, 1>::uniform(exec, {members * n * n}));
  }
};

template <class ExecSpace, NarrowScalar T>
struct AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>
    : NarrowAccess<DeterminantRaggedWorkspace<ExecSpace, T>> {
  using Workspace = DeterminantRaggedWorkspace<ExecSpace, T>;
  using Wide = AccessTo<DeterminantRaggedWorkspace<ExecSpace, float>>;

  /// Members may share entries, so that those in the room are kept, too.
  static Workspace make(ExecSpace const& exec, char const* function,
                        std::span<DeterminantMember const> members,
                        DeterminantOptions const& options) {
    auto const wide = Wide::make(exec, function, members, true, options);
    std::array<std::vector<NarrowPiece>, 1> owned;
    for (DeterminantMember const& at : members) owned[0].push_back({at.a, at.n * at.n});
    return AccessTo::made_of(wide, NarrowRoom<ExecSpace, 1>::ragged(exec, {wide.entries()}, owned));
  }

  static void enqueue(ExecSpace const& exec, NarrowInput const& A, Workspace const& w,
                      DeterminantInfo<float>* infos, std::ptrdiff_t info_stride) {
    enqueue_widening(exec, A);
    Wide::enqueue(exec, AccessTo::wide(w), A.wide.data, nullptr, infos, info_stride);
  }
};

}  // namespace detail

/// `determinant_workspace` for 16-bit matrices.
///
///   auto workspace = carroll::determinant_workspace<carroll::float16>(exec, {.n = 8});
template <NarrowScalar T, ExecutionSpace ExecSpace>
[[nodiscard]] DeterminantWorkspace<ExecSpace, T> determinant_workspace(
    ExecSpace const& exec, DeterminantExtents const& extents,
    DeterminantOptions const& options = {}) {
  return detail::AccessTo<DeterminantWorkspace<ExecSpace, T>>::make(
      exec, "carroll::determinant_workspace", extents, options);
}

/// `determinant_ragged_workspace` for 16-bit matrices, which are kept, whatever `keep` says; it
/// fences twice.
template <NarrowScalar T, ExecutionSpace ExecSpace>
[[nodiscard]] DeterminantRaggedWorkspace<ExecSpace, T> determinant_ragged_workspace(
    ExecSpace const& exec, std::span<DeterminantMember const> members,
    [[maybe_unused]] bool keep = false, DeterminantOptions const& options = {}) {
  return detail::AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>::make(
      exec, "carroll::determinant_ragged_workspace", members, options);
}

}  // namespace carroll
