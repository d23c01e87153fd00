// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/independent.hpp>
#include <carroll/detail/pseudoinverse/common/arrow_rows.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/core/inverse.hpp>
#include <carroll/detail/pseudoinverse/core/solve.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// What the columns of A⁺ are made of, per frame; see Core and InverseFactors.
template <class Real>
struct DenseFactors {
  Real* eta = nullptr;     ///< k×n: the motion rows of A⁺, or H
  Real* beta = nullptr;    ///< k×m: -β, or the depths of V
  Real* own = nullptr;     ///< n: what a column has in the row of its depth, u/d - βη
  int* segment = nullptr;  ///< n: which one that is
  // Of one motion column, on GPUs: see OneMotionSegments.
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
  double const* mix = nullptr;  ///< k×k, what the motion rows have of eta; null: these are eta
  bool bad;                     ///< A⁺ is NaN
  bool written = false;         ///< A⁺ is there

  KOKKOS_FUNCTION FrameFactors(ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors,
                               std::ptrdiff_t frame)
      : eta(factors.eta + frame * batch.n * batch.k),
        beta(factors.beta + frame * batch.k * batch.m),
        own(factors.own + frame * batch.n),
        segment(factors.segment + frame * batch.n) {
    InverseKind const kind = inverse_kind(batch, static_cast<int>(frame));
    bad = kind == InverseKind::none;
    if (kind == InverseKind::factors)
      mix = Core(batch.k, batch.core(static_cast<int>(frame)), nullptr).N;
    written = kind == InverseKind::entries;
  }
  KOKKOS_FUNCTION static Real nan() { return Kokkos::Experimental::quiet_NaN_v<Real>; }
};

/// η = N·XᵀEᵀ, row by row of A, and the other factors; or V and H, see InverseFactors. One thread
/// of a team per window, its lanes along the rows. n(k+1) entries read, n(k+1) and m·k written; 2k²
/// + 4k flops a row.
///
/// `Single`: there is one motion column, for which a GPU then has less instructions to wait for.
template <class ExecSpace, class Real, bool Plain, bool Single>
class DenseFactorsKernel {
 public:
  DenseFactorsKernel(ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors)
      : batch_(batch),
        factors_(factors),
        window_rows_(lanes<ExecSpace> == 1 ? batch.window_rows : 128),
        windows_((batch.n + window_rows_ - 1) / window_rows_) {}

