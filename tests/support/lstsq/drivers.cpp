// SPDX-License-Identifier: BSD-3-Clause
#include "support/lstsq/drivers.hpp"

#include <carroll/lstsq.hpp>
#include <cstddef>
#include <cstdint>

#include "decompositions/lstsq_instances.hpp"
#include "support/guarded_view.hpp"
#include "support/one_by_one.hpp"

namespace carroll::test {
namespace {

template <class T>
auto workspace_for(std::size_t batch, HostMatrix<T> const& A, std::size_t columns, bool inverse,
                   LstsqCall const& call, Exec const& exec) {
  auto const members = static_cast<std::int64_t>(batch);
  return inverse ? pinv_workspace<T>(exec, {members, A.rows, A.cols}, call.options)
                 : lstsq_workspace<T>(exec,
                                      {members, A.rows, A.cols, static_cast<std::int64_t>(columns)},
                                      call.options);
}

/// Both Views of a batch with their contents, and the call between: B and X with or without a
/// dimension for columns.
template <class T, class Layout, int Rank>
std::vector<HostLstsq<T>> run_problems(std::vector<LstsqProblem<T>> const& problems, bool inverse,
                                       LstsqCall const& call, Exec const& exec) {
  std::size_t const batch = problems.size();
  auto const& first = problems.front();
  std::size_t const m = size(first.A.rows), n = size(first.A.cols);
  std::size_t const p = inverse ? m : size(first.B.cols);
  auto const index = [](std::size_t b, int i, int j) {
    if constexpr (Rank == 3)
      return std::array<std::size_t, 3>{b, size(i), size(j)};
    else
      return std::array<std::size_t, 2>{b, size(i)};
  };
  auto const extents = [&](std::size_t rows) {
    return index(batch, static_cast<int>(rows), static_cast<int>(p));
  };
  GuardedView<T, 3, Layout> A({batch, m, n});
  GuardedView<T, Rank, Layout> B(extents(inverse ? 0 : m)), X(extents(n));
  A.for_each_index([&](auto at) {
    A(at) = problems[at[0]].A(static_cast<int>(at[1]), static_cast<int>(at[2]));
  });
  for (std::size_t b = 0; b < batch && !inverse; ++b)
    for (int j = 0; j < problems[b].B.cols; ++j)
      for (int i = 0; i < problems[b].B.rows; ++i) B(index(b, i, j)) = problems[b].B(i, j);
  A.to_device();
  B.to_device();
  std::vector<LstsqInfo<RealOf<T>>> infos;
  auto const run = [&](auto&& last) {
    if constexpr (Rank == 3) {
      if (inverse) {
        auto const found = pinv(exec, A.view(), X.view(), last);
        return infos.assign(found.begin(), found.end());
      }
    }
    auto const found = lstsq(exec, A.view(), B.view(), X.view(), last);
    infos.assign(found.begin(), found.end());
  };
  // LstsqCall::one_by_one.
  [[maybe_unused]] auto const run_each = [&](auto const& a, auto const& b, auto const& x) {
    auto workspace = workspace_for(1, first.A, p, inverse, call, exec);
    infos =
        infos_one_by_one<LstsqInfo<RealOf<T>>>(exec, batch, [&](std::size_t k, auto const& info) {
          if constexpr (Rank == 3)
            if (inverse) return pinv_async(exec, a.part(k, 1), x.part(k, 1), info, workspace);
          lstsq_async(exec, a.part(k, 1), b.part(k, 1), x.part(k, 1), info, workspace);
        });
  };
  if (call.one_by_one) {
    if constexpr (has_parts<Layout>) run_each(A, B, X);
  } else if (call.workspace) {
    auto workspace = workspace_for(batch, first.A, p, inverse, call, exec);
    for (int times = 0; times < 2; ++times) run(workspace);
  } else {
    run(call.options);
  }
  X.to_host();
  bool const guarded = X.guards_intact();
  std::vector<HostLstsq<T>> results(batch);
  for (std::size_t b = 0; b < batch; ++b) {
    auto& result = results[b];
    result.info = infos.at(b);
    result.guarded = guarded;
    result.X = HostMatrix<T>(static_cast<int>(n), static_cast<int>(p));
    for (int j = 0; j < result.X.cols; ++j)
      for (int i = 0; i < result.X.rows; ++i) result.X(i, j) = X(index(b, i, j));
  }
  return results;
}

}  // namespace

template <class T>
std::vector<HostLstsq<T>> run_lstsq_batch(std::vector<LstsqProblem<T>> const& problems,
                                          bool inverse, LstsqCall const& call, Exec const& exec) {
  if (problems.empty()) return {};
  return with_layout(call.layout, [&](auto layout) {
    using Layout = decltype(layout);
    return call.vectors && !inverse ? run_problems<T, Layout, 2>(problems, inverse, call, exec)
                                    : run_problems<T, Layout, 3>(problems, inverse, call, exec);
  });
}

template <class T>
HostLstsq<T> run_lstsq(HostMatrix<T> const& A, HostMatrix<T> const& B, LstsqCall const& call,
                       Exec const& exec) {
  using Layout = Kokkos::LayoutLeft;
  auto const a = guarded_from<T, Layout>(A);
  HostLstsq<T> result;
  if (call.vectors) {
    GuardedView<T, 1, Layout> b({size(A.rows)}), x({size(A.cols)});
    for (int i = 0; i < A.rows; ++i) b({size(i)}) = B(i, 0);
    b.to_device();
    result.info = lstsq(exec, a.view(), b.view(), x.view(), call.options);
    x.to_host();
    result.guarded = x.guards_intact();
    result.X = HostMatrix<T>(A.cols, 1);
    for (int i = 0; i < A.cols; ++i) result.X(i, 0) = x({size(i)});
    return result;
  }
  auto const b = guarded_from<T, Layout>(B);
  GuardedView<T, 2, Layout> x({size(A.cols), size(B.cols)});
  result.info = lstsq(exec, a.view(), b.view(), x.view(), call.options);
  x.to_host();
  result.guarded = x.guards_intact();
  result.X = to_host_matrix(x, A.cols, B.cols);
  return result;
}

template <class T>
HostLstsq<T> run_pinv(HostMatrix<T> const& A, LstsqCall const& call, Exec const& exec) {
  using Layout = Kokkos::LayoutLeft;
  auto const a = guarded_from<T, Layout>(A);
  GuardedView<T, 2, Layout> x({size(A.cols), size(A.rows)});
  HostLstsq<T> result;
  result.info = pinv(exec, a.view(), x.view(), call.options);
  x.to_host();
  result.guarded = x.guards_intact();
  result.X = to_host_matrix(x, A.cols, A.rows);
  return result;
}

#define CARROLL_TEST_INSTANTIATE(T)                                                             \
  template std::vector<HostLstsq<T>> run_lstsq_batch(std::vector<LstsqProblem<T>> const&, bool, \
                                                     LstsqCall const&, Exec const&);            \
  template HostLstsq<T> run_lstsq(HostMatrix<T> const&, HostMatrix<T> const&, LstsqCall const&, \
                                  Exec const&);                                                 \
  template HostLstsq<T> run_pinv(HostMatrix<T> const&, LstsqCall const&, Exec const&)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<float>);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<double>);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
