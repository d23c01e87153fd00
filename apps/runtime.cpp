// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.hpp"

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#ifdef CARROLL_HAVE_NCCL
#include <nccl.h>
#endif

namespace carroll::tool {

namespace {

/// While it lives, what is printed on standard output goes to standard error.
class StandardOutputToError {
 public:
  StandardOutputToError() : saved_(::dup(STDOUT_FILENO)) {
    if (saved_ >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~StandardOutputToError() {
    std::fflush(stdout);
    std::cout.flush();
    if (saved_ < 0) return;
    ::dup2(saved_, STDOUT_FILENO);
    ::close(saved_);
  }
  StandardOutputToError(StandardOutputToError const&) = delete;
  StandardOutputToError& operator=(StandardOutputToError const&) = delete;

 private:
  int saved_;
};

void initialize(std::vector<std::string> words) {
  words.insert(words.begin(), "carroll");
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  Kokkos::initialize(count, pointers.data());
}

/// The processor's name as Linux tells it; just "host" where it does not.
[[maybe_unused]] std::string processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
      return line.substr(line.find(": ") + 2);
    }
  }
  // Boards such as the Jetson leave that line out and describe themselves here.
  std::ifstream board("/proc/device-tree/model");
  std::string name;
  std::getline(board, name, '\0');
  return name.empty() ? "host" : name;
}

std::string device_name() {
#if defined(KOKKOS_ENABLE_CUDA)
  return Kokkos::Cuda().cuda_device_prop().name;
#elif defined(KOKKOS_ENABLE_HIP)
  return Kokkos::HIP::hip_device_prop().name;
#else
  return processor_name();
#endif
}

std::string machine_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::string nccl_version() {
#ifdef CARROLL_HAVE_NCCL
  int version = 0;
  if (ncclGetVersion(&version) == ncclSuccess)
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
#endif
  return {};
}

}  // namespace

Runtime::Runtime(KokkosFlags const& flags) {
  if (flags.help) {
    initialize(flags.words);
    return;
  }
  StandardOutputToError const redirection;
  auto words = flags.words;
  bool const told = std::any_of(words.begin(), words.end(), [](std::string const& word) {
    return word.starts_with("--kokkos-disable-warnings");
  });
  if (!told) words.emplace_back("--kokkos-disable-warnings");
  initialize(words);
}

Runtime::~Runtime() {
  // Kokkos 5.2 frees twice what it could not replace for want of memory. After an error main ends
  // the process without it.
  if (std::uncaught_exceptions() == 0) Kokkos::finalize();
}

RuntimeInfo runtime_info() {
  RuntimeInfo info;
  info.kokkos_version = std::to_string(KOKKOS_VERSION / 10000) + "." +
                        std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                        std::to_string(KOKKOS_VERSION % 100);
  info.backends = {
#ifdef KOKKOS_ENABLE_CUDA
      "Cuda",
#endif
#ifdef KOKKOS_ENABLE_HIP
      "HIP",
#endif
#ifdef KOKKOS_ENABLE_SYCL
      "SYCL",
#endif
#ifdef KOKKOS_ENABLE_OPENMP
      "OpenMP",
#endif
#ifdef KOKKOS_ENABLE_THREADS
      "Threads",
#endif
#ifdef KOKKOS_ENABLE_SERIAL
      "Serial",
#endif
  };
  info.default_execution_space = Kokkos::DefaultExecutionSpace::name();
  info.device = device_name();
  info.host = machine_name();
  info.nccl = nccl_version();
  info.threads = Kokkos::DefaultHostExecutionSpace().concurrency();
#ifdef CARROLL_HAVE_KOKKOSKERNELS
  info.kokkos_kernels = true;
#endif
  return info;
}

}  // namespace carroll::tool
