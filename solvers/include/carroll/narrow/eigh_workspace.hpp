// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/narrow/workspace.hpp>
#include <carroll/eigh/types.hpp>
#include <carroll/eigh/workspace.hpp>
#include <carroll/narrow.hpp>
#include <cstdint>
#include <span>

namespace carroll {

/// The workspace for 16-bit matrices: that for floats, and room for the floats of A, and of V where
/// vectors are wanted, which is not used where the caller's V is of float.
template <class ExecSpace, NarrowScalar T>
class EighWorkspace<ExecSpace, T>
    : public detail::NarrowSolverWorkspace<EighWorkspace<ExecSpace, float>, 2> {
 public:
  [[nodiscard]] bool is_ragged() const { return this->wide_.is_ragged(); }
};

namespace detail {

template <class ExecSpace, NarrowScalar T>
struct AccessTo<EighWorkspace<ExecSpace, T>> : NarrowAccess<EighWorkspace<ExecSpace, T>> {
  using Workspace = EighWorkspace<ExecSpace, T>;
  using Wide = AccessTo<EighWorkspace<ExecSpace, float>>;

  static Workspace uniform(ExecSpace const& exec, char const* function, EighExtents const& extents,
                           EighOptions const& options) {
    auto const wide = Wide::uniform(exec, function, extents, options);
    std::int64_t const entries = extents.batch * extents.n * extents.n;
    return AccessTo::made_of(
        wide, NarrowRoom<ExecSpace, 2>::uniform(exec, {entries, extents.vectors ? entries : 0}));
  }

  static Workspace ragged(ExecSpace const& exec, char const* function,
                          std::span<EighMember const> members, bool vectors,
                          EighOptions const& options) {
    auto const wide = Wide::ragged(exec, function, members, vectors, options);
    std::array<std::vector<NarrowPiece>, 2> owned;
    for (EighMember const& at : members) {
      owned[0].push_back({at.a, at.n * at.n});
      if (vectors) owned[1].push_back({at.v, at.n * at.n});
    }
    auto const& sizes = Wide::packed_sizes(wide);
    return AccessTo::made_of(
        wide, NarrowRoom<ExecSpace, 2>::ragged(exec, {sizes[0], vectors ? sizes[2] : 0}, owned));
  }
};

}  // namespace detail

/// `eigh_workspace` for 16-bit matrices.
///
///   auto workspace = carroll::eigh_workspace<carroll::bfloat16>(exec, {.batch = 100, .n = 8});
template <NarrowScalar T, ExecutionSpace ExecSpace>
[[nodiscard]] EighWorkspace<ExecSpace, T> eigh_workspace(ExecSpace const& exec,
                                                         EighExtents const& extents,
                                                         EighOptions const& options = {}) {
  return detail::AccessTo<EighWorkspace<ExecSpace, T>>::uniform(exec, "carroll::eigh_workspace",
                                                                extents, options);
}

/// `eigh_ragged_workspace` for 16-bit matrices; it fences twice.
template <NarrowScalar T, ExecutionSpace ExecSpace>
[[nodiscard]] EighWorkspace<ExecSpace, T> eigh_ragged_workspace(ExecSpace const& exec,
                                                                std::span<EighMember const> members,
                                                                bool vectors = true,
                                                                EighOptions const& options = {}) {
  return detail::AccessTo<EighWorkspace<ExecSpace, T>>::ragged(
      exec, "carroll::eigh_ragged_workspace", members, vectors, options);
}

}  // namespace carroll
