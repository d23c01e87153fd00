// SPDX-License-Identifier: BSD-3-Clause
// Unusable arguments are answered by std::invalid_argument that gives the actual and the required
// sizes, before anything is written.
#include <gtest/gtest.h>

#include <carroll/qr.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../complaint.hpp"
#include "decompositions/qr_instances.hpp"
#include "support/guarded_view.hpp"

namespace {

using namespace carroll::test;
using carroll::none;
using carroll::QrMode;
using Matrix = GuardedView<double, 2, Kokkos::LayoutLeft>;
using Packed = GuardedView<double, 1, Kokkos::LayoutLeft>;
using Order = GuardedView<int, 1, Kokkos::LayoutLeft>;

class QrMisuse : public ::testing::Test {
 protected:
  Exec exec;
  Matrix A{{6, 4}}, Q{{6, 4}}, R{{4, 4}};
  Order P{{4}};

  void expect_complaint(Matrix& q, Matrix& r, std::vector<std::string> const& words,
                        carroll::QrOptions const& options = {}) {
    expect_words(complaint([&] { (void)carroll::qr(exec, A.view(), q.view(), r.view(), options); }),
                 words);
    Kokkos::fence();
    q.to_host();
    r.to_host();
    EXPECT_TRUE(q.untouched() && r.untouched());
  }
};

TEST_F(QrMisuse, RightArgumentsAreAccepted) {
  Matrix basis({6, 6}), tall({6, 4});
  EXPECT_EQ(complaint([&] { (void)carroll::qr(exec, A.view(), Q.view(), R.view()); }), "");
  EXPECT_EQ(complaint([&] { (void)carroll::qr(exec, A.view(), none, R.view()); }), "");
  EXPECT_EQ(complaint([&] { (void)carroll::qr(exec, A.view(), basis.view(), tall.view()); }), "");
}

TEST_F(QrMisuse, Extents) {
  Matrix narrow({6, 3}), basis({6, 6}), tall({6, 4});
  Order long_one({5});
  expect_complaint(narrow, R, {"carroll::qr: ", "Q is 6×3, must be 6×4"});
  expect_complaint(Q, tall, {"R is 6×4, must be 4×4"});
  expect_complaint(basis, R, {"R is 4×4, must be 6×4"});
  expect_words(complaint([&] {
                 (void)carroll::pivoted_qr(exec, A.view(), Q.view(), R.view(), long_one.view());
               }),
               {"carroll::pivoted_qr: ", "P is 5, must be 4"});
}

TEST_F(QrMisuse, Aliasing) {
  expect_words(complaint([&] { (void)carroll::qr(exec, A.view(), A.view(), R.view()); }),
               {"A and Q overlap"});
  Matrix square({4, 4});
  expect_words(complaint([&] { (void)carroll::qr(exec, square.view(), R.view(), R.view()); }),
               {"Q and R overlap"});
}

TEST_F(QrMisuse, Options) {
  expect_complaint(Q, R, {"options.rank_tolerance is 1.0"}, {.rank_tolerance = 1});
  expect_complaint(Q, R, {"options.rank_tolerance is "},
                   {.rank_tolerance = std::numeric_limits<double>::quiet_NaN()});
}

TEST_F(QrMisuse, WorkspaceOfOtherExtents) {
  auto const call = [&](carroll::QrExtents const& extents) {
    auto workspace = carroll::qr_workspace<double>(exec, extents);
    return complaint([&] { (void)carroll::qr(exec, A.view(), Q.view(), R.view(), workspace); });
  };
  EXPECT_EQ(call({.rows = 6, .cols = 4}), "");
  expect_words(call({.rows = 6, .cols = 5}), {"A is 6×4, must be 6×5"});
  expect_words(call({.rows = 6, .cols = 4, .mode = QrMode::full}), {"Q is 6×4, must be 6×6"});
  expect_words(call({.rows = 6, .cols = 4, .mode = QrMode::r}),
               {"Q is given, but the workspace was made without it"});
  expect_words(call({.rows = 6, .cols = 4, .pivoted = true}), {"was made for pivoting"});
  auto workspace = carroll::qr_workspace<double>(exec, {.rows = 6, .cols = 4});
  expect_words(complaint([&] {
                 (void)carroll::pivoted_qr(exec, A.view(), Q.view(), R.view(), P.view(), workspace);
               }),
               {"was made without pivoting"});
}

TEST_F(QrMisuse, ComplexMatrices) {
  using Complex = Kokkos::complex<float>;
  GuardedView<Complex, 2, Kokkos::LayoutLeft> a({6, 4}), q({6, 4}), r({4, 4}), tall({6, 4});
  auto const call = [&](auto const& Q_view, auto const& R_view) {
    return complaint([&] { (void)carroll::qr(exec, a.view(), Q_view, R_view); });
  };
  EXPECT_EQ(call(q.view(), r.view()), "");
  expect_words(call(q.view(), tall.view()), {"carroll::qr: ", "R is 6×4, must be 4×4"});
  expect_words(call(a.view(), r.view()), {"A and Q overlap"});
  tall.to_host();
  EXPECT_TRUE(tall.untouched());
}

TEST_F(QrMisuse, UnusableExtents) {
  expect_words(complaint([&] { (void)carroll::qr_workspace<double>(exec, {.rows = -1}); }),
               {"the number of rows is -1"});
  expect_words(complaint([&] {
                 (void)carroll::qr_workspace<double>(
                     exec, {.batch = std::numeric_limits<int>::max(), .rows = 1'000'000'000});
               }),
               {"more workspace than can be addressed"});
}

TEST_F(QrMisuse, RaggedMembers) {
  Packed a({32}), q({32}), r({16});
  auto const call = [&](std::vector<carroll::QrMember> const& members) {
    return complaint([&] {
      (void)carroll::qr_ragged(exec, members, QrMode::thin, a.view(), q.view(), r.view());
    });
  };
  EXPECT_EQ(call({{4, 2, 0, 0, 0, 0}, {4, 2, 8, 8, 4, 0}}), "");
  expect_words(call({{4, 2, 0, 0, 0, 0}, {4, 2, 0, 4, 4, 0}}),
               {"Q of members[0] and of members[1] overlap"});
  expect_words(call({{4, 2, 0, 0, 0, 0}, {4, 2, 0, 8, 3, 0}}),
               {"R of members[0] and of members[1] overlap"});
  expect_words(call({{4, 4, 20, 0, 0, 0}}), {"A has 32 entries, the members need 36"});
  expect_words(call({{-1, 3, 0, 0, 0, 0}}), {"members[0] is -1×3"});
  expect_words(call({{1, 1, -2, 0, 0, 0}}), {"members[0] has an unusable offset (a -2"});
}

}  // namespace
