// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/vendor/eigensolver.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/vendor/chunks.hpp>
#include <carroll/detail/eigh/vendor/kernels.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace carroll::detail {

/// Symmetric matrices by the solver of the device's vendor: a part of a workspace. `Solver` is an
/// Eigensolver (device/vendor/eigensolver.hpp), or what a test has in its place.
///
/// Up to order 128, in single precision 256, many at a time; above one after the other. Staging
/// reads A twice and writes it, collecting reads and writes V: 5n² words beside what the solver
/// does.
template <class Solver>
class EighVendor {
 public:
  using ExecSpace = typename Solver::execution_space;
  using Real = typename Solver::scalar_type;
  using Chunk = EighChunk<Real>;

  /// Allocates all that calls need, in `room` bytes of the device where that can be. Throws
  /// AllocationError for want of memory, std::runtime_error if the library says no.
  EighVendor(ExecSpace const& exec, std::vector<EighRun> const& runs, bool vectors,
             std::size_t room)
      : solver_(exec) {
    for (EighRun const& run : runs) add_chunks(chunks_, run, vectors, room, solver_);
    std::int64_t device = 0;
    std::size_t host = 0;
    for (Chunk const& chunk : chunks_) {
      device = std::max(device, chunk.device_bytes());
      host = std::max(host, chunk.bytes.host);
    }
    memory_ = allocate<Memory>(exec, "carroll::eigh::vendor_workspace", device + Chunk::alignment);
    host_ = allocate<HostMemory>(Kokkos::DefaultHostExecutionSpace(),
                                 "carroll::eigh::vendor_host_workspace",
                                 static_cast<std::int64_t>(host));
  }

  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return memory_.span(); }
  [[nodiscard]] std::vector<Chunk> const& chunks() const { return chunks_; }

  /// `members`: which of the batch's the runs are of; null: all. Allocates nothing; the solver may
  /// block the host.
  void enqueue(ExecSpace const& exec, EighBatch<Real> batch, int const* members) const {
    batch.selection = members;
    for (Chunk const& chunk : chunks_) enqueue(exec, batch, chunk);
  }

 private:
  using Memory = Kokkos::View<std::byte*, typename ExecSpace::memory_space>;
  using HostMemory = Kokkos::View<std::byte*, Kokkos::HostSpace>;

  void enqueue(ExecSpace const& exec, EighBatch<Real> const& batch, Chunk const& chunk) const {
    void* begin = memory_.data();
    std::size_t room = memory_.span();
    auto* next =
        static_cast<std::byte*>(std::align(Chunk::alignment, room - Chunk::alignment, begin, room));
    auto const take = [&](std::int64_t bytes) {
      void* const piece = next;
      next += Chunk::aligned(bytes);
      return piece;
    };
    std::int64_t const staged = chunk.staged();
    EigensolverBuffers const lent{take(static_cast<std::int64_t>(chunk.bytes.device)), host_.data(),
                                  chunk.bytes};
    EighStaging<Real> staging{chunk.call.n, chunk.matrix(), chunk.values(), nullptr,
                              nullptr,      nullptr,        nullptr};
    staging.matrices = static_cast<Real*>(take(staged * chunk.matrix() * sizeof(Real)));
    staging.eigenvalues = static_cast<Real*>(take(staged * chunk.values() * sizeof(Real)));
    staging.infos = static_cast<int*>(take(2 * staged * sizeof(int)));
    staging.exponents = staging.infos + staged;
    launch<EighStageKernel<ExecSpace, Real>>("carroll::eigh::vendor_stage", exec, batch, staging,
                                             chunk, chunk.staged());
    for (int k = 0; k < chunk.staged(); k += chunk.call.count)
      solver_.solve(exec, chunk.call, staging.matrices + k * chunk.matrix(),
                    staging.eigenvalues + k * chunk.values(), staging.infos + k, lent);
    launch<EighCollectKernel<ExecSpace, Real>>("carroll::eigh::vendor_collect", exec, batch,
                                               staging, chunk, chunk.members);
  }

  template <class Kernel>
  static void launch(char const* label, ExecSpace const& exec, EighBatch<Real> const& batch,
                     EighStaging<Real> const& staging, Chunk const& chunk, int teams) {
    launch_fitting_teams(label, exec, Kernel(batch, staging, chunk.first, chunk.members),
                         {teams, team_threads(exec, teams, staging.n)});
  }

  Solver solver_;
  std::vector<Chunk> chunks_;
  Memory memory_;
  HostMemory host_;
};

}  // namespace carroll::detail
