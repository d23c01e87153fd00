// SPDX-License-Identifier: BSD-3-Clause
#include "support/complex_svd/drivers.hpp"

#include <algorithm>
#include <array>
#include <carroll/complex_svd.hpp>
#include <cstddef>
#include <cstdint>

#include "decompositions/complex_svd_instances.hpp"
#include "support/copy.hpp"
#include "support/guarded_view.hpp"
#include "support/one_by_one.hpp"

namespace carroll::test {
namespace {

/// U's or V's columns, as std::size_t.
std::size_t columns_of(SvdVectors wanted, int length, int least) {
  return static_cast<std::size_t>(carroll::detail::vector_columns(wanted, length, least));
}

template <class Real, class Layout>
ComplexMatrix<Real> member(GuardedView<Kokkos::complex<Real>, 3, Layout> const& from, std::size_t b,
                           bool wanted) {
  if (!wanted) return {};
  auto const& extents = from.extents();
  ComplexMatrix<Real> to(static_cast<int>(extents[1]), static_cast<int>(extents[2]));
  for (int j = 0; j < to.cols; ++j)
    for (int i = 0; i < to.rows; ++i) {
      auto const z = from({b, size(i), size(j)});
      to(i, j) = {z.real(), z.imag()};
    }
  return to;
}

/// The call on Views of any rank, carroll::none for what is not wanted.
template <class A, class U, class S, class V, class... Last>
auto call_svd(ComplexCall const& call, Exec const& exec, A const& a, U const& u, S const& s,
              V const& v, Last&&... last) {
  bool const left = call.u != SvdVectors::none, right = call.v != SvdVectors::none;
  if (left && right) return svd(exec, a, u, s, v, last...);
  if (left) return svd(exec, a, u, s, none, last...);
  if (right) return svd(exec, a, none, s, v, last...);
  return singular_values(exec, a, s, last...);
}

/// ComplexCall::one_by_one.
template <class A, class S>
auto run_each(ComplexCall const& call, Exec const& exec, A const& a, A const& u, S const& s,
              A const& v) {
  using Value = typename A::ViewType::non_const_value_type;
  auto const extent = [&](std::size_t d) { return static_cast<std::int64_t>(a.extents()[d]); };
  auto workspace =
      svd_workspace<Value>(exec, {1, extent(1), extent(2), call.u, call.v}, call.options);
  bool const left = call.u != SvdVectors::none, right = call.v != SvdVectors::none;
  return infos_one_by_one<SvdInfo<typename Value::value_type>>(
      exec, a.extents()[0], [&](std::size_t b, auto const& info) {
        auto const decompose = [&](auto const& U, auto const& V) {
          svd_async(exec, a.part(b, 1), U, s.part(b, 1), V, info, workspace);
        };
        if (left && right) return decompose(u.part(b, 1), v.part(b, 1));
        if (left) return decompose(u.part(b, 1), none);
        if (right) return decompose(none, v.part(b, 1));
        singular_values_async(exec, a.part(b, 1), s.part(b, 1), info, workspace);
      });
}

template <class Real, class Layout>
std::vector<HostComplexSvd<Real>> run_batch(std::vector<ComplexMatrix<Real>> const& matrices,
                                            ComplexCall const& call, Exec const& exec) {
  using Value = Kokkos::complex<Real>;
  std::size_t const batch = matrices.size();
  int const m = matrices.front().rows, n = matrices.front().cols, least = std::min(m, n);
  GuardedView<Value, 3, Layout> A({batch, size(m), size(n)}),
      U({batch, size(m), columns_of(call.u, m, least)}),
      V({batch, size(n), columns_of(call.v, n, least)});
  GuardedView<Real, 2, Layout> S({batch, size(least)});
  A.for_each_index([&](auto at) {
    auto const z = matrices[at[0]](static_cast<int>(at[1]), static_cast<int>(at[2]));
    A(at) = Value(z.real(), z.imag());
  });
  A.to_device();
  std::vector<SvdInfo<Real>> infos;
  if (call.one_by_one) {
    if constexpr (has_parts<Layout>) infos = run_each(call, exec, A, U, S, V);
  } else if (call.workspace) {
    auto workspace = svd_workspace<Value>(
        exec, {static_cast<std::int64_t>(batch), m, n, call.u, call.v}, call.options);
    for (int times = 0; times < 2; ++times) {
      auto const found = call_svd(call, exec, A.view(), U.view(), S.view(), V.view(), workspace);
      infos.assign(found.begin(), found.end());
    }
  } else {
    infos = call_svd(call, exec, A.view(), U.view(), S.view(), V.view(), call.options);
  }
  U.to_host();
  S.to_host();
  V.to_host();
  bool const guarded = U.guards_intact() && S.guards_intact() && V.guards_intact();
  std::vector<HostComplexSvd<Real>> results(batch);
  for (std::size_t b = 0; b < batch; ++b) {
    auto& result = results[b];
    result.info = infos.at(b);
    result.guarded = guarded;
    result.U = member<Real>(U, b, call.u != SvdVectors::none);
    result.V = member<Real>(V, b, call.v != SvdVectors::none);
    for (int k = 0; k < least; ++k) result.S.push_back(S({b, size(k)}));
  }
  return results;
}

}  // namespace

template <class Real>
std::vector<HostComplexSvd<Real>> run_complex_svd_batch(
    std::vector<ComplexMatrix<Real>> const& matrices, ComplexCall const& call, Exec const& exec) {
  if (matrices.empty()) return {};
  switch (call.layout) {
    case ViewLayout::left: return run_batch<Real, Kokkos::LayoutLeft>(matrices, call, exec);
    case ViewLayout::right: return run_batch<Real, Kokkos::LayoutRight>(matrices, call, exec);
    case ViewLayout::stride: break;
  }
  return run_batch<Real, Kokkos::LayoutStride>(matrices, call, exec);
}

template <class Real>
HostComplexSvd<Real> run_complex_svd(ComplexMatrix<Real> const& matrix, ComplexCall const& call,
                                     Exec const& exec) {
  using Value = Kokkos::complex<Real>;
  using View = Kokkos::View<Value**, Kokkos::LayoutLeft, Memory>;
  int const m = matrix.rows, n = matrix.cols, least = std::min(m, n);
  View const A("carroll_test::A", size(m), size(n)),
      U("carroll_test::U", size(m), columns_of(call.u, m, least)),
      V("carroll_test::V", size(n), columns_of(call.v, n, least));
  Kokkos::View<Real*, Memory> const S("carroll_test::S", size(least));
  auto const a = Kokkos::create_mirror_view(A);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) a(i, j) = Value(matrix(i, j).real(), matrix(i, j).imag());
  carroll::test::deep_copy(A, a);
  HostComplexSvd<Real> result;
  if (call.workspace) {
    auto workspace = svd_workspace<Value>(exec, {1, m, n, call.u, call.v}, call.options);
    result.info = call_svd(call, exec, A, U, S, V, workspace);
  } else {
    result.info = call_svd(call, exec, A, U, S, V, call.options);
  }
  auto const copy = [](View const& from, bool wanted) {
    if (!wanted) return ComplexMatrix<Real>();
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from);
    ComplexMatrix<Real> to(static_cast<int>(host.extent(0)), static_cast<int>(host.extent(1)));
    for (int j = 0; j < to.cols; ++j)
      for (int i = 0; i < to.rows; ++i) to(i, j) = {host(i, j).real(), host(i, j).imag()};
    return to;
  };
  result.U = copy(U, call.u != SvdVectors::none);
  result.V = copy(V, call.v != SvdVectors::none);
  auto const s = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), S);
  result.S.assign(s.data(), s.data() + s.extent(0));
  return result;
}

template std::vector<HostComplexSvd<float>> run_complex_svd_batch(
    std::vector<ComplexMatrix<float>> const&, ComplexCall const&, Exec const&);
template std::vector<HostComplexSvd<double>> run_complex_svd_batch(
    std::vector<ComplexMatrix<double>> const&, ComplexCall const&, Exec const&);
template HostComplexSvd<float> run_complex_svd(ComplexMatrix<float> const&, ComplexCall const&,
                                               Exec const&);
template HostComplexSvd<double> run_complex_svd(ComplexMatrix<double> const&, ComplexCall const&,
                                                Exec const&);

}  // namespace carroll::test
