// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/depth_group.hpp>
#include <carroll/detail/pseudoinverse/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/single_sums.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// The windows of problems with one motion column a. Of the piece of a segment in a window, with
/// d, β and γ as in depth_group.hpp:
///
///   structured_qr:     Σ e², Σ e·f  with e = a - uβ, f = r - uγ, row by row;
///   normal_equations:  Σ a² - d·β², Σ a·r - d·β·γ.
///
/// R of E = QR is the root of the first, Qᵀr the second over it; taking γ off r costs nothing and
/// makes the error of Σ e·r that e and u are not quite orthogonal one of second order (Björck,
/// BIT 7, 1967, of modified Gram-Schmidt).
///
/// For hosts: one thread per window. 3n entries are read, a second time for structured_qr, then
/// from the nearest cache; 13 or 10 flops per row.
template <class ExecSpace, class Real, bool Plain>
class SingleMotionKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  explicit SingleMotionKernel(ArrowBatch<Real> const& batch) : batch_(batch) {}

  /// Rows of a window: enough of them to pay for what a window leaves.
  static constexpr int window_rows = 2048;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const item = team.league_rank() * team.team_size() + team.team_rank();
    if (item >= batch_.problems() * batch_.windows) return;
    int const problem = item / batch_.windows;
    int const window = item % batch_.windows;
    int const frame = batch_.frame_of(problem);
    int const begin = window * batch_.window_rows;
    int const end = Kokkos::min(begin + batch_.window_rows, batch_.n);
    ArrowRows<Real, Plain> const rows(batch_, problem);
    bool const gram = batch_.options.method == PseudoinverseMethod::normal_equations;

    double* const partial = batch_.partial(problem, window);
    WindowEdges edges;
    RemainderSums remainder;
    double ee = 0, ef = 0, aa = 0;
    int segment = batch_.m > 0 ? segment_at(batch_, frame, begin) : 0;
    for (int at = begin; at < end;) {
      while (segment < batch_.m && batch_.offset(frame, segment + 1) <= at) ++segment;
      if (segment == batch_.m) break;  // the offsets end before n, which the core kernel reports
      int const behind = batch_.offset(frame, segment + 1);
      int const stop = Kokkos::min(behind, end);
      bool const begins = batch_.offset(frame, segment) >= begin;
      bool const whole = begins && behind <= end;
      PieceSums const piece =
          gram ? piece_sums<true>(rows, at, stop) : piece_sums<false>(rows, at, stop);
      double const d = piece.uu;
      double const mu = whole ? batch_.damping_of(frame, batch_.k + segment) : 0;
      double const damped = d + mu;
      double const beta = d > 0 ? piece.ua / d : 0;
      double const gamma = d > 0 ? piece.ur / d : 0;
      double const kept = damped > 0 ? d / damped : 1;  // of β and γ
      if (gram) {
        ee += multiply_add(-(kept * piece.ua), beta, piece.aa);
        ef += multiply_add(-(kept * piece.ur), beta, piece.ar);
        aa += piece.aa;
      } else {
        double const share = damped_share(d, mu);
        remainder.add(rows, at, stop, share * beta, share * gamma);
        aa = multiply_add(kept * piece.ua, beta, aa);
      }
      once_per_thread(team, [&] {
        if (whole) {
          batch_.group(problem, 0, segment) = damped;
          batch_.group(problem, 1, segment) = kept * gamma;
          batch_.group(problem, 2, segment) = kept * beta;
        } else {
          double* const edge = partial + (begins ? 6 : 3);
          edge[0] = d;
          edge[1] = gamma;
          edge[2] = beta;
        }
      });
      if (!whole) (begins ? edges.tail : edges.head) = segment;
      at = stop;
    }
    if (!gram) {
      ee = remainder.square();
      ef = remainder.product();
      aa += ee;
    }
    if constexpr (!Plain) edges.invalid = invalid_rows(team, rows, begin, end);
    once_per_thread(team, [&] {
      partial[0] = ee;
      partial[1] = ef;
      partial[2] = aa;
      batch_.edges_of(problem, window) = edges;
    });
  }

 private:
  KOKKOS_FUNCTION static int invalid_rows(Member const& team, ArrowRows<Real, Plain> const& rows,
                                          int begin, int end) {
    return lane_max<int>(team, end - begin,
                         [&](int i) { return rows.valid_at(begin + i) ? 0 : 1; });
  }

  ArrowBatch<Real> batch_;
};

}  // namespace carroll::detail
