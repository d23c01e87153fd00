// SPDX-License-Identifier: BSD-3-Clause
#include "support/qr/drivers.hpp"

#include <array>
#include <carroll/qr.hpp>
#include <cstddef>
#include <cstdint>

#include "decompositions/qr_instances.hpp"
#include "support/guarded_view.hpp"
#include "support/one_by_one.hpp"

namespace carroll::test {
namespace {

QrExtents extents_of(std::size_t batch, int rows, int cols, QrCall const& call) {
  return {static_cast<std::int64_t>(batch), rows, cols, call.mode, call.pivoted};
}

/// The entry point that the call stands for.
template <class A, class Q, class R, class P, class... Last>
auto factorise_views(Exec const& exec, QrCall const& call, A const& a, Q const& q, R const& r,
                     P const& p, Last&&... last) {
  if (call.pivoted)
    return call.mode == QrMode::r ? pivoted_qr(exec, a, none, r, p, last...)
                                  : pivoted_qr(exec, a, q, r, p, last...);
  return call.mode == QrMode::r ? qr(exec, a, none, r, last...) : qr(exec, a, q, r, last...);
}

template <class Value>
HostQr<Value> empty_result(QrExtents const& shape) {
  HostQr<Value> result;
  auto const rows = static_cast<int>(shape.rows), cols = static_cast<int>(shape.cols);
  result.Q =
      HostMatrix<Value>(shape.mode == QrMode::r ? 0 : rows, static_cast<int>(shape.q_cols()));
  result.R = HostMatrix<Value>(static_cast<int>(shape.r_rows()), cols);
  result.P.resize(shape.pivoted ? size(cols) : 0);
  return result;
}

/// QrCall::one_by_one.
template <class A, class P>
std::vector<QrInfo> run_each(A const& a, A const& q, A const& r, P const& p, QrCall const& call,
                             Exec const& exec) {
  using Value = typename A::ViewType::non_const_value_type;
  auto workspace = qr_workspace<Value>(
      exec, extents_of(1, static_cast<int>(a.extents()[1]), static_cast<int>(a.extents()[2]), call),
      call.options);
  return infos_one_by_one<QrInfo>(exec, a.extents()[0], [&](std::size_t b, auto const& info) {
    auto const factorise = [&](auto const& Q) {
      if (call.pivoted)
        pivoted_qr_async(exec, a.part(b, 1), Q, r.part(b, 1), p.part(b, 1), info, workspace);
      else
        qr_async(exec, a.part(b, 1), Q, r.part(b, 1), info, workspace);
    };
    call.mode == QrMode::r ? factorise(none) : factorise(q.part(b, 1));
  });
}

template <class A, class P>
std::vector<QrInfo> run_together(A const& a, A const& q, A const& r, P const& p,
                                 QrExtents const& shape, QrCall const& call, Exec const& exec) {
  using Value = typename A::ViewType::non_const_value_type;
  std::vector<QrInfo> infos;
  if (call.workspace) {
    auto workspace = qr_workspace<Value>(exec, shape, call.options);
    for (int times = 0; times < 2; ++times) {
      auto const found =
          factorise_views(exec, call, a.view(), q.view(), r.view(), p.view(), workspace);
      infos.assign(found.begin(), found.end());
    }
  } else {
    infos = factorise_views(exec, call, a.view(), q.view(), r.view(), p.view(), call.options);
  }
  return infos;
}

template <class Value, class Layout>
std::vector<HostQr<Value>> run_batch(std::vector<HostMatrix<Value>> const& matrices,
                                     QrCall const& call, Exec const& exec) {
  std::size_t const batch = matrices.size();
  QrExtents const shape = extents_of(batch, matrices.front().rows, matrices.front().cols, call);
  auto const m = static_cast<std::size_t>(shape.rows), n = static_cast<std::size_t>(shape.cols);
  auto const q_cols = static_cast<std::size_t>(shape.q_cols());
  auto const r_rows = static_cast<std::size_t>(shape.r_rows());
  GuardedView<Value, 3, Layout> A({batch, m, n}), Q({batch, m, q_cols}), R({batch, r_rows, n});
  GuardedView<int, 2, Layout> P({batch, n});
  A.for_each_index(
      [&](auto at) { A(at) = matrices[at[0]](static_cast<int>(at[1]), static_cast<int>(at[2])); });
  A.to_device();
  auto const infos = [&] {
    if constexpr (has_parts<Layout>)
      if (call.one_by_one) return run_each(A, Q, R, P, call, exec);
    return run_together(A, Q, R, P, shape, call, exec);
  }();
  Q.to_host();
  R.to_host();
  P.to_host();
  bool const guarded = Q.guards_intact() && R.guards_intact() && P.guards_intact() &&
                       (call.pivoted || P.untouched()) && (call.mode != QrMode::r || Q.untouched());
  std::vector<HostQr<Value>> results(batch, empty_result<Value>(shape));
  for (std::size_t b = 0; b < batch; ++b) {
    auto& result = results[b];
    result.info = infos.at(b);
    result.guarded = guarded;
    for (int j = 0; j < result.Q.cols; ++j)
      for (int i = 0; i < result.Q.rows; ++i) result.Q(i, j) = Q({b, size(i), size(j)});
    for (int j = 0; j < result.R.cols; ++j)
      for (int i = 0; i < result.R.rows; ++i) result.R(i, j) = R({b, size(i), size(j)});
    for (std::size_t j = 0; j < result.P.size(); ++j) result.P[j] = P({b, j});
  }
  return results;
}

}  // namespace

template <class Value>
std::vector<HostQr<Value>> run_qr_batch(std::vector<HostMatrix<Value>> const& matrices,
                                        QrCall const& call, Exec const& exec) {
  if (matrices.empty()) return {};
  return with_layout(call.layout, [&](auto layout) {
    return run_batch<Value, decltype(layout)>(matrices, call, exec);
  });
}

template <class Value>
HostQr<Value> run_qr(HostMatrix<Value> const& matrix, QrCall const& call, Exec const& exec) {
  using Layout = Kokkos::LayoutLeft;
  QrExtents const shape = extents_of(1, matrix.rows, matrix.cols, call);
  auto result = empty_result<Value>(shape);
  GuardedView<Value, 2, Layout> A = guarded_from<Value, Layout>(matrix),
                                Q({size(matrix.rows), size(result.Q.cols)}),
                                R({size(result.R.rows), size(matrix.cols)});
  GuardedView<int, 1, Layout> P({size(matrix.cols)});
  result.info = factorise_views(exec, call, A.view(), Q.view(), R.view(), P.view(), call.options);
  Q.to_host();
  R.to_host();
  P.to_host();
  result.guarded = Q.guards_intact() && R.guards_intact() && P.guards_intact();
  if (call.mode != QrMode::r) result.Q = to_host_matrix(Q, result.Q.rows, result.Q.cols);
  result.R = to_host_matrix(R, result.R.rows, result.R.cols);
  for (std::size_t j = 0; j < result.P.size(); ++j) result.P[j] = P({j});
  return result;
}

template <class Value>
std::vector<HostQr<Value>> run_qr_ragged(std::vector<HostMatrix<Value>> const& matrices,
                                         QrCall const& call, Exec const& exec) {
  std::vector<std::array<std::int64_t, 2>> extents;
  std::vector<HostQr<Value>> results;
  std::size_t a_size = 0, q_size = 0, r_size = 0, p_size = 0;
  for (auto const& A : matrices) {
    extents.push_back({A.rows, A.cols});
    results.push_back(empty_result<Value>(extents_of(1, A.rows, A.cols, call)));
    a_size += A.data.size();
    q_size += results.back().Q.data.size();
    r_size += results.back().R.data.size();
    p_size += size(A.cols);
  }
  auto const members = qr_members(extents, call.mode);
  using Layout = Kokkos::LayoutLeft;
  GuardedView<Value, 1, Layout> A({a_size}), Q({q_size}), R({r_size});
  GuardedView<int, 1, Layout> P({p_size});
  std::size_t at = 0;
  for (auto const& matrix : matrices)
    for (Value const& x : matrix.data) A({at++}) = x;
  A.to_device();
  auto const run = [&](auto const& q) {
    return call.pivoted ? pivoted_qr_ragged(exec, members, call.mode, A.view(), q, R.view(),
                                            P.view(), call.options)
                        : qr_ragged(exec, members, call.mode, A.view(), q, R.view(), call.options);
  };
  auto const infos = call.mode == QrMode::r ? run(none) : run(Q.view());
  Q.to_host();
  R.to_host();
  P.to_host();
  std::size_t q = 0, r = 0, p = 0;
  bool const guarded = Q.guards_intact() && R.guards_intact() && P.guards_intact();
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    results[b].info = infos.at(b);
    results[b].guarded = guarded;
    for (Value& x : results[b].Q.data) x = Q({q++});
    for (Value& x : results[b].R.data) x = R({r++});
    for (int& x : results[b].P) x = P({p++});
  }
  return results;
}

#define CARROLL_TEST_INSTANTIATE(Value)                                                    \
  template std::vector<HostQr<Value>> run_qr_batch(std::vector<HostMatrix<Value>> const&,  \
                                                   QrCall const&, Exec const&);            \
  template HostQr<Value> run_qr(HostMatrix<Value> const&, QrCall const&, Exec const&);     \
  template std::vector<HostQr<Value>> run_qr_ragged(std::vector<HostMatrix<Value>> const&, \
                                                    QrCall const&, Exec const&)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<float>);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<double>);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
