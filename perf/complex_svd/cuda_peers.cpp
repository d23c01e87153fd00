// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "complex_svd/peers.hpp"
#include "libraries/cuda_handles.hpp"
#include "libraries/cuda_routines.hpp"

namespace carroll::perf {
namespace {

/// cuSOLVER's gesvdjBatched takes up to 32 columns; larger matrices go to gesvdj one by one.
template <class Real>
class CudaComplexSvd final : public ComplexSvdContender<Real> {
 public:
  using Library = CudaRoutines<Real>;
  using Complex = std::conditional_t<std::is_same_v<Real, float>, cuComplex, cuDoubleComplex>;

  CudaComplexSvd(ComplexSvdShape const& shape, std::vector<std::complex<Real>> const& A,
                 cudaStream_t stream)
      : shape_(shape),
        stream_(stream),
        input_(A.size()),
        A_(A.size()),
        U_(A.size()),
        V_(A.size()),
        S_(shape.all_values()),
        info_(static_cast<std::size_t>(shape.batch)) {
    check(cudaMemcpy(input_.get(), A.data(), input_.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cusolverDnSetStream(handle_, stream_), "cusolverDnSetStream");
    int size = 0;
    int const n = shape.n;
    if (is_batched())
      check(Library::complex_gesvdj_batched_size(handle_, CUSOLVER_EIG_MODE_VECTOR, n, n, A_.get(),
                                                 n, S_.get(), U_.get(), n, V_.get(), n, &size,
                                                 jacobi_, shape.batch),
            "gesvdjBatched_bufferSize");
    else
      check(Library::complex_gesvdj_size(handle_, CUSOLVER_EIG_MODE_VECTOR, 0, n, n, A_.get(), n,
                                         S_.get(), U_.get(), n, V_.get(), n, &size, jacobi_),
            "gesvdj_bufferSize");
    work_ = DeviceArray<Complex>(static_cast<std::size_t>(size));
  }

  void restore() override {
    check(cudaMemcpyAsync(A_.get(), input_.get(), A_.bytes(), cudaMemcpyDeviceToDevice, stream_),
          "cudaMemcpyAsync");
  }
  void run() override {
    int const n = shape_.n, size = static_cast<int>(work_.size());
    if (is_batched()) {
      check(Library::complex_gesvdj_batched(handle_, CUSOLVER_EIG_MODE_VECTOR, n, n, A_.get(), n,
                                            S_.get(), U_.get(), n, V_.get(), n, work_.get(), size,
                                            info_.get(), jacobi_, shape_.batch),
            "gesvdjBatched");
      return;
    }
    for (std::size_t b = 0; b < info_.size(); ++b) {
      std::size_t const at = b * shape_.entries(), s = b * static_cast<std::size_t>(n);
      check(Library::complex_gesvdj(handle_, CUSOLVER_EIG_MODE_VECTOR, 0, n, n, A_.get() + at, n,
                                    S_.get() + s, U_.get() + at, n, V_.get() + at, n, work_.get(),
                                    size, info_.get() + b, jacobi_),
            "gesvdj");
    }
  }
  void fence() override { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }
  ComplexSvdSolution<Real> solution() override {
    auto const copied = [&](DeviceArray<Complex> const& from) {
      std::vector<std::complex<Real>> to;
      for (Complex const& z : to_host(from, 0, shape_.entries())) to.emplace_back(z.x, z.y);
      return to;
    };
    return {copied(U_), to_host(S_, 0, static_cast<std::size_t>(shape_.n)), copied(V_), false};
  }
  std::string complaint() override { return complaint_of(nonzeros(info_)); }

 private:
  [[nodiscard]] bool is_batched() const { return shape_.n <= 32; }

  ComplexSvdShape shape_;
  cudaStream_t stream_;
  DeviceArray<Complex> input_, A_, U_, V_, work_;
  DeviceArray<Real> S_;
  DeviceArray<int> info_;
  SolverHandle handle_;
  JacobiParams jacobi_;
};

}  // namespace

template <class Real>
std::vector<ComplexSvdEntrant<Real>> complex_svd_peers(Exec const& exec,
                                                       ComplexSvdShape const& shape) {
  cudaStream_t const stream = exec.cuda_stream();
  return {
      {shape.n <= 32 ? "cusolver_gesvdjBatched" : "cusolver_gesvdj", true,
       [=](std::vector<std::complex<Real>> const& A) -> std::unique_ptr<ComplexSvdContender<Real>> {
         return std::make_unique<CudaComplexSvd<Real>>(shape, A, stream);
       }}};
}

template std::vector<ComplexSvdEntrant<float>> complex_svd_peers(Exec const&,
                                                                 ComplexSvdShape const&);
template std::vector<ComplexSvdEntrant<double>> complex_svd_peers(Exec const&,
                                                                  ComplexSvdShape const&);

}  // namespace carroll::perf
