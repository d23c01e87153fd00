// SPDX-License-Identifier: BSD-3-Clause
#include "support/eigh/drivers.hpp"

#include <carroll/eigh.hpp>
#include <cstdint>
#include <limits>

#include "eigh_instances.hpp"
#include "support/guarded_view.hpp"
#include "support/one_by_one.hpp"

namespace carroll::test {
namespace {

/// The entry, or NaN where nobody is to look.
template <class T>
T read_entry(HostMatrix<T> const& A, EighCall const& call, std::size_t row, std::size_t col) {
  bool const lower = call.options.triangle == Triangle::lower;
  if (row != col && (row > col) != lower) return carroll::detail::quiet_nan<T>();
  T const entry = A(static_cast<int>(row), static_cast<int>(col));
  if constexpr (is_complex<T>)
    if (row == col) return {entry.real(), std::numeric_limits<RealOf<T>>::quiet_NaN()};
  return entry;
}

/// EighCall::one_by_one.
template <class A, class W, class V>
auto run_each(A const& a, W const& w, V const& v, EighCall const& call, Exec const& exec) {
  using T = typename A::ViewType::non_const_value_type;
  auto const n = static_cast<std::int64_t>(a.extents()[1]);
  auto workspace =
      eigh_workspace<T>(exec, {.batch = 1, .n = n, .vectors = call.vectors}, call.options);
  return infos_one_by_one<EighInfo<RealOf<T>>>(
      exec, a.extents()[0], [&](std::size_t b, auto const& info) {
        if (call.vectors)
          eigh_async(exec, a.part(b, 1), w.part(b, 1), v.part(b, 1), info, workspace);
        else
          symmetric_eigenvalues_async(exec, a.part(b, 1), w.part(b, 1), info, workspace);
      });
}

template <class A, class W, class V>
auto run_together(A const& a, W const& w, V const& v, EighCall const& call, Exec const& exec) {
  using T = typename A::ViewType::non_const_value_type;
  std::vector<EighInfo<RealOf<T>>> infos;
  if (call.workspace) {
    auto workspace = eigh_workspace<T>(exec,
                                       {.batch = static_cast<std::int64_t>(a.extents()[0]),
                                        .n = static_cast<std::int64_t>(a.extents()[1]),
                                        .vectors = call.vectors},
                                       call.options);
    for (int times = 0; times < 2; ++times) {
      auto const found = call.vectors ? eigh(exec, a.view(), w.view(), v.view(), workspace)
                                      : symmetric_eigenvalues(exec, a.view(), w.view(), workspace);
      infos.assign(found.begin(), found.end());
    }
  } else {
    infos = call.vectors ? eigh(exec, a.view(), w.view(), v.view(), call.options)
                         : symmetric_eigenvalues(exec, a.view(), w.view(), call.options);
  }
  return infos;
}

template <class T, class Layout>
std::vector<HostEigh<T>> run_batch(std::vector<HostMatrix<T>> const& matrices, EighCall const& call,
                                   Exec const& exec) {
  std::size_t const batch = matrices.size(), n = size(matrices.front().rows);
  GuardedView<T, 3, Layout> A({batch, n, n}), V({batch, n, n});
  GuardedView<RealOf<T>, 2, Layout> W({batch, n});
  A.for_each_index(
      [&](auto index) { A(index) = read_entry(matrices[index[0]], call, index[1], index[2]); });
  A.to_device();
  auto const infos = [&] {
    if constexpr (has_parts<Layout>)
      if (call.one_by_one) return run_each(A, W, V, call, exec);
    return run_together(A, W, V, call, exec);
  }();
  V.to_host();
  W.to_host();
  bool const guarded =
      V.guards_intact() && W.guards_intact() && (call.vectors || n == 0 || V.untouched());
  std::vector<HostEigh<T>> results(batch);
  for (std::size_t b = 0; b < batch; ++b) {
    results[b].info = infos.at(b);
    results[b].guarded = guarded;
    for (std::size_t k = 0; k < n; ++k) results[b].W.push_back(W({b, k}));
    if (!call.vectors) continue;
    results[b].V = HostMatrix<T>(static_cast<int>(n), static_cast<int>(n));
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i)
        results[b].V(static_cast<int>(i), static_cast<int>(j)) = V({b, i, j});
  }
  return results;
}

}  // namespace

