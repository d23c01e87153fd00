// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/eigh/batch.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "support/eigh/drivers.hpp"
#include "support/host_matrix.hpp"

/// Symmetric matrices as kernels see them, in memory of the host.
namespace carroll::test {

enum class Order { columns, rows };

/// The storage of members of any orders, each A, W, V behind the one before.
template <class Real>
struct StoredBatch {
  static constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  std::vector<carroll::EighMember> members;
  std::vector<Real> A, W, V, reals;
  std::vector<carroll::detail::EighSlot> slots;
  std::vector<EighInfo<Real>> infos;
  carroll::detail::EighBatch<Real> batch{};
  std::int64_t reals_each = 0;

  /// Of either triangle what is not to be read is NaN. `reals_of(n)`: workspace of a member.
  template <class RealsOf>
  StoredBatch(std::vector<HostMatrix<Real>> const& matrices, bool vectors, Order order,
              RealsOf const& reals_of)
      : infos(matrices.size()) {
    std::vector<std::int64_t> orders;
    std::int64_t used = 0;
    for (auto const& matrix : matrices) {
      int const n = matrix.rows;
      orders.push_back(n);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          A.push_back((order == Order::columns) == (i < j) && i != j ? nan : matrix(i, j));
    }
    members = carroll::eigh_members(orders);
    for (auto const& member : members) {
      slots.push_back({member, used});
      reals_each = reals_of(member.n);
      used += reals_each;
    }
    W.resize(A.size() + 1, nan);
    V.resize(A.size() + 1, nan);
    reals.resize(static_cast<std::size_t>(used) + 16, nan);
    batch.triangle = carroll::Triangle::lower;
    batch.infos = infos.data();
    batch.info_stride = 1;
    void* room = reals.data();
    std::size_t bytes = reals.size() * sizeof(Real);
    batch.reals = static_cast<Real*>(std::align(64, bytes - 64, room, bytes));
    batch.a.data = A.data();
    batch.w.data = W.data();
    batch.v.data = vectors ? V.data() : nullptr;
  }

  void make_ragged() { batch.slots = slots.data(); }

  void make_uniform(Order order) {
    auto const count = static_cast<std::int64_t>(members.size()), n = members.front().n;
    std::ptrdiff_t const down = order == Order::columns ? 1 : n, across = n + 1 - down;
    batch.a.extents = batch.v.extents = {count, n, n};
    batch.a.strides = batch.v.strides = {n * n, down, across};
    batch.w.extents = {count, n, 1};
    batch.w.strides = {n, 1, 1};
    batch.distance = reals_each;
  }

  [[nodiscard]] std::vector<HostEigh<Real>> results(Order order) const {
    std::vector<HostEigh<Real>> all;
    for (std::size_t b = 0; b < members.size(); ++b) {
      auto const& member = members[b];
      int const n = static_cast<int>(member.n);
      HostEigh<Real> result;
      result.info = infos[b];
      result.W.assign(W.begin() + member.w, W.begin() + member.w + n);
      if (batch.v.data) {
        result.V = HostMatrix<Real>(n, n);
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < n; ++i)
            result.V(i, j) = V[static_cast<std::size_t>(
                member.v + (order == Order::columns ? i + j * n : i * n + j))];
      }
      all.push_back(result);
    }
    return all;
  }
};

}  // namespace carroll::test
