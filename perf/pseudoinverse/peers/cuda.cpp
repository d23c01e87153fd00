// SPDX-License-Identifier: BSD-3-Clause
#include "pseudoinverse/peers/cuda.hpp"

#include <cstdint>

#include "libraries/cuda_handles.hpp"
#include "libraries/cuda_routines.hpp"

namespace carroll::perf {
namespace {

template <class Real>
class NormalEquations final : public StepContender {
 public:
  NormalEquations(Kokkos::Cuda const& exec, ArrowFrames<Real> const& frames)
      : exec_(exec),
        shape_(frames.shape()),
        columns_(shape_.motions + shape_.depths),
        residual_(frames.residual()),
        A_(static_cast<std::size_t>(shape_.rows) * columns_),
        gram_(static_cast<std::size_t>(columns_) * columns_),
        x_(static_cast<std::size_t>(columns_)),
        info_(2) {
    check(cublasSetStream(blas_, exec.cuda_stream()), "cublasSetStream");
    check(cusolverDnSetStream(solver_, exec.cuda_stream()), "cusolverDnSetStream");
    fill(frames);
    int size = 0;
    check(CudaRoutines<Real>::potrf_size(solver_, CUBLAS_FILL_MODE_LOWER, columns_, gram_.get(),
                                         columns_, &size),
          "potrf_bufferSize");
    work_ = DeviceArray<Real>(static_cast<std::size_t>(size));
  }

  void run() override {
    constexpr auto lower = CUBLAS_FILL_MODE_LOWER;
    Real const one = 1, zero = 0;
    int const n = shape_.rows, c = columns_;
    check(CudaRoutines<Real>::syrk(blas_, lower, CUBLAS_OP_T, c, n, &one, A_.get(), n, &zero,
                                   gram_.get(), c),
          "syrk");
    check(CudaRoutines<Real>::gemv(blas_, CUBLAS_OP_T, n, c, &one, A_.get(), n, residual_.data(), 1,
                                   &zero, x_.get(), 1),
          "gemv");
    check(CudaRoutines<Real>::potrf(solver_, lower, c, gram_.get(), c, work_.get(),
                                    static_cast<int>(work_.size()), info_.get()),
          "potrf");
    check(CudaRoutines<Real>::potrs(solver_, lower, c, 1, gram_.get(), c, x_.get(), c,
                                    info_.get() + 1),
          "potrs");
  }
  void fence() override { check(cudaStreamSynchronize(exec_.cuda_stream()), "synchronize"); }
  std::string complaint() override {
    auto const info = to_host(info_);
    return info[0] == 0 && info[1] == 0 ? "" : "info is not 0";
  }
  ArrowStep step(int) override {
    auto const x = to_host(x_);
    auto const first_depth = x.begin() + shape_.motions;
    return {{x.begin(), first_depth}, {first_depth, x.end()}};
  }

 private:
  /// The dense A, column after column, motion columns first.
  void fill(ArrowFrames<Real> const& frames) {
    HostFrame const frame = frames.host(0);
    auto const n = static_cast<std::size_t>(shape_.rows);
    check(cudaMemset(A_.get(), 0, A_.bytes()), "cudaMemset");
    auto const copy = [&](std::size_t to, Real const* from, std::size_t count) {
      check(cudaMemcpy(A_.get() + to, from, count * sizeof(Real), cudaMemcpyDeviceToDevice),
            "cudaMemcpy");
    };
    copy(0, frames.motion().data(), n * shape_.motions);
    for (std::size_t i = 0; i + 1 < frame.offsets.size(); ++i) {
      auto const begin = static_cast<std::size_t>(frame.offsets[i]);
      auto const end = static_cast<std::size_t>(frame.offsets[i + 1]);
      if (end > begin)
        copy((shape_.motions + i) * n + begin, frames.depth().data() + begin, end - begin);
    }
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  Kokkos::Cuda exec_;
  ArrowShape shape_;
  int columns_;
  typename ArrowFrames<Real>::Buffer residual_;
  DeviceArray<Real> A_, gram_, x_, work_;
  DeviceArray<int> info_;
  BlasHandle blas_;
  SolverHandle solver_;
};

}  // namespace

template <class Real>
std::unique_ptr<StepContender> make_cuda_step(Kokkos::Cuda const& exec,
                                              ArrowFrames<Real> const& frames) {
  return std::make_unique<NormalEquations<Real>>(exec, frames);
}
template std::unique_ptr<StepContender> make_cuda_step(Kokkos::Cuda const&,
                                                       ArrowFrames<float> const&);
template std::unique_ptr<StepContender> make_cuda_step(Kokkos::Cuda const&,
                                                       ArrowFrames<double> const&);

}  // namespace carroll::perf
