// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>

#include "eigh/peers.hpp"
#include "libraries/cuda_handles.hpp"
#include "libraries/cuda_routines.hpp"

namespace carroll::perf {
namespace {

/// XsyevBatched, or Xsyevd for one matrix.
template <class Real>
class CudaEigh final : public EighContender<Real> {
 public:
  CudaEigh(EighShape const& shape, std::vector<Real> const& A, cudaStream_t stream)
      : shape_(shape),
        stream_(stream),
        input_(A.size()),
        A_(A.size()),
        W_(shape.values()),
        info_(static_cast<std::size_t>(shape.batch)) {
    check(cudaMemcpy(input_.get(), A.data(), input_.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cusolverDnSetStream(handle_, stream_), "cusolverDnSetStream");
    std::size_t device = 0, host = 0;
    if (shape_.batch > 1)
      check(cusolverDnXsyevBatched_bufferSize(handle_, params_, mode(), lower, shape_.n, type,
                                              A_.get(), shape_.n, type, W_.get(), type, &device,
                                              &host, shape_.batch),
            "XsyevBatched_bufferSize");
    else
      check(cusolverDnXsyevd_bufferSize(handle_, params_, mode(), lower, shape_.n, type, A_.get(),
                                        shape_.n, type, W_.get(), type, &device, &host),
            "Xsyevd_bufferSize");
    work_ = DeviceArray<std::byte>(device);
    host_work_.resize(host);
  }

  void restore() override {
    check(cudaMemcpyAsync(A_.get(), input_.get(), A_.bytes(), cudaMemcpyDeviceToDevice, stream_),
          "cudaMemcpyAsync");
  }
  void run() override {
    if (shape_.batch > 1)
      check(cusolverDnXsyevBatched(handle_, params_, mode(), lower, shape_.n, type, A_.get(),
                                   shape_.n, type, W_.get(), type, work_.get(), work_.size(),
                                   host_work_.data(), host_work_.size(), info_.get(), shape_.batch),
            "XsyevBatched");
    else
      check(cusolverDnXsyevd(handle_, params_, mode(), lower, shape_.n, type, A_.get(), shape_.n,
                             type, W_.get(), type, work_.get(), work_.size(), host_work_.data(),
                             host_work_.size(), info_.get()),
            "Xsyevd");
  }
  void fence() override { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }
  EighSolution<Real> solution() override { return {to_host(W_), to_host(A_, 0, shape_.square())}; }
  std::string complaint() override { return complaint_of(nonzeros(info_)); }

 private:
  static constexpr cudaDataType type = CudaRoutines<Real>::type;
  static constexpr cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
  cusolverEigMode_t mode() const {
    return shape_.vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  }

  EighShape shape_;
  cudaStream_t stream_;
  DeviceArray<Real> input_, A_, W_;
  DeviceArray<int> info_;
  DeviceArray<std::byte> work_;
  std::vector<std::byte> host_work_;
  SolverHandle handle_;
  SolverParams params_;
};

}  // namespace

template <class Real>
std::vector<EighEntrant<Real>> cuda_eigh_peers(Exec const& exec, EighShape const& shape) {
  cudaStream_t const stream = exec.cuda_stream();
  return {{shape.batch > 1 ? "cusolver_XsyevBatched" : "cusolver_Xsyevd", true,
           [=](std::vector<Real> const& A) -> std::unique_ptr<EighContender<Real>> {
             return std::make_unique<CudaEigh<Real>>(shape, A, stream);
           }}};
}

template std::vector<EighEntrant<float>> cuda_eigh_peers(Exec const&, EighShape const&);
template std::vector<EighEntrant<double>> cuda_eigh_peers(Exec const&, EighShape const&);

}  // namespace carroll::perf
