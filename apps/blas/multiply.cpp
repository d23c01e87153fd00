// SPDX-License-Identifier: BSD-3-Clause
#include "blas/multiply.hpp"

#include <Kokkos_Core.hpp>
#include <carroll/add.hpp>
#include <carroll/axpby.hpp>
#include <carroll/gemm.hpp>
#include <carroll/gemv.hpp>
#include <carroll/max_abs.hpp>
#include <carroll/norm2.hpp>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "device/matrix.hpp"
#include "enumerators.hpp"

namespace carroll::tool {

namespace {

template <class Real>
Real factor(char const* option, double value) {
  auto const result = static_cast<Real>(value);
  if (!std::isfinite(result))
    throw std::runtime_error(std::string(option) + " is beyond single precision");
  return result;
}

MatrixOp op(bool transpose) {
  return transpose ? MatrixOp::transpose : MatrixOp::identity;
}

/// A copy of C, or memory for it where there is none.
template <class Real>
DeviceMatrix<Real> result_on_device(ExecSpace const& exec, HostMatrix<Real> const& C,
                                    std::int64_t rows, std::int64_t cols) {
  if (C.rows == rows && C.cols == cols) return to_device(exec, "carroll::tool::C", C);
  return uninitialized<DeviceMatrix<Real>>(exec, "carroll::tool::C", rows, cols);
}

/// `work()`, and how long it took.
template <class Work>
auto clocked(ExecSpace const& exec, ProductSummary& summary, Work const& work) {
  exec.fence("carroll::tool: start of the clock");
  Kokkos::Timer const timer;
  auto const info = work();
  summary.seconds = timer.seconds();
  return info;
}

/// The result on the host, and what is to be told of it.
template <class Real>
MatrixResult<Real> bring_back(ExecSpace const& exec, DeviceMatrix<Real> const& C,
                              ProductSummary summary) {
  Kokkos::View<Real const*, ExecSpace, Kokkos::MemoryUnmanaged> const entries(C.data(), C.size());
  summary.status = to_string(max_abs(exec, entries).status);
  summary.norm = static_cast<double>(norm2(exec, entries).value);
  summary.backend = ExecSpace::name();
  return {std::move(summary), to_host(exec, C)};
}

}  // namespace

template <class Real>
MatrixResult<Real> multiply_vector(HostMatrix<Real> const& host_A, HostMatrix<Real> const& host_x,
                                   HostMatrix<Real> const& host_y, ProductWishes const& wishes,
                                   Progress& progress) {
  ExecSpace const exec;
  auto const alpha = factor<Real>("--alpha", wishes.alpha);
  auto const beta = factor<Real>("--beta", wishes.beta);
  auto const A = to_device(exec, "carroll::tool::A", host_A);
  auto const x = to_device(exec, "carroll::tool::x", host_x);
  auto const y = result_on_device(exec, host_y, wishes.transpose_a ? host_A.cols : host_A.rows, 1);
  progress.phase("multiplying");
  ProductSummary summary;
  auto const info = clocked(exec, summary, [&] {
    return gemv(exec, alpha, A, Kokkos::subview(x, Kokkos::ALL, 0), beta,
                Kokkos::subview(y, Kokkos::ALL, 0), {.op = op(wishes.transpose_a)});
  });
  summary.kernel = to_string(info.kernel);
  return bring_back(exec, y, std::move(summary));
}

template <class Real>
MatrixResult<Real> multiply(HostMatrix<Real> const& host_A, HostMatrix<Real> const& host_B,
                            HostMatrix<Real> const& host_C, ProductWishes const& wishes,
                            Progress& progress) {
  ExecSpace const exec;
  auto const alpha = factor<Real>("--alpha", wishes.alpha);
  auto const beta = factor<Real>("--beta", wishes.beta);
  auto const A = to_device(exec, "carroll::tool::A", host_A);
  auto const B = to_device(exec, "carroll::tool::B", host_B);
  auto const C = result_on_device(exec, host_C, wishes.transpose_a ? host_A.cols : host_A.rows,
                                  wishes.transpose_b ? host_B.rows : host_B.cols);
  progress.phase("multiplying");
  ProductSummary summary;
  auto const info = clocked(exec, summary, [&] {
    return gemm(exec, alpha, A, B, beta, C,
                {.op_a = op(wishes.transpose_a),
                 .op_b = op(wishes.transpose_b),
                 .method = named<GemmMethod>(wishes.method)});
  });
  summary.method = to_string(info.method);
  summary.kernel = to_string(info.kernel);
  return bring_back(exec, C, std::move(summary));
}

template <class Real>
MatrixResult<Real> combine(HostMatrix<Real> const& host_A, HostMatrix<Real> const& host_B,
                           ProductWishes const& wishes, Progress& progress) {
  ExecSpace const exec;
  auto const alpha = factor<Real>("--alpha", wishes.alpha);
  auto const beta = factor<Real>("--beta", wishes.beta);
  auto const A = to_device(exec, "carroll::tool::A", host_A);
  auto const C = to_device(exec, "carroll::tool::C", host_B);
  progress.phase("adding");
  ProductSummary summary;
  static_cast<void>(clocked(exec, summary, [&] {
    if (alpha == Real(1) && beta == Real(1)) {
      add(exec, A, C, C);
    } else {
      axpby(exec, alpha, A, beta, C);
    }
    return 0;
  }));
  return bring_back(exec, C, std::move(summary));
}

#define CARROLL_TOOL_PRODUCTS(Real)                                                               \
  template MatrixResult<Real> multiply_vector(HostMatrix<Real> const&, HostMatrix<Real> const&,   \
                                              HostMatrix<Real> const&, ProductWishes const&,      \
                                              Progress&);                                         \
  template MatrixResult<Real> multiply(HostMatrix<Real> const&, HostMatrix<Real> const&,          \
                                       HostMatrix<Real> const&, ProductWishes const&, Progress&); \
  template MatrixResult<Real> combine(HostMatrix<Real> const&, HostMatrix<Real> const&,           \
                                      ProductWishes const&, Progress&)
CARROLL_TOOL_PRODUCTS(float);
CARROLL_TOOL_PRODUCTS(double);

}  // namespace carroll::tool
