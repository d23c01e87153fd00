// SPDX-License-Identifier: BSD-3-Clause
#include "support/solve/drivers.hpp"

#include <carroll/solve.hpp>
#include <cstddef>
#include <cstdint>

#include "decompositions/solve_instances.hpp"
#include "support/guarded_view.hpp"
#include "support/one_by_one.hpp"

namespace carroll::test {
namespace {

/// The entry point that the call stands for.
template <class A, class B, class X, class Last>
auto solve_views(Exec const& exec, SolveCall const& call, A const& a, B const& b, X const& x,
                 Last&& last) {
  return call.inverse ? inverse(exec, a, x, last) : solve(exec, a, b, x, last);
}

template <class T>
int columns_of(HostSystem<T> const& system, SolveCall const& call) {
  return call.inverse ? system.A.cols : system.B.cols;
}

/// SolveCall::one_by_one.
template <class A>
auto run_each(A const& a, A const& b, A const& x, SolveCall const& call, Exec const& exec) {
  using T = typename A::ViewType::non_const_value_type;
  SolveExtents const extents{1, static_cast<std::int64_t>(x.extents()[1]),
                             static_cast<std::int64_t>(x.extents()[2])};
  auto workspace = call.inverse ? inverse_workspace<T>(exec, extents, call.options)
                                : solve_workspace<T>(exec, extents, call.options);
  return infos_one_by_one<SolveInfo<RealOf<T>>>(
      exec, a.extents()[0], [&](std::size_t k, auto const& info) {
        if (call.inverse)
          inverse_async(exec, a.part(k, 1), x.part(k, 1), info, workspace);
        else
          solve_async(exec, a.part(k, 1), b.part(k, 1), x.part(k, 1), info, workspace);
      });
}

template <class A>
auto run_together(A const& a, A const& b, A const& x, SolveCall const& call, Exec const& exec) {
  using T = typename A::ViewType::non_const_value_type;
  std::vector<SolveInfo<RealOf<T>>> infos;
  if (call.workspace) {
    SolveExtents const extents{static_cast<std::int64_t>(x.extents()[0]),
                               static_cast<std::int64_t>(x.extents()[1]),
                               static_cast<std::int64_t>(x.extents()[2])};
    auto workspace = call.inverse ? inverse_workspace<T>(exec, extents, call.options)
                                  : solve_workspace<T>(exec, extents, call.options);
    for (int times = 0; times < 2; ++times) {
      auto const found = solve_views(exec, call, a.view(), b.view(), x.view(), workspace);
      infos.assign(found.begin(), found.end());
    }
  } else {
    infos = solve_views(exec, call, a.view(), b.view(), x.view(), call.options);
  }
  return infos;
}

template <class T, class Layout>
std::vector<HostSolve<T>> run_batch(std::vector<HostSystem<T>> const& systems,
                                    SolveCall const& call, Exec const& exec) {
  std::size_t const batch = systems.size();
  auto const& first = systems.front();
  int const order = first.A.rows, columns = columns_of(first, call);
  std::size_t const n = size(order), k = size(columns);
  GuardedView<T, 3, Layout> A({batch, n, n}), B({batch, n, size(first.B.cols)}), X({batch, n, k});
  auto const at = [](HostMatrix<T> const& M, auto const& index) {
    return M(static_cast<int>(index[1]), static_cast<int>(index[2]));
  };
  A.for_each_index([&](auto index) { A(index) = at(systems[index[0]].A, index); });
  B.for_each_index([&](auto index) { B(index) = at(systems[index[0]].B, index); });
  A.to_device();
  B.to_device();
  auto const infos = [&] {
    if constexpr (has_parts<Layout>)
      if (call.one_by_one) return run_each(A, B, X, call, exec);
    return run_together(A, B, X, call, exec);
  }();
  X.to_host();
  bool const guarded = X.guards_intact();
  std::vector<HostSolve<T>> results(batch);
  for (std::size_t b = 0; b < batch; ++b) {
    results[b].info = infos.at(b);
    results[b].guarded = guarded;
    results[b].X = HostMatrix<T>(order, columns);
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < order; ++i) results[b].X(i, j) = X({b, size(i), size(j)});
  }
  return results;
}

}  // namespace

template <class T>
std::vector<HostSolve<T>> run_solve_batch(std::vector<HostSystem<T>> const& systems,
                                          SolveCall const& call, Exec const& exec) {
  if (systems.empty()) return {};
  return with_layout(call.layout, [&](auto layout) {
    return run_batch<T, decltype(layout)>(systems, call, exec);
  });
}

template <class T>
HostSolve<T> run_solve(HostSystem<T> const& system, SolveCall const& call, Exec const& exec) {
  using Layout = Kokkos::LayoutLeft;
  int const order = system.A.rows, columns = columns_of(system, call);
  GuardedView<T, 2, Layout> A = guarded_from<T, Layout>(system.A),
                            B = guarded_from<T, Layout>(system.B), X({size(order), size(columns)});
  HostSolve<T> result;
  result.info = solve_views(exec, call, A.view(), B.view(), X.view(), call.options);
  X.to_host();
  result.guarded = X.guards_intact();
  result.X = to_host_matrix(X, order, columns);
  return result;
}

#define CARROLL_TEST_INSTANTIATE(T)                                                     \
  template std::vector<HostSolve<T>> run_solve_batch(std::vector<HostSystem<T>> const&, \
                                                     SolveCall const&, Exec const&);    \
  template HostSolve<T> run_solve(HostSystem<T> const&, SolveCall const&, Exec const&)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<float>);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<double>);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
