// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/eigh/divided/reduce.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "support/complex_entries.hpp"
#include "support/host_matrix.hpp"
#include "support/tolerance.hpp"

/// What the first part of `divided` makes of matrices, on the host.
namespace carroll::test {

template <class T>
struct Reduced {
  int n = 0;
  std::vector<RealOf<T>> d, e;
  std::vector<T> tau;
  HostMatrix<T> A;  ///< reflectors, as DividedStorage has them, zeros elsewhere
  std::vector<int> message;

  bool operator==(Reduced const& other) const {
    return same_bits(d, other.d) && same_bits(e, other.e) &&
           same_bits(parts_of(tau), parts_of(other.tau)) &&
           same_bits(parts_of(A.data), parts_of(other.A.data)) && message == other.message;
  }
};

/// Reduces matrices of any orders; workspaces are full of NaN before.
template <class Space, class T>
std::vector<Reduced<T>> reduce(std::vector<HostMatrix<T>> const& matrices,
                               detail::DividedReduceTeams const& teams, Space const& exec = {}) {
  using Real = RealOf<T>;
  constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  std::vector<std::int64_t> orders;
  std::vector<T> A;
  for (auto const& matrix : matrices) {
    orders.push_back(matrix.rows);
    for (int j = 0; j < matrix.rows; ++j)
      for (int i = 0; i < matrix.rows; ++i)
        A.push_back(i < j ? detail::quiet_nan<T>() : matrix(i, j));
  }
  std::vector<detail::EighSlot> slots;
  std::int64_t used = 0;
  for (auto const& member : eigh_members(orders)) {
    slots.push_back({member, used});
    used += detail::DividedStorage<T>::reals_of(member.n);
  }
  std::vector<Real> W(A.size() + 1), reals(static_cast<std::size_t>(used) + 32, nan);
  std::vector<EighInfo<Real>> infos(matrices.size());
  detail::EighBatch<T> batch{};
  batch.triangle = Triangle::lower;
  batch.infos = infos.data();
  batch.info_stride = 1;
  batch.slots = slots.data();
  void* room = reals.data();
  std::size_t bytes = reals.size() * sizeof(Real);
  batch.reals = static_cast<Real*>(std::align(128, bytes - 128, room, bytes));
  batch.a.data = A.data();
  batch.w.data = W.data();
  detail::enqueue_divided_reduce(exec, batch, static_cast<int>(matrices.size()),
                                 static_cast<int>(*std::max_element(orders.begin(), orders.end())),
                                 teams);
  Kokkos::fence("test");
  std::vector<Reduced<T>> all;
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    detail::DividedStorage<T> const at(batch(static_cast<int>(b)));
    int const n = at.n;
    Reduced<T> result{n,
                      {at.d, at.d + n},
                      {at.e, at.e + std::max(n - 1, 0)},
                      {at.tau, at.tau + std::max(n - 1, 0)},
                      HostMatrix<T>(n, n),
                      {at.message, at.message + at.messages}};
    for (int k = 0; k + 1 < n; ++k)
      for (int i = k + 1; i < n; ++i) result.A(i, k) = at.A(i, k);
    all.push_back(result);
  }
  return all;
}

}  // namespace carroll::test
