// SPDX-License-Identifier: BSD-3-Clause
#include "support/svd/drivers.hpp"

#include <algorithm>
#include <carroll/svd.hpp>
#include <cstdint>
#include <utility>

#include "support/copy.hpp"
#include "support/svd/device_copies.hpp"
#include "svd_instances.hpp"

namespace carroll::test {
namespace {

template <class Real>
using Batch = Kokkos::View<Real***, Kokkos::LayoutRight, Memory>;

int columns_of(SvdVectors wanted, int length, int least) {
  return wanted == SvdVectors::none ? 0 : wanted == SvdVectors::thin ? least : length;
}

template <class Real>
std::vector<Real> slice(std::vector<Real> const& all, std::int64_t begin, std::int64_t count) {
  return {all.begin() + begin, all.begin() + begin + count};
}

/// Calls f(U or none, V or none): turns what is wanted into types.
template <class UView, class VView, class Function>
auto with_wanted(Wanted wanted, UView const& U, VView const& V, Function const& f) {
  if (wanted.u == SvdVectors::none) return f(none, V);
  if (wanted.v == SvdVectors::none) return f(U, none);
  return f(U, V);
}

bool values_only(Wanted wanted) {
  return wanted.u == SvdVectors::none && wanted.v == SvdVectors::none;
}

}  // namespace

template <class Real>
HostSvd<Real> run_svd(HostMatrix<Real> const& A, Wanted wanted, SvdOptions const& options,
                      Exec const& exec) {
  int const least = std::min(A.rows, A.cols);
  HostSvd<Real> result;
  result.U = HostMatrix<Real>(A.rows, columns_of(wanted.u, A.rows, least));
  result.V = HostMatrix<Real>(A.cols, columns_of(wanted.v, A.cols, least));
  // Unmanaged matrices over rank-1 Views: LayoutLeft without padding, copied in one piece.
  Vector<Real> const a = to_device(exec, A.data);
  Vector<Real> const u = marked<Real>(exec, static_cast<std::int64_t>(result.U.data.size()));
  Vector<Real> const v = marked<Real>(exec, static_cast<std::int64_t>(result.V.data.size()));
  Vector<Real> const S = marked<Real>(exec, least);
  Matrix<Real> const A_view(a.data(), static_cast<std::size_t>(A.rows),
                            static_cast<std::size_t>(A.cols));
  Matrix<Real> const U_view(u.data(), static_cast<std::size_t>(A.rows),
                            static_cast<std::size_t>(result.U.cols));
  Matrix<Real> const V_view(v.data(), static_cast<std::size_t>(A.cols),
                            static_cast<std::size_t>(result.V.cols));
  result.info = values_only(wanted)
                    ? carroll::singular_values(exec, A_view, S, options)
                    : with_wanted(wanted, U_view, V_view, [&](auto const& U, auto const& V) {
                        return carroll::svd(exec, A_view, U, S, V, options);
                      });
  result.U.data = to_host(exec, u);
  result.V.data = to_host(exec, v);
  result.S = to_host(exec, S);
  return result;
}

template <class Real>
std::vector<HostSvd<Real>> run_svd_batch(std::vector<HostMatrix<Real>> const& matrices,
                                         Wanted wanted, SvdOptions const& options,
                                         Exec const& exec) {
  if (matrices.empty()) return {};
  auto const batch = matrices.size();
  int const rows = matrices.front().rows;
  int const cols = matrices.front().cols;
  int const least = std::min(rows, cols);
  Batch<Real> const A("carroll_test::A", batch, static_cast<std::size_t>(rows),
                      static_cast<std::size_t>(cols));
  Batch<Real> const U("carroll_test::U", batch, static_cast<std::size_t>(rows),
                      static_cast<std::size_t>(columns_of(wanted.u, rows, least)));
  Batch<Real> const V("carroll_test::V", batch, static_cast<std::size_t>(cols),
                      static_cast<std::size_t>(columns_of(wanted.v, cols, least)));
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> const S("carroll_test::S", batch,
                                                            static_cast<std::size_t>(least));
  carroll::test::deep_copy(exec, U, marker<Real>);
  carroll::test::deep_copy(exec, V, marker<Real>);
  carroll::test::deep_copy(exec, S, marker<Real>);
  auto const host_A = Kokkos::create_mirror_view(A);
  for (std::size_t b = 0; b < batch; ++b)
    for (int j = 0; j < cols; ++j)
      for (int i = 0; i < rows; ++i) host_A(b, i, j) = matrices[b](i, j);
  carroll::test::deep_copy(exec, A, host_A);

  std::vector<SvdInfo<Real>> const infos =
      values_only(wanted)
          ? carroll::singular_values(exec, A, S, options)
          : with_wanted(wanted, U, V, [&](auto const& U_or_none, auto const& V_or_none) {
              return carroll::svd(exec, A, U_or_none, S, V_or_none, options);
            });

  auto const host_U = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, U);
  auto const host_S = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, S);
  auto const host_V = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, V);
  std::vector<HostSvd<Real>> results(batch);
  for (std::size_t b = 0; b < batch; ++b) {
    HostSvd<Real>& result = results[b];
    result.info = infos.at(b);
    result.U = HostMatrix<Real>(rows, static_cast<int>(U.extent(2)));
    result.V = HostMatrix<Real>(cols, static_cast<int>(V.extent(2)));
    for (int j = 0; j < result.U.cols; ++j)
      for (int i = 0; i < rows; ++i) result.U(i, j) = host_U(b, i, j);
    for (int j = 0; j < result.V.cols; ++j)
      for (int i = 0; i < cols; ++i) result.V(i, j) = host_V(b, i, j);
    for (int k = 0; k < least; ++k) result.S.push_back(host_S(b, k));
  }
  return results;
}

