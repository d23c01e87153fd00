// SPDX-License-Identifier: BSD-3-Clause
#include "harness/context.hpp"

#include <benchmark/benchmark.h>

#include <carroll/version.hpp>
#include <chrono>
#include <fstream>
#include <sstream>

#ifdef CARROLL_HAVE_KOKKOSKERNELS
#include <KokkosKernels_config.h>
#endif
#ifdef CARROLL_PERF_HAVE_LAPACKE
#include "libraries/host_library.hpp"
#endif
#ifdef CARROLL_PERF_HAVE_CUSOLVER
#include "libraries/cuda_library.hpp"
#endif

namespace carroll::perf {
namespace {

double copy_rate(Exec const& exec) {
  std::size_t const bytes = on_device ? std::size_t(1) << 30 : std::size_t(1) << 27;
  using Bytes = Kokkos::View<double*, Exec::memory_space>;
  Bytes const source(Kokkos::view_alloc(exec, "carroll::perf::source"), bytes / sizeof(double));
  Bytes const target(Kokkos::view_alloc(exec, "carroll::perf::target"), bytes / sizeof(double));
  double best = 0;
  for (int repetition = 0; repetition < 6; ++repetition) {
    exec.fence("carroll::perf::copy_rate begins");
    auto const start = std::chrono::steady_clock::now();
    Kokkos::deep_copy(exec, target, source);
    exec.fence("carroll::perf::copy_rate ends");
    std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2.0 * static_cast<double>(bytes) / elapsed.count());
  }
  return best;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string device_name([[maybe_unused]] Exec const& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  return exec.cuda_device_prop().name;
#else
  return processor_name();
#endif
}

std::string compiler_name() {
  std::ostringstream text;
#if defined(__clang__)
  text << "clang " << __clang_major__ << '.' << __clang_minor__ << '.' << __clang_patchlevel__;
#elif defined(__GNUC__)
  text << "g++ " << __GNUC__ << '.' << __GNUC_MINOR__ << '.' << __GNUC_PATCHLEVEL__;
#endif
#ifdef __CUDACC_VER_MAJOR__
  text << ", nvcc " << __CUDACC_VER_MAJOR__ << '.' << __CUDACC_VER_MINOR__ << '.'
       << __CUDACC_VER_BUILD__;
#endif
  return text.str();
}

std::string dotted_version(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace

MachineLimits measure_limits(Exec const& exec) {
  MachineLimits limits{.copy_bytes = copy_rate(exec)};
#ifdef CARROLL_PERF_HAVE_CUSOLVER
  if (on_device) {
    limits.gemm_single = cuda_gemm_rate<float>(4096, native_stream(exec));
    limits.gemm_double = cuda_gemm_rate<double>(4096, native_stream(exec));
  }
#endif
#ifdef CARROLL_PERF_HAVE_LAPACKE
  if (!on_device) {
    limits.gemm_single = host_gemm_rate<float>(1024, host_threads());
    limits.gemm_double = host_gemm_rate<double>(1024, host_threads());
  }
#endif
  return limits;
}

void add_context(std::string const& bench, Exec const& exec, MachineLimits const& limits,
                 std::string_view hashes) {
  using benchmark::AddCustomContext;
  AddCustomContext("bench", bench);
  AddCustomContext("carroll_version", CARROLL_VERSION_STRING);
  AddCustomContext("hashes", hashes.empty() ? "unknown" : std::string(hashes));
  AddCustomContext("kokkos_version", dotted_version(KOKKOS_VERSION));
#ifdef CARROLL_HAVE_KOKKOSKERNELS
  AddCustomContext("kokkoskernels_version", dotted_version(KOKKOSKERNELS_VERSION));
#else
  AddCustomContext("kokkoskernels_version", "none");
#endif
  AddCustomContext("compiler", compiler_name());
#ifdef NDEBUG
  AddCustomContext("assertions", "off");
#else
  AddCustomContext("assertions", "on");
#endif
  AddCustomContext("backend", Exec::name());
  AddCustomContext("host_backend", Kokkos::DefaultHostExecutionSpace::name());
  AddCustomContext("device", device_name(exec));
  AddCustomContext("processor", processor_name());
  AddCustomContext("concurrency", std::to_string(exec.concurrency()));
  AddCustomContext("host_threads", std::to_string(host_threads()));
  using Policy = Kokkos::TeamPolicy<Exec>;
  AddCustomContext("scratch_size_max_level0", std::to_string(Policy::scratch_size_max(0)));
  AddCustomContext("scratch_size_max_level1", std::to_string(Policy::scratch_size_max(1)));
#ifdef CARROLL_PERF_HAVE_LAPACKE
  AddCustomContext("host_library", host_library());
#else
  AddCustomContext("host_library", "none");
#endif
#ifdef CARROLL_PERF_HAVE_CUSOLVER
  AddCustomContext("cusolver_version", cusolver_version());
  AddCustomContext("cuda_version", cuda_version());
#endif
  auto const number = [](double value) {
    std::ostringstream text;
    text.precision(4);
    text << value;
    return text.str();
  };
  AddCustomContext("copy_bytes_per_second", number(limits.copy_bytes));
  AddCustomContext("gemm_flops_single", number(limits.gemm_single));
  AddCustomContext("gemm_flops_double", number(limits.gemm_double));
}

}  // namespace carroll::perf
