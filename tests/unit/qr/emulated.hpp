// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <array>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/launch.hpp>
#include <carroll/detail/qr/plan.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/field_matrix.hpp"
#include "support/qr/checks.hpp"
#include "support/random.hpp"
#include "support/svd/matrix_types.hpp"

/// QR by kernels of warps, on the host: what the tests of several families share. `Kernels` has
/// `family` and a static `enqueue`.
namespace carroll::test::emulated_qr {

using detail::EmulatedSpace;
using detail::QrBatch;
using detail::QrFamily;
using detail::QrPlan;
using detail::QrSlot;

enum class Order { columns, rows };

struct Call {
  QrMode mode = QrMode::thin;
  bool pivoted = false;
  Order order = Order::columns;
};

/// The storage of members, each A, Q, R, P behind the one before, and what they work in.
template <class Value>
struct Storage {
  using Real = RealOf<Value>;
  static constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  Call call;
  std::vector<QrMember> members;
  std::vector<Value> A, Q, R;
  std::vector<Real> work;
  std::size_t work_end = 0;
  std::vector<int> P;
  std::vector<QrSlot> slots;
  std::vector<QrInfo> infos;
  QrBatch<Value> batch{};

  Storage(QrFamily family, std::vector<HostMatrix<Value>> const& matrices, Call const& c)
      : call(c), infos(matrices.size()) {
    std::vector<std::array<std::int64_t, 2>> extents;
    for (auto const& matrix : matrices) {
      extents.push_back({matrix.rows, matrix.cols});
      for (std::int64_t k = 0; k < matrix.rows * matrix.cols; ++k)
        A.push_back(by_columns() ? matrix(k % matrix.rows, k / matrix.rows)
                                 : matrix(k / matrix.cols, k % matrix.cols));
    }
    members = qr_members(extents, call.mode);
    std::size_t q = 1, r = 1, p = 1, work_reals = 0;
    for (auto const& at : members) {
      QrExtents const shape{1, at.rows, at.cols, call.mode};
      slots.push_back({at, static_cast<std::int64_t>(work_reals)});
      batch.distance = detail::qr_reals<Value>(family, shape);
      work_reals += static_cast<std::size_t>(batch.distance);
      q += static_cast<std::size_t>(at.rows * shape.q_cols());
      r += static_cast<std::size_t>(shape.r_rows() * at.cols);
      p += static_cast<std::size_t>(at.cols);
    }
    A.push_back(nan);
    Q.assign(q, nan);
    R.assign(r, nan);
    P.assign(p, -1);
    work.assign(work_reals + 96, nan);
    auto const past = reinterpret_cast<std::uintptr_t>(work.data()) % 128;
    batch.reals = work.data() + (128 - past) / sizeof(Real);
    work_end = (128 - past) / sizeof(Real) + work_reals;
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
    QrExtents const shape{count, m, n, call.mode};
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

  [[nodiscard]] std::vector<HostQr<Value>> results() const {
    auto const matrix = [&](std::vector<Value> const& x, std::int64_t at, std::int64_t rows,
                            std::int64_t cols) {
      HostMatrix<Value> result(static_cast<int>(rows), static_cast<int>(cols));
      for (std::int64_t k = 0; k < rows * cols; ++k)
        (by_columns() ? result(k % rows, k / rows) : result(k / cols, k % cols)) =
            x[static_cast<std::size_t>(at + k)];
      return result;
    };
    for (std::size_t k = work_end; k < work.size(); ++k)
      EXPECT_TRUE(work[k] != work[k]) << "wrote behind its workspace";
    std::vector<HostQr<Value>> all;
    for (std::size_t b = 0; b < members.size(); ++b) {
      auto const& at = members[b];
      QrExtents const shape{1, at.rows, at.cols, call.mode};
      HostQr<Value> result;
      result.info = infos[b];
      if (call.mode != QrMode::r) result.Q = matrix(Q, at.q, at.rows, shape.q_cols());
      result.R = matrix(R, at.r, shape.r_rows(), at.cols);
      if (call.pivoted) result.P.assign(P.begin() + at.p, P.begin() + at.p + at.cols);
      all.push_back(result);
    }
    return all;
  }
};

template <class Kernels, class Value>
std::vector<HostQr<Value>> factorise(std::vector<HostMatrix<Value>> const& matrices,
                                     Call const& call) {
  Storage<Value> at(Kernels::family, matrices, call);
  at.make_uniform();
  Kernels::enqueue(at.batch, QrPlan::uniform(Kernels::family, static_cast<int>(matrices.size()),
                                             matrices[0].rows, matrices[0].cols));
  return at.results();
}

template <class Kernels, class Value>
std::vector<HostQr<Value>> factorise_ragged(std::vector<HostMatrix<Value>> const& matrices,
                                            Call const& call) {
  Storage<Value> at(Kernels::family, matrices, call);
  at.make_ragged();
  QrPlan plan;
  for (auto const& member : at.members)
    plan.add(Kernels::family, static_cast<int>(member.rows), static_cast<int>(member.cols));
  std::vector<int> const sorted = plan.sort();
  plan.set_sorted(sorted.data());
  Kernels::enqueue(at.batch, plan);
  return at.results();
}

/// One of every type, or of every `step`-th.
template <class Value>
std::vector<HostMatrix<Value>> all_types(int m, int n, int step = 1) {
  std::vector<HostMatrix<Value>> matrices;
  int k = 0;
  for (MatrixType const type : all_matrix_types())
    if (k++ % step == 0) matrices.push_back(field::make_field_matrix<Value>(type, m, n, 6));
  return matrices;
}

/// Thin factors of every shape and order: of every type up to so many entries, of fewer beyond.
template <class Kernels, class Value>
void expect_factors(std::vector<std::pair<int, int>> const& shapes, bool pivoted, int entries) {
  for (auto const& [m, n] : shapes)
    for (Order const order : {Order::columns, Order::rows}) {
      int const size = m * n / entries;
      auto const matrices = all_types<Value>(m, n,
                                             size < 1     ? 1
                                             : size < 10  ? 3
                                             : size < 100 ? 8
                                                          : 20);
      auto const results = factorise<Kernels>(matrices, {QrMode::thin, pivoted, order});
      for (std::size_t b = 0; b < matrices.size(); ++b)
        EXPECT_EQ(what_is_wrong(matrices[b], results[b]), "")
            << m << "×" << n << " number " << b << (pivoted ? ", pivoted" : "");
    }
}

/// `other`: extents of a member of another class in a ragged batch.
template <class Kernels, class Value>
void expect_same_bits(int m, int n, bool pivoted, int step, std::pair<int, int> other) {
  auto const matrices = all_types<Value>(m, n, step);
  auto const results = factorise<Kernels>(matrices, {QrMode::thin, pivoted});
  auto const r = factorise<Kernels>(matrices, {QrMode::r, pivoted});
  auto const full = factorise<Kernels>(matrices, {QrMode::full, pivoted});
  auto const by_rows = factorise<Kernels>(matrices, {QrMode::full, pivoted, Order::rows});
  auto company = matrices;
  company.insert(company.begin() + 1, HostMatrix<Value>(0, 3));
  company.insert(company.begin() + 1, all_types<Value>(other.first, other.second, 100)[0]);
  auto const ragged = factorise_ragged<Kernels>(company, {QrMode::thin, pivoted});
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    SCOPED_TRACE(std::to_string(m) + "×" + std::to_string(n) + ", member " + std::to_string(b));
    EXPECT_TRUE(same_result(r[b], results[b]));
    EXPECT_TRUE(same_result(full[b], results[b]));
    EXPECT_TRUE(same_result(by_rows[b], full[b]));
    EXPECT_TRUE(same_result(ragged[b == 0 ? 0 : b + 2], results[b]));
    EXPECT_TRUE(same_result(
        factorise<Kernels>(std::vector{matrices[b]}, {QrMode::thin, pivoted})[0], results[b]));
    EXPECT_EQ(what_is_wrong(matrices[b], full[b]), "");
  }
  EXPECT_EQ(ragged[2].info.status, Status::success);
}

template <class Kernels, class Value>
void expect_same_bits(int m, int n, bool pivoted, int step) {
  expect_same_bits<Kernels, Value>(m, n, pivoted, step, {n + 1, m});
}

/// Members with NaN or infinity are refused, and their neighbours do not notice.
template <class Kernels, class Value>
void expect_refusals(int m, int n, Call const& call) {
  auto matrices = all_types<Value>(m, n, 5);
  auto const expected = factorise<Kernels>(matrices, call);
  matrices[1](m - 1, n - 1) = std::numeric_limits<RealOf<Value>>::quiet_NaN();
  matrices[2](0, 0) = std::numeric_limits<RealOf<Value>>::infinity();
  auto const results = factorise<Kernels>(matrices, call);
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    if (b != 1 && b != 2) {
      EXPECT_TRUE(same_result(results[b], expected[b])) << b;
      continue;
    }
    EXPECT_EQ(results[b].info.status, Status::non_finite);
    EXPECT_EQ(results[b].info.rank, call.pivoted ? 0 : -1);
    EXPECT_TRUE(all_nan(parts_of(results[b].R.data)));
    EXPECT_TRUE(all_nan(parts_of(results[b].Q.data)));
    for (std::size_t k = 0; k < results[b].P.size(); ++k)
      EXPECT_EQ(results[b].P[k], static_cast<int>(k));
  }
}

/// `tiled` or `tall`: teams side by side, at most so many of a launch.
template <QrFamily which, int most_teams = 1 << 20>
struct TileKernels {
  static constexpr QrFamily family = which;
  template <class Value>
  static void enqueue(QrBatch<Value> const& batch, QrPlan const& plan) {
    EmulatedSpace const space{.processors = 2, .resident = 4};
    if constexpr (which == QrFamily::tall)
      detail::enqueue_qr_tall(space, batch, plan, most_teams);
    else
      detail::enqueue_qr_tiled(space, batch, plan, most_teams);
  }
};

}  // namespace carroll::test::emulated_qr
