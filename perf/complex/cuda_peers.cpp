// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "complex/peers.hpp"
#include "libraries/cuda_handles.hpp"
#include "libraries/cuda_routines.hpp"

namespace carroll::perf {
namespace {

/// What all of them have: A, which is restored, and what is made of it.
template <class Real>
class CudaComplex : public ComplexContender<Real> {
 public:
  using Library = CudaRoutines<Real>;
  using Complex = Library::Complex;

  CudaComplex(ComplexShape const& shape, ComplexData<Real> const& data, cudaStream_t stream)
      : shape_(shape),
        stream_(stream),
        input_(data.A.size()),
        A_(data.A.size()),
        values_(shape.members() * shape.order()),
        info_(shape.members()) {
    put(input_, data.A);
    check(cudaMemset(info_.get(), 0, info_.bytes()), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cusolverDnSetStream(solver_, stream_), "cusolverDnSetStream");
    check(cublasSetStream(blas_, stream_), "cublasSetStream");
  }

  void restore() override { copy(A_, input_); }
  void fence() override { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }
  std::string complaint() override { return complaint_of(nonzeros(info_)); }

 protected:
  template <class T, class U>
  static void put(DeviceArray<T>& to, std::vector<U> const& from) {
    static_assert(sizeof(T) == sizeof(U));
    check(cudaMemcpy(to.get(), from.data(), to.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  void copy(DeviceArray<Complex>& to, DeviceArray<Complex> const& from) {
    check(cudaMemcpyAsync(to.get(), from.get(), to.bytes(), cudaMemcpyDeviceToDevice, stream_),
          "cudaMemcpyAsync");
  }
  static ComplexEntries<Real> first(DeviceArray<Complex> const& from, std::size_t count) {
    ComplexEntries<Real> to;
    for (Complex const& z : to_host(from, 0, count)) to.emplace_back(z.x, z.y);
    return to;
  }
  [[nodiscard]] std::vector<Real> first_values() const {
    return to_host(values_, 0, shape_.order());
  }
  /// Addresses of pieces of a buffer.
  static DeviceArray<Complex*> addresses(DeviceArray<Complex> const& of, std::size_t members) {
    std::vector<Complex*> list;
    for (std::size_t b = 0; b < members; ++b) list.push_back(of.get() + b * (of.size() / members));
    DeviceArray<Complex*> on_device(members);
    put(on_device, list);
    return on_device;
  }

  ComplexShape shape_;
  cudaStream_t stream_;
  DeviceArray<Complex> input_, A_, work_;
  DeviceArray<Real> values_;
  DeviceArray<int> info_;
  SolverHandle solver_;
  BlasHandle blas_;
};

/// cuSOLVER's gesvdjBatched takes up to 32 columns; larger matrices go to gesvdj one by one.
template <class Real>
class CudaComplexSvd final : public CudaComplex<Real> {
 public:
  using Base = CudaComplex<Real>;
  using Library = Base::Library;
  using Base::A_, Base::first, Base::info_, Base::shape_, Base::solver_, Base::values_, Base::work_;

  CudaComplexSvd(ComplexShape const& shape, ComplexData<Real> const& data, cudaStream_t stream)
      : Base(shape, data, stream), U_(data.A.size()), V_(data.A.size()) {
    int size = 0;
    int const n = shape.n;
    if (is_batched())
      check(Library::complex_gesvdj_batched_size(solver_, CUSOLVER_EIG_MODE_VECTOR, n, n, A_.get(),
                                                 n, values_.get(), U_.get(), n, V_.get(), n, &size,
                                                 jacobi_, shape.batch),
            "gesvdjBatched_bufferSize");
    else
      check(Library::complex_gesvdj_size(solver_, CUSOLVER_EIG_MODE_VECTOR, 0, n, n, A_.get(), n,
                                         values_.get(), U_.get(), n, V_.get(), n, &size, jacobi_),
            "gesvdj_bufferSize");
    work_ = DeviceArray<typename Base::Complex>(static_cast<std::size_t>(size));
  }

  void run() override {
    int const n = shape_.n, size = static_cast<int>(work_.size());
    if (is_batched()) {
      check(Library::complex_gesvdj_batched(solver_, CUSOLVER_EIG_MODE_VECTOR, n, n, A_.get(), n,
                                            values_.get(), U_.get(), n, V_.get(), n, work_.get(),
                                            size, info_.get(), jacobi_, shape_.batch),
            "gesvdjBatched");
      return;
    }
    for (std::size_t b = 0; b < shape_.members(); ++b) {
      std::size_t const at = b * shape_.square();
      check(Library::complex_gesvdj(solver_, CUSOLVER_EIG_MODE_VECTOR, 0, n, n, A_.get() + at, n,
                                    values_.get() + b * shape_.order(), U_.get() + at, n,
                                    V_.get() + at, n, work_.get(), size, info_.get() + b, jacobi_),
            "gesvdj");
    }
  }
  ComplexSolution<Real> solution() override {
    return {first(U_, shape_.square()), this->first_values(), first(V_, shape_.square()), true};
  }

 private:
  [[nodiscard]] bool is_batched() const { return shape_.n <= 32; }

  DeviceArray<typename Base::Complex> U_, V_;
  JacobiParams jacobi_;
};

template <class Real>
class CudaComplexEigh final : public CudaComplex<Real> {
 public:
  using Base = CudaComplex<Real>;
  using Library = Base::Library;
  using Base::A_, Base::info_, Base::shape_, Base::solver_, Base::values_;

  CudaComplexEigh(ComplexShape const& shape, ComplexData<Real> const& data, cudaStream_t stream)
      : Base(shape, data, stream) {
    std::size_t device = 0, host = 0;
    check(cusolverDnXsyevBatched_bufferSize(solver_, params_, CUSOLVER_EIG_MODE_VECTOR,
                                            CUBLAS_FILL_MODE_LOWER, shape.n, Library::complex_type,
                                            A_.get(), shape.n, Library::type, values_.get(),
                                            Library::complex_type, &device, &host, shape.batch),
          "XsyevBatched_bufferSize");
    bytes_ = DeviceArray<std::byte>(device);
    host_bytes_.resize(host);
  }

  void run() override {
    check(cusolverDnXsyevBatched(solver_, params_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER,
                                 shape_.n, Library::complex_type, A_.get(), shape_.n, Library::type,
                                 values_.get(), Library::complex_type, bytes_.get(), bytes_.size(),
                                 host_bytes_.data(), host_bytes_.size(), info_.get(), shape_.batch),
          "XsyevBatched");
  }
  ComplexSolution<Real> solution() override {
    auto const V = this->first(A_, shape_.square());
    return {V, this->first_values(), V, true};
  }

 private:
  DeviceArray<std::byte> bytes_;
  std::vector<std::byte> host_bytes_;
  SolverParams params_;
};

/// cuBLAS' geqrfBatched, and cuSOLVER's ungqr, one matrix after the other.
template <class Real>
class CudaComplexQr final : public CudaComplex<Real> {
 public:
  using Base = CudaComplex<Real>;
  using Complex = Base::Complex;
  using Library = Base::Library;
  using Base::A_, Base::blas_, Base::info_, Base::shape_, Base::solver_, Base::work_;

  CudaComplexQr(ComplexShape const& shape, ComplexData<Real> const& data, cudaStream_t stream)
      : Base(shape, data, stream),
        R_(data.A.size()),
        tau_(shape.members() * shape.order()),
        A_list_(Base::addresses(A_, shape.members())),
        tau_list_(Base::addresses(tau_, shape.members())) {
    int size = 0;
    check(Library::ungqr_size(solver_, shape.n, shape.n, shape.n, A_.get(), shape.n, tau_.get(),
                              &size),
          "ungqr_bufferSize");
    work_ = DeviceArray<Complex>(static_cast<std::size_t>(size));
  }

  void run() override {
    int const n = shape_.n;
    int wrong = 0;
    check(Library::complex_geqrf_batched(blas_, n, n, A_list_.get(), n, tau_list_.get(), &wrong,
                                         shape_.batch),
          "geqrfBatched");
    this->copy(R_, A_);
    for (std::size_t b = 0; b < shape_.members(); ++b)
      check(Library::ungqr(solver_, n, n, n, A_.get() + b * shape_.square(), n,
                           tau_.get() + b * shape_.order(), work_.get(),
                           static_cast<int>(work_.size()), info_.get() + b),
            "ungqr");
  }
  ComplexSolution<Real> solution() override {
    auto R = this->first(R_, shape_.square());
    for (std::size_t k = 0; k < R.size(); ++k)
      if (k % shape_.order() > k / shape_.order()) R[k] = 0;
    return {this->first(A_, shape_.square()), {}, R};
  }

 private:
  DeviceArray<Complex> R_, tau_;
  DeviceArray<Complex*> A_list_, tau_list_;
};

/// cuBLAS' gelsBatched, or getrfBatched and getrsBatched; X comes in B.
template <class Real>
class CudaComplexSystems final : public CudaComplex<Real> {
 public:
  using Base = CudaComplex<Real>;
  using Complex = Base::Complex;
  using Library = Base::Library;
  using Base::A_, Base::blas_, Base::info_, Base::shape_;

  CudaComplexSystems(ComplexShape const& shape, ComplexData<Real> const& data, cudaStream_t stream)
      : Base(shape, data, stream),
        B_input_(shape.members() * shape.right_size()),
        B_(B_input_.size()),
        A_list_(Base::addresses(A_, shape.members())),
        B_list_(Base::addresses(B_, shape.members())),
        pivots_(shape.members() * shape.order()) {
    ComplexEntries<Real> B = data.B;
    B.resize(B_.size());
    for (std::size_t k = 0; data.B.empty() && k < B.size(); ++k)
      B[k] = k % shape.square() % (shape.order() + 1) == 0 ? Real(1) : Real(0);
    Base::put(B_input_, B);
  }

  void restore() override {
    Base::restore();
    this->copy(B_, B_input_);
  }
  void run() override {
    int const n = shape_.n;
    int wrong = 0;
    if (shape_.job == ComplexJob::solve) {
      check(Library::complex_getrf_batched(blas_, n, A_list_.get(), n, pivots_.get(), info_.get(),
                                           shape_.batch),
            "getrfBatched");
      check(Library::complex_getrs_batched(blas_, CUBLAS_OP_N, n, 1, A_list_.get(), n,
                                           pivots_.get(), B_list_.get(), n, &wrong, shape_.batch),
            "getrsBatched");
      return;
    }
    check(Library::complex_gels_batched(blas_, CUBLAS_OP_N, n, n, shape_.columns(), A_list_.get(),
                                        n, B_list_.get(), n, &wrong, info_.get(), shape_.batch),
          "gelsBatched");
  }
  ComplexSolution<Real> solution() override {
    return {{}, {}, this->first(B_, shape_.right_size())};
  }

 private:
  DeviceArray<Complex> B_input_, B_;
  DeviceArray<Complex*> A_list_, B_list_;
  DeviceArray<int> pivots_;
};

}  // namespace

template <class Real>
std::vector<ComplexEntrant<Real>> complex_peers(Exec const& exec, ComplexShape const& shape) {
  auto const entrant = [&]<template <class> class Peer>(
                           char const* name, bool one_by_one = false) -> ComplexEntrant<Real> {
    return {name, true,
            [shape, stream = exec.cuda_stream()](
                ComplexData<Real> const& data) -> std::unique_ptr<ComplexContender<Real>> {
              return std::make_unique<Peer<Real>>(shape, data, stream);
            },
            one_by_one};
  };
  switch (shape.job) {
    case ComplexJob::svd:
      return {shape.n <= 32 ? entrant.template operator()<CudaComplexSvd>("cusolver_gesvdjBatched")
                            : entrant.template operator()<CudaComplexSvd>("cusolver_gesvdj", true)};
    case ComplexJob::eigh:
      return {entrant.template operator()<CudaComplexEigh>("cusolver_XsyevBatched")};
    case ComplexJob::qr:
      return {entrant.template operator()<CudaComplexQr>("cublas_geqrfBatched", true)};
    case ComplexJob::solve:
      return {entrant.template operator()<CudaComplexSystems>("cublas_getrsBatched")};
    default: return {entrant.template operator()<CudaComplexSystems>("cublas_gelsBatched")};
  }
}

template std::vector<ComplexEntrant<float>> complex_peers(Exec const&, ComplexShape const&);
template std::vector<ComplexEntrant<double>> complex_peers(Exec const&, ComplexShape const&);

}  // namespace carroll::perf
