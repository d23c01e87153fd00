// SPDX-License-Identifier: BSD-3-Clause
// Unusable arguments are answered by std::invalid_argument that gives the actual and the required
// sizes, before anything is written.
#include <gtest/gtest.h>

#include <carroll/eigh.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../complaint.hpp"
#include "eigh_instances.hpp"
#include "support/guarded_view.hpp"

namespace {

using namespace carroll::test;
using carroll::none;
using Left = Kokkos::LayoutLeft;
using Matrix = GuardedView<double, 2, Left>;
using Vector = GuardedView<double, 1, Left>;

class EighMisuse : public ::testing::Test {
 protected:
  Exec exec;
  Matrix A{{4, 4}}, V{{4, 4}};
  Vector W{{4}};

  void expect_complaint(Matrix& a, Vector& w, Matrix& v, std::vector<std::string> const& words,
                        carroll::EighOptions const& options = {}) {
    expect_words(
        complaint([&] { (void)carroll::eigh(exec, a.view(), w.view(), v.view(), options); }),
        words);
    Kokkos::fence();
    w.to_host();
    v.to_host();
    EXPECT_TRUE(w.untouched() && v.untouched());
  }
};

TEST_F(EighMisuse, RightArgumentsAreAccepted) {
  EXPECT_EQ(complaint([&] { (void)carroll::eigh(exec, A.view(), W.view(), V.view()); }), "");
}

TEST_F(EighMisuse, Extents) {
  Matrix wide({4, 5}), small({3, 4});
  Vector long_one({5});
  expect_complaint(wide, W, V, {"carroll::eigh: ", "A is 4×5", "as many rows as columns"});
  expect_complaint(A, long_one, V, {"W is 5, must be 4"});
  expect_complaint(A, W, small, {"V is 3×4, must be 4×4"});
}

TEST_F(EighMisuse, Aliasing) {
  expect_words(complaint([&] { (void)carroll::eigh(exec, A.view(), W.view(), A.view()); }),
               {"A and V overlap"});
}

TEST_F(EighMisuse, Options) {
  carroll::EighOptions options;
  options.max_sweeps = 0;
  expect_complaint(A, W, V, {"options.max_sweeps is 0"}, options);
}

TEST_F(EighMisuse, WorkspaceOfOtherExtents) {
  auto workspace = carroll::eigh_workspace<double>(exec, {.n = 5});
  expect_words(
      complaint([&] { (void)carroll::eigh(exec, A.view(), W.view(), V.view(), workspace); }),
      {"A is 4×4, must be 5×5"});
  auto values = carroll::eigh_workspace<double>(exec, {.n = 4, .vectors = false});
  expect_words(complaint([&] { (void)carroll::eigh(exec, A.view(), W.view(), V.view(), values); }),
               {"V is given, but the workspace was made without it"});
  auto vectors = carroll::eigh_workspace<double>(exec, {.n = 4});
  expect_words(
      complaint([&] { (void)carroll::symmetric_eigenvalues(exec, A.view(), W.view(), vectors); }),
      {"symmetric_eigenvalues: V is carroll::none"});
}

TEST_F(EighMisuse, ComplexMatrices) {
  using Complex = Kokkos::complex<double>;
  GuardedView<Complex, 2, Left> Z({4, 4}), U({4, 4}), small({3, 4});
  EXPECT_EQ(complaint([&] { (void)carroll::eigh(exec, Z.view(), W.view(), U.view()); }), "");
  expect_words(complaint([&] { (void)carroll::eigh(exec, Z.view(), W.view(), small.view()); }),
               {"V is 3×4, must be 4×4"});
  expect_words(complaint([&] { (void)carroll::eigh(exec, Z.view(), W.view(), Z.view()); }),
               {"A and V overlap"});
  auto workspace = carroll::eigh_workspace<Complex>(exec, {.n = 5});
  expect_words(
      complaint([&] { (void)carroll::eigh(exec, Z.view(), W.view(), U.view(), workspace); }),
      {"A is 4×4, must be 5×5"});
}

TEST_F(EighMisuse, UnusableExtents) {
  expect_words(complaint([&] { (void)carroll::eigh_workspace<double>(exec, {.n = -1}); }),
               {"the order is -1"});
  expect_words(complaint([&] {
                 (void)carroll::eigh_workspace<double>(
                     exec, {.batch = std::numeric_limits<int>::max(), .n = 1'000'000'000});
               }),
               {"more workspace than can be addressed"});
}

TEST_F(EighMisuse, RaggedMembers) {
  Vector packed({32}), out({8}), vectors({32});
  auto const call = [&](std::vector<carroll::EighMember> const& members) {
    return complaint([&] {
      (void)carroll::eigh_ragged(exec, members, packed.view(), out.view(), vectors.view());
    });
  };
  EXPECT_EQ(call({{4, 0, 0, 0}, {4, 16, 4, 16}}), "");
  expect_words(call({{4, 0, 0, 0}, {4, 0, 3, 16}}), {"W of members[0] and of members[1] overlap"});
  expect_words(call({{4, 0, 0, 0}, {4, 0, 4, 8}}), {"V of members[0] and of members[1] overlap"});
  expect_words(call({{4, 20, 0, 0}}), {"A has 32 entries, the members need 36"});
  expect_words(call({{-1, 0, 0, 0}}), {"members[0] has the order -1"});
  expect_words(call({{1, -2, 0, 0}}), {"members[0] has an unusable offset (a -2"});
}

TEST_F(EighMisuse, ComplexRaggedMembers) {
  using Complex = Kokkos::complex<double>;
  GuardedView<Complex, 1, Left> packed({32}), vectors({32});
  Vector out({8});
  auto const call = [&](std::vector<carroll::EighMember> const& members) {
    return complaint([&] {
      (void)carroll::eigh_ragged(exec, members, packed.view(), out.view(), vectors.view());
    });
  };
  EXPECT_EQ(call({{4, 0, 0, 0}, {4, 16, 4, 16}}), "");
  expect_words(call({{4, 0, 0, 0}, {4, 0, 3, 16}}), {"W of members[0] and of members[1] overlap"});
  expect_words(call({{4, 20, 0, 0}}), {"A has 32 entries, the members need 36"});
  expect_words(call({{4, 0, 5, 0}}), {"W has 8 entries, the members need 9"});
  auto workspace = carroll::eigh_workspace<Complex>(exec, {.batch = 2, .n = 4});
  expect_words(complaint([&] {
                 (void)carroll::eigh_ragged(exec, packed.view(), out.view(), vectors.view(),
                                            workspace);
               }),
               {"ragged"});
}

}  // namespace
