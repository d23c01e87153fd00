// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <carroll/detail/qr/warp/kernel.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/qr/checks.hpp"
#include "support/random.hpp"
#include "support/svd/matrix_types.hpp"

/// QR in the registers of warps, on the host: lanes take turns.
namespace {

using namespace carroll::test;
using carroll::QrInfo;
using carroll::QrMode;
using carroll::Status;
using carroll::detail::EmulatedSpace;
using carroll::detail::QrBatch;
using carroll::detail::QrFamily;
using carroll::detail::QrPlan;
using carroll::detail::QrSlot;

enum class Order { columns, rows };

struct Call {
  QrMode mode = QrMode::thin;
  bool pivoted = false;
  Order order = Order::columns;
};

/// The storage of members, each A, Q, R, P behind the one before.
template <class Real>
struct Storage {
  static constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  Call call;
  std::vector<carroll::QrMember> members;
  std::vector<Real> A, Q, R;
  std::vector<int> P;
  std::vector<QrSlot> slots;
  std::vector<QrInfo> infos;
  QrBatch<Real> batch{};

  Storage(std::vector<HostMatrix<Real>> const& matrices, Call const& c)
      : call(c), infos(matrices.size()) {
    std::vector<std::array<std::int64_t, 2>> extents;
    for (auto const& matrix : matrices) {
      extents.push_back({matrix.rows, matrix.cols});
      for (std::int64_t k = 0; k < matrix.rows * matrix.cols; ++k)
        A.push_back(by_columns() ? matrix(k % matrix.rows, k / matrix.rows)
                                 : matrix(k / matrix.cols, k % matrix.cols));
    }
    members = carroll::qr_members(extents, call.mode);
    std::size_t q = 1, r = 1, p = 1;
    for (auto const& at : members) {
      slots.push_back({at, 0});
      carroll::QrExtents const shape{1, at.rows, at.cols, call.mode};
      q += static_cast<std::size_t>(at.rows * shape.q_cols());
      r += static_cast<std::size_t>(shape.r_rows() * at.cols);
      p += static_cast<std::size_t>(at.cols);
    }
    A.push_back(nan);
    Q.assign(q, nan);
    R.assign(r, nan);
    P.assign(p, -1);
    batch.mode = call.mode;
    batch.rank_tolerance = -1;
    batch.infos = infos.data();
    batch.info_stride = 1;
    batch.a.data = A.data();
    batch.q.data = call.mode == QrMode::r ? nullptr : Q.data();
    batch.r.data = R.data();
    batch.p.data = call.pivoted ? P.data() : nullptr;
  }

  [[nodiscard]] bool by_columns() const { return call.order == Order::columns; }

  void make_ragged() { batch.slots = slots.data(); }

  void make_uniform() {
    auto const count = static_cast<std::int64_t>(members.size());
    auto const m = members.front().rows, n = members.front().cols;
    carroll::QrExtents const shape{count, m, n, call.mode};
    auto const lay_out = [&](auto& view, std::int64_t rows, std::int64_t cols) {
      view.extents = {count, rows, cols};
      view.strides = {rows * cols, by_columns() ? 1 : cols, by_columns() ? rows : 1};
    };
    lay_out(batch.a, m, n);
    lay_out(batch.q, m, shape.q_cols());
    lay_out(batch.r, shape.r_rows(), n);
    batch.p.extents = {count, n, 1};
    batch.p.strides = {n, 1, 1};
  }

  [[nodiscard]] std::vector<HostQr<Real>> results() const {
    auto const matrix = [&](std::vector<Real> const& x, std::int64_t at, std::int64_t rows,
                            std::int64_t cols) {
      HostMatrix<Real> result(static_cast<int>(rows), static_cast<int>(cols));
      for (std::int64_t k = 0; k < rows * cols; ++k)
        (by_columns() ? result(k % rows, k / rows) : result(k / cols, k % cols)) =
            x[static_cast<std::size_t>(at + k)];
      return result;
    };
    std::vector<HostQr<Real>> all;
    for (std::size_t b = 0; b < members.size(); ++b) {
      auto const& at = members[b];
      carroll::QrExtents const shape{1, at.rows, at.cols, call.mode};
      HostQr<Real> result;
      result.info = infos[b];
      if (call.mode != QrMode::r) result.Q = matrix(Q, at.q, at.rows, shape.q_cols());
      result.R = matrix(R, at.r, shape.r_rows(), at.cols);
      if (call.pivoted) result.P.assign(P.begin() + at.p, P.begin() + at.p + at.cols);
      all.push_back(result);
    }
    return all;
  }
};

template <class Real>
std::vector<HostQr<Real>> factorise(std::vector<HostMatrix<Real>> const& matrices,
                                    Call const& call) {
  Storage<Real> at(matrices, call);
  at.make_uniform();
  carroll::detail::enqueue_qr_warp(
      EmulatedSpace{}, at.batch,
      QrPlan::uniform(QrFamily::warp, static_cast<int>(matrices.size()), matrices[0].rows,
                      matrices[0].cols));
  return at.results();
}

template <class Real>
std::vector<HostQr<Real>> factorise_ragged(std::vector<HostMatrix<Real>> const& matrices,
                                           Call const& call) {
  Storage<Real> at(matrices, call);
  at.make_ragged();
  QrPlan plan;
  for (auto const& member : at.members)
    plan.add(QrFamily::warp, static_cast<int>(member.rows), static_cast<int>(member.cols));
  std::vector<int> const sorted = plan.sort();
  plan.set_sorted(sorted.data());
  carroll::detail::enqueue_qr_warp(EmulatedSpace{}, at.batch, plan);
  return at.results();
}

/// One of every type, or of every `step`-th.
template <class Real>
std::vector<HostMatrix<Real>> all_types(int m, int n, int step = 1) {
  std::vector<HostMatrix<Real>> matrices;
  int k = 0;
  for (MatrixType const type : all_matrix_types())
    if (k++ % step == 0) matrices.push_back(make_matrix<Real>(type, m, n, 6));
  return matrices;
}

template <class Real>
class EmulatedQr : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EmulatedQr, Scalars);

