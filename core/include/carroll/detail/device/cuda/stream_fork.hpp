// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/stream_fork.hpp>
#include <memory>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_runtime_api.h>

namespace carroll::detail {

/// See device/stream_fork.hpp: a stream of its own, and events that streams wait for.
template <>
class StreamFork<Kokkos::Cuda> {
 public:
  static StreamFork of(Kokkos::Cuda const& exec, bool urgent) {
    StreamFork side;
    side.shared_ = std::make_shared<Shared>(exec, urgent);
    return side;
  }
  Kokkos::Cuda fork(Kokkos::Cuda const& exec) const {
    let_wait(exec, shared_->instance);
    return shared_->instance;
  }
  void join(Kokkos::Cuda const& exec) const { let_wait(shared_->instance, exec); }

 private:
  struct Shared {
    cudaEvent_t event = nullptr;
    cudaStream_t stream = nullptr;
    Kokkos::Cuda instance;

    Shared(Kokkos::Cuda const& exec, bool urgent)
        : event(make_event(exec)), stream(make_stream(urgent)), instance(stream) {}
    Shared(Shared const&) = delete;
    Shared& operator=(Shared const&) = delete;
    ~Shared() {
      instance.fence("carroll::determinant::side_instance");
      instance = Kokkos::Cuda();
      cudaEventDestroy(event);
      cudaStreamDestroy(stream);
    }
  };

  static void check(cudaError_t error) {
    if (error != cudaSuccess) Kokkos::abort(cudaGetErrorString(error));
  }
  static cudaEvent_t make_event(Kokkos::Cuda const& exec) {
    check(cudaSetDevice(exec.cuda_device()));
    cudaEvent_t event;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
  }
  static cudaStream_t make_stream(bool urgent) {
    int least, greatest;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t stream;
    check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, urgent ? greatest : least));
    return stream;
  }
  void let_wait(Kokkos::Cuda const& first, Kokkos::Cuda const& second) const {
    check(cudaEventRecord(shared_->event, first.cuda_stream()));
    check(cudaStreamWaitEvent(second.cuda_stream(), shared_->event, 0));
  }

  std::shared_ptr<Shared> shared_;
};

}  // namespace carroll::detail
#endif
