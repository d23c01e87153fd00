// SPDX-License-Identifier: BSD-3-Clause
#include "svd/cuda_peers.hpp"

#include <algorithm>
#include <vector>

#include "libraries/cuda_handles.hpp"
#include "libraries/cuda_routines.hpp"

namespace carroll::perf {
namespace {

template <class Real>
class CudaPeer final : public SvdContender<Real> {
 public:
  CudaPeer(CudaDriver driver, SvdShape const& shape, std::span<Real const> A, void* stream)
      : driver_(driver),
        shape_(shape),
        stream_(static_cast<cudaStream_t>(stream)),
        u_cols_(driver == CudaDriver::gesvdj_batched ? shape.rows : shape.rank()),
        v_cols_(driver == CudaDriver::gesvdj_batched ? shape.cols : shape.rank()),
        input_(A.size()),
        A_(A.size()),
        S_(members() * shape.rank()),
        info_(members()) {
    load(A);
    // gesvdj and its batched form write their vectors' space as workspace even for values only.
    U_ = DeviceArray<Real>(members() * shape.rows * u_cols_);
    V_ = DeviceArray<Real>(members() * shape.cols * v_cols_);
    check(cusolverDnSetStream(handle_, stream_), "cusolverDnSetStream");
    allocate_workspace();
  }

