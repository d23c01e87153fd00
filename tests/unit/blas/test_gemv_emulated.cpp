// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/matrix_vector/access.hpp>
#include <string>
#include <vector>

#include "support/emulated_types.hpp"
#include "support/random.hpp"
#include "unit/blas/strided_array.hpp"

/// The kernels of devices with warps on the host, where threads take turns, against the host's, bit
/// by bit.
namespace {

using namespace carroll::test;
using carroll::GemvKernel;
using carroll::detail::EmulatedSpace;
using carroll::detail::MatrixVector;
using carroll::detail::MatrixVectorPlan;

enum class GemvOrder { columns, rows, apart };

template <class T>
class EmulatedGemv {
 public:
  EmulatedGemv(int rows, int terms, int members, GemvOrder order, std::uint64_t seed)
      : a_(size(rows) * size(terms) * size(members) * 3),
        x_(size(terms) * size(members)),
        y_(size(rows) * size(members)) {
    Random random(seed);
    for (auto* const entries : {&a_, &x_, &y_})
      std::generate(entries->begin(), entries->end(), [&] { return random_entry<T>(random); });
    problem_.alpha = T(0.75);
    problem_.beta = T(seed % 2 == 0 ? 0 : -2);
    problem_.a = a_.data();
    problem_.x = x_.data();
    problem_.rows = rows;
    problem_.terms = terms;
    problem_.members = members;
    int const step = order == GemvOrder::apart ? 3 : 1;
    problem_.a_distance = std::ptrdiff_t{rows} * terms * step;
    problem_.row_stride = order == GemvOrder::columns ? 1 : step * terms;
    problem_.term_stride = order == GemvOrder::columns ? rows : step;
    problem_.x_distance = terms;
    problem_.y_distance = rows;
    problem_.conjugate = seed % 3 == 0;
  }

  [[nodiscard]] MatrixVectorPlan plan() const {
    return carroll::detail::device_plan(carroll::detail::matrix_vector_scalar<T>,
                                        carroll::detail::matrix_vector_order(problem_),
                                        problem_.rows, problem_.terms, problem_.members, 2);
  }
  void check(MatrixVectorPlan const& plan) const {
    SCOPED_TRACE(std::string(to_string(plan.kernel)) + ", width " + std::to_string(plan.width) +
                 ", groups " + std::to_string(plan.groups) + ", rows " +
                 std::to_string(problem_.rows) + ", terms " + std::to_string(problem_.terms));
    auto const expected =
        by(Kokkos::DefaultHostExecutionSpace(),
           carroll::detail::host_plan(carroll::detail::matrix_vector_scalar<T>,
                                      carroll::detail::matrix_vector_order(problem_), problem_.rows,
                                      problem_.terms, problem_.members, 1));
    auto const found = by(EmulatedSpace{}, plan);
    int wrong = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      wrong += same_number(found[i], expected[i]) ? 0 : 1;
    EXPECT_EQ(wrong, 0);
  }

 private:
  template <class ExecSpace>
  std::vector<T> by(ExecSpace const& exec, MatrixVectorPlan const& plan) const {
    auto y = y_;
    auto problem = problem_;
    problem.y = y.data();
    std::vector<typename MatrixVector<T>::Sum> partials(size(plan.groups) * y.size());
    std::vector<int> arrived(size(plan.blocks) * size(problem.members));
    carroll::detail::enqueue_matrix_vector(exec, problem, plan, {partials.data(), arrived.data()});
    EXPECT_EQ(std::count(arrived.begin(), arrived.end(), 0),
              static_cast<std::ptrdiff_t>(arrived.size()));
    return y;
  }

  std::vector<T> a_, x_, y_;
  MatrixVector<T> problem_;
};

template <class T>
void check_gemv(std::uint64_t seed) {
  int const extents[][2] = {{1, 1},    {5, 8},     {40, 7},   {33, 16}, {70, 32},   {9, 33},
                            {20, 64},  {3, 100},   {40, 65},  {7, 128}, {100, 300}, {17, 1025},
                            {2, 3000}, {40, 2100}, {1, 9000}, {130, 1}};
  for (auto const& [rows, terms] : extents)
    for (auto const order : {GemvOrder::columns, GemvOrder::rows, GemvOrder::apart}) {
      ++seed;
      EmulatedGemv<T> const problem(rows, terms, 1 + static_cast<int>(seed % 2), order, seed);
      problem.check(problem.plan());
    }
}

template <class T>
class EmulatedGemvTest : public ::testing::Test {};
using Scalars = carroll::test::EmulatedTypes<::testing::Types<double, Kokkos::complex<float>>,
                                             ::testing::Types<float, Kokkos::complex<double>>>;
TYPED_TEST_SUITE(EmulatedGemvTest, Scalars);

TYPED_TEST(EmulatedGemvTest, IsAsOnHosts) {
  check_gemv<TypeParam>(1);
}

// Cut otherwise than the table says: other blocks, and groups of one chunk.
TEST(EmulatedGemv, OtherCuts) {
  EmulatedGemv<double> const columns(40, 4100, 1, GemvOrder::columns, 7);
  auto plan = columns.plan();
  for (int block : {16, 32})
    for (int chunks : {1, 2, 8}) {
      plan.block_rows = block;
      plan.width = 512 / block;
      plan.threads = 512;
      plan.blocks = (40 + block - 1) / block;
      plan.group_chunks = chunks;
      plan.groups = (5 + chunks - 1) / chunks;
      columns.check(plan);
    }
  EmulatedGemv<double> const rows(21, 4100, 1, GemvOrder::rows, 8);
  plan = rows.plan();
  for (int block : {2, 8, 16})
    for (int chunks : {1, 4, 8}) {
      plan.block_rows = block;
      plan.blocks = (21 + block - 1) / block;
      plan.group_chunks = chunks;
      plan.groups = (5 + chunks - 1) / chunks;
      rows.check(plan);
    }
}

}  // namespace
