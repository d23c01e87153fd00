// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/vendor/eigensolver.hpp>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#if defined(KOKKOS_ENABLE_CUDA) && defined(CARROLL_HAVE_CUSOLVER)
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

namespace carroll::detail {

inline void check_cusolver(char const* call, cusolverStatus_t status) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string("carroll: ") + call + " of cuSOLVER returned status " +
                           std::to_string(static_cast<int>(status)));
}
inline void check_cuda(char const* call, cudaError_t error) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string("carroll: ") + call + ": " + cudaGetErrorString(error));
}

/// What cuSOLVER keeps for a user: memory on the device, too, so that work on another stream waits
/// until that before is done.
class CusolverHandle {
 public:
  explicit CusolverHandle(int device) : device_(device) {
    check_cuda("cudaSetDevice", cudaSetDevice(device));
    try {
      check_cusolver("cusolverDnCreate", cusolverDnCreate(&handle_));
      check_cusolver("cusolverDnCreateParams", cusolverDnCreateParams(&params_));
      check_cusolver("cusolverDnSetDeterministicMode",
                     cusolverDnSetDeterministicMode(handle_, CUSOLVER_DETERMINISTIC_RESULTS));
      check_cuda("cudaEventCreate", cudaEventCreateWithFlags(&done_, cudaEventDisableTiming));
    } catch (...) {
      destroy();
      throw;
    }
  }
  CusolverHandle(CusolverHandle const&) = delete;
  CusolverHandle& operator=(CusolverHandle const&) = delete;
  ~CusolverHandle() { destroy(); }

  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] cusolverDnHandle_t get() const { return handle_; }
  [[nodiscard]] cusolverDnParams_t params() const { return params_; }

  /// Enqueues what `work` calls on the stream.
  template <class Work>
  void on_stream(cudaStream_t stream, Work const& work) const {
    check_cuda("cudaSetDevice", cudaSetDevice(device_));
    check_cuda("cudaStreamWaitEvent", cudaStreamWaitEvent(stream, done_, 0));
    check_cusolver("cusolverDnSetStream", cusolverDnSetStream(handle_, stream));
    work();
    check_cuda("cudaEventRecord", cudaEventRecord(done_, stream));
  }

 private:
  /// Nobody is left to tell of errors.
  void destroy() {
    if (done_) cudaEventDestroy(done_);
    if (params_) cusolverDnDestroyParams(params_);
    if (handle_) cusolverDnDestroy(handle_);
  }

  int device_;
  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t params_ = nullptr;
  cudaEvent_t done_ = nullptr;
};

/// Handles that nobody uses: to make one takes longer than most calls. Any thread may ask. They are
/// destroyed as Kokkos is finalized.
class CusolverHandles {
 public:
  struct GiveBack {
    void operator()(CusolverHandle* handle) const { all().give_back(handle); }
  };
  using Lent = std::unique_ptr<CusolverHandle, GiveBack>;

  static Lent lend(int device) { return Lent(all().take(device)); }

 private:
  using Idle = std::vector<std::unique_ptr<CusolverHandle>>;

  /// Never destroyed, so that it is there for the hook whenever that runs.
  static CusolverHandles& all() {
    static auto* const handles = new CusolverHandles;
    return *handles;
  }

  CusolverHandle* take(int device) {
    {
      std::lock_guard const lock(mutex_);
      if (!hooked_) Kokkos::push_finalize_hook([this] { close(); });
      hooked_ = true;
      for (auto& handle : idle_) {
        if (handle->device() != device) continue;
        std::swap(handle, idle_.back());
        CusolverHandle* const found = idle_.back().release();
        idle_.pop_back();
        return found;
      }
      idle_.reserve(++made_);  // to give them back takes no memory
    }
    return std::make_unique<CusolverHandle>(device).release();
  }
  void give_back(CusolverHandle* given) {
    std::unique_ptr<CusolverHandle> handle(given);
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

/// See device/vendor/eigensolver.hpp: cuSOLVER's Xsyevd, which blocks the host while it works, and
/// for several matrices XsyevBatched.
template <class Real>
class Eigensolver<Kokkos::Cuda, Real> {
 public:
  using execution_space = Kokkos::Cuda;
  using scalar_type = Real;

  explicit Eigensolver(Kokkos::Cuda const& exec)
      : handle_(CusolverHandles::lend(exec.cuda_device())) {}

  [[nodiscard]] static std::size_t device_memory(Kokkos::Cuda const& exec) {
    return exec.cuda_device_prop().totalGlobalMem;
  }

  [[nodiscard]] EigensolverBytes bytes(EigensolverCall const& call) const {
    int const n = call.n;
    Real const* const none = nullptr;
    EigensolverBytes bytes;
    check_cuda("cudaSetDevice", cudaSetDevice(handle_->device()));
    if (call.count == 1)
      check_cusolver(
          "cusolverDnXsyevd_bufferSize",
          cusolverDnXsyevd_bufferSize(handle_->get(), handle_->params(), mode(call), half, n, type,
                                      none, n, type, none, type, &bytes.device, &bytes.host));
    else
      check_cusolver("cusolverDnXsyevBatched_bufferSize",
                     cusolverDnXsyevBatched_bufferSize(
                         handle_->get(), handle_->params(), mode(call), half, n, type, none, n,
                         type, none, type, &bytes.device, &bytes.host, call.count));
    return bytes;
  }

  void solve(Kokkos::Cuda const& exec, EigensolverCall const& call, Real* A, Real* W, int* infos,
             EigensolverBuffers const& lent) const {
    int const n = call.n;
    handle_->on_stream(exec.cuda_stream(), [&] {
      if (call.count == 1)
        check_cusolver("cusolverDnXsyevd",
                       cusolverDnXsyevd(handle_->get(), handle_->params(), mode(call), half, n,
                                        type, A, n, type, W, type, lent.device, lent.bytes.device,
                                        lent.host, lent.bytes.host, infos));
      else
        check_cusolver(
            "cusolverDnXsyevBatched",
            cusolverDnXsyevBatched(handle_->get(), handle_->params(), mode(call), half, n, type, A,
                                   n, type, W, type, lent.device, lent.bytes.device, lent.host,
                                   lent.bytes.host, infos, call.count));
    });
  }

 private:
  static constexpr cudaDataType type = sizeof(Real) == 4 ? CUDA_R_32F : CUDA_R_64F;
  static constexpr cublasFillMode_t half = CUBLAS_FILL_MODE_LOWER;
  static cusolverEigMode_t mode(EigensolverCall const& call) {
    return call.vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  }

  CusolverHandles::Lent handle_;
};

}  // namespace carroll::detail
#endif
