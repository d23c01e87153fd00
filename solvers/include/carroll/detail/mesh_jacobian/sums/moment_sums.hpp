// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/mesh_jacobian/problem.hpp>
#include <carroll/detail/mesh_jacobian/system/slots.hpp>
#include <carroll/detail/simd/sums.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

/// The sums over the rows of a triangle, MomentLayout: a GPU's lanes take a row each, a host puts
/// blocks of rows side by side and forms one sum after the other, eight rows at a time.
namespace carroll::detail {

template <int K>
using Moments = Sums<double, MomentLayout::size(K)>;

/// What a row adds that counts `rows` times.
template <class Real, int K>
KOKKOS_INLINE_FUNCTION Moments<K> products_of_row(MeshRow<Real, K> const& row, double rows) {
  Moments<K> sums;
  double const w = static_cast<double>(row.weight);
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
  sums.value[Layout::rows] = rows;
  CARROLL_UNROLL
  for (int i = 0; i < K; ++i) {
    double const wa = w * a[i];
    sums.value[Layout::motion_rhs(K) + i] = wa * r;
    CARROLL_UNROLL
    for (int j = i; j < K; ++j) sums.value[Layout::motion_pair(K, i, j)] = wa * a[j];
  }
  return sums;
}

/// What a row adds; nothing where its weight is 0, whatever its entries are.
template <class Real, int K>
KOKKOS_INLINE_FUNCTION Moments<K> moments_of_row(MeshRow<Real, K> const& row) {
  return row.weight == Real(0) ? Moments<K>{} : products_of_row(row, 1);
}

/// The row, or one of zeros where its weight is 0.
template <class Real, int K>
KOKKOS_INLINE_FUNCTION MeshRow<Real, K> row_that_counts(MeshRow<Real, K> row) {
  auto const keep = [counts = row.weight != Real(0)](Real& x) { x = counts ? Real{x} : Real(0); };
  CARROLL_UNROLL
  for (int j = 0; j < K; ++j) keep(row.motion[j]);
  CARROLL_UNROLL
  for (int c = 0; c < 3; ++c) keep(row.depth[c]);
  keep(row.residual);
  keep(row.loss);
  return row;
}

/// Rows side by side on a host, each column of [U B d] in an array of its own. The sums are that
/// matrix' weighted Gram matrix, its upper half but for the last entry, and two sums more.
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
    for (int c = 0; c < 3; ++c) columns_[c][i] = value(row.depth[c]);
    for (int j = 0; j < K; ++j) columns_[3 + j][i] = value(row.motion[j]);
    columns_[rhs][i] = value(row.residual);
    loss_[i] = value(row.loss);
    w_[i] = static_cast<double>(row.weight);
    one_[i] = counts ? 1.0 : 0.0;
  }

  /// Places `width` rows from i on. Packs, as compilers make branches of sixteen conditions.
  template <int Bytes, class Real>
  void set(int i, MeshRowBlock<Real, K, width> const& rows) {
    using P = Pack<Real, Bytes>;
    constexpr int parts = width / P::width;
    using Ints = typename P::Ints;
    Ints counts[parts];
    for (int p = 0; p < parts; ++p)
      counts[p] = ~(bits_of(abs(P::load(rows.weight + p * P::width))) == Ints(0));
    auto const put = [&](double* to, auto const& from) {
      using Doubles = Pack<double, Bytes>;
      Real kept[width];
      for (int p = 0; p < parts; ++p)
        store(kept + p * P::width, P::from_bits(bits_of(from(p * P::width)) & counts[p]));
      for (int w = 0; w < width; w += Doubles::width) store(to + i + w, Doubles::load(kept + w));
    };
    auto const put_column = [&](double* to, Real const* from) {
      put(to, [&](int w) { return P::load(from + w); });
    };
    for (int c = 0; c < 3; ++c) put_column(columns_[c], rows.depth[c]);
    for (int j = 0; j < K; ++j) put_column(columns_[3 + j], rows.motion[j]);
    put_column(columns_[rhs], rows.residual);
    put_column(loss_, rows.loss);
    put_column(w_, rows.weight);
    put(one_, [](int) { return P(Real(1)); });
  }

  /// Adds the sums over the first `count` rows, with registers of so many bytes.
  template <int Bytes>
  void add_to(Moments<K>& sums, int count) {
    int const padded = (count + 7) / 8 * 8;
    for (int i = count; i < padded; ++i) set(i, MeshRow<double, K>{});
    double const* y[4];
    double found[4];
    for (int left = 0; left < rhs; ++left) {
      for (int i = 0; i < padded; ++i) weighted_[i] = w_[i] * columns_[left][i];
      for (int first = left; first < columns; first += 4) {
        for (int e = 0; e < 4; ++e) y[e] = columns_[first + e < columns ? first + e : rhs];
        products<Bytes>(weighted_, y, padded, found);
        for (int e = 0; e < 4 && first + e < columns; ++e)
          sums.value[order.place[left][first + e]] += found[e];
      }
    }
    for (int e = 0; e < 4; ++e) y[e] = e == 0 ? loss_ : one_;
    products<Bytes>(one_, y, padded, found);
    sums.value[MomentLayout::loss] += found[0];
    sums.value[MomentLayout::rows] += found[1];
  }

 private:
  static constexpr int rhs = 3 + K, columns = 4 + K;

  /// Where the product of two columns is in MomentLayout.
  struct Order {
    int place[rhs][columns] = {};

    constexpr Order() {
      using Layout = MomentLayout;
      for (int c = 0; c < 3; ++c) {
        for (int e = c; e < 3; ++e) place[c][e] = Layout::depth_pair(c, e);
        for (int j = 0; j < K; ++j) place[c][3 + j] = Layout::depth_motion + 3 * j + c;
        place[c][rhs] = Layout::depth_rhs + c;
      }
      for (int j = 0; j < K; ++j) {
        for (int l = j; l < K; ++l) place[3 + j][3 + l] = Layout::motion_pair(K, j, l);
        place[3 + j][rhs] = Layout::motion_rhs(K) + j;
      }
    }
  };
  static constexpr Order order{};

  /// Σ x·y for four y, n a multiple of 8: eight partial sums each, half of which are added to the
  /// other half until one is left. Four at a time read x once.
  template <int Bytes>
  static void products(double const* x, double const* const (&y)[4], int n, double* out) {
    using P = Pack<double, Bytes>;
    constexpr int parts = 8 / P::width;
    P sum[4][parts];
    for (auto& part : sum)
      for (P& s : part) s = P(0.0);
    for (int i = 0; i < n; i += 8)
      for (int p = 0; p < parts; ++p) {
        P const at = P::load(x + i + p * P::width);
        for (int e = 0; e < 4; ++e) sum[e][p] += at * P::load(y[e] + i + p * P::width);
      }
    Pack<double, 16> last[4];
    for (int e = 0; e < 4; ++e) last[e] = pair_of(sum[e]);
    auto const both = [&](int e) {
      return shuffled<0, 2>(last[e], last[e + 1]) + shuffled<1, 3>(last[e], last[e + 1]);
    };
    store(out, both(0));
    store(out + 2, both(2));
  }

  /// Halves of eight numbers added to each other until two are left.
  template <int Bytes, int Parts>
  static Pack<double, 16> pair_of(Pack<double, Bytes> const (&x)[Parts]) {
    if constexpr (Bytes == 64)
      return halves_added(halves_added(x[0]));
    else if constexpr (Bytes == 32)
      return halves_added(x[0] + x[1]);
    else
      return (x[0] + x[2]) + (x[1] + x[3]);
  }

  double columns_[columns][capacity], loss_[capacity], w_[capacity], one_[capacity];
  double weighted_[capacity];
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
        block.template set<Bytes>(i, part);
      }
    } else {
      for (int i = 0; i < count; ++i) block.set(i, rows(first + i));
    }
    block.template add_to<Bytes>(sums, count);
  }
  return sums;
}

