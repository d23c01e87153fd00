// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/narrow/workspace.hpp>
#include <carroll/narrow.hpp>
#include <carroll/svd/types.hpp>
#include <carroll/svd/workspace.hpp>
#include <cstdint>
#include <span>

namespace carroll {

/// The workspace for 16-bit matrices: that for floats, and room for the floats of A, and of U and V
/// where vectors are wanted, which is not used where the caller's U and V are of float.
template <class ExecSpace, NarrowScalar T>
class SvdWorkspace<ExecSpace, T>
    : public detail::NarrowSolverWorkspace<SvdWorkspace<ExecSpace, float>, 3> {
 public:
  [[nodiscard]] bool is_ragged() const { return this->wide_.is_ragged(); }
};

namespace detail {

template <class ExecSpace, NarrowScalar T>
struct AccessTo<SvdWorkspace<ExecSpace, T>> : NarrowAccess<SvdWorkspace<ExecSpace, T>> {
  using Workspace = SvdWorkspace<ExecSpace, T>;
  using Wide = AccessTo<SvdWorkspace<ExecSpace, float>>;

  static Workspace uniform(ExecSpace const& exec, char const* function, SvdExtents const& extents,
                           SvdOptions const& options) {
    auto const& [members, m, n, u, v] = extents;
    std::int64_t const least = std::min(m, n);
    require_addressable(function, {members, m, n},
                        double(members) * sizeof(float) *
                            (double(m) * double(n + vector_columns(u, m, least)) +
                             double(n) * double(vector_columns(v, n, least))));
    auto const wide = Wide::uniform(exec, function, extents, options);
    return AccessTo::made_of(wide,
                             NarrowRoom<ExecSpace, 3>::uniform(
                                 exec, {members * m * n, members * m * vector_columns(u, m, least),
                                        members * n * vector_columns(v, n, least)}));
  }

  static Workspace ragged(ExecSpace const& exec, char const* function,
                          std::span<SvdMember const> members, SvdVectors u, SvdVectors v,
                          SvdOptions const& options) {
    auto const wide = Wide::ragged(exec, function, members, u, v, options);
    std::array<std::vector<NarrowPiece>, 3> owned;
    for (SvdMember const& at : members) {
      std::int64_t const least = std::min(at.rows, at.cols);
      owned[0].push_back({at.a, at.rows * at.cols});
      owned[1].push_back({at.u, at.rows * vector_columns(u, at.rows, least)});
      owned[2].push_back({at.v, at.cols * vector_columns(v, at.cols, least)});
    }
    auto const& sizes = Wide::packed_sizes(wide);
    return AccessTo::made_of(
        wide, NarrowRoom<ExecSpace, 3>::ragged(exec, {sizes[0], sizes[1], sizes[3]}, owned));
  }
};

}  // namespace detail

/// `svd_workspace` for 16-bit matrices.
///
///   auto workspace = carroll::svd_workspace<carroll::float16>(exec, {.rows = 8, .cols = 8});
template <NarrowScalar T, ExecutionSpace ExecSpace>
[[nodiscard]] SvdWorkspace<ExecSpace, T> svd_workspace(ExecSpace const& exec,
                                                       SvdExtents const& extents,
                                                       SvdOptions const& options = {}) {
  return detail::AccessTo<SvdWorkspace<ExecSpace, T>>::uniform(exec, "carroll::svd_workspace",
                                                               extents, options);
}

/// `svd_ragged_workspace` for 16-bit matrices; it fences twice.
template <NarrowScalar T, ExecutionSpace ExecSpace>
[[nodiscard]] SvdWorkspace<ExecSpace, T> svd_ragged_workspace(ExecSpace const& exec,
                                                              std::span<SvdMember const> members,
                                                              SvdVectors u = SvdVectors::thin,
                                                              SvdVectors v = SvdVectors::thin,
                                                              SvdOptions const& options = {}) {
  return detail::AccessTo<SvdWorkspace<ExecSpace, T>>::ragged(exec, "carroll::svd_ragged_workspace",
                                                              members, u, v, options);
}

}  // namespace carroll
