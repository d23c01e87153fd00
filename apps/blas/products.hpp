// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/matrix_op.hpp>
#include <carroll/max_abs.hpp>
#include <carroll/norm2.hpp>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "blas/multiply.hpp"
#include "device/matrix.hpp"

/// What products on one rank and on several have in common.
namespace carroll::tool {

template <class Real>
[[nodiscard]] Real factor(char const* option, double value) {
  auto const result = static_cast<Real>(value);
  if (!std::isfinite(result))
    throw std::runtime_error(std::string(option) + " is beyond single precision");
  return result;
}

[[nodiscard]] inline MatrixOp op(bool transpose) {
  return transpose ? MatrixOp::transpose : MatrixOp::identity;
}

/// What a product takes, on the device.
template <class Real>
struct ProductOperands {
  Real alpha, beta;
  DeviceMatrix<Real> A, B;
};

/// Copies that are enqueued: the matrices must stay.
template <class Real>
ProductOperands<Real> operands_on_device(ExecSpace const& exec, ProductWishes const& wishes,
                                         HostMatrix<Real> const& A, HostMatrix<Real> const& B) {
  return {factor<Real>("--alpha", wishes.alpha), factor<Real>("--beta", wishes.beta),
          to_device(exec, "carroll::tool::A", A), to_device(exec, "carroll::tool::B", B)};
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

}  // namespace carroll::tool
