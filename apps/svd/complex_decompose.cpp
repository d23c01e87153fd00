// SPDX-License-Identifier: BSD-3-Clause
#include "svd/complex_decompose.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/complex_svd.hpp>
#include <carroll/detail/copy.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "device/matrix.hpp"
#include "svd/options.hpp"
#include "svd/residual.hpp"

namespace carroll::tool {

namespace {

template <class Real>
using ComplexDeviceMatrix = DeviceMatrix<Kokkos::complex<Real>>;

/// A copy in the memory of the device. std::complex and Kokkos::complex are both two parts.
template <class Real>
ComplexDeviceMatrix<Real> complex_on_device(ExecSpace const& exec,
                                            HostMatrix<std::complex<Real>> const& A) {
  using Complex = Kokkos::complex<Real>;
  auto const device =
      uninitialized<ComplexDeviceMatrix<Real>>(exec, "carroll::tool::A", A.rows, A.cols);
  detail::copy_to_device(exec, device.data(), reinterpret_cast<Complex const*>(A.values.data()),
                         device.size());
  return device;
}

/// Fences.
template <class Real>
HostMatrix<std::complex<Real>> complex_on_host(ExecSpace const& exec,
                                               ComplexDeviceMatrix<Real> const& device) {
  auto const copied = to_host(exec, device);
  HostMatrix<std::complex<Real>> A{copied.rows, copied.cols, {}};
  A.values.reserve(copied.values.size());
  for (auto const& z : copied.values) A.values.emplace_back(z.real(), z.imag());
  return A;
}

/// Σ |c·A(i,j) - Σₖ U(i,k)·c·S(k)·conj(V(j,k))|² over one tile, accumulated in double; of A alone
/// where S is empty.
template <class Real>
struct ComplexResidualOfTile {
  static constexpr std::int64_t rows = 8, cols = 4;
  ComplexDeviceMatrix<Real> A, U;
  DeviceVector<Real> scaled_S;
  ComplexDeviceMatrix<Real> V;
  PowerOfTwo<Real> scale;

  KOKKOS_FUNCTION double operator()(std::int64_t i0, std::int64_t i1, std::int64_t j0,
                                    std::int64_t j1) const {
    double sum = 0;
    for (std::int64_t j = j0; j < j1; ++j)
      for (std::int64_t i = i0; i < i1; ++i) {
        double re = scale(A(i, j).real()), im = scale(A(i, j).imag());
        for (std::size_t k = 0; k < scaled_S.extent(0); ++k) {
          double const s = scaled_S(k), ur = U(i, k).real(), ui = U(i, k).imag();
          double const vr = s * V(j, k).real(), vi = -s * V(j, k).imag();
          re -= ur * vr - ui * vi;
          im -= ur * vi + ui * vr;
        }
        sum += re * re + im * im;
      }
    return sum;
  }
};

/// ‖A − U diag(S) Vᴴ‖_F / ‖A‖_F, as of real matrices. Fences.
template <class Real>
double complex_residual(ExecSpace const& exec, HostMatrix<std::complex<Real>> const& host,
                        ComplexDeviceMatrix<Real> const& A, ComplexDeviceMatrix<Real> const& U,
                        DeviceVector<Real> const& S, ComplexDeviceMatrix<Real> const& V) {
  Real largest = 0;
  for (auto const& z : host.values)
    largest = std::max({largest, std::abs(z.real()), std::abs(z.imag())});
  auto const scale = scale_for(largest);
  DeviceVector<Real> const scaled_S = scaled(exec, S, scale);
  DeviceVector<Real> const no_values;
  double const norm = sum_over_tiles(exec, "carroll::tool::norm", host.rows, host.cols,
                                     ComplexResidualOfTile<Real>{A, U, no_values, V, scale});
  double const residual = sum_over_tiles(exec, "carroll::tool::residual", host.rows, host.cols,
                                         ComplexResidualOfTile<Real>{A, U, scaled_S, V, scale});
  return norm == 0 && residual == 0 ? 0 : std::sqrt(residual) / std::sqrt(norm);
}

}  // namespace

template <class Real>
ComplexDecomposition<Real> decompose(HostMatrix<std::complex<Real>> const& matrix,
                                     DecomposeOptions const& options, Progress& progress) {
  ExecSpace const exec;
  auto const values = std::min(matrix.rows, matrix.cols);
  std::int64_t const computed = options.vectors ? values : 0;
  using Matrix = ComplexDeviceMatrix<Real>;
  Matrix const A = complex_on_device(exec, matrix);
  auto const S = uninitialized<DeviceVector<Real>>(exec, "carroll::tool::S", values);
  Matrix const U = uninitialized<Matrix>(exec, "carroll::tool::U", matrix.rows, computed);
  Matrix const V = uninitialized<Matrix>(exec, "carroll::tool::V", matrix.cols, computed);
  exec.fence("carroll::tool: start of the clock");

  progress.phase("decomposing " + std::to_string(matrix.rows) + " x " +
                 std::to_string(matrix.cols));
  Kokkos::Timer const timer;
  SvdInfo<Real> const info = options.vectors ? svd(exec, A, U, S, V, solver_options(options))
                                             : singular_values(exec, A, S, solver_options(options));
  ComplexDecomposition<Real> result;
  result.summary.seconds = timer.seconds();
  result.summary.backend = ExecSpace::name();
  result.summary.status = to_string(info.status);
  result.summary.sweeps = info.sweeps;
  result.summary.max_cosine = static_cast<double>(info.max_cosine);
  result.summary.rank = info.rank;
  result.S = to_host(exec, S);
  if (!options.vectors || info.status == Status::non_finite) return result;

  progress.phase("computing the residual");
  std::pair<std::int64_t, std::int64_t> const kept(0, options.columns);
  Matrix const kept_U = Kokkos::subview(U, Kokkos::ALL, kept);
  DeviceVector<Real> const kept_S = Kokkos::subview(S, kept);
  Matrix const kept_V = Kokkos::subview(V, Kokkos::ALL, kept);
  result.summary.relative_residual = complex_residual(exec, matrix, A, kept_U, kept_S, kept_V);
  if (options.copy_vectors) {
    progress.phase("copying the factors");
    result.U = complex_on_host(exec, kept_U);
    result.V = complex_on_host(exec, kept_V);
  }
  return result;
}

template ComplexDecomposition<float> decompose(HostMatrix<std::complex<float>> const&,
                                               DecomposeOptions const&, Progress&);
template ComplexDecomposition<double> decompose(HostMatrix<std::complex<double>> const&,
                                                DecomposeOptions const&, Progress&);

}  // namespace carroll::tool
