// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "kokkos_flags.hpp"

namespace carroll::tool {

/// Kokkos, running for as long as the object lives. Its warnings are off unless asked for and what
/// it prints when it starts goes to standard error: standard output is for results alone.
class Runtime {
 public:
  explicit Runtime(KokkosFlags const& flags);
  ~Runtime();
  Runtime(Runtime const&) = delete;
  Runtime& operator=(Runtime const&) = delete;
};

/// What `carroll info` tells.
struct RuntimeInfo {
  std::string kokkos_version;
  std::vector<std::string> backends;
  std::string default_execution_space;
  std::string device;  ///< name of the GPU or the processor
  int threads = 0;     ///< of the host's execution space
  bool kokkos_kernels = false;
  std::string host;                  ///< the machine's name
  std::string nccl;                  ///< version; empty: there is none
  std::string mpi;                   ///< the library; empty: there is none
  int ranks = 1;                     ///< that a launcher has started
  std::vector<std::string> devices;  ///< and the machine and the device of each
};

/// Leaves MPI and ranks open. Needs a Runtime.
[[nodiscard]] RuntimeInfo runtime_info();

}  // namespace carroll::tool
