// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/plan.hpp>
#include <carroll/detail/svd/workspace_sizes.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/svd/matrix_types.hpp"
#include "support/svd/ratios.hpp"
#include "support/tolerance.hpp"

/// The decomposition by kernels of warps, on the host: what the tests of several families share.
/// `Kernels` has `family` and a static `run` for the first so many members of a batch.
namespace carroll::test::emulated_svd {

using detail::SvdBatch;
using detail::SvdFamily;
using detail::SvdState;

template <class Real>
struct Member {
  HostMatrix<Real> U, V;
  std::vector<Real> S;
  SvdInfo<Real> info;
  bool left_over = false;
};

/// The places of members, each A, U, S and V behind the one before, and what they work in.
template <class Real>
struct Storage {
  static constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  std::vector<SvdMember> members;
  std::vector<Real> A, U, S, V, reals;
  std::vector<int> ints, fallback;
  std::vector<detail::SvdSlot> slots;
  std::vector<SvdState> states;
  std::vector<SvdInfo<Real>> infos;
  int left_over = 0;
  SvdBatch<Real> batch{};

  Storage(SvdFamily family, std::vector<HostMatrix<Real>> const& matrices, SvdVectors u,
          SvdVectors v)
      : fallback(matrices.size()), states(matrices.size()), infos(matrices.size()) {
    std::vector<std::pair<std::int64_t, std::int64_t>> extents;
    for (auto const& matrix : matrices) {
      extents.emplace_back(matrix.rows, matrix.cols);
      A.insert(A.end(), matrix.data.begin(), matrix.data.end());
    }
    members = svd_members(extents, u, v);
    std::int64_t room[3] = {}, real_room = 0, int_room = 0;
    bool const vectors = u != SvdVectors::none || v != SvdVectors::none;
    for (auto const& at : members) {
      auto const [least, most] = std::minmax(at.rows, at.cols);
      slots.push_back({at, real_room, int_room});
      batch.distance = detail::svd_workspace_sizes<Real>(family, most, least, vectors);
      real_room += batch.distance.reals;
      int_room += batch.distance.ints;
      room[0] += at.rows * detail::vector_columns(u, at.rows, least);
      room[1] += least;
      room[2] += at.cols * detail::vector_columns(v, at.cols, least);
    }
    U.assign(to_size(room[0]), nan);
    S.assign(to_size(room[1]), nan);
    V.assign(to_size(room[2]), nan);
    reals.assign(to_size(real_room), nan);
    ints.resize(to_size(int_room));
    batch.a.data = A.data();
    batch.u.data = U.data();
    batch.s.data = S.data();
    batch.v.data = V.data();
    batch.u_wanted = u;
    batch.v_wanted = v;
    batch.method = SvdMethod::preconditioned;
    batch.reals = reals.data();
    batch.ints = ints.data();
    batch.states = states.data();
    batch.infos = infos.data();
    batch.info_stride = 1;
    batch.fallback = {&left_over, fallback.data()};
  }

  void make_ragged() { batch.slots = slots.data(); }

  void make_uniform() {
    auto const count = static_cast<std::int64_t>(members.size());
    auto const m = members.front().rows, n = members.front().cols, least = std::min(m, n);
    auto const lay_out = [&](auto& view, std::int64_t rows, std::int64_t cols) {
      view.extents = {count, rows, cols};
      view.strides = {rows * cols, 1, rows};
    };
    lay_out(batch.a, m, n);
    lay_out(batch.u, m, detail::vector_columns(batch.u_wanted, m, least));
    lay_out(batch.s, least, 1);
    lay_out(batch.v, n, detail::vector_columns(batch.v_wanted, n, least));
  }

  [[nodiscard]] std::vector<Member<Real>> results() const {
    auto const cut = [](std::vector<Real> const& all, std::int64_t at, std::int64_t rows,
                        std::int64_t cols) {
      HostMatrix<Real> part(static_cast<int>(rows), static_cast<int>(cols));
      std::copy_n(all.begin() + at, rows * cols, part.data.begin());
      return part;
    };
    std::vector<Member<Real>> found;
    for (std::size_t b = 0; b < members.size(); ++b) {
      auto const& at = members[b];
      auto const least = std::min(at.rows, at.cols);
      auto const u_cols = detail::vector_columns(batch.u_wanted, at.rows, least);
      auto const v_cols = detail::vector_columns(batch.v_wanted, at.cols, least);
      found.push_back({.U = cut(U, at.u, at.rows, u_cols),
                       .V = cut(V, at.v, at.cols, v_cols),
                       .S = cut(S, at.s, least, 1).data,
                       .info = infos[b]});
    }
    for (int k = 0; k < left_over; ++k) found[to_size(fallback[to_size(k)])].left_over = true;
    return found;
  }

