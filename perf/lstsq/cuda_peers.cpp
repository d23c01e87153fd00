// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "libraries/cuda_handles.hpp"
#include "lstsq/peers.hpp"

namespace carroll::perf {
namespace {

/// cuBLAS' gelsBatched, by QR without pivoting: for matrices of full rank with as many rows as
/// columns or more. X comes in B.
template <class Real>
class CudaLstsq final : public SystemContender<Real> {
 public:
  CudaLstsq(LstsqShape const& shape, LstsqData<Real> const& data, cudaStream_t stream)
      : shape_(shape),
        columns_(shape.inverse() ? shape.m : shape.p),
        stream_(stream),
        A_input_(data.A.size()),
        B_input_(members() * sides()),
        A_(A_input_.size()),
        B_(B_input_.size()),
        A_list_(members()),
        B_list_(members()),
        info_(members()) {
    std::vector<Real> B = data.B;
    if (shape.inverse()) {
      B.assign(B_.size(), Real(0));
      auto const m = static_cast<std::size_t>(shape.m);
      for (std::size_t k = 0; k < members() * m; ++k) B[k / m * sides() + k % m * (m + 1)] = 1;
    }
    std::vector<Real*> matrices, right_sides;
    for (std::size_t b = 0; b < members(); ++b) {
      matrices.push_back(A_.get() + b * shape.a_size());
      right_sides.push_back(B_.get() + b * sides());
    }
    copy(A_input_, data.A);
    copy(B_input_, B);
    copy(A_list_, matrices);
    copy(B_list_, right_sides);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cublasSetStream(blas_, stream_), "cublasSetStream");
  }

  void restore() override {
    for (auto [to, from] : {std::pair(&A_, &A_input_), {&B_, &B_input_}})
      check(cudaMemcpyAsync(to->get(), from->get(), to->bytes(), cudaMemcpyDeviceToDevice, stream_),
            "cudaMemcpyAsync");
  }
  void run() override {
    int wrong = 0;
    auto const gels = [&](auto function) {
      return function(blas_, CUBLAS_OP_N, shape_.m, shape_.n, columns_, A_list_.get(), shape_.m,
                      B_list_.get(), shape_.m, &wrong, info_.get(), shape_.batch);
    };
    if constexpr (std::is_same_v<Real, float>)
      check(gels(cublasSgelsBatched), "gelsBatched");
    else
      check(gels(cublasDgelsBatched), "gelsBatched");
  }
  void fence() override { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }
  std::vector<Real> solution() override {
    std::vector<Real> X;
    auto const B = to_host(B_, 0, sides());
    for (int j = 0; j < columns_; ++j) {
      auto const column = B.begin() + static_cast<std::ptrdiff_t>(j) * shape_.m;
      X.insert(X.end(), column, column + shape_.n);
    }
    return X;
  }
  std::string complaint() override { return complaint_of(nonzeros(info_)); }

 private:
  template <class T>
  static void copy(DeviceArray<T>& to, std::vector<T> const& from) {
    check(cudaMemcpy(to.get(), from.data(), to.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  [[nodiscard]] std::size_t members() const { return static_cast<std::size_t>(shape_.batch); }
  [[nodiscard]] std::size_t sides() const {
    return static_cast<std::size_t>(shape_.m) * static_cast<std::size_t>(columns_);
  }

  LstsqShape shape_;
  int columns_;  ///< of B
  cudaStream_t stream_;
  DeviceArray<Real> A_input_, B_input_, A_, B_;
  DeviceArray<Real*> A_list_, B_list_;
  DeviceArray<int> info_;
  BlasHandle blas_;
};

}  // namespace

template <class Real>
std::vector<SystemEntrant<LstsqData<Real>>> lstsq_peers(Exec const& exec, LstsqShape const& shape) {
  if (shape.batch == 1 || shape.m < shape.n) return {};
  cudaStream_t const stream = exec.cuda_stream();
  return {{"cublas_gelsBatched", true,
           [=](LstsqData<Real> const& data) -> std::unique_ptr<SystemContender<Real>> {
             return std::make_unique<CudaLstsq<Real>>(shape, data, stream);
           }}};
}

template std::vector<SystemEntrant<LstsqData<float>>> lstsq_peers(Exec const&, LstsqShape const&);
template std::vector<SystemEntrant<LstsqData<double>>> lstsq_peers(Exec const&, LstsqShape const&);

}  // namespace carroll::perf
