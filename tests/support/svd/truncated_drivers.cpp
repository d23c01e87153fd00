// SPDX-License-Identifier: BSD-3-Clause
#include "support/svd/truncated_drivers.hpp"

#include <carroll/truncated_svd.hpp>

#include "support/svd/device_copies.hpp"
#include "truncated_svd_instances.hpp"

namespace carroll::test {
namespace {

/// call(A, U, S, V, result) decomposes and sets what is not a factor.
template <class Real, class Call>
HostTruncatedSvd<Real> run(HostMatrix<Real> const& A, int rank, Exec const& exec,
                           Call const& call) {
  HostTruncatedSvd<Real> result;
  result.U = HostMatrix<Real>(A.rows, rank);
  result.V = HostMatrix<Real>(A.cols, rank);
  // Unmanaged matrices over rank-1 Views: LayoutLeft without padding, copied in one piece.
  Vector<Real> const a = to_device(exec, A.data);
  Vector<Real> const u = marked<Real>(exec, result.U.data.size());
  Vector<Real> const v = marked<Real>(exec, result.V.data.size());
  Vector<Real> const S = marked<Real>(exec, static_cast<std::size_t>(rank));
  auto const rows = static_cast<std::size_t>(A.rows);
  auto const cols = static_cast<std::size_t>(A.cols);
  auto const k = static_cast<std::size_t>(rank);
  call(Matrix<Real>(a.data(), rows, cols), Matrix<Real>(u.data(), rows, k), S,
       Matrix<Real>(v.data(), cols, k), result);
  result.U.data = to_host(exec, u);
  result.V.data = to_host(exec, v);
  result.S = to_host(exec, S);
  return result;
}

}  // namespace

template <class Real>
HostTruncatedSvd<Real> run_truncated_svd(HostMatrix<Real> const& A, int rank,
                                         TruncatedSvdOptions const& options, Exec const& exec) {
  return run(A, rank, exec,
             [&](auto const& a, auto const& U, auto const& S, auto const& V, auto& result) {
               result.info = carroll::truncated_svd(exec, a, U, S, V, options);
             });
}

template <class Real>
HostTruncatedSvd<Real> run_truncated_svd_with_workspace(HostMatrix<Real> const& A, int rank,
                                                        TruncatedSvdOptions const& options,
                                                        Exec const& exec) {
  return run(A, rank, exec,
             [&](auto const& a, auto const& U, auto const& S, auto const& V, auto& result) {
               auto workspace = carroll::truncated_svd_workspace<Real>(
                   exec, {.rows = A.rows, .cols = A.cols, .rank = rank}, options);
               result.info = carroll::truncated_svd(exec, a, U, S, V, workspace);
               result.residuals = to_host(exec, workspace.residuals());
             });
}

#define CARROLL_TEST_INSTANTIATE(Real)                                        \
  template HostTruncatedSvd<Real> run_truncated_svd<Real>(                    \
      HostMatrix<Real> const&, int, TruncatedSvdOptions const&, Exec const&); \
  template HostTruncatedSvd<Real> run_truncated_svd_with_workspace<Real>(     \
      HostMatrix<Real> const&, int, TruncatedSvdOptions const&, Exec const&)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
