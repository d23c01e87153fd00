// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/mesh_jacobian/problem.hpp>
#include <carroll/detail/pseudoinverse/host_vector.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

/// The sums over the rows of a triangle, MomentLayout: a GPU's lanes take a row each, a host puts
/// blocks of rows side by side and forms one sum after the other, eight rows at a time.
namespace carroll::detail {

template <int K>
using Moments = Sums<double, MomentLayout::size(K)>;

/// What a row adds; nothing where its weight is 0, whatever its entries are.
template <class Real, int K>
KOKKOS_INLINE_FUNCTION Moments<K> moments_of_row(MeshRow<Real, K> const& row) {
  Moments<K> sums;
  double const w = static_cast<double>(row.weight);
  if (w == 0) return sums;
  double u[3], wu[3], a[K];
  CARROLL_UNROLL
  for (int c = 0; c < 3; ++c) u[c] = static_cast<double>(row.depth[c]);
  CARROLL_UNROLL
  for (int c = 0; c < 3; ++c) wu[c] = w * u[c];
  CARROLL_UNROLL
  for (int j = 0; j < K; ++j) a[j] = static_cast<double>(row.motion[j]);
  double const r = static_cast<double>(row.residual);
  using Layout = MomentLayout;
  CARROLL_UNROLL
  for (int c = 0; c < 3; ++c) {
    CARROLL_UNROLL
    for (int e = c; e < 3; ++e) sums.value[Layout::depth_pair(c, e)] = wu[c] * u[e];
    sums.value[Layout::depth_rhs + c] = wu[c] * r;
    CARROLL_UNROLL
    for (int j = 0; j < K; ++j) sums.value[Layout::depth_motion + 3 * j + c] = wu[c] * a[j];
  }
  sums.value[Layout::loss] = static_cast<double>(row.loss);
  sums.value[Layout::rows] = 1;
  CARROLL_UNROLL
  for (int i = 0; i < K; ++i) {
    double const wa = w * a[i];
    sums.value[Layout::motion_rhs(K) + i] = wa * r;
    CARROLL_UNROLL
    for (int j = i; j < K; ++j) sums.value[Layout::motion_pair(K, i, j)] = wa * a[j];
  }
  return sums;
}

/// Rows side by side on a host, each kind of entry in an array of its own.
template <int K>
class MomentBlock {
 public:
  static constexpr int capacity = 64;

  /// Places the row at i; a row without weight is a row of zeros.
  template <class Real>
  void set(int i, MeshRow<Real, K> const& row) {
    bool const counts = !(row.weight == Real(0));
    auto const value = [&](Real x) { return counts ? static_cast<double>(x) : 0.0; };
    for (int c = 0; c < 3; ++c) u_[c][i] = value(row.depth[c]);
    for (int j = 0; j < K; ++j) a_[j][i] = value(row.motion[j]);
    r_[i] = value(row.residual);
    loss_[i] = value(row.loss);
    w_[i] = static_cast<double>(row.weight);
    one_[i] = counts ? 1.0 : 0.0;
  }

  /// Adds the sums over the first `count` rows.
  void add_to(Moments<K>& sums, int count) {
    int const padded = (count + 7) / 8 * 8;
    for (int i = count; i < padded; ++i) set(i, MeshRow<double, K>{});
    using Layout = MomentLayout;
    for (int c = 0; c < 3; ++c) {
      multiply(u_[c], padded);
      for (int e = c; e < 3; ++e)
        sums.value[Layout::depth_pair(c, e)] += host_dot(weighted_, u_[e], padded);
      sums.value[Layout::depth_rhs + c] += host_dot(weighted_, r_, padded);
      for (int j = 0; j < K; ++j)
        sums.value[Layout::depth_motion + 3 * j + c] += host_dot(weighted_, a_[j], padded);
    }
    sums.value[Layout::loss] += host_dot(loss_, one_, padded);
    sums.value[Layout::rows] += host_dot(one_, one_, padded);
    for (int j = 0; j < K; ++j) {
      multiply(a_[j], padded);
      sums.value[Layout::motion_rhs(K) + j] += host_dot(weighted_, r_, padded);
      for (int l = j; l < K; ++l)
        sums.value[Layout::motion_pair(K, j, l)] += host_dot(weighted_, a_[l], padded);
    }
  }

 private:
  void multiply(double const* x, int n) {
    for (int i = 0; i < n; ++i) weighted_[i] = w_[i] * x[i];
  }

  double u_[3][capacity], a_[K][capacity], r_[capacity], loss_[capacity], w_[capacity];
  double one_[capacity], weighted_[capacity];
};

/// The sums over rows begin <= i < end of a triangle; every lane gets them.
template <int K, class Member, class OfTriangle>
KOKKOS_INLINE_FUNCTION Moments<K> sum_moments([[maybe_unused]] Member const& team,
                                              OfTriangle const& row_at, int begin, int end) {
  Moments<K> sums;
  KOKKOS_IF_ON_HOST(
      (MomentBlock<K> block; for (int first = begin; first < end; first += block.capacity) {
        int const count = end - first < block.capacity ? end - first : block.capacity;
        for (int i = 0; i < count; ++i) block.set(i, row_at(first + i));
        block.add_to(sums, count);
      }))
  KOKKOS_IF_ON_DEVICE(
      (sums = lane_sums<double, MomentLayout::size(K)>(
           team, end - begin, [&](int i) { return moments_of_row(row_at(begin + i)); });))
  return sums;
}

}  // namespace carroll::detail
