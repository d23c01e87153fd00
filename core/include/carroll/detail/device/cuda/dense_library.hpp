// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/vendor/dense_library.hpp>
#include <carroll/error.hpp>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#if defined(KOKKOS_ENABLE_CUDA) && defined(CARROLL_HAVE_CUSOLVER)
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

namespace carroll::detail {

/// Of the CUDA runtime, cuBLAS or cuSOLVER: of all three 0 is success.
template <class Status>
std::string failure_of(char const* call, Status status) {
  if (static_cast<int>(status) == 0) return {};
  (void)cudaGetLastError();  // it is told of here
  return std::string("carroll: ") + call + " returned status " +
         std::to_string(static_cast<int>(status));
}
template <class Status>
void check_library(char const* call, Status status) {
  if (auto const failure = failure_of(call, status); !failure.empty())
    throw std::runtime_error(failure);
}
/// Of calls that make a handle, which take memory of the device and seldom fail for anything else.
template <class Status>
void check_made(char const* call, Status status) {
  constexpr std::size_t usual = std::size_t{32} << 20;
  if (auto const failure = failure_of(call, status); !failure.empty())
    throw AllocationError(std::string("carroll: ") + call, usual, failure);
}

/// What cuSOLVER and cuBLAS keep for a user: memory on the device, too, so that work on another
/// stream waits until that before is done.
class CudaLibrary {
 public:
  explicit CudaLibrary(int device) : device_(device) {
    check_library("cudaSetDevice", cudaSetDevice(device));
    try {
      check_made("cublasCreate", cublasCreate(&products_));
      check_made("cusolverDnCreate", cusolverDnCreate(&solver_));
      check_made("cusolverDnCreateParams", cusolverDnCreateParams(&params_));
      check_library("cusolverDnSetDeterministicMode",
                    cusolverDnSetDeterministicMode(solver_, CUSOLVER_DETERMINISTIC_RESULTS));
      check_library("cudaEventCreate", cudaEventCreateWithFlags(&done_, cudaEventDisableTiming));
    } catch (...) {
      destroy();
      throw;
    }
  }
  CudaLibrary(CudaLibrary const&) = delete;
  CudaLibrary& operator=(CudaLibrary const&) = delete;
  ~CudaLibrary() { destroy(); }

  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] cusolverDnHandle_t solver() const { return solver_; }
  [[nodiscard]] cublasHandle_t products() const { return products_; }
  [[nodiscard]] cusolverDnParams_t params() const { return params_; }

  /// Enqueues what `work` calls on the stream.
  template <class Work>
  void on_stream(cudaStream_t stream, Work const& work) const {
    check_library("cudaSetDevice", cudaSetDevice(device_));
    check_library("cudaStreamWaitEvent", cudaStreamWaitEvent(stream, done_, 0));
    check_library("cusolverDnSetStream", cusolverDnSetStream(solver_, stream));
    check_library("cublasSetStream", cublasSetStream(products_, stream));
    work();
    check_library("cudaEventRecord", cudaEventRecord(done_, stream));
  }

 private:
  /// Nobody is left to tell of errors.
  void destroy() {
    if (done_) cudaEventDestroy(done_);
    if (params_) cusolverDnDestroyParams(params_);
    if (solver_) cusolverDnDestroy(solver_);
    if (products_) cublasDestroy(products_);
  }

  int device_;
  cublasHandle_t products_ = nullptr;
  cusolverDnHandle_t solver_ = nullptr;
  cusolverDnParams_t params_ = nullptr;
  cudaEvent_t done_ = nullptr;
};

/// Handles that nobody uses: to make one takes longer than most calls. Any thread may ask. They are
/// destroyed as Kokkos is finalized.
class CudaLibraries {
 public:
  struct GiveBack {
    void operator()(CudaLibrary* handle) const { all().give_back(handle); }
  };
  using Lent = std::unique_ptr<CudaLibrary, GiveBack>;

  static Lent lend(int device) { return Lent(all().take(device)); }

