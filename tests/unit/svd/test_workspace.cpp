// SPDX-License-Identifier: BSD-3-Clause
// The workspace and asynchronous forms give what the plain call gives, again and again.
#include <gtest/gtest.h>

#include <carroll/svd.hpp>
#include <span>
#include <utility>
#include <vector>

#include "support/guarded_view.hpp"
#include "support/svd/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "svd_instances.hpp"

namespace {

using namespace carroll::test;
using carroll::none;

/// Device Views for one matrix, thin.
template <class Real>
struct Problem {
  int rows;
  int cols;
  GuardedView<Real, 2, Kokkos::LayoutLeft> A;
  GuardedView<Real, 2, Kokkos::LayoutLeft> U;
  GuardedView<Real, 1, Kokkos::LayoutLeft> S;
  GuardedView<Real, 2, Kokkos::LayoutLeft> V;

  explicit Problem(HostMatrix<Real> const& matrix)
      : rows(matrix.rows),
        cols(matrix.cols),
        A(guarded_from<Real, Kokkos::LayoutLeft>(matrix)),
        U({size(rows), size(std::min(rows, cols))}),
        S({size(std::min(rows, cols))}),
        V({size(cols), size(std::min(rows, cols))}) {}

  HostSvd<Real> result(SvdInfo<Real> const& info) {
    U.to_host();
    S.to_host();
    V.to_host();
    HostSvd<Real> host{info,
                       to_host_matrix(U, rows, std::min(rows, cols)),
                       {},
                       to_host_matrix(V, cols, std::min(rows, cols))};
    S.for_each_index([&](std::array<std::size_t, 1> index) { host.S.push_back(S(index)); });
    return host;
  }
};

template <class Real>
class SvdWorkspaceTest : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SvdWorkspaceTest, Reals);

std::vector<SvdOptions> methods() {
  return {{}, {.method = carroll::SvdMethod::cyclic}, {.method = carroll::SvdMethod::round_robin}};
}

TYPED_TEST(SvdWorkspaceTest, ReusedWorkspaceGivesTheBitsOfThePlainCall) {
  Exec const exec;
  for (SvdOptions const& options : methods())
    for (auto [rows, cols] : {std::pair{20, 12}, {12, 20}, {70, 64}}) {
      auto workspace =
          carroll::svd_workspace<TypeParam>(exec, {.rows = rows, .cols = cols}, options);
      // A bad matrix in between must leave no trace in the workspace.
      for (MatrixType type : {MatrixType::random, MatrixType::zero, MatrixType::rank_deficient,
                              MatrixType::uniform01}) {
        auto const matrix = make_matrix<TypeParam>(type, rows, cols, 8);
        Problem<TypeParam> problem(matrix);
        auto const info = carroll::svd(exec, problem.A.view(), problem.U.view(), problem.S.view(),
                                       problem.V.view(), workspace);
        EXPECT_TRUE(same_result(problem.result(info), run_svd(matrix, thin_vectors, options)))
            << to_string(type) << ' ' << rows << 'x' << cols;
        auto bad = matrix;
        bad(0, 0) = std::numeric_limits<TypeParam>::quiet_NaN();
        Problem<TypeParam> bad_problem(bad);
        auto const bad_info = carroll::svd(exec, bad_problem.A.view(), bad_problem.U.view(),
                                           bad_problem.S.view(), bad_problem.V.view(), workspace);
        EXPECT_EQ(bad_info.status, carroll::Status::non_finite);
      }
    }
}

TYPED_TEST(SvdWorkspaceTest, AsyncWritesInfoToTheDevice) {
  Exec const exec;
  for (SvdOptions const& options : methods()) {
    auto const matrix = make_matrix<TypeParam>(MatrixType::random, 20, 12, 8);
    auto const expected = run_svd(matrix, thin_vectors, options);
    auto workspace = carroll::svd_workspace<TypeParam>(exec, {.rows = 20, .cols = 12}, options);
    Kokkos::View<SvdInfo<TypeParam>, Memory> const info("info");
    Problem<TypeParam> problem(matrix);
    carroll::svd_async(exec, problem.A.view(), problem.U.view(), problem.S.view(), problem.V.view(),
                       info, workspace);
    exec.fence();
    auto const host_info = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, info);
    EXPECT_TRUE(same_result(problem.result(host_info()), expected));
  }
}

TYPED_TEST(SvdWorkspaceTest, AsyncValuesOnly) {
  Exec const exec;
  auto const matrix = make_matrix<TypeParam>(MatrixType::random, 20, 12, 8);
  auto const expected = run_svd(matrix, only_values);
  auto workspace = carroll::svd_workspace<TypeParam>(
      exec, {.rows = 20, .cols = 12, .u = SvdVectors::none, .v = SvdVectors::none});
  Kokkos::View<SvdInfo<TypeParam>, Memory> const info("info");
  Problem<TypeParam> problem(matrix);
  carroll::singular_values_async(exec, problem.A.view(), problem.S.view(), info, workspace);
  exec.fence();
  EXPECT_EQ(problem.result({}).S, expected.S);
}

