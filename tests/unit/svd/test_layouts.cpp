// SPDX-License-Identifier: BSD-3-Clause
// Every layout, also with gaps between entries: the same bits as LayoutLeft, nothing written beside
// the outputs, A unchanged.
#include <gtest/gtest.h>

#include <carroll/svd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/guarded_view.hpp"
#include "support/svd/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "svd_instances.hpp"

namespace {

using namespace carroll::test;
using carroll::none;

template <class Real, class ALayout, class ULayout = ALayout, class SLayout = ALayout,
          class VLayout = ALayout>
struct Layouts {
  using Scalar = Real;
  using A = ALayout;
  using U = ULayout;
  using S = SLayout;
  using V = VLayout;
};
using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;
using Stride = Kokkos::LayoutStride;

template <class Types>
class SvdLayouts : public ::testing::Test {
 protected:
  using Real = typename Types::Scalar;

  void check(int rows, int cols, Wanted wanted) {
    SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(cols) + ", wanted " +
                 std::to_string(static_cast<int>(wanted.u)) +
                 std::to_string(static_cast<int>(wanted.v)));
    auto const matrix = make_matrix<Real>(MatrixType::random, rows, cols, 31);
    auto const expected = run_svd(matrix, wanted);
    auto A = guarded_from<Real, typename Types::A>(matrix);
    auto const A_before = A;
    GuardedView<Real, 2, typename Types::U> U({size(rows), size(expected.U.cols)});
    GuardedView<Real, 1, typename Types::S> S({expected.S.size()});
    GuardedView<Real, 2, typename Types::V> V({size(cols), size(expected.V.cols)});

    Exec const exec;
    // A is read through a View of constants.
    typename GuardedView<Real, 2, typename Types::A>::ViewType::const_type const A_view = A.view();
    HostSvd<Real> result;
    if (wanted.u == SvdVectors::none && wanted.v == SvdVectors::none)
      result.info = carroll::singular_values(exec, A_view, S.view());
    else if (wanted.v == SvdVectors::none)
      result.info = carroll::svd(exec, A_view, U.view(), S.view(), none);
    else if (wanted.u == SvdVectors::none)
      result.info = carroll::svd(exec, A_view, none, S.view(), V.view());
    else
      result.info = carroll::svd(exec, A_view, U.view(), S.view(), V.view());

    A.to_host();
    U.to_host();
    S.to_host();
    V.to_host();
    result.U = to_host_matrix(U, rows, expected.U.cols);
    result.V = to_host_matrix(V, cols, expected.V.cols);
    S.for_each_index([&](std::array<std::size_t, 1> index) { result.S.push_back(S(index)); });
    EXPECT_TRUE(same_result(result, expected));
    EXPECT_TRUE(A.guards_intact() && U.guards_intact() && S.guards_intact() && V.guards_intact());
    EXPECT_TRUE(same_bits(to_host_matrix(A, rows, cols), to_host_matrix(A_before, rows, cols)));
  }
};

using AllLayouts =
    ::testing::Types<Layouts<float, Left>, Layouts<float, Right>, Layouts<float, Stride>,
                     Layouts<double, Left>, Layouts<double, Right>, Layouts<double, Stride>,
                     Layouts<float, Right, Left, Stride, Stride>,
                     Layouts<double, Stride, Right, Left, Left>>;

struct LayoutsName {
  template <class Types>
  static std::string GetName(int) {
    return std::string(sizeof(typename Types::Scalar) == 4 ? "float" : "double") + "_A" +
           layout_name<typename Types::A> + "_U" + layout_name<typename Types::U> + "_V" +
           layout_name<typename Types::V>;
  }
};
TYPED_TEST_SUITE(SvdLayouts, AllLayouts, LayoutsName);

TYPED_TEST(SvdLayouts, SameBitsAndNothingElseWritten) {
  for (auto [rows, cols] :
       {std::pair{1, 1}, {5, 3}, {3, 5}, {33, 31}, {31, 33}, {40, 40}, {80, 6}, {0, 4}, {4, 0}})
    for (Wanted wanted :
         {thin_vectors, full_vectors, only_u, only_v, only_values,
          Wanted{SvdVectors::full, SvdVectors::thin}, Wanted{SvdVectors::thin, SvdVectors::full}})
      this->check(rows, cols, wanted);
}

template <class Types>
class SvdBatchLayouts : public ::testing::Test {};
using BatchLayouts = ::testing::Types<Layouts<float, Left>, Layouts<double, Right>,
                                      Layouts<float, Stride>, Layouts<double, Stride>>;
TYPED_TEST_SUITE(SvdBatchLayouts, BatchLayouts, LayoutsName);

TYPED_TEST(SvdBatchLayouts, SameBitsAndNothingElseWritten) {
  using Real = typename TypeParam::Scalar;
  using Layout = typename TypeParam::A;
  constexpr int batch = 4;
  for (auto [rows, cols] : {std::pair{5, 3}, {3, 5}, {33, 31}, {0, 2}}) {
    int const least = std::min(rows, cols);
    GuardedView<Real, 3, Layout> A({batch, size(rows), size(cols)});
    GuardedView<Real, 3, Layout> U({batch, size(rows), size(least)});
    GuardedView<Real, 2, Layout> S({batch, size(least)});
    GuardedView<Real, 3, Layout> V({batch, size(cols), size(least)});
    std::vector<HostMatrix<Real>> matrices;
    for (std::size_t b = 0; b < batch; ++b) {
      matrices.push_back(make_matrix<Real>(MatrixType::random, rows, cols, b));
      for (int j = 0; j < cols; ++j)
        for (int i = 0; i < rows; ++i) A({b, size(i), size(j)}) = matrices[b](i, j);
    }
    A.to_device();
    auto const infos = carroll::svd(Exec{}, A.view(), U.view(), S.view(), V.view());
    U.to_host();
    S.to_host();
    V.to_host();
    ASSERT_EQ(infos.size(), size(batch));
    EXPECT_TRUE(U.guards_intact() && S.guards_intact() && V.guards_intact());
    for (std::size_t b = 0; b < batch; ++b) {
      auto const expected = run_svd(matrices[b]);
      HostSvd<Real> result{
          infos[b], HostMatrix<Real>(rows, least), {}, HostMatrix<Real>(cols, least)};
      for (int k = 0; k < least; ++k) {
        result.S.push_back(S({b, size(k)}));
        for (int i = 0; i < rows; ++i) result.U(i, k) = U({b, size(i), size(k)});
        for (int i = 0; i < cols; ++i) result.V(i, k) = V({b, size(i), size(k)});
      }
      EXPECT_TRUE(same_result(result, expected)) << rows << 'x' << cols << ", member " << b;
    }
  }
}

template <class Real>
class SvdEmptyBatch : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SvdEmptyBatch, Reals);

TYPED_TEST(SvdEmptyBatch, SucceedsWithNoInfos) {
  EXPECT_TRUE(run_svd_ragged(std::vector<HostMatrix<TypeParam>>{}).empty());
  GuardedView<TypeParam, 3, Left> A({0, 4, 3});
  GuardedView<TypeParam, 3, Left> U({0, 4, 3});
  GuardedView<TypeParam, 2, Left> S({0, 3});
  GuardedView<TypeParam, 3, Left> V({0, 3, 3});
  EXPECT_TRUE(carroll::svd(Exec{}, A.view(), U.view(), S.view(), V.view()).empty());
  EXPECT_TRUE(carroll::singular_values(Exec{}, A.view(), S.view()).empty());
}

}  // namespace