  void load(std::span<Real const> A) final {
    check(cudaMemcpy(input_.get(), A.data(), input_.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
    // A copy from pageable memory may still be under way on the default stream; ours does not wait.
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  void restore() override {
    check(cudaMemcpyAsync(A_.get(), input_.get(), A_.bytes(), cudaMemcpyDeviceToDevice, stream_),
          "cudaMemcpyAsync");
  }
  void run() override { check(call(), "cuSOLVER"); }
  void fence() override { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

  SvdSolution<Real> solution(std::span<int const> wanted) override {
    SvdSolution<Real> result;
    result.S = to_host(S_);
    if (!shape_.vectors) return result;
    auto const m = static_cast<std::size_t>(shape_.rows), n = static_cast<std::size_t>(shape_.cols);
    auto const r = static_cast<std::size_t>(shape_.rank());
    bool const transposed = driver_ == CudaDriver::gesvd;
    for (int const index : wanted) {
      auto const member = static_cast<std::size_t>(index);
      auto const u = to_host(U_, member * m * u_cols_, m * r);
      result.U.insert(result.U.end(), u.begin(), u.end());
      auto const v = to_host(V_, member * n * v_cols_, n * r);
      for (std::size_t j = 0; j < r; ++j)
        for (std::size_t i = 0; i < n; ++i)
          result.V.push_back(transposed ? v[j + i * r] : v[i + j * n]);
    }
    return result;
  }

  std::string complaint() override { return complaint_of(nonzeros(info_)); }

 private:
  std::size_t members() const { return static_cast<std::size_t>(shape_.batch); }
  cusolverEigMode_t mode() const {
    return shape_.vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  }

  void allocate_workspace() {
    using Call = CudaRoutines<Real>;
    int const m = shape_.rows, n = shape_.cols, r = shape_.rank(), batch = shape_.batch;
    int lwork = 0;
    switch (driver_) {
      case CudaDriver::gesvd:
        check(Call::gesvd_size(handle_, m, n, &lwork), "gesvd_bufferSize");
        rwork_ = DeviceArray<Real>(static_cast<std::size_t>(r));
        break;
      case CudaDriver::gesvdj:
        check(Call::gesvdj_size(handle_, mode(), 1, m, n, A_.get(), m, S_.get(), U_.get(), m,
                                V_.get(), n, &lwork, jacobi_),
              "gesvdj_bufferSize");
        break;
      case CudaDriver::gesvdj_batched:
        check(Call::gesvdj_batched_size(handle_, mode(), m, n, A_.get(), m, S_.get(), U_.get(), m,
                                        V_.get(), n, &lwork, jacobi_, batch),
              "gesvdjBatched_bufferSize");
        break;
      case CudaDriver::gesvda:
        check(Call::gesvda_size(handle_, mode(), r, m, n, A_.get(), m, stride_a(), S_.get(), r,
                                U_.get(), m, stride_u(), V_.get(), n, stride_v(), &lwork, batch),
              "gesvda_bufferSize");
        break;
      case CudaDriver::gesvdp: {
        std::size_t device_bytes = 0, host_bytes = 0;
        check(
            cusolverDnXgesvdp_bufferSize(handle_, params_, mode(), 1, m, n, Call::type, A_.get(), m,
                                         Call::type, S_.get(), Call::type, U_.get(), m, Call::type,
                                         V_.get(), n, Call::type, &device_bytes, &host_bytes),
            "Xgesvdp_bufferSize");
        bytes_ = DeviceArray<std::byte>(device_bytes);
        host_bytes_.resize(host_bytes);
        break;
      }
    }
    work_ = DeviceArray<Real>(static_cast<std::size_t>(lwork));
  }

  cusolverStatus_t call() {
    using Call = CudaRoutines<Real>;
    int const m = shape_.rows, n = shape_.cols, r = shape_.rank(), batch = shape_.batch;
    auto const lwork = static_cast<int>(work_.size());
    signed char const job = shape_.vectors ? 'S' : 'N';
    switch (driver_) {
      case CudaDriver::gesvd:
        return Call::gesvd(handle_, job, job, m, n, A_.get(), m, S_.get(), U_.get(), m, V_.get(), r,
                           work_.get(), lwork, rwork_.get(), info_.get());
      case CudaDriver::gesvdj:
        return Call::gesvdj(handle_, mode(), 1, m, n, A_.get(), m, S_.get(), U_.get(), m, V_.get(),
                            n, work_.get(), lwork, info_.get(), jacobi_);
      case CudaDriver::gesvdj_batched:
        return Call::gesvdj_batched(handle_, mode(), m, n, A_.get(), m, S_.get(), U_.get(), m,
                                    V_.get(), n, work_.get(), lwork, info_.get(), jacobi_, batch);
      case CudaDriver::gesvda:
        // No residual norms (the last pointer): they would cost time that the others do not spend.
        return Call::gesvda(handle_, mode(), r, m, n, A_.get(), m, stride_a(), S_.get(), r,
                            U_.get(), m, stride_u(), V_.get(), n, stride_v(), work_.get(), lwork,
                            info_.get(), nullptr, batch);
      case CudaDriver::gesvdp: break;
    }
    double perturbation = 0;
    return cusolverDnXgesvdp(handle_, params_, mode(), 1, m, n, Call::type, A_.get(), m, Call::type,
                             S_.get(), Call::type, U_.get(), m, Call::type, V_.get(), n, Call::type,
                             bytes_.get(), bytes_.size(), host_bytes_.data(), host_bytes_.size(),
                             info_.get(), &perturbation);
  }

  long long stride_a() const { return static_cast<long long>(shape_.matrix_size()); }
  long long stride_u() const { return static_cast<long long>(shape_.u_size()); }
  long long stride_v() const { return static_cast<long long>(shape_.v_size()); }

  CudaDriver driver_;
  SvdShape shape_;
  cudaStream_t stream_;
  std::size_t u_cols_, v_cols_;
  DeviceArray<Real> input_, A_, S_, U_, V_, work_, rwork_;
  DeviceArray<std::byte> bytes_;
  std::vector<std::byte> host_bytes_;
  DeviceArray<int> info_;
  SolverHandle handle_;
  SolverParams params_;
  JacobiParams jacobi_;
};

}  // namespace

std::string_view to_string(CudaDriver driver) {
  switch (driver) {
    case CudaDriver::gesvd: return "gesvd";
    case CudaDriver::gesvdj: return "gesvdj";
    case CudaDriver::gesvdj_batched: return "gesvdjBatched";
    case CudaDriver::gesvda: return "gesvda";
    case CudaDriver::gesvdp: return "Xgesvdp";
  }
  return "?";
}

bool cuda_peer_fits(CudaDriver driver, SvdShape const& shape) {
  bool const tall = shape.rows >= shape.cols;
  bool const small = shape.rows <= 32 && shape.cols <= 32;
  switch (driver) {
    case CudaDriver::gesvdj: return shape.batch == 1;
    case CudaDriver::gesvdj_batched: return small;
    case CudaDriver::gesvda: return tall;
    case CudaDriver::gesvd:
    case CudaDriver::gesvdp: return tall && shape.batch == 1;
  }
  return false;
}

template <class Real>
std::unique_ptr<SvdContender<Real>> make_cuda_peer(CudaDriver driver, SvdShape const& shape,
                                                   std::span<Real const> A, void* stream) {
  return std::make_unique<CudaPeer<Real>>(driver, shape, A, stream);
}
template std::unique_ptr<SvdContender<float>> make_cuda_peer(CudaDriver, SvdShape const&,
                                                             std::span<float const>, void*);
template std::unique_ptr<SvdContender<double>> make_cuda_peer(CudaDriver, SvdShape const&,
                                                              std::span<double const>, void*);

}  // namespace carroll::perf
