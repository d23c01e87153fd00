// SPDX-License-Identifier: BSD-3-Clause
#include <cub/device/device_reduce.cuh>
#include <memory>
#include <type_traits>
#ifdef CARROLL_HAVE_KOKKOSKERNELS
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_nrm1.hpp>
#include <KokkosBlas1_nrm2.hpp>
#include <KokkosBlas1_sum.hpp>
#endif

#include "libraries/cuda_handles.hpp"
#include "reduction/vectors.hpp"

namespace carroll::perf {
namespace {

/// With a result on the device, which takes less time than one on the host.
template <class T>
class DeviceReduction : public ReductionContender {
 public:
  DeviceReduction(Exec const& exec, ReductionVectors<T> const& vectors)
      : exec_(exec), vectors_(vectors) {}
  void fence() override { check(cudaStreamSynchronize(exec_.cuda_stream()), "a fence"); }
  double value() override { return static_cast<double>(to_host(result_)[0]); }

 protected:
  Exec exec_;
  ReductionVectors<T> const& vectors_;
  DeviceArray<T> result_{1};
};

template <class T>
class CubSum : public DeviceReduction<T> {
 public:
  CubSum(Exec const& exec, ReductionVectors<T> const& vectors)
      : DeviceReduction<T>(exec, vectors), memory_(bytes()) {}
  void run() override {
    std::size_t size = memory_.size();
    reduce(memory_.get(), size);
  }

 private:
  std::size_t bytes() {
    std::size_t size = 0;
    reduce(nullptr, size);
    return size;
  }
  void reduce(void* memory, std::size_t& size) {
    check(cub::DeviceReduce::Sum(memory, size, this->vectors_.x().data(), this->result_.get(),
                                 this->vectors_.length(), this->exec_.cuda_stream()),
          "cub::DeviceReduce::Sum");
  }
  DeviceArray<char> memory_;
};

template <class T>
class CublasReduction : public DeviceReduction<T> {
 public:
  CublasReduction(Exec const& exec, ReductionVectors<T> const& vectors, ReductionFunction function)
      : DeviceReduction<T>(exec, vectors), function_(function) {
    check(cublasSetStream(handle_, exec.cuda_stream()), "cublasSetStream");
    check(cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
  }
  void run() override {
    int const n = static_cast<int>(this->vectors_.length());
    T const* const x = this->vectors_.x().data();
    T const* const y = this->vectors_.y().data();
    T* const result = this->result_.get();
    constexpr bool single = std::is_same_v<T, float>;
    switch (function_) {
      case ReductionFunction::dot:
        if constexpr (single)
          check(cublasSdot(handle_, n, x, 1, y, 1, result), "cublasSdot");
        else
          check(cublasDdot(handle_, n, x, 1, y, 1, result), "cublasDdot");
        return;
      case ReductionFunction::norm2:
        if constexpr (single)
          check(cublasSnrm2(handle_, n, x, 1, result), "cublasSnrm2");
        else
          check(cublasDnrm2(handle_, n, x, 1, result), "cublasDnrm2");
        return;
      default:
        if constexpr (single)
          check(cublasSasum(handle_, n, x, 1, result), "cublasSasum");
        else
          check(cublasDasum(handle_, n, x, 1, result), "cublasDasum");
    }
  }

 private:
  ReductionFunction function_;
  BlasHandle handle_;
};

#ifdef CARROLL_HAVE_KOKKOSKERNELS
template <class T>
class KokkosReduction : public ReductionContender {
 public:
  KokkosReduction(Exec const& exec, ReductionVectors<T> const& vectors, ReductionFunction function)
      : exec_(exec), vectors_(vectors), function_(function) {}
  void run() override {
    auto const& x = vectors_.x();
    switch (function_) {
      case ReductionFunction::sum: value_ = KokkosBlas::sum(exec_, x); return;
      case ReductionFunction::dot: value_ = KokkosBlas::dot(exec_, x, vectors_.y()); return;
      case ReductionFunction::norm2: value_ = KokkosBlas::nrm2(exec_, x); return;
      case ReductionFunction::asum: value_ = KokkosBlas::nrm1(exec_, x); return;
    }
  }
  double value() override { return static_cast<double>(value_); }

 private:
  Exec exec_;
  ReductionVectors<T> const& vectors_;
  ReductionFunction function_;
  T value_{};
};
#endif

}  // namespace

template <class T>
std::vector<ReductionEntrant<T>> reduction_peers(Exec const& exec, ReductionFunction function) {
  using Vectors = ReductionVectors<T> const&;
  using Made = std::unique_ptr<ReductionContender>;
  std::vector<ReductionEntrant<T>> peers;
  if (function == ReductionFunction::sum)
    peers.push_back({"cub_sum", true, [exec](Vectors vectors) -> Made {
                       return std::make_unique<CubSum<T>>(exec, vectors);
                     }});
  else
    peers.push_back({std::string("cublas_") + name_of(function), true,
                     [exec, function](Vectors vectors) -> Made {
                       return std::make_unique<CublasReduction<T>>(exec, vectors, function);
                     }});
#ifdef CARROLL_HAVE_KOKKOSKERNELS
  peers.push_back({std::string("kokkoskernels_") + name_of(function), true,
                   [exec, function](Vectors vectors) -> Made {
                     return std::make_unique<KokkosReduction<T>>(exec, vectors, function);
                   }});
#endif
  return peers;
}

template std::vector<ReductionEntrant<float>> reduction_peers(Exec const&, ReductionFunction);
template std::vector<ReductionEntrant<double>> reduction_peers(Exec const&, ReductionFunction);

}  // namespace carroll::perf
