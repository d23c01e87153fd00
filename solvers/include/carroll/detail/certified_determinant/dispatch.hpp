// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/detail/team.hpp>
#include <cstdint>
#include <limits>

/// Which kernels certify a determinant: the one place that decides. It depends on the order alone,
/// on every backend, never on how many matrices there are.
///
/// | family  | orders    | kernels in      | workspace                              |
/// | ------- | --------- | --------------- | -------------------------------------- |
/// | closed  | up to 3   | closed_form.hpp | none                                   |
/// | team    | up to 160 | team.hpp        | 8n² doubles for each team that runs    |
/// | blocked | beyond    | blocked.hpp     | 8n² doubles, one matrix after the other |
namespace carroll::detail {

enum class CertifiedPath { closed, team, blocked };

struct CertifiedRow {
  CertifiedPath path;
  std::int64_t most;  ///< order
};

inline constexpr auto certified_table = std::to_array<CertifiedRow>(
    {{CertifiedPath::closed, 3},
     {CertifiedPath::team, 160},
     {CertifiedPath::blocked, std::numeric_limits<std::int64_t>::max()}});

/// What has been decided for a batch.
struct CertifiedPlan {
  CertifiedPath path = CertifiedPath::closed;
  int slots = 0;  ///< matrices that are worked on at the same time, each in memory of its own

  template <class ExecSpace>
  static CertifiedPlan of(ExecSpace const& exec, std::int64_t n, std::int64_t batch) {
    CertifiedPath const path =
        std::ranges::find_if(certified_table, [n](auto const& row) { return n <= row.most; })->path;
    if (path == CertifiedPath::closed) return {path, 0};
    // A large GPU then works on some 500.
    std::int64_t const teams = path == CertifiedPath::blocked ? 1
                               : lanes<ExecSpace> == 1        ? exec.concurrency()
                                                              : exec.concurrency() / 512;
    return {path, static_cast<int>(std::min(batch, std::max<std::int64_t>(teams, 1)))};
  }
};

}  // namespace carroll::detail
