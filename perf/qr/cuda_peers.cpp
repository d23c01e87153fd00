// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <vector>

#include "libraries/cuda_handles.hpp"
#include "libraries/cuda_routines.hpp"
#include "qr/peers.hpp"

namespace carroll::perf {
namespace {

/// cuBLAS' geqrfBatched, or cuSOLVER's geqrf for one matrix, and orgqr, one matrix after
/// the other, where Q is wanted. R stays in A's upper triangle.
template <class Real>
class CudaQr final : public QrContender<Real> {
 public:
  CudaQr(QrShape const& shape, std::vector<Real> const& A, cudaStream_t stream)
      : shape_(shape),
        stream_(stream),
        input_(A.size()),
        A_(A.size()),
        R_(shape.square()),
        tau_(static_cast<std::size_t>(shape.batch) * static_cast<std::size_t>(shape.n)),
        A_list_(static_cast<std::size_t>(shape.batch)),
        tau_list_(A_list_.size()),
        info_(A_list_.size() + 1) {
    check(cudaMemcpy(input_.get(), A.data(), input_.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
    std::vector<Real*> matrices, taus;
    for (std::size_t b = 0; b < A_list_.size(); ++b) {
      matrices.push_back(matrix(b));
      taus.push_back(tau(b));
    }
    check(cudaMemcpy(A_list_.get(), matrices.data(), A_list_.bytes(), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    check(cudaMemcpy(tau_list_.get(), taus.data(), tau_list_.bytes(), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    check(cudaMemset(info_.get(), 0, info_.bytes()), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cublasSetStream(blas_, stream_), "cublasSetStream");
    check(cusolverDnSetStream(solver_, stream_), "cusolverDnSetStream");
    int of_geqrf = 0, of_orgqr = 0;
    check(
        CudaRoutines<Real>::geqrf_size(solver_, shape_.m, shape_.n, A_.get(), shape_.m, &of_geqrf),
        "geqrf_bufferSize");
    check(CudaRoutines<Real>::orgqr_size(solver_, shape_.m, shape_.n, shape_.n, A_.get(), shape_.m,
                                         tau_.get(), &of_orgqr),
          "orgqr_bufferSize");
    work_ = DeviceArray<Real>(static_cast<std::size_t>(std::max(of_geqrf, of_orgqr)));
  }

  void restore() override {
    check(cudaMemcpyAsync(A_.get(), input_.get(), A_.bytes(), cudaMemcpyDeviceToDevice, stream_),
          "cudaMemcpyAsync");
  }
  void run() override {
    factorise();
    auto const n = static_cast<std::size_t>(shape_.n), m = static_cast<std::size_t>(shape_.m);
    check(cudaMemcpy2DAsync(R_.get(), n * sizeof(Real), A_.get(), m * sizeof(Real),
                            n * sizeof(Real), n, cudaMemcpyDeviceToDevice, stream_),
          "cudaMemcpy2DAsync");
    for (std::size_t b = 0; shape_.basis && b < A_list_.size(); ++b)
      check(CudaRoutines<Real>::orgqr(solver_, shape_.m, shape_.n, shape_.n, matrix(b), shape_.m,
                                      tau(b), work_.get(), work_size(), info_.get() + b),
            "orgqr");
  }
  void fence() override { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }
  QrSolution<Real> solution() override {
    return {to_host(A_, 0, shape_.basis ? shape_.entries() : 0), to_host(R_), {}};
  }
  std::string complaint() override { return complaint_of(nonzeros(info_)); }

 private:
  void factorise() {
    if (shape_.batch == 1) {
      check(CudaRoutines<Real>::geqrf(solver_, shape_.m, shape_.n, matrix(0), shape_.m, tau(0),
                                      work_.get(), work_size(), info_.get() + A_list_.size()),
            "geqrf");
      return;
    }
    int info = 0;
    check(CudaRoutines<Real>::geqrf_batched(blas_, shape_.m, shape_.n, A_list_.get(), shape_.m,
                                            tau_list_.get(), &info, shape_.batch),
          "geqrfBatched");
  }

  int work_size() const { return static_cast<int>(work_.size()); }
  Real* matrix(std::size_t b) { return A_.get() + b * shape_.entries(); }
  Real* tau(std::size_t b) { return tau_.get() + b * static_cast<std::size_t>(shape_.n); }

  QrShape shape_;
  cudaStream_t stream_;
  DeviceArray<Real> input_, A_, R_, tau_, work_;
  DeviceArray<Real*> A_list_, tau_list_;
  DeviceArray<int> info_;  ///< Of orgqr for each member, and of geqrf.
  BlasHandle blas_;
  SolverHandle solver_;
};

}  // namespace

template <class Real>
std::vector<QrEntrant<Real>> qr_peers(Exec const& exec, QrShape const& shape) {
  if (shape.pivoted) return {};  // neither library pivots
  cudaStream_t const stream = exec.cuda_stream();
  return {{shape.batch == 1 ? "cusolver_geqrf" : "cublas_geqrfBatched", true,
           [=](std::vector<Real> const& A) -> std::unique_ptr<QrContender<Real>> {
             return std::make_unique<CudaQr<Real>>(shape, A, stream);
           },
           shape.batch > 1 && shape.basis}};
}

template std::vector<QrEntrant<float>> qr_peers(Exec const&, QrShape const&);
template std::vector<QrEntrant<double>> qr_peers(Exec const&, QrShape const&);

}  // namespace carroll::perf