/// The same by a warp: two rows a lane at a time, which stay in registers while their sums are
/// formed and dealt out to the lanes, 32 at a time. All sums at once are more than registers hold:
/// 79 in double precision of eight columns.
template <class Row, class OfTriangle, class F>
KOKKOS_INLINE_FUNCTION void warp_moments(DeviceWarp const& warp, OfTriangle const& rows, int begin,
                                         int end, F const& f) {
  constexpr int size = MomentLayout::size(Row::motions), groups = (size + 31) / 32;
  double sums[groups] = {};
  for (int first = begin; first < end; first += 64) {
    int const i = first + warp.lane;
    Row row[2] = {};
    if (i < end) row[0] = row_that_counts(rows(i));
    if (i + 32 < end) row[1] = row_that_counts(rows(i + 32));
    double const counts[2] = {row[0].weight != 0 ? 1.0 : 0.0, row[1].weight != 0 ? 1.0 : 0.0};
    CARROLL_UNROLL
    for (int g = 0; g < groups; ++g) {
      double x[32];
      auto const one = products_of_row(row[0], counts[0]);
      auto const other = products_of_row(row[1], counts[1]);
      CARROLL_UNROLL
      for (int s = 0; s < 32; ++s) {
        int const at = 32 * g + s < size ? 32 * g + s : 0;
        x[s] = 32 * g + s < size ? one.value[at] + other.value[at] : 0.0;
      }
      sums[g] += scattered_sums<32>(warp, x);
    }
  }
  CARROLL_UNROLL
  for (int g = 0; g < groups; ++g)
    if (32 * g + warp.lane < size) f(32 * g + warp.lane, sums[g]);
}

/// The same on a device, by the lanes of a thread: f(s, sum) for each of the sums, by one lane.
template <class ExecSpace, class Row, class Member, class OfTriangle, class F>
KOKKOS_INLINE_FUNCTION void lane_moments(Member const& team, OfTriangle const& rows, int begin,
                                         int end, F const& f) {
  if constexpr (has_warps<ExecSpace>)
    warp_moments<Row>(warp_of_lanes(team), rows, begin, end, f);
  else
    put_sums<ExecSpace, MomentLayout::size(Row::motions)>(
        team, end - begin, [&](int i) { return moments_of_row(rows(begin + i)); }, f);
}

}  // namespace carroll::detail
