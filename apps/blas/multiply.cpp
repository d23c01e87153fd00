// SPDX-License-Identifier: BSD-3-Clause
#include "blas/multiply.hpp"

#include <Kokkos_Core.hpp>
#include <carroll/add.hpp>
#include <carroll/axpby.hpp>
#include <carroll/gemm.hpp>
#include <carroll/gemv.hpp>
#include <utility>

#include "blas/products.hpp"
#include "enumerators.hpp"

namespace carroll::tool {

template <class Real>
MatrixResult<Real> multiply_vector(HostMatrix<Real> const& host_A, HostMatrix<Real> const& host_x,
                                   HostMatrix<Real> const& host_y, ProductWishes const& wishes,
                                   Progress& progress) {
  ExecSpace const exec;
  auto const own = operands_on_device(exec, wishes, host_A, host_x);
  auto const y = result_on_device(exec, host_y, wishes.transpose_a ? host_A.cols : host_A.rows, 1);
  progress.phase("multiplying");
  ProductSummary summary;
  auto const info = clocked(exec, summary, [&] {
    return gemv(exec, own.alpha, own.A, Kokkos::subview(own.B, Kokkos::ALL, 0), own.beta,
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
  auto const own = operands_on_device(exec, wishes, host_A, host_B);
  auto const C = result_on_device(exec, host_C, wishes.transpose_a ? host_A.cols : host_A.rows,
                                  wishes.transpose_b ? host_B.rows : host_B.cols);
  progress.phase("multiplying");
  ProductSummary summary;
  auto const info = clocked(exec, summary, [&] {
    return gemm(exec, own.alpha, own.A, own.B, own.beta, C,
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
  auto const own = operands_on_device(exec, wishes, host_A, host_B);
  progress.phase("adding");
  ProductSummary summary;
  static_cast<void>(clocked(exec, summary, [&] {
    if (own.alpha == Real(1) && own.beta == Real(1)) {
      add(exec, own.A, own.B, own.B);
    } else {
      axpby(exec, own.alpha, own.A, own.beta, own.B);
    }
    return 0;
  }));
  return bring_back(exec, own.B, std::move(summary));
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
