// SPDX-License-Identifier: BSD-3-Clause
#include "support/svd/truncated_drivers.hpp"

#include <carroll/truncated_svd.hpp>

#include "truncated_svd_instances.hpp"

namespace carroll::test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = typename Exec::memory_space;

template <class Real>
using Vector = Kokkos::View<Real*, Kokkos::LayoutLeft, Memory>;
template <class Real>
using Matrix = Kokkos::View<Real**, Kokkos::LayoutLeft, Memory>;

template <class Real>
auto wrap(std::vector<Real>& data) {
  return Kokkos::View<Real*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      data.data(), data.size());
}

template <class Real>
Vector<Real> marked(Exec const& exec, std::size_t size) {
  Vector<Real> device("carroll_test::output", size);
  Kokkos::deep_copy(exec, device, static_cast<Real>(-77.25));
  return device;
}

template <class Real, class View>
std::vector<Real> to_host(Exec const& exec, View const& device) {
  std::vector<Real> data(device.extent(0));
  Kokkos::deep_copy(exec, wrap(data), device);
  exec.fence("carroll_test: results copied");
  return data;
}

/// call(A, U, S, V, result) decomposes and sets what is not a factor.
template <class Real, class Call>
HostTruncatedSvd<Real> run(HostMatrix<Real> const& A, int rank, Exec const& exec,
                           Call const& call) {
  HostTruncatedSvd<Real> result;
  result.U = HostMatrix<Real>(A.rows, rank);
  result.V = HostMatrix<Real>(A.cols, rank);
  // Unmanaged matrices over rank-1 Views: LayoutLeft without padding, copied in one piece.
  auto data = A.data;
  Vector<Real> const a("carroll_test::A", data.size());
  Kokkos::deep_copy(exec, a, wrap(data));
  exec.fence("carroll_test: host data copied");
  Vector<Real> const u = marked<Real>(exec, result.U.data.size());
  Vector<Real> const v = marked<Real>(exec, result.V.data.size());
  Vector<Real> const S = marked<Real>(exec, static_cast<std::size_t>(rank));
  auto const rows = static_cast<std::size_t>(A.rows);
  auto const cols = static_cast<std::size_t>(A.cols);
  auto const k = static_cast<std::size_t>(rank);
  call(Matrix<Real>(a.data(), rows, cols), Matrix<Real>(u.data(), rows, k), S,
       Matrix<Real>(v.data(), cols, k), result);
  result.U.data = to_host<Real>(exec, u);
  result.V.data = to_host<Real>(exec, v);
  result.S = to_host<Real>(exec, S);
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
               result.residuals = to_host<Real>(exec, workspace.residuals());
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
