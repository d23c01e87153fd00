// SPDX-License-Identifier: BSD-3-Clause
#include "determinant/cuda_peers.hpp"

#include <algorithm>
#include <cstdint>

#include "libraries/cuda_handles.hpp"
#include "libraries/cuda_routines.hpp"

namespace carroll::perf {
namespace {

/// A factor of the determinant of a member: an entry of the diagonal of its U, with the sign of the
/// row exchange at that step.
template <class Real, class Pivot>
struct Factor {
  Real const* A;
  Pivot const* pivots;
  std::int64_t n;

  KOKKOS_FUNCTION ScaledNumber<double> operator()(std::int64_t member, std::int64_t i) const {
    auto const pivot = static_cast<double>(A[member * n * n + i * (n + 1)]);
    return ScaledNumber<double>(pivots[member * n + i] == i + 1 ? pivot : -pivot);
  }
};

/// The products of all factors of each member: by a thread for each up to order 32, by a team for
/// each above. Products are in double precision, which holds those of 512 mantissas.
template <class Real, class Pivot>
void multiply_factors(Kokkos::Cuda const& exec, int batch, Factor<Real, Pivot> const& factor,
                      ScaledNumber<Real>* values) {
  std::int64_t const n = factor.n;
  if (n <= 32) {
    Kokkos::parallel_for(
        "carroll::perf::multiply_factors", Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, batch),
        KOKKOS_LAMBDA(int member) {
          ScaledNumber<double> product(1.0);
          for (std::int64_t i = 0; i < n; ++i) product *= factor(member, i);
          values[member] = {static_cast<Real>(product.mantissa()), product.exponent()};
        });
    return;
  }
  using Policy = Kokkos::TeamPolicy<Kokkos::Cuda>;
  Kokkos::parallel_for(
      "carroll::perf::multiply_factors", Policy(exec, batch, n <= 512 ? 64 : 512),
      KOKKOS_LAMBDA(Policy::member_type const& team) {
        int const member = team.league_rank();
        ScaledNumber<double> product(1.0);
        for (std::int64_t i = team.team_rank(); i < n; i += team.team_size())
          product *= factor(member, i);
        double mantissa = product.mantissa();
        std::int64_t exponent = product.exponent();
        team.team_reduce(Kokkos::Prod<double>(mantissa));
        team.team_reduce(Kokkos::Sum<std::int64_t>(exponent));
        if (team.team_rank() == 0) {
          ScaledNumber<double> const whole(mantissa, exponent);
          values[member] = {static_cast<Real>(whole.mantissa()), whole.exponent()};
        }
      });
}

/// What both have in common.
template <class Real>
class CudaDeterminant : public DeterminantContender<Real> {
 public:
  CudaDeterminant(Kokkos::Cuda const& exec, DeterminantMatrices<Real> const& matrices)
      : exec_(exec),
        shape_(matrices.shape()),
        input_(matrices.buffer()),
        A_(shape_.size()),
        values_(static_cast<std::size_t>(shape_.batch)),
        info_(static_cast<std::size_t>(shape_.batch)) {}

  void restore() override {
    check(cudaMemcpyAsync(A_.get(), input_.data(), A_.bytes(), cudaMemcpyDeviceToDevice, stream()),
          "cudaMemcpyAsync");
  }
  void fence() override { check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize"); }
  std::vector<ScaledNumber<Real>> values() override { return to_host(values_); }
  std::string complaint() override { return complaint_of(nonzeros(info_)); }

 protected:
  cudaStream_t stream() const { return exec_.cuda_stream(); }
  template <class Pivot>
  void multiply(Pivot const* pivots) {
    multiply_factors(exec_, shape_.batch, Factor<Real, Pivot>{A_.get(), pivots, shape_.n},
                     values_.get());
  }

  Kokkos::Cuda exec_;
  DeterminantShape shape_;
  typename DeterminantMatrices<Real>::Buffer input_;
  DeviceArray<Real> A_;
  DeviceArray<ScaledNumber<Real>> values_;
  DeviceArray<int> info_;
};

template <class Real>
class Xgetrf final : public CudaDeterminant<Real> {
 public:
  Xgetrf(Kokkos::Cuda const& exec, DeterminantMatrices<Real> const& matrices)
      : CudaDeterminant<Real>(exec, matrices),
        pivots_(static_cast<std::size_t>(this->shape_.batch) * this->shape_.n) {
    check(cusolverDnSetStream(handle_, this->stream()), "cusolverDnSetStream");
    std::int64_t const n = this->shape_.n;
    std::size_t device_bytes = 0, host_bytes = 0;
    check(cusolverDnXgetrf_bufferSize(handle_, params_, n, n, type, this->A_.get(), n, type,
                                      &device_bytes, &host_bytes),
          "Xgetrf_bufferSize");
    device_work_ = DeviceArray<std::byte>(device_bytes);
    host_work_.resize(host_bytes);
  }

