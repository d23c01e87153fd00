// SPDX-License-Identifier: BSD-3-Clause
// Unusable arguments of `svd` for complex matrices are answered by std::invalid_argument that gives
// the actual and the required sizes, before anything is written.
#include <gtest/gtest.h>

#include <carroll/complex_svd.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../complaint.hpp"
#include "decompositions/complex_svd_instances.hpp"
#include "support/guarded_view.hpp"

namespace {

using namespace carroll::test;
using carroll::none;
using carroll::SvdVectors;
using Complex = Kokkos::complex<double>;
using Matrix = GuardedView<Complex, 2, Kokkos::LayoutLeft>;
using Values = GuardedView<double, 1, Kokkos::LayoutLeft>;

class ComplexSvdMisuse : public ::testing::Test {
 protected:
  Exec exec;
  Matrix A{{6, 4}}, U{{6, 4}}, V{{4, 4}};
  Values S{{4}};

  void expect_complaint(Matrix& u, Values& s, Matrix& v, std::string const& words,
                        carroll::SvdOptions const& options = {}) {
    auto const text = complaint(
        [&] { (void)carroll::svd(exec, A.view(), u.view(), s.view(), v.view(), options); });
    EXPECT_EQ(text.rfind("carroll::svd: ", 0), 0U) << text;
    EXPECT_NE(text.find(words), std::string::npos) << text;
    Kokkos::fence();
    for (Matrix* const each : {&u, &v}) {
      each->to_host();
      EXPECT_TRUE(each->untouched());
    }
    s.to_host();
    EXPECT_TRUE(s.untouched());
  }
  std::string with_workspace(carroll::SvdExtents const& extents) {
    auto workspace = carroll::svd_workspace<Complex>(exec, extents);
    return complaint(
        [&] { (void)carroll::svd(exec, A.view(), U.view(), S.view(), V.view(), workspace); });
  }
};

TEST_F(ComplexSvdMisuse, RightArgumentsAreAccepted) {
  Matrix full({6, 6});
  auto const call = [&](auto const& u, auto const& v) {
    return complaint([&] { (void)carroll::svd(exec, A.view(), u, S.view(), v); });
  };
  EXPECT_EQ(call(U.view(), V.view()), "");
  EXPECT_EQ(call(full.view(), none), "");
  EXPECT_EQ(call(none, V.view()), "");
}

TEST_F(ComplexSvdMisuse, Extents) {
  Matrix narrow({6, 3}), low({5, 4}), wide({4, 6});
  Values five({5});
  expect_complaint(narrow, S, V, "U has 3 columns, must have 4 (thin) or 6 (full)");
  expect_complaint(low, S, V, "U is 5×4, must be 6×4");
  expect_complaint(U, five, V, "S is 5, must be 4");
  expect_complaint(U, S, wide, "V has 6 columns, must have 4");
}

TEST_F(ComplexSvdMisuse, Aliasing) {
  EXPECT_NE(complaint([&] {
              (void)carroll::svd(exec, A.view(), A.view(), S.view(), V.view());
            }).find("A and U overlap"),
            std::string::npos);
  // S in U's memory: of another size of entries.
  Kokkos::View<double*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const inside(
      reinterpret_cast<double*>(U.view().data()) + 3, 4);
  EXPECT_NE(complaint([&] {
              (void)carroll::svd(exec, A.view(), U.view(), inside, V.view());
            }).find("U and S overlap"),
            std::string::npos);
}

TEST_F(ComplexSvdMisuse, Options) {
  expect_complaint(U, S, V, "options.tolerance is 1.0", {.tolerance = 1});
  expect_complaint(U, S, V, "options.max_sweeps is 0", {.max_sweeps = 0});
  expect_complaint(U, S, V, "options.method must be preconditioned for complex matrices",
                   {.method = carroll::SvdMethod::cyclic});
}

TEST_F(ComplexSvdMisuse, WorkspaceOfOtherExtents) {
  EXPECT_EQ(with_workspace({.rows = 6, .cols = 4}), "");
  EXPECT_NE(with_workspace({.rows = 6, .cols = 5}).find("A is 6×4, must be 6×5"),
            std::string::npos);
  EXPECT_NE(with_workspace({.rows = 6, .cols = 4, .u = SvdVectors::none})
                .find("U is given, but the workspace was made without it"),
            std::string::npos);
  EXPECT_NE(with_workspace({.batch = 2, .rows = 6, .cols = 4})
                .find("A is for one problem, the workspace was made for a batch of 2"),
            std::string::npos);
}

TEST_F(ComplexSvdMisuse, UnusableExtents) {
  auto const make = [&](carroll::SvdExtents const& extents) {
    return complaint([&] { (void)carroll::svd_workspace<Complex>(exec, extents); });
  };
  EXPECT_NE(make({.rows = -1}).find("the number of rows is -1"), std::string::npos);
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  EXPECT_NE(make({.batch = most, .rows = most, .cols = 8}).find("than can be addressed"),
            std::string::npos);
}

}  // namespace
