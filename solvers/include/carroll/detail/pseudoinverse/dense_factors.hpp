// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/independent.hpp>
#include <carroll/detail/pseudoinverse/arrow_rows.hpp>
#include <carroll/detail/pseudoinverse/core_solve.hpp>
#include <carroll/detail/pseudoinverse/multiply_add.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// What the columns of A⁺ are made of, per frame; see Core.
template <class Real>
struct DenseFactors {
  Real* eta = nullptr;     ///< k×n: the motion rows of A⁺
  Real* beta = nullptr;    ///< k×m: -β
  Real* own = nullptr;     ///< n: u/d - βη, what a column has in the row of its depth
  int* segment = nullptr;  ///< n: which one that is
  // Of one motion column, on GPUs: see SingleSegments.
  double* shares = nullptr;       ///< what the teams of a frame leave
  std::uint64_t* told = nullptr;  ///< per frame; 0 between calls
  int* readers = nullptr;         ///< per frame: teams that have read that; 0 between calls
  int* taken = nullptr;           ///< per frame: items that writers have taken; 0 between calls
};

/// Those of one frame.
template <class Real>
struct FrameFactors {
  Real const *eta, *beta, *own;
  int const* segment;
  bool bad;  ///< A⁺ is NaN

  KOKKOS_FUNCTION FrameFactors(ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors,
                               std::ptrdiff_t frame)
      : eta(factors.eta + frame * batch.n * batch.k),
        beta(factors.beta + frame * batch.k * batch.m),
        own(factors.own + frame * batch.n),
        segment(factors.segment + frame * batch.n) {
    // The frame's first right-hand side, of which there is one.
    Status const status = batch.info_of(static_cast<int>(frame)).status;
    bad = status == Status::non_finite || status == Status::breakdown;
  }
  KOKKOS_FUNCTION static Real nan() { return Kokkos::Experimental::quiet_NaN_v<Real>; }
};

/// η = N·XᵀEᵀ + T·βᵀD⁻¹Uᵀ, row by row of A, and the other factors. One thread of a team per window,
/// its lanes along the rows. n(k+1) entries read, n(k+1) and m·k written; 2k² + 4k flops a row.
///
/// With dependent columns a depth can be all but a null vector z of A. Its u/d and βη then cancel,
/// and its entry ξ is had from the others, to which it is as zᵀx = 0 says: ξ = -zq/zz, where q is
/// what the others give to zᵀx. This takes z to more digits than A⁺: for float only.
///
/// `Single`: there is one motion column, for which a GPU then has less instructions to wait for.
template <class ExecSpace, class Real, bool Plain, bool Single>
class DenseFactorsKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  DenseFactorsKernel(ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors)
      : batch_(batch),
        factors_(factors),
        window_rows_(lanes<ExecSpace> == 1 ? batch.window_rows : 128),
        windows_((batch.n + window_rows_ - 1) / window_rows_) {}

  /// Windows of all frames. They may be other ones than those of the step.
  KOKKOS_FUNCTION int items() const { return batch_.frames * windows_; }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const item = team.league_rank() * team.team_size() + team.team_rank();
    int const k = Single ? 1 : batch_.k;
    int const m = batch_.m;
    std::ptrdiff_t const n = batch_.n;
    if (item >= items()) return;
    int const frame = item / windows_;
    int const window = item % windows_;
    int const begin = window * window_rows_;
    int const end = Kokkos::min(begin + window_rows_, batch_.n);
    ArrowRows<Real, Plain> const rows(batch_, frame);
    Core const core(k, batch_.core(frame), nullptr);
    Real* const eta = factors_.eta + frame * n * k;
    Real* const own = factors_.own + frame * n;
    int* const owner = factors_.segment + frame * n;
    // The windows share the groups' β among them.
    int const share = (m + windows_ - 1) / windows_;
    int const first = Kokkos::min(window * share, m);
    for (int j = 0; j < k; ++j)
      lane_for(team, Kokkos::min(share, m - first), [&](int i) {
        factors_.beta[(static_cast<std::ptrdiff_t>(frame) * k + j) * m + first + i] =
            static_cast<Real>(-batch_.group(frame, 2 + j, first + i));
      });
    // The step has solved no core where there is nothing but NaN to write.
    if (m == 0 || FrameFactors<Real>(batch_, factors_, frame).bad) return;
    if constexpr (Single && Plain && lanes<ExecSpace> == 1)
      if (sizeof(Real) == sizeof(double) || *core.nullity == 0) {
        KOKKOS_IF_ON_HOST((by_segments(core, frame, begin, end);))
        return;
      }
    int segment = segment_by_lanes<ExecSpace>(team, batch_, frame, begin);  // goes on with the rows
    lane_for(team, end - begin, [&](int i) {
      while (segment + 1 < m && batch_.offset(frame, segment + 1) <= begin + i) ++segment;
      int const row = rows.row_at(begin + i);
      double const u = rows.depth(row);
      double const d = batch_.group(frame, 0, segment);
      double const inverse = d > 0 ? 1 / d : 0;
      owner[row] = segment;
      double entry = u * inverse;
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
        auto const rounded = static_cast<Real>(sum);
        eta[j * n + row] = rounded;
        entry =
            multiply_add(-batch_.group(frame, 2 + j, segment), static_cast<double>(rounded), entry);
      }
      if (sizeof(Real) < sizeof(double) && *core.nullity > 0 &&
          4 * Kokkos::abs(entry) < Kokkos::abs(u * inverse))
        entry = from_null_vectors(core, frame, segment, eta + row, entry);
      own[row] = static_cast<Real>(entry);
    });
  }

 private:
  /// The rows begin <= p < end of one motion column on a host, whose compiler makes vector code of
  /// those of a segment.
  void by_segments(Core const& core, int frame, int begin, int end) const {
    std::ptrdiff_t const n = batch_.n;
    ArrowRows<Real, true> const rows(batch_, frame);
    Real const* const depth = rows.depths();
    Real const* const motion = rows.motions();
    Real* const eta = factors_.eta + frame * n;
    Real* const own = factors_.own + frame * n;
    int* const owner = factors_.segment + frame * n;
    double const X = *core.X, N = *core.N, T = *core.T;
    int segment = segment_at(batch_, frame, begin);
    for (int at = begin; at < end;) {
      while (segment + 1 < batch_.m && batch_.offset(frame, segment + 1) <= at) ++segment;
      int stop = end;
      if (segment + 1 < batch_.m) stop = Kokkos::min(stop, batch_.offset(frame, segment + 1));
      double const d = batch_.group(frame, 0, segment);
      double const inverse = d > 0 ? 1 / d : 0;
      double const beta = batch_.group(frame, 2, segment);
      double const shortened = T * beta;
      CARROLL_INDEPENDENT
      for (int p = at; p < stop; ++p) {
        double const u = static_cast<double>(depth[p]);
        double const e = static_cast<double>(motion[p]) - u * beta;
        auto const rounded = static_cast<Real>(N * (X * e) + shortened * (u * inverse));
        owner[p] = segment;
        eta[p] = rounded;
        own[p] = static_cast<Real>(u * inverse - beta * static_cast<double>(rounded));
      }
      at = stop;
    }
  }

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
  int window_rows_, windows_;
};

}  // namespace carroll::detail