  /// Windows of all frames. They may be other ones than those of the step.
  KOKKOS_FUNCTION int items() const { return batch_.frames * windows_; }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const item = team.league_rank() * team.team_size() + team.team_rank();
    int const k = Single ? 1 : batch_.k;
    int const m = batch_.m;
    std::ptrdiff_t const n = batch_.n;
    if (item >= items()) return;
    int const frame = item / windows_;
    int const window = item % windows_;
    int const begin = window * window_rows_;
    int const end = Kokkos::min(begin + window_rows_, batch_.n);
    InverseKind const kind = inverse_kind(batch_, frame);
    if (kind == InverseKind::none) return;  // nobody reads factors
    ArrowRows<Real, Plain> const rows(batch_, frame);
    Core const core(k, batch_.core(frame), nullptr);
    Real* const eta = factors_.eta + frame * n * k;
    Real* const own = factors_.own + frame * n;
    int* const owner = factors_.segment + frame * n;
    double const sign = kind == InverseKind::factors ? 1 : -1;  // of what stands in the place of β
    // The windows share the groups' β among them.
    int const share = (m + windows_ - 1) / windows_;
    int const first = Kokkos::min(window * share, m);
    for (int j = 0; j < k; ++j)
      lane_for(team, Kokkos::min(share, m - first), [&](int i) {
        factors_.beta[(static_cast<std::ptrdiff_t>(frame) * k + j) * m + first + i] =
            static_cast<Real>(sign * batch_.group(frame, 2 + j, first + i));
      });
    if (m == 0) return;
    if constexpr (Single && Plain && lanes<ExecSpace> == 1)
      if (kind != InverseKind::entries) {
        KOKKOS_IF_ON_HOST((by_segments(core, frame, begin, end, kind == InverseKind::factors);))
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
      if (kind == InverseKind::factors) return put_factors(core, rows, frame, row, segment, entry);
      if (kind == InverseKind::entries) return put_entries(core, rows, frame, row, segment, entry);
      for (int j = 0; j < k; ++j) {
        auto const rounded = static_cast<Real>(motion_entry(core, rows, frame, row, segment, j));
        eta[j * n + row] = rounded;
        entry =
            multiply_add(-batch_.group(frame, 2 + j, segment), static_cast<double>(rounded), entry);
      }
      own[row] = static_cast<Real>(entry);
    });
  }

 private:
  /// η of independent columns.
  KOKKOS_FUNCTION double motion_entry(Core const& core, ArrowRows<Real, Plain> const& rows,
                                      int frame, int row, int segment, int j) const {
    int const k = Single ? 1 : batch_.k;
    double const u = rows.depth(row);
    double sum = 0;
    for (int t = 0; t < k; ++t) {
      double q = 0;
      for (int l = 0; l < k; ++l)
        q = multiply_add(core.at(core.X, l, t),
                         multiply_add(-u, batch_.group(frame, 2 + l, segment), rows.motion(row, l)),
                         q);
      sum = multiply_add(core.at(core.N, j, t), q, sum);
    }
    return sum;
  }

  KOKKOS_FUNCTION void put_own(Real& target, double value, int frame) const {
    target = static_cast<Real>(value);
    if (!Kokkos::isfinite(target)) tell_overflow(frame);
  }
  KOKKOS_FUNCTION void tell_overflow(int frame) const {
    Kokkos::atomic_store(&batch_.info_of(frame).status, Status::overflow);
  }

  /// Entry j of a column of H.
  KOKKOS_FUNCTION double factor(Core const& core, ArrowRows<Real, Plain> const& rows, int frame,
                                int row, int segment, double share, int j) const {
    double const left = batch_.group(frame, 2 + j, segment);
    if (InverseFactors<Real>::is_null(core, j)) return -left * share;
    double h = left * rows.depth(row);
    for (int l = 0; l < core.k; ++l)
      h = multiply_add(core.at(core.N, l, j), static_cast<double>(rows.motion(row, l)), h);
    return h;
  }
  /// The own entry that goes with it. `share`: u/d of the row of A.
  KOKKOS_FUNCTION double own_entry(Core const& core, ArrowRows<Real, Plain> const& rows, int frame,
                                   int row, int segment, double share) const {
    double own = batch_.group(frame, 1, segment) * share;
    for (int j = 0; j < core.k; ++j)
      if (!InverseFactors<Real>::is_null(core, j))
        own = multiply_add(batch_.group(frame, 2 + j, segment),
                           factor(core, rows, frame, row, segment, share, j), own);
    return own;
  }

  /// A column of H, and the own entry.
  KOKKOS_FUNCTION void put_factors(Core const& core, ArrowRows<Real, Plain> const& rows, int frame,
                                   int row, int segment, double share) const {
    std::ptrdiff_t const n = batch_.n;
    for (int j = 0; j < core.k; ++j)
      factors_.eta[(static_cast<std::ptrdiff_t>(frame) * core.k + j) * n + row] =
          static_cast<Real>(factor(core, rows, frame, row, segment, share, j));
    put_own(factors_.own[frame * n + row], own_entry(core, rows, frame, row, segment, share),
            frame);
  }

  /// A column of A⁺.
  KOKKOS_FUNCTION void put_entries(Core const& core, ArrowRows<Real, Plain> const& rows, int frame,
                                   int row, int segment, double share) const {
    int const k = core.k;
    bool const deficient = *core.nullity > 0;
    auto const& A = batch_.inverse;
    Real* const column = A.data + frame * A.strides[0] + row * A.strides[2];
    for (int e = 0; e < k + batch_.m; ++e) {
      bool const is_own = e == k + segment;
      double sum = 0;
      if (deficient) {
        for (int j = 0; j < k && !is_own; ++j)
          sum = multiply_add(e < k ? core.at(core.N, e, j) : batch_.group(frame, 2 + j, e - k),
                             factor(core, rows, frame, row, segment, share, j), sum);
        if (is_own) sum = own_entry(core, rows, frame, row, segment, share);
      } else if (e < k) {
        sum = motion_entry(core, rows, frame, row, segment, e);
      } else {
        sum = is_own ? share : 0;
        for (int j = 0; j < k; ++j)
          sum = multiply_add(-batch_.group(frame, 2 + j, e - k),
                             motion_entry(core, rows, frame, row, segment, j), sum);
      }
      put_own(column[e * A.strides[1]], sum, frame);
    }
  }

  /// The rows begin <= p < end of one motion column on a host, whose compiler makes vector code of
  /// those of a segment. `dependent`: see factor() and own_entry(), the same in every bit.
  void by_segments(Core const& core, int frame, int begin, int end, bool dependent) const {
    constexpr Real largest = Kokkos::Experimental::finite_max_v<Real>;
    std::ptrdiff_t const n = batch_.n;
    ArrowRows<Real, true> const rows(batch_, frame);
    Real const* const depth = rows.depths();
    Real const* const motion = rows.motions();
    Real* const eta = factors_.eta + frame * n;
    Real* const own = factors_.own + frame * n;
    int* const owner = factors_.segment + frame * n;
    double const X = *core.X, N = *core.N;
    int segment = segment_at(batch_, frame, begin), unfit = 0;
    for (int at = begin; at < end;) {
      while (segment + 1 < batch_.m && batch_.offset(frame, segment + 1) <= at) ++segment;
      int stop = end;
      if (segment + 1 < batch_.m) stop = Kokkos::min(stop, batch_.offset(frame, segment + 1));
      double const d = batch_.group(frame, 0, segment);
      double const inverse = d > 0 ? 1 / d : 0;
      double const beta = batch_.group(frame, 2, segment);
      double const kept = batch_.group(frame, 1, segment);
      if (dependent) {
        CARROLL_INDEPENDENT
        for (int p = at; p < stop; ++p) {
          double const share = static_cast<double>(depth[p]) * inverse;
          owner[p] = segment;
          eta[p] = static_cast<Real>(-beta * share);
          own[p] = static_cast<Real>(kept * share);
          unfit |= Kokkos::abs(own[p]) <= largest ? 0 : 1;
        }
      } else {
        CARROLL_INDEPENDENT
        for (int p = at; p < stop; ++p) {
          double const u = static_cast<double>(depth[p]);
          double const e = static_cast<double>(motion[p]) - u * beta;
          auto const rounded = static_cast<Real>(N * (X * e) + 0.0);  // as sums are, of sign + if 0
          owner[p] = segment;
          eta[p] = rounded;
          own[p] = static_cast<Real>(u * inverse - beta * static_cast<double>(rounded));
        }
      }
      at = stop;
    }
    if (unfit != 0) tell_overflow(frame);
  }

  ArrowBatch<Real> batch_;
  DenseFactors<Real> factors_;
  int window_rows_, windows_;
};

}  // namespace carroll::detail
