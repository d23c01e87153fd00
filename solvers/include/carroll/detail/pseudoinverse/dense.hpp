// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/arrow_rows.hpp>
#include <carroll/detail/pseudoinverse/core_solve.hpp>
#include <carroll/detail/pseudoinverse/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/stream.hpp>
#include <carroll/detail/team.hpp>
#include <type_traits>

namespace carroll::detail {

/// What the columns of A⁺ are made of, per frame; see Core.
template <class Real>
struct DenseFactors {
  Real* eta = nullptr;     ///< k×n: the motion rows of A⁺
  Real* beta = nullptr;    ///< k×m: -β
  Real* own = nullptr;     ///< n: u/d - βη, what a column has in the row of its depth
  int* segment = nullptr;  ///< n: which one that is
};

/// η = N·XᵀEᵀ + T·βᵀD⁻¹Uᵀ, row by row of A, and the other factors. One thread of a team per window,
/// its lanes along the rows. n(k+1) entries read, n(k+1) and m·k written; 2k² + 4k flops a row.
///
/// With dependent columns a depth can be all but a null vector z of A. Its u/d and βη then cancel,
/// and its entry ξ is had from the others, to which it is as zᵀx = 0 says: ξ = -zq/zz, where q is
/// what the others give to zᵀx. This takes z to more digits than A⁺: for float only.
template <class ExecSpace, class Real, bool Plain>
class DenseFactorsKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  DenseFactorsKernel(ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors)
      : batch_(batch), factors_(factors) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const item = team.league_rank() * team.team_size() + team.team_rank();
    int const k = batch_.k;
    int const m = batch_.m;
    std::ptrdiff_t const n = batch_.n;
    if (item >= batch_.frames * batch_.windows) return;
    int const frame = item / batch_.windows;
    int const window = item % batch_.windows;
    int const begin = window * batch_.window_rows;
    int const end = Kokkos::min(begin + batch_.window_rows, batch_.n);
    ArrowRows<Real, Plain> const rows(batch_, frame);
    Core const core(k, batch_.core(frame), nullptr);
    Real* const eta = factors_.eta + frame * n * k;
    Real* const own = factors_.own + frame * n;
    int* const owner = factors_.segment + frame * n;
    // The windows share the groups' β among them.
    int const share = (m + batch_.windows - 1) / batch_.windows;
    int const first = Kokkos::min(window * share, m);
    for (int j = 0; j < k; ++j)
      lane_for(team, Kokkos::min(share, m - first), [&](int i) {
        factors_.beta[(static_cast<std::ptrdiff_t>(frame) * k + j) * m + first + i] =
            static_cast<Real>(-batch_.group(frame, 2 + j, first + i));
      });
    int segment = m > 0 ? segment_at(batch_, frame, begin) : 0;
    for (int at = begin; at < end;) {
      while (segment < m && batch_.offset(frame, segment + 1) <= at) ++segment;
      if (segment == m) break;
      int const stop = Kokkos::min(batch_.offset(frame, segment + 1), end);
      double const d = batch_.group(frame, 0, segment);
      double const inverse = d > 0 ? 1 / d : 0;
      lane_for(team, stop - at, [&](int i) {
        int const row = rows.row_at(at + i);
        double const u = rows.depth(row);
        owner[row] = segment;
        for (int j = 0; j < k; ++j) {
          double sum = 0;
          for (int t = 0; t < k; ++t) {
            double q = 0;
            for (int l = 0; l < k; ++l)
              q = multiply_add(
                  core.at(core.X, l, t),
                  multiply_add(-u, batch_.group(frame, 2 + l, segment), rows.motion(row, l)), q);
            sum = multiply_add(core.at(core.N, j, t), q, sum);
            sum = multiply_add(core.at(core.T, j, t) * batch_.group(frame, 2 + t, segment),
                               u * inverse, sum);
          }
          eta[j * n + row] = static_cast<Real>(sum);
        }
        double entry = u * inverse;
        for (int j = 0; j < k; ++j)
          entry = multiply_add(-batch_.group(frame, 2 + j, segment),
                               static_cast<double>(eta[j * n + row]), entry);
        if (sizeof(Real) < sizeof(double) && *core.nullity > 0 &&
            4 * Kokkos::abs(entry) < Kokkos::abs(u * inverse))
          entry = from_null_vectors(core, frame, segment, eta + row, entry);
        own[row] = static_cast<Real>(entry);
      });
      at = stop;
    }
  }

 private:
  /// (βᵢY)ₐ, but for its sign the entry of null vector a.
  KOKKOS_FUNCTION double null_entry(Core const& core, int frame, int i, int a) const {
    double z = 0;
    for (int j = 0; j < core.k; ++j)
      z = multiply_add(batch_.group(frame, 2 + j, i), core.at(core.Y, j, a), z);
    return z;
  }

  /// The entry of depth `segment` in a column of A⁺ with motion entries eta(0), eta(n), …; `entry`
  /// where the null vectors do not tell.
  KOKKOS_FUNCTION double from_null_vectors(Core const& core, int frame, int segment,
                                           Real const* eta, double entry) const {
    std::ptrdiff_t const n = batch_.n;
    double square = 0, product = 0;
    for (int a = 0; a < static_cast<int>(*core.nullity); ++a) {
      double q = 0;
      for (int j = 0; j < core.k; ++j)
        q = multiply_add(core.at(core.Y, j, a), static_cast<double>(eta[j * n]), q);
      for (int i = 0; i < batch_.m; ++i) {
        if (i == segment) continue;
        double xi = 0;
        for (int j = 0; j < core.k; ++j)
          xi = multiply_add(batch_.group(frame, 2 + j, i), static_cast<double>(eta[j * n]), xi);
        q = multiply_add(null_entry(core, frame, i, a), xi, q);
      }
      double const z = null_entry(core, frame, segment, a);
      square = multiply_add(z, z, square);
      product = multiply_add(z, q, product);
    }
    return square > 0.5 ? product / square : entry;
  }

  ArrowBatch<Real> batch_;
  DenseFactors<Real> factors_;
};