TYPED_TEST(SvdWorkspaceTest, BatchInfosStandInASpanUntilTheNextCall) {
  Exec const exec;
  constexpr int batch = 6;
  int const rows = 9;
  int const cols = 5;
  auto workspace =
      carroll::svd_workspace<TypeParam>(exec, {.batch = batch, .rows = rows, .cols = cols});
  GuardedView<TypeParam, 3, Kokkos::LayoutRight> A({batch, size(rows), size(cols)});
  GuardedView<TypeParam, 3, Kokkos::LayoutRight> U({batch, size(rows), size(cols)});
  GuardedView<TypeParam, 2, Kokkos::LayoutRight> S({batch, size(cols)});
  GuardedView<TypeParam, 3, Kokkos::LayoutRight> V({batch, size(cols), size(cols)});
  std::vector<HostMatrix<TypeParam>> matrices;
  for (std::size_t b = 0; b < batch; ++b) {
    matrices.push_back(make_matrix<TypeParam>(MatrixType::random, rows, cols, b));
    for (int j = 0; j < cols; ++j)
      for (int i = 0; i < rows; ++i) A({b, size(i), size(j)}) = matrices[b](i, j);
  }
  A.to_device();
  std::span<SvdInfo<TypeParam> const> const infos =
      carroll::svd(exec, A.view(), U.view(), S.view(), V.view(), workspace);
  ASSERT_EQ(infos.size(), size(batch));
  S.to_host();
  for (std::size_t b = 0; b < batch; ++b) {
    auto const expected = run_svd(matrices[b]);
    EXPECT_EQ(infos[b].status, carroll::Status::success);
    EXPECT_EQ(infos[b].sweeps, expected.info.sweeps);
    EXPECT_EQ(infos[b].rotations, expected.info.rotations);
    for (int k = 0; k < cols; ++k)
      EXPECT_EQ(S({b, size(k)}), expected.S[size(k)]) << b << ", " << k;
  }
}

TYPED_TEST(SvdWorkspaceTest, RaggedAsync) {
  Exec const exec;
  std::vector<std::pair<std::int64_t, std::int64_t>> const extents{{4, 3}, {0, 2}, {3, 7}, {33, 5}};
  auto const members = carroll::svd_members(extents);
  std::vector<HostMatrix<TypeParam>> matrices;
  std::vector<TypeParam> packed;
  for (auto [rows, cols] : extents) {
    matrices.push_back(make_matrix<TypeParam>(MatrixType::random, static_cast<int>(rows),
                                              static_cast<int>(cols), 2));
    packed.insert(packed.end(), matrices.back().data.begin(), matrices.back().data.end());
  }
  auto const expected = run_svd_ragged(matrices);
  auto workspace = carroll::svd_ragged_workspace<TypeParam>(exec, members, SvdVectors::thin,
                                                            SvdVectors::thin, SvdOptions{});
  GuardedView<TypeParam, 1, Kokkos::LayoutLeft> A({packed.size()});
  A.for_each_index([&](std::array<std::size_t, 1> k) { A(k) = packed[k[0]]; });
  A.to_device();
  std::size_t s_size = 0;
  std::size_t u_size = 0;
  std::size_t v_size = 0;
  for (auto const& one : expected) {
    s_size += one.S.size();
    u_size += one.U.data.size();
    v_size += one.V.data.size();
  }
  GuardedView<TypeParam, 1, Kokkos::LayoutLeft> U({u_size});
  GuardedView<TypeParam, 1, Kokkos::LayoutLeft> S({s_size});
  GuardedView<TypeParam, 1, Kokkos::LayoutLeft> V({v_size});
  Kokkos::View<SvdInfo<TypeParam>*, Memory> const info("info", members.size());
  carroll::svd_ragged_async(exec, A.view(), U.view(), S.view(), V.view(), info, workspace);
  exec.fence();
  U.to_host();
  S.to_host();
  V.to_host();
  auto const host_info = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, info);
  std::vector<TypeParam> all_u;
  std::vector<TypeParam> all_s;
  std::vector<TypeParam> all_v;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(host_info(k).status, expected[k].info.status);
    EXPECT_EQ(host_info(k).rank, expected[k].info.rank);
    all_u.insert(all_u.end(), expected[k].U.data.begin(), expected[k].U.data.end());
    all_s.insert(all_s.end(), expected[k].S.begin(), expected[k].S.end());
    all_v.insert(all_v.end(), expected[k].V.data.begin(), expected[k].V.data.end());
  }
  EXPECT_TRUE(U.guards_intact() && S.guards_intact() && V.guards_intact());
  for (std::size_t k = 0; k < u_size; ++k) ASSERT_EQ(U({k}), all_u[k]);
  for (std::size_t k = 0; k < s_size; ++k) ASSERT_EQ(S({k}), all_s[k]);
  for (std::size_t k = 0; k < v_size; ++k) ASSERT_EQ(V({k}), all_v[k]);
}

}  // namespace
