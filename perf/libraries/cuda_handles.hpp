// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace carroll::perf {

inline void check(cudaError_t code, char const* what) {
  if (code != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
}
inline void check(cusolverStatus_t code, char const* what) {
  if (code != CUSOLVER_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": cuSOLVER status " + std::to_string(code));
}
inline void check(cublasStatus_t code, char const* what) {
  if (code != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(code));
}

/// Owns one vendor handle; `create` and `destroy` are the vendor's functions.
template <class Handle, auto create, auto destroy>
class UniqueHandle {
 public:
  UniqueHandle() { check(create(&handle_), "creating a handle"); }
  ~UniqueHandle() { destroy(handle_); }  // nothing sensible can be done about a failure here
  UniqueHandle(UniqueHandle const&) = delete;
  UniqueHandle& operator=(UniqueHandle const&) = delete;
  operator Handle() const { return handle_; }

 private:
  Handle handle_{};
};
using SolverHandle = UniqueHandle<cusolverDnHandle_t, cusolverDnCreate, cusolverDnDestroy>;
using SolverParams =
    UniqueHandle<cusolverDnParams_t, cusolverDnCreateParams, cusolverDnDestroyParams>;
using JacobiParams =
    UniqueHandle<gesvdjInfo_t, cusolverDnCreateGesvdjInfo, cusolverDnDestroyGesvdjInfo>;
using BlasHandle = UniqueHandle<cublasHandle_t, cublasCreate, cublasDestroy>;

/// Device memory of `size` elements.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size = 0) : size_(size) {
    if (size > 0) check(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()), "cudaMalloc");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(DeviceArray const&) = delete;
  DeviceArray& operator=(DeviceArray const&) = delete;
  DeviceArray(DeviceArray&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* get() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A part of it, or all of it, on the host; waits for nothing but the copy.
template <class T>
std::vector<T> to_host(DeviceArray<T> const& source, std::size_t first, std::size_t size) {
  std::vector<T> host(size);
  if (!host.empty())
    check(cudaMemcpy(host.data(), source.get() + first, size * sizeof(T), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
  return host;
}
template <class T>
std::vector<T> to_host(DeviceArray<T> const& source) {
  return to_host(source, 0, source.size());
}

inline int nonzeros(DeviceArray<int> const& source) {
  auto const host = to_host(source);
  return static_cast<int>(host.size()) - static_cast<int>(std::count(host.begin(), host.end(), 0));
}

}  // namespace carroll::perf
