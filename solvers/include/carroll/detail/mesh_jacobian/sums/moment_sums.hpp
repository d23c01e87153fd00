// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/mesh_jacobian/problem.hpp>
#include <carroll/detail/scattered_sums.hpp>
#include <carroll/detail/simd/vectors.hpp>
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
  static constexpr int width = 16;  ///< of the functor's blocks

  /// Places a row at i; one without weight is a row of zeros.
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

  /// Places `width` rows from i on.
  template <class Real>
  void set(int i, MeshRowBlock<Real, K, width> const& rows) {
    for (int w = 0; w < width; ++w) {
      w_[i + w] = static_cast<double>(rows.weight[w]);
      one_[i + w] = rows.weight[w] == Real(0) ? 0.0 : 1.0;
    }
    auto const put = [&](double* to, Real const* from) {
      for (int w = 0; w < width; ++w)
        to[i + w] = rows.weight[w] == Real(0) ? 0.0 : static_cast<double>(from[w]);
    };
    for (int c = 0; c < 3; ++c) put(u_[c], rows.depth[c]);
    for (int j = 0; j < K; ++j) put(a_[j], rows.motion[j]);
    put(r_, rows.residual);
    put(loss_, rows.loss);
  }

  /// Adds the sums over the first `count` rows, with registers of so many bytes.
  template <int Bytes>
  void add_to(Moments<K>& sums, int count) {
    int const padded = (count + 7) / 8 * 8;
    for (int i = count; i < padded; ++i) set(i, MeshRow<double, K>{});
    using Layout = MomentLayout;
    for (int c = 0; c < 3; ++c) {
      multiply(u_[c], padded);
      for (int e = c; e < 3; ++e)
        sums.value[Layout::depth_pair(c, e)] += product<Bytes>(weighted_, u_[e], padded);
      sums.value[Layout::depth_rhs + c] += product<Bytes>(weighted_, r_, padded);
      for (int j = 0; j < K; ++j)
        sums.value[Layout::depth_motion + 3 * j + c] += product<Bytes>(weighted_, a_[j], padded);
    }
    sums.value[Layout::loss] += product<Bytes>(loss_, one_, padded);
    sums.value[Layout::rows] += product<Bytes>(one_, one_, padded);
    for (int j = 0; j < K; ++j) {
      multiply(a_[j], padded);
      sums.value[Layout::motion_rhs(K) + j] += product<Bytes>(weighted_, r_, padded);
      for (int l = j; l < K; ++l)
        sums.value[Layout::motion_pair(K, j, l)] += product<Bytes>(weighted_, a_[l], padded);
    }
  }

 private:
  void multiply(double const* x, int n) {
    for (int i = 0; i < n; ++i) weighted_[i] = w_[i] * x[i];
  }

  /// Σ x·y, n a multiple of 8: eight partial sums.
  template <int Bytes>
  static double product(double const* x, double const* y, int n) {
    using Vector = HostVector<double, Bytes>;
    constexpr int parts = 8 / Vector::width;
    typename Vector::Type sum[parts] = {};
    for (int i = 0; i < n; i += 8)
      for (int p = 0; p < parts; ++p)
        sum[p] +=
            Vector::loose(x + i + p * Vector::width) * Vector::loose(y + i + p * Vector::width);
    double s[8];
    for (int w = 0; w < 8; ++w) s[w] = sum[w / Vector::width][w % Vector::width];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }

  double u_[3][capacity], a_[K][capacity], r_[capacity], loss_[capacity], w_[capacity];
  double one_[capacity], weighted_[capacity];
};

template <class OfTriangle, class Real, int K>
concept FillsBlocks = requires(OfTriangle const& rows,
                               MeshRowBlock<Real, K, MomentBlock<K>::width>& block) {
  rows.block(0, 1, block);
};

/// The sums over rows begin <= i < end of a triangle, on a host.
template <int Bytes, class Row, class OfTriangle>
inline Moments<Row::motions> host_moments(OfTriangle const& rows, int begin, int end) {
  constexpr int K = Row::motions;
  using Real = typename Row::value_type;
  Moments<K> sums;
  MomentBlock<K> block;
  for (int first = begin; first < end; first += block.capacity) {
    int const count = end - first < block.capacity ? end - first : block.capacity;
    if constexpr (FillsBlocks<OfTriangle, Real, K>) {
      constexpr int width = MomentBlock<K>::width;
      for (int i = 0; i < count; i += width) {
        MeshRowBlock<Real, K, width> part;
        int const filled = count - i < width ? count - i : width;
        rows.block(first + i, filled, part);
        for (int w = filled; w < width; ++w) part.weight[w] = 0;
        block.set(i, part);
      }
    } else {
      for (int i = 0; i < count; ++i) block.set(i, rows(first + i));
    }
    block.template add_to<Bytes>(sums, count);
  }
  return sums;
}

/// The same on a device, by the lanes of a thread: f(s, sum) for each of the sums, by one lane. On
/// CUDA these are dealt out to the lanes.
template <class ExecSpace, class Row, class Member, class OfTriangle, class F>
KOKKOS_INLINE_FUNCTION void lane_moments(Member const& team, OfTriangle const& rows, int begin,
                                         int end, F const& f) {
  constexpr int size = MomentLayout::size(Row::motions);
  if constexpr (has_warps<ExecSpace>) {
    DeviceWarp const warp = warp_of_lanes(team);
    Moments<Row::motions> sums;
    for (int i = begin + warp.lane; i < end; i += 32) sums += moments_of_row(rows(i));
    ScatteredSums<size>(warp, sums).for_each(f);
  } else {
    auto const sums = lane_sums<double, size>(
        team, end - begin, [&](int i) { return moments_of_row(rows(begin + i)); });
    once_per_thread(team, [&] {
      for (int s = 0; s < size; ++s) f(s, sums.value[s]);
    });
  }
}

}  // namespace carroll::detail
