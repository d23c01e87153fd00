// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <vector>

#include "libraries/cuda_handles.hpp"
#include "libraries/cuda_routines.hpp"
#include "solve/peers.hpp"

namespace carroll::perf {
namespace {

/// cuBLAS' getrfBatched, then getrsBatched or, of inverses, getriBatched; for one system cuSOLVER's
/// getrf and getrs. None of them tells the condition.
template <class Real>
class CudaSolver final : public SystemContender<Real> {
 public:
  CudaSolver(SolveShape const& shape, SolveData<Real> const& data, cudaStream_t stream)
      : shape_(shape),
        stream_(stream),
        A_input_(data.A.size()),
        B_input_(data.B.size()),
        A_(data.A.size()),
        B_(data.B.size()),
        A_list_(shape.members()),
        B_list_(shape.members()),
        pivots_(shape.members() * static_cast<std::size_t>(shape.n)),
        info_(shape.members()) {
    copy(A_input_, data.A);
    copy(B_input_, data.B);
    std::vector<Real*> matrices, sides;
    for (std::size_t b = 0; b < shape.members(); ++b) {
      matrices.push_back(A_.get() + b * shape.square());
      sides.push_back(B_.get() + b * shape.sides());
    }
    copy(A_list_, matrices);
    copy(B_list_, sides);
    check(cudaMemset(info_.get(), 0, info_.bytes()), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cublasSetStream(blas_, stream_), "cublasSetStream");
    check(cusolverDnSetStream(solver_, stream_), "cusolverDnSetStream");
    if (!is_alone()) return;
    int size = 0;
    check(CudaRoutines<Real>::getrf_size(solver_, shape.n, shape.n, A_.get(), shape.n, &size),
          "getrf_bufferSize");
    work_ = DeviceArray<Real>(static_cast<std::size_t>(size));
  }

  void restore() override {
    copy_on_device(A_, A_input_);
    copy_on_device(B_, B_input_);
  }
  void run() override {
    int const n = shape_.n;
    if (is_alone()) return run_one();
    check(CudaRoutines<Real>::getrf_batched(blas_, n, A_list_.get(), n, pivots_.get(), info_.get(),
                                            shape_.batch),
          "getrfBatched");
    if (shape_.inverse) {
      check(CudaRoutines<Real>::getri_batched(blas_, n, A_list_.get(), n, pivots_.get(),
                                              B_list_.get(), n, info_.get(), shape_.batch),
            "getriBatched");
      return;
    }
    int argument = 0;
    check(
        CudaRoutines<Real>::getrs_batched(blas_, CUBLAS_OP_N, n, shape_.columns, A_list_.get(), n,
                                          pivots_.get(), B_list_.get(), n, &argument, shape_.batch),
        "getrsBatched");
  }
  void fence() override { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }
  std::vector<Real> solution() override { return to_host(B_, 0, shape_.sides()); }
  std::string complaint() override { return complaint_of(nonzeros(info_)); }

 private:
  [[nodiscard]] bool is_alone() const { return shape_.batch == 1 && !shape_.inverse; }
  void run_one() {
    int const n = shape_.n;
    check(CudaRoutines<Real>::getrf(solver_, n, n, A_.get(), n, work_.get(), pivots_.get(),
                                    info_.get()),
          "getrf");
    check(CudaRoutines<Real>::getrs(solver_, CUBLAS_OP_N, n, shape_.columns, A_.get(), n,
                                    pivots_.get(), B_.get(), n, info_.get()),
          "getrs");
  }

  template <class T>
  static void copy(DeviceArray<T>& to, std::vector<T> const& from) {
    check(cudaMemcpy(to.get(), from.data(), to.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  void copy_on_device(DeviceArray<Real>& to, DeviceArray<Real>& from) {
    check(cudaMemcpyAsync(to.get(), from.get(), to.bytes(), cudaMemcpyDeviceToDevice, stream_),
          "cudaMemcpyAsync");
  }

  SolveShape shape_;
  cudaStream_t stream_;
  DeviceArray<Real> A_input_, B_input_, A_, B_;
  DeviceArray<Real*> A_list_, B_list_;
  DeviceArray<int> pivots_, info_;
  DeviceArray<Real> work_;
  BlasHandle blas_;
  SolverHandle solver_;
};

}  // namespace

template <class Real>
std::vector<SystemEntrant<SolveData<Real>>> solve_peers(Exec const& exec, SolveShape const& shape) {
  cudaStream_t const stream = exec.cuda_stream();
  char const* const name = shape.inverse      ? "cublas_getriBatched"
                           : shape.batch == 1 ? "cusolver_getrs"
                                              : "cublas_getrsBatched";
  return {{name, true, [=](SolveData<Real> const& data) -> std::unique_ptr<SystemContender<Real>> {
             return std::make_unique<CudaSolver<Real>>(shape, data, stream);
           }}};
}

template std::vector<SystemEntrant<SolveData<float>>> solve_peers(Exec const&, SolveShape const&);
template std::vector<SystemEntrant<SolveData<double>>> solve_peers(Exec const&, SolveShape const&);

}  // namespace carroll::perf
