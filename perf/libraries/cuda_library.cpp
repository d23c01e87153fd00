// SPDX-License-Identifier: BSD-3-Clause
#include "libraries/cuda_library.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "libraries/cuda_handles.hpp"

namespace carroll::perf {
namespace {

cublasStatus_t gemm(cublasHandle_t handle, int n, float const* A, float const* B, float* C) {
  float const one = 1, zero = 0;
  return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, A, n, B, n, &zero, C, n);
}
cublasStatus_t gemm(cublasHandle_t handle, int n, double const* A, double const* B, double* C) {
  double const one = 1, zero = 0;
  return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, A, n, B, n, &zero, C, n);
}

std::string cuda_number(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

std::string cusolver_version() {
  int major = 0, minor = 0, patch = 0;
  check(cusolverGetProperty(MAJOR_VERSION, &major), "cusolverGetProperty");
  check(cusolverGetProperty(MINOR_VERSION, &minor), "cusolverGetProperty");
  check(cusolverGetProperty(PATCH_LEVEL, &patch), "cusolverGetProperty");
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::string cuda_version() {
  int runtime = 0, driver = 0;
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  return "runtime " + cuda_number(runtime) + ", driver up to " + cuda_number(driver);
}

template <class Real>
double cuda_gemm_rate(int n, void* stream) {
  // Random entries: a product of constants draws less power and runs faster than real data does.
  std::vector<Real> host(static_cast<std::size_t>(n) * n);
  std::minstd_rand generator(1);
  for (Real& entry : host) entry = static_cast<Real>(generator() % 4096) / 4096;
  DeviceArray<Real> A(host.size()), B(host.size()), C(host.size());
  check(cudaMemcpy(A.get(), host.data(), A.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaMemcpy(B.get(), host.data(), B.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  auto const cuda_stream = static_cast<cudaStream_t>(stream);
  BlasHandle handle;
  check(cublasSetStream(handle, cuda_stream), "cublasSetStream");
  double best = 0;
  for (int repetition = 0; repetition < 6; ++repetition) {
    check(cudaStreamSynchronize(cuda_stream), "cudaStreamSynchronize");
    auto const start = std::chrono::steady_clock::now();
    check(gemm(handle, n, A.get(), B.get(), C.get()), "cublas gemm");
    check(cudaStreamSynchronize(cuda_stream), "cudaStreamSynchronize");
    std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2.0 * n * n * n / elapsed.count());
  }
  return best;
}
template double cuda_gemm_rate<float>(int, void*);
template double cuda_gemm_rate<double>(int, void*);

std::size_t cuda_free_bytes() {
  std::size_t free = 0, total = 0;
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

}  // namespace carroll::perf