/// Writes A⁺ = [η; -βη], with `own` in place of its entries, each entry once, in the order of
/// memory: `inner` runs over the dimension with the smaller stride. (k+m)·n entries written, 2k
/// flops each.
///
/// On a GPU a work item holds one inner index and goes through `tile` outer ones; on a host it
/// writes a stretch of `tile` inner entries for outer indices from one end to the other, past the
/// caches.
template <class ExecSpace, class Real>
class DenseWriteKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  static constexpr bool on_host = lanes<ExecSpace> == 1;
  static constexpr int tile = on_host ? 4096 : 32;

  DenseWriteKernel(ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors)
      : batch_(batch),
        factors_(factors),
        by_rows_(batch.inverse.strides[2] <= batch.inverse.strides[1]) {
    int const rows = batch.k + batch.m;
    inner_ = by_rows_ ? batch.n : rows;
    outer_ = by_rows_ ? rows : batch.n;
    inner_stride_ = batch.inverse.strides[by_rows_ ? 2 : 1];
    outer_stride_ = batch.inverse.strides[by_rows_ ? 1 : 2];
    tiles_ = ((on_host ? inner_ : outer_) + tile - 1) / tile;
    blocks_ = on_host ? (outer_ + host_block - 1) / host_block : inner_;
  }

  [[nodiscard]] std::int64_t items() const {
    return static_cast<std::int64_t>(batch_.frames) * tiles_ * blocks_;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    int const block = static_cast<int>(item % blocks_);
    std::int64_t const rest = item / blocks_;
    int const first = static_cast<int>(rest % tiles_) * tile;
    int const frame = static_cast<int>(rest / tiles_);
    Real* const out = batch_.inverse.data + frame * batch_.inverse.strides[0];
    bool const bad = is_bad(frame);
    if constexpr (on_host) {
      int const end = Kokkos::min((block + 1) * host_block, outer_);
      for (int o = block * host_block; o < end; ++o)
        write_stretch(out + o * outer_stride_, frame, o, first, Kokkos::min(first + tile, inner_),
                      bad);
    } else {
      int const end = Kokkos::min(first + tile, outer_);
      for (int o = first; o < end; ++o)
        out[o * outer_stride_ + block * inner_stride_] = bad        ? nan()
                                                         : by_rows_ ? value(frame, o, block)
                                                                    : value(frame, block, o);
    }
  }

 private:
  /// Outer indices of a host's work item: many, so that the factors stay in cache.
  static constexpr int host_block = 256;
  static constexpr int chunk = 64;

  KOKKOS_FUNCTION static Real nan() { return Kokkos::Experimental::quiet_NaN_v<Real>; }
  KOKKOS_FUNCTION bool is_bad(int frame) const {
    Status const status = batch_.info_of(frame).status;
    return status == Status::non_finite || status == Status::breakdown;
  }

  /// Entry (row, p) of A⁺.
  KOKKOS_FUNCTION Real value(int frame, int row, int p) const {
    int const k = batch_.k;
    std::ptrdiff_t const n = batch_.n;
    Real const* const eta = factors_.eta + frame * n * k;
    if (row < k) return eta[row * n + p];
    int const i = row - k;
    Real const* const beta = factors_.beta + static_cast<std::ptrdiff_t>(frame) * k * batch_.m;
    if (factors_.segment[frame * n + p] == i) return factors_.own[frame * n + p];
    Real sum = beta[i] * eta[p];
    for (int j = 1; j < k; ++j)
      sum = multiply_add(beta[static_cast<std::ptrdiff_t>(j) * batch_.m + i], eta[j * n + p], sum);
    return sum;
  }

  /// Entries begin <= i < end of the line `o` that begins at `line`.
  KOKKOS_FUNCTION void write_stretch(Real* line, int frame, int o, int begin, int end,
                                     bool bad) const {
    Real buffer[chunk];
    for (int i = begin; i < end;) {
      // Up to where whole cache lines begin.
      int const past = inner_stride_ == 1 ? entries_past_line(line + i) : 0;
      int const count = Kokkos::min(chunk - past, end - i);
      if (bad)
        for (int w = 0; w < count; ++w) buffer[w] = nan();
      else if (count == chunk)
        values(buffer, frame, o, i, std::integral_constant<int, chunk>{});
      else
        values(buffer, frame, o, i, count);
      if (inner_stride_ == 1)
        stream(line + i, buffer, count);
      else
        for (int w = 0; w < count; ++w) line[(i + w) * inner_stride_] = buffer[w];
      i += count;
    }
  }

  /// `Count` is an int, or one that the compiler knows, so that it unrolls the loops.
  template <class Count>
  KOKKOS_FUNCTION void values(Real* buffer, int frame, int o, int i, Count count) const {
    if (by_rows_)
      row_values(buffer, frame, o, i, count);
    else
      column_values(buffer, frame, o, i, count);
  }

  /// Entries of A⁺'s row `row`, from column p on.
  template <class Count>
  KOKKOS_FUNCTION void row_values(Real* buffer, int frame, int row, int p, Count count) const {
    int const k = batch_.k;
    std::ptrdiff_t const n = batch_.n;
    Real const* const eta = factors_.eta + frame * n * k + p;
    if (row < k) {
      for (int w = 0; w < count; ++w) buffer[w] = eta[row * n + w];
      return;
    }
    int const i = row - k;
    Real const* const beta = factors_.beta + static_cast<std::ptrdiff_t>(frame) * k * batch_.m + i;
    Real const first = beta[0];
    for (int w = 0; w < count; ++w) buffer[w] = first * eta[w];
    for (int j = 1; j < k; ++j) {
      Real const b = beta[static_cast<std::ptrdiff_t>(j) * batch_.m];
      for (int w = 0; w < count; ++w) buffer[w] += b * eta[j * n + w];
    }
    int const* const owner = factors_.segment + frame * n + p;
    // Without a permutation the segments of a stretch rise: most stretches have none of row i.
    if (!batch_.rows.data && (owner[0] > i || owner[count - 1] < i)) return;
    Real const* const own = factors_.own + frame * n + p;
    for (int w = 0; w < count; ++w) buffer[w] = owner[w] == i ? own[w] : buffer[w];
  }

  /// Entries of A⁺'s column p, from row `row` on.
  template <class Count>
  KOKKOS_FUNCTION void column_values(Real* buffer, int frame, int p, int row, Count count) const {
    int const k = batch_.k;
    std::ptrdiff_t const n = batch_.n;
    if (row < k) {
      for (int w = 0; w < count; ++w) buffer[w] = value(frame, row + w, p);
      return;
    }
    Real const* const eta = factors_.eta + frame * n * k + p;
    Real const* const beta =
        factors_.beta + static_cast<std::ptrdiff_t>(frame) * k * batch_.m + (row - k);
    Real const first = eta[0];
    for (int w = 0; w < count; ++w) buffer[w] = beta[w] * first;
    for (int j = 1; j < k; ++j) {
      Real const e = eta[j * n];
      Real const* const b = beta + static_cast<std::ptrdiff_t>(j) * batch_.m;
      for (int w = 0; w < count; ++w) buffer[w] += b[w] * e;
    }
    int const own = factors_.segment[frame * n + p] + k - row;
    if (0 <= own && own < count) buffer[own] = factors_.own[frame * n + p];
  }

  ArrowBatch<Real> batch_;
  DenseFactors<Real> factors_;
  bool by_rows_;
  int inner_ = 0, outer_ = 0, tiles_ = 0, blocks_ = 0;
  std::ptrdiff_t inner_stride_ = 1, outer_stride_ = 1;
};

}  // namespace carroll::detail