  void run() override {
    std::int64_t const n = this->shape_.n;
    for (int member = 0; member < this->shape_.batch; ++member)
      check(cusolverDnXgetrf(handle_, params_, n, n, type, this->A_.get() + member * n * n, n,
                             pivots_.get() + member * n, type, device_work_.get(),
                             device_work_.bytes(), host_work_.data(), host_work_.size(),
                             this->info_.get() + member),
            "Xgetrf");
    this->multiply(pivots_.get());
  }
  std::size_t workspace_bytes() const override { return device_work_.bytes() + pivots_.bytes(); }

 private:
  static constexpr cudaDataType type = CudaRoutines<Real>::type;

  DeviceArray<std::int64_t> pivots_;
  DeviceArray<std::byte> device_work_;
  std::vector<std::byte> host_work_;
  SolverHandle handle_;
  SolverParams params_;
};

template <class Real>
class GetrfBatched final : public CudaDeterminant<Real> {
 public:
  GetrfBatched(Kokkos::Cuda const& exec, DeterminantMatrices<Real> const& matrices)
      : CudaDeterminant<Real>(exec, matrices),
        pivots_(static_cast<std::size_t>(this->shape_.batch) * this->shape_.n),
        members_(static_cast<std::size_t>(this->shape_.batch)) {
    check(cublasSetStream(handle_, this->stream()), "cublasSetStream");
    std::vector<Real*> members(members_.size());
    for (std::size_t i = 0; i < members.size(); ++i)
      members[i] = this->A_.get() + i * this->shape_.matrix_size();
    check(cudaMemcpy(members_.get(), members.data(), members_.bytes(), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  void run() override {
    int const n = this->shape_.n;
    check(CudaRoutines<Real>::getrf_batched(handle_, n, members_.get(), n, pivots_.get(),
                                            this->info_.get(), this->shape_.batch),
          "getrfBatched");
    this->multiply(pivots_.get());
  }
  std::size_t workspace_bytes() const override { return members_.bytes() + pivots_.bytes(); }

 private:
  DeviceArray<int> pivots_;
  DeviceArray<Real*> members_;
  BlasHandle handle_;
};

}  // namespace

std::string to_string(CudaFactorisation which) {
  switch (which) {
    case CudaFactorisation::cusolver_Xgetrf: return "cusolver_Xgetrf";
    case CudaFactorisation::cublas_getrfBatched: return "cublas_getrfBatched";
  }
  return "?";
}

std::vector<CudaFactorisation> cuda_factorisations(DeterminantShape const& shape) {
  if (shape.batch == 1) return {CudaFactorisation::cusolver_Xgetrf};
  if (shape.n < 512) return {CudaFactorisation::cublas_getrfBatched};
  return {CudaFactorisation::cusolver_Xgetrf, CudaFactorisation::cublas_getrfBatched};
}

template <class Real>
std::unique_ptr<DeterminantContender<Real>> make_cuda_determinant(
    Kokkos::Cuda const& exec, CudaFactorisation which, DeterminantMatrices<Real> const& matrices) {
  if (which == CudaFactorisation::cusolver_Xgetrf)
    return std::make_unique<Xgetrf<Real>>(exec, matrices);
  return std::make_unique<GetrfBatched<Real>>(exec, matrices);
}
template std::unique_ptr<DeterminantContender<float>> make_cuda_determinant(
    Kokkos::Cuda const&, CudaFactorisation, DeterminantMatrices<float> const&);
template std::unique_ptr<DeterminantContender<double>> make_cuda_determinant(
    Kokkos::Cuda const&, CudaFactorisation, DeterminantMatrices<double> const&);

}  // namespace carroll::perf