TYPED_TEST(EmulatedQr, EveryTypeAndShape) {
  for (auto const& [m, n] : std::vector<std::pair<int, int>>{{1, 1},
                                                             {1, 4},
                                                             {4, 1},
                                                             {4, 4},
                                                             {5, 3},
                                                             {3, 5},
                                                             {8, 8},
                                                             {9, 16},
                                                             {16, 9},
                                                             {23, 24},
                                                             {32, 2},
                                                             {25, 32},
                                                             {32, 32}})
    for (bool const pivoted : {false, true})
      for (Order const order : {Order::columns, Order::rows}) {
        auto const matrices = all_types<TypeParam>(m, n, m * n > 300 ? 3 : 1);
        auto const results = factorise(matrices, {QrMode::thin, pivoted, order});
        for (std::size_t b = 0; b < matrices.size(); ++b)
          EXPECT_EQ(what_is_wrong(matrices[b], results[b]), "")
              << m << "×" << n << " number " << b << (pivoted ? ", pivoted" : "");
      }
}

TYPED_TEST(EmulatedQr, SameBitsInAnyCompanyAndMode) {
  for (auto const& [m, n] :
       std::vector<std::pair<int, int>>{{3, 3}, {7, 4}, {4, 7}, {13, 12}, {20, 31}, {31, 20}})
    for (bool const pivoted : {false, true}) {
      auto const matrices = all_types<TypeParam>(m, n, 4);
      auto const results = factorise(matrices, {QrMode::thin, pivoted});
      auto const r = factorise(matrices, {QrMode::r, pivoted});
      auto const full = factorise(matrices, {QrMode::full, pivoted});
      auto const by_rows = factorise(matrices, {QrMode::full, pivoted, Order::rows});
      auto company = matrices;
      company.insert(company.begin() + 1, HostMatrix<TypeParam>(0, 3));
      company.insert(company.begin() + 1, all_types<TypeParam>(n + 1, m, 100)[0]);
      auto const ragged = factorise_ragged(company, {QrMode::thin, pivoted});
      for (std::size_t b = 0; b < matrices.size(); ++b) {
        SCOPED_TRACE(std::to_string(m) + "×" + std::to_string(n) + ", member " + std::to_string(b));
        EXPECT_TRUE(same_result(r[b], results[b]));
        EXPECT_TRUE(same_result(full[b], results[b]));
        EXPECT_TRUE(same_result(by_rows[b], full[b]));
        EXPECT_TRUE(same_result(ragged[b == 0 ? 0 : b + 2], results[b]));
        EXPECT_TRUE(same_result(factorise<TypeParam>({matrices[b]}, {QrMode::thin, pivoted})[0],
                                results[b]));
        EXPECT_EQ(what_is_wrong(matrices[b], full[b]), "");
      }
    }
}

/// A member with NaN is refused, and its neighbours in the warp do not notice.
TYPED_TEST(EmulatedQr, RefusesWhatIsNotFinite) {
  for (bool const pivoted : {false, true})
    for (Order const order : {Order::columns, Order::rows}) {
      Call const call{QrMode::full, pivoted, order};
      auto matrices = all_types<TypeParam>(6, 5, 5);
      auto const expected = factorise(matrices, call);
      matrices[1](5, 4) = std::numeric_limits<TypeParam>::quiet_NaN();
      matrices[2](0, 0) = std::numeric_limits<TypeParam>::infinity();
      auto const results = factorise(matrices, call);
      for (std::size_t b = 0; b < matrices.size(); ++b) {
        if (b != 1 && b != 2) {
          EXPECT_TRUE(same_result(results[b], expected[b])) << b;
          continue;
        }
        EXPECT_EQ(results[b].info.status, Status::non_finite);
        EXPECT_EQ(results[b].info.rank, pivoted ? 0 : -1);
        for (TypeParam const x : results[b].R.data) EXPECT_TRUE(x != x);
        for (TypeParam const x : results[b].Q.data) EXPECT_TRUE(x != x);
        for (std::size_t k = 0; k < results[b].P.size(); ++k)
          EXPECT_EQ(results[b].P[k], static_cast<int>(k));
      }
    }
}

}  // namespace