template <class T>
std::vector<HostEigh<T>> run_eigh_batch(std::vector<HostMatrix<T>> const& matrices,
                                        EighCall const& call, Exec const& exec) {
  if (matrices.empty()) return {};
  return with_layout(call.layout, [&](auto layout) {
    return run_batch<T, decltype(layout)>(matrices, call, exec);
  });
}

template <class T>
HostEigh<T> run_eigh(HostMatrix<T> const& matrix, EighCall const& call, Exec const& exec) {
  using Layout = Kokkos::LayoutLeft;
  std::size_t const n = size(matrix.rows);
  GuardedView<T, 2, Layout> A({n, n}), V({n, n});
  GuardedView<RealOf<T>, 1, Layout> W({n});
  A.for_each_index([&](auto index) { A(index) = read_entry(matrix, call, index[0], index[1]); });
  A.to_device();
  HostEigh<T> result;
  result.info = call.vectors ? eigh(exec, A.view(), W.view(), V.view(), call.options)
                             : symmetric_eigenvalues(exec, A.view(), W.view(), call.options);
  V.to_host();
  W.to_host();
  result.guarded = V.guards_intact() && W.guards_intact();
  for (std::size_t k = 0; k < n; ++k) result.W.push_back(W({k}));
  if (call.vectors) result.V = to_host_matrix(V, matrix.rows, matrix.rows);
  return result;
}

template <class T>
std::vector<HostEigh<T>> run_eigh_ragged(std::vector<HostMatrix<T>> const& matrices,
                                         EighCall const& call, Exec const& exec) {
  std::vector<std::int64_t> orders;
  std::size_t entries = 0, values = 0;
  for (auto const& A : matrices) {
    orders.push_back(A.rows);
    entries += A.data.size();
    values += size(A.rows);
  }
  auto const members = eigh_members(orders);
  GuardedView<T, 1, Kokkos::LayoutLeft> A({entries}), V({entries});
  GuardedView<RealOf<T>, 1, Kokkos::LayoutLeft> W({values});
  std::size_t at = 0;
  for (auto const& matrix : matrices)
    for (std::size_t j = 0; j < size(matrix.rows); ++j)
      for (std::size_t i = 0; i < size(matrix.rows); ++i)
        A({at++}) = read_entry(matrix, call, i, j);
  A.to_device();
  auto const infos = call.vectors
                         ? eigh_ragged(exec, members, A.view(), W.view(), V.view(), call.options)
                         : eigh_ragged(exec, members, A.view(), W.view(), none, call.options);
  V.to_host();
  W.to_host();
  std::vector<HostEigh<T>> results(matrices.size());
  std::size_t v = 0, w = 0;
  bool const guarded = V.guards_intact() && W.guards_intact();
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    int const n = matrices[b].rows;
    results[b].info = infos.at(b);
    results[b].guarded = guarded;
    for (int k = 0; k < n; ++k) results[b].W.push_back(W({w++}));
    if (!call.vectors) continue;
    results[b].V = HostMatrix<T>(n, n);
    for (T& x : results[b].V.data) x = V({v++});
  }
  return results;
}

#define CARROLL_TEST_INSTANTIATE(T)                                                    \
  template std::vector<HostEigh<T>> run_eigh_batch(std::vector<HostMatrix<T>> const&,  \
                                                   EighCall const&, Exec const&);      \
  template HostEigh<T> run_eigh(HostMatrix<T> const&, EighCall const&, Exec const&);   \
  template std::vector<HostEigh<T>> run_eigh_ragged(std::vector<HostMatrix<T>> const&, \
                                                    EighCall const&, Exec const&)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<float>);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<double>);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
