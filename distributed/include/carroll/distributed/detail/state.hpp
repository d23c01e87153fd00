// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/distributed/detail/mpi.hpp>
#include <carroll/distributed/detail/nccl.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace carroll::distributed::detail {

/// Where a rank's device is: the machine's name, and the device's place on its buses.
using DeviceName = std::array<char, 96>;

template <class ExecSpace>
DeviceName device_name([[maybe_unused]] ExecSpace const& exec) {
  DeviceName name{};
  gethostname(name.data(), 64);
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<ExecSpace, Kokkos::Cuda>)
    cudaDeviceGetPCIBusId(name.data() + 64, 32, exec.cuda_device());
#endif
  return name;
}

/// What the copies of a communicator share; freed with the last of them, which must be before
/// MPI_Finalize and Kokkos::finalize.
template <class ExecSpace>
struct CommunicatorState {
  static constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecSpace::memory_space>::accessible;
#if defined(CARROLL_HAVE_NCCL) && defined(KOKKOS_ENABLE_CUDA)
  static constexpr bool has_nccl = std::is_same_v<ExecSpace, Kokkos::Cuda>;
#else
  static constexpr bool has_nccl = false;
#endif

  CommunicatorState(MPI_Comm from, ExecSpace const& instance) : exec(instance) {
    MPI_Comm_dup(from, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  CommunicatorState(CommunicatorState const&) = delete;
  CommunicatorState& operator=(CommunicatorState const&) = delete;
  ~CommunicatorState() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized) MPI_Comm_free(&comm);
  }

  /// Has every rank a device for itself? Collective.
  [[nodiscard]] bool devices_differ() const {
    auto const mine = device_name(exec);
    std::vector<DeviceName> all(static_cast<std::size_t>(size));
    MPI_Allgather(mine.data(), int{sizeof mine}, MPI_BYTE, all.data(), int{sizeof mine}, MPI_BYTE,
                  comm);
    std::sort(all.begin(), all.end());
    return std::adjacent_find(all.begin(), all.end()) == all.end();
  }

  /// Room of the host, pinned where it is for a device: so many bytes at least.
  std::byte* staging(std::int64_t bytes) {
    if (static_cast<std::int64_t>(pinned.extent(0)) < bytes) {
      pinned = {};
      pinned = carroll::detail::allocate<decltype(pinned)>(Kokkos::DefaultHostExecutionSpace(),
                                                           "carroll::distributed::staging", bytes);
    }
    return pinned.data();
  }

  void fence() const {
    exec.fence("carroll::distributed::Communicator");
  }
  void to_host(std::byte* host, std::byte const* device, std::int64_t bytes) const {
    carroll::detail::copy_to_host(exec, host, device, static_cast<std::size_t>(bytes));
    fence();
  }
  void from_host(std::byte* device, std::byte const* host, std::int64_t bytes) const {
    carroll::detail::copy_to_device(exec, device, host, static_cast<std::size_t>(bytes));
    fence();
  }

  /// Enqueued.
  void copy(std::byte* to, std::byte const* from, std::int64_t bytes) const {
    using Space = typename ExecSpace::memory_space;
    if (to != from)
      carroll::detail::copy_objects<Space, Space>(exec, to, from, static_cast<std::size_t>(bytes));
  }

  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 1;
  ExecSpace exec;
  Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace> pinned;
#ifdef CARROLL_HAVE_NCCL
  Nccl nccl;
#endif
};

}  // namespace carroll::distributed::detail