 private:
  static std::size_t to_size(std::int64_t k) { return static_cast<std::size_t>(k); }
};

/// Matrices of one size, with vectors on the sides that are asked for.
template <class Kernels, class Real>
std::vector<Member<Real>> decompose(std::vector<HostMatrix<Real>> const& matrices, bool with_u,
                                    bool with_v, SvdVectors vectors = SvdVectors::thin) {
  Storage<Real> at(Kernels::family, matrices, with_u ? vectors : SvdVectors::none,
                   with_v ? vectors : SvdVectors::none);
  at.make_uniform();
  Kernels::run(at.batch, static_cast<int>(matrices.size()));
  return at.results();
}

/// Matrices of any size.
template <class Kernels, class Real>
std::vector<Member<Real>> decompose_ragged(std::vector<HostMatrix<Real>> const& matrices) {
  Storage<Real> at(Kernels::family, matrices, SvdVectors::thin, SvdVectors::thin);
  at.make_ragged();
  detail::SvdPlan plan;
  std::vector<detail::SvdKey> keys;
  for (auto const& member : at.members) {
    auto const [least, most] = std::minmax(member.rows, member.cols);
    keys.emplace_back(plan.add<Real>(Kernels::family, most, least), static_cast<int>(least));
  }
  std::vector<int> const sorted = plan.sort(keys);
  plan.set_sorted(sorted.data());
  Kernels::enqueue(at.batch, plan);
  return at.results();
}

/// Columns that are equal, and rounding errors in place of a decomposition's last columns.
template <class Real>
std::vector<HostMatrix<Real>> dependent_members(int rows, int cols, int count) {
  std::vector<HostMatrix<Real>> members;
  for (int b = 0; b < count; ++b) {
    auto A = make_matrix<Real>(MatrixType::random, rows, cols, static_cast<std::uint64_t>(40 + b));
    for (int j = 1; j < cols; ++j)
      if ((j * 5 + b) % 7 < 4)
        for (int i = 0; i < rows; ++i) A(i, j) = A(i, (j * 3 + b) % j);
    members.push_back(A);
  }
  return members;
}

template <class Real>
std::vector<HostMatrix<Real>> random_members(int rows, int cols, int count) {
  std::vector<HostMatrix<Real>> members;
  for (int b = 0; b < count; ++b)
    members.push_back(
        make_matrix<Real>(MatrixType::random, rows, cols, static_cast<std::uint64_t>(60 + b)));
  return members;
}

template <class Real>
bool same_values(Member<Real> const& a, Member<Real> const& b) {
  return a.left_over == b.left_over && same_bits(a.S, b.S) && a.info.status == b.info.status &&
         a.info.sweeps == b.info.sweeps && a.info.rotations == b.info.rotations &&
         a.info.rank == b.info.rank && a.info.max_cosine == b.info.max_cosine;
}

/// Every combination of outputs gets the bits of all outputs, and a member alone those in company.
template <class Kernels, class Real>
void check_outputs(std::vector<HostMatrix<Real>> const& matrices) {
  int const rows = matrices.front().rows, cols = matrices.front().cols;
  auto const all = decompose<Kernels>(matrices, true, true);
  auto const values = decompose<Kernels>(matrices, false, false);
  auto const left = decompose<Kernels>(matrices, true, false);
  auto const right = decompose<Kernels>(matrices, false, true);
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(cols) + ", member " +
                 std::to_string(b));
    EXPECT_FALSE(all[b].left_over);
    EXPECT_TRUE(same_values(all[b], values[b]));
    EXPECT_TRUE(same_values(all[b], left[b]));
    EXPECT_TRUE(same_values(all[b], right[b]));
    EXPECT_TRUE(same_bits(all[b].U.data, left[b].U.data));
    EXPECT_TRUE(same_bits(all[b].V.data, right[b].V.data));
    auto const ratios = svd_ratios(matrices[b], all[b].U, all[b].S, all[b].V);
    EXPECT_LE(ratios.worst(), ratio_bar) << to_string(ratios);
    if (b % 4 != 0) continue;
    auto const alone = decompose<Kernels, Real>({matrices[b]}, true, true).front();
    EXPECT_TRUE(same_values(all[b], alone));
    EXPECT_TRUE(same_bits(all[b].U.data, alone.U.data));
    EXPECT_TRUE(same_bits(all[b].V.data, alone.V.data));
  }
}

}  // namespace carroll::test::emulated_svd
