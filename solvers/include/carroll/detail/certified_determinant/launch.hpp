// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <carroll/detail/certified_determinant/blocked.hpp>
#include <carroll/detail/certified_determinant/closed_form.hpp>
#include <carroll/detail/certified_determinant/team.hpp>
#include <carroll/detail/device/launch.hpp>
#include <cstdint>

/// Which kernels run. The path depends on the order of the matrices alone, never on how many there
/// are.
namespace carroll::detail {

enum class CertifiedPath { closed, team, blocked };

inline CertifiedPath certified_path(std::int64_t n) {
  return n <= 3 ? CertifiedPath::closed : n <= 160 ? CertifiedPath::team : CertifiedPath::blocked;
}

/// Problems that are worked on at the same time, each of which needs memory of its own.
template <class ExecSpace>
std::int64_t certified_slots(ExecSpace const& exec, CertifiedPath path, std::int64_t batch) {
  if (path == CertifiedPath::closed) return 0;
  if (path == CertifiedPath::blocked) return std::min<std::int64_t>(batch, 1);
  // A large GPU then works on some 500.
  std::int64_t const teams = lanes<ExecSpace> == 1 ? exec.concurrency() : exec.concurrency() / 512;
  return std::min(batch, std::max<std::int64_t>(teams, 1));
}

template <class ExecSpace, class Real>
void enqueue_certified(ExecSpace const& exec, CertifiedBatch<Real> const& batch,
                       CertifiedMemory const& memory, CertifiedPath path, int slots) {
  if (batch.members == 0) return;
  if (path == CertifiedPath::closed) {
    using Kernel = CertifiedClosedKernel<ExecSpace, Real>;
    Kokkos::parallel_for("carroll::certified_determinant::closed_form",
                         typename Kernel::Policy(exec, 0, batch.members), Kernel(batch));
  } else if (path == CertifiedPath::team) {
    // A host's threads have a matrix each: barriers would cost more than a team saves.
    int const threads =
        lanes<ExecSpace> == 1
            ? 1
            : static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::clamp(batch.n / 4, 1, 8))));
    using Kernel = CertifiedTeamKernel<ExecSpace, Real>;
    launch_teams("carroll::certified_determinant::team", exec, Kernel(batch, memory),
                 {.count = slots, .threads = threads, .lanes = lanes<ExecSpace>});
  } else {
    for (int member = 0; member < batch.members; ++member)
      enqueue_certified_blocked(exec, batch, memory, member);
  }
}

}  // namespace carroll::detail
