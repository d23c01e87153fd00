// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/svd/types.hpp>
#include <cstdint>

/// Which kernels decompose a complex matrix: the one place that decides. It knows a matrix's
/// extents, the backend and the options, never how many matrices there are: results must be the
/// same bits in every batch.
///
/// | path | where | range      | a matrix is held by           | kernel in |
/// | ---- | ----- | ---------- | ----------------------------- | --------- |
/// | team | all   | everything | memory, scratch where it fits | team/     |
///
/// What options.path asks for and complex matrices do not have gives way to `team`.
namespace carroll::detail {

/// Of rows×cols problems, rows >= cols.
template <class ExecSpace>
constexpr SvdPath complex_svd_path(SvdOptions const&, std::int64_t, std::int64_t) {
  return SvdPath::team;
}

}  // namespace carroll::detail
