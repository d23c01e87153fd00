// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/occupancy.hpp>
#include <cstddef>
#include <cstdint>

#ifdef KOKKOS_ENABLE_CUDA
/// What the CUDA runtime knows of the kernel that Kokkos makes of a functor for teams. Nothing
/// public of Kokkos tells; team_size_max asks the same two classes.
namespace carroll::detail::cuda {

struct KernelAttributes {
  ComputeCapability capability;
  int registers_per_thread = 0;
  std::int64_t static_scratch = 0;
  std::int64_t local_bytes = 0;  ///< of a thread: what did not fit into registers, and arrays
};

template <class Functor, class... Properties>
KernelAttributes kernel_attributes(Functor const& /*functor*/,
                                   Kokkos::TeamPolicy<Properties...> const& policy) {
  using Policy = Kokkos::TeamPolicy<Properties...>;
  using Kernel = Kokkos::Impl::ParallelFor<Functor, Policy, Kokkos::Cuda>;
  using Launch = Kokkos::Impl::CudaParallelLaunch<Kernel, typename Policy::traits::launch_bounds>;
  cudaFuncAttributes const attributes =
      Launch::get_cuda_func_attributes(policy.space().impl_internal_space_instance());
  auto const& device = policy.space().cuda_device_prop();
  return {{device.major, device.minor},
          attributes.numRegs,
          static_cast<std::int64_t>(attributes.sharedSizeBytes),
          static_cast<std::int64_t>(attributes.localSizeBytes)};
}

/// Scratch that Kokkos gives a team of its own accord: a double for each thread, and two more.
constexpr std::int64_t scratch_of_teams(int team_size) {
  return static_cast<std::int64_t>(sizeof(double)) * (team_size + 2);
}

}  // namespace carroll::detail::cuda
#endif