 private:
  using Idle = std::vector<std::unique_ptr<CudaLibrary>>;

  /// Never destroyed, so that it is there for the hook whenever that runs.
  static CudaLibraries& all() {
    static auto* const handles = new CudaLibraries;
    return *handles;
  }

  CudaLibrary* take(int device) {
    {
      std::lock_guard const lock(mutex_);
      if (!hooked_) Kokkos::push_finalize_hook([this] { close(); });
      hooked_ = true;
      for (auto& handle : idle_) {
        if (handle->device() != device) continue;
        std::swap(handle, idle_.back());
        CudaLibrary* const found = idle_.back().release();
        idle_.pop_back();
        return found;
      }
      idle_.reserve(++made_);  // to give them back takes no memory
    }
    return std::make_unique<CudaLibrary>(device).release();
  }
  void give_back(CudaLibrary* given) {
    std::unique_ptr<CudaLibrary> handle(given);
    std::lock_guard const lock(mutex_);
    if (!closed_) idle_.push_back(std::move(handle));
  }
  void close() {
    Idle last;
    {
      std::lock_guard const lock(mutex_);
      closed_ = true;
      last.swap(idle_);
    }
  }

  std::mutex mutex_;
  Idle idle_;
  std::size_t made_ = 0;
  bool hooked_ = false, closed_ = false;
};

/// See device/vendor/dense_library.hpp: cuSOLVER's Xsyevd, which from some 600 columns on blocks
/// the host while it works, and cuBLAS' products.
template <>
class DenseLibrary<Kokkos::Cuda> {
 public:
  using execution_space = Kokkos::Cuda;

  explicit DenseLibrary(Kokkos::Cuda const& exec)
      : handles_(CudaLibraries::lend(exec.cuda_device())) {}

  [[nodiscard]] LibraryBytes eigenvector_bytes(int n) const {
    double const* const none = nullptr;
    LibraryBytes bytes;
    check_library("cudaSetDevice", cudaSetDevice(handles_->device()));
    check_library("cusolverDnXsyevd_bufferSize",
                  cusolverDnXsyevd_bufferSize(handles_->solver(), handles_->params(), vectors, half,
                                              n, CUDA_R_64F, none, n, CUDA_R_64F, none, CUDA_R_64F,
                                              &bytes.device, &bytes.host));
    return bytes;
  }

  void eigenvectors(Kokkos::Cuda const& exec, int n, double* A, double* W, int* info,
                    LibraryBuffers const& lent) const {
    handles_->on_stream(exec.cuda_stream(), [&] {
      check_library("cusolverDnXsyevd",
                    cusolverDnXsyevd(handles_->solver(), handles_->params(), vectors, half, n,
                                     CUDA_R_64F, A, n, CUDA_R_64F, W, CUDA_R_64F, lent.device,
                                     lent.bytes.device, lent.host, lent.bytes.host, info));
    });
  }

  void product(Kokkos::Cuda const& exec, int n, double const* A, double const* B, double beta,
               double* C) const {
    double const one = 1;
    handles_->on_stream(exec.cuda_stream(), [&] {
      check_library("cublasDgemm", cublasDgemm(handles_->products(), CUBLAS_OP_N, CUBLAS_OP_N, n, n,
                                               n, &one, A, n, B, n, &beta, C, n));
    });
  }

  void gram(Kokkos::Cuda const& exec, int n, double const* A, double* C) const {
    double const one = 1, zero = 0;
    handles_->on_stream(exec.cuda_stream(), [&] {
      check_library("cublasDsyrk", cublasDsyrk(handles_->products(), half, CUBLAS_OP_T, n, n, &one,
                                               A, n, &zero, C, n));
    });
  }

 private:
  static constexpr cublasFillMode_t half = CUBLAS_FILL_MODE_UPPER;
  static constexpr cusolverEigMode_t vectors = CUSOLVER_EIG_MODE_VECTOR;

  CudaLibraries::Lent handles_;
};

}  // namespace carroll::detail
#endif