template <class Real>
std::vector<HostSvd<Real>> run_svd_ragged(std::vector<HostMatrix<Real>> const& matrices,
                                          Wanted wanted, SvdOptions const& options,
                                          Exec const& exec) {
  std::vector<std::pair<std::int64_t, std::int64_t>> extents;
  std::vector<Real> packed;
  for (HostMatrix<Real> const& A : matrices) {
    extents.emplace_back(A.rows, A.cols);
    packed.insert(packed.end(), A.data.begin(), A.data.end());
  }
  std::vector<carroll::SvdMember> const members = carroll::svd_members(extents, wanted.u, wanted.v);

  std::vector<HostSvd<Real>> results(matrices.size());
  std::int64_t u_size = 0;
  std::int64_t s_size = 0;
  std::int64_t v_size = 0;
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    int const rows = matrices[k].rows;
    int const cols = matrices[k].cols;
    int const least = std::min(rows, cols);
    results[k].U = HostMatrix<Real>(rows, columns_of(wanted.u, rows, least));
    results[k].V = HostMatrix<Real>(cols, columns_of(wanted.v, cols, least));
    results[k].S.resize(static_cast<std::size_t>(least));
    u_size += static_cast<std::int64_t>(results[k].U.data.size());
    v_size += static_cast<std::int64_t>(results[k].V.data.size());
    s_size += least;
  }
  Vector<Real> const A = to_device(exec, std::move(packed));
  Vector<Real> const U = marked<Real>(exec, u_size);
  Vector<Real> const S = marked<Real>(exec, s_size);
  Vector<Real> const V = marked<Real>(exec, v_size);
  std::vector<SvdInfo<Real>> const infos =
      values_only(wanted)
          ? carroll::svd_ragged(exec, members, A, none, S, none, options, wanted.u, wanted.v)
          : with_wanted(wanted, U, V, [&](auto const& U_or_none, auto const& V_or_none) {
              return carroll::svd_ragged(exec, members, A, U_or_none, S, V_or_none, options,
                                         wanted.u, wanted.v);
            });
  std::vector<Real> const host_U = to_host(exec, U);
  std::vector<Real> const host_S = to_host(exec, S);
  std::vector<Real> const host_V = to_host(exec, V);
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    HostSvd<Real>& result = results[k];
    result.info = infos.at(k);
    result.U.data = slice(host_U, members[k].u, static_cast<std::int64_t>(result.U.data.size()));
    result.S = slice(host_S, members[k].s, static_cast<std::int64_t>(result.S.size()));
    result.V.data = slice(host_V, members[k].v, static_cast<std::int64_t>(result.V.data.size()));
  }
  return results;
}

#define CARROLL_TEST_INSTANTIATE(Real)                                                             \
  template HostSvd<Real> run_svd<Real>(HostMatrix<Real> const&, Wanted, SvdOptions const&,         \
                                       Exec const&);                                               \
  template std::vector<HostSvd<Real>> run_svd_batch<Real>(std::vector<HostMatrix<Real>> const&,    \
                                                          Wanted, SvdOptions const&, Exec const&); \
  template std::vector<HostSvd<Real>> run_svd_ragged<Real>(std::vector<HostMatrix<Real>> const&,   \
                                                           Wanted, SvdOptions const&, Exec const&)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
