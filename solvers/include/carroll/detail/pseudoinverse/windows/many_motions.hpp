// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/common/depth_group.hpp>
#include <carroll/detail/pseudoinverse/common/fused_rows.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/windows/row_tile.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// The windows of problems with any number k of motion columns, and of those whose rows a functor
/// computes, each of them once. The rows of a window, (u | B | r),
/// are put into scratch; u is taken off the other columns segment by segment, then
///
///   structured_qr:     the window's rows (E | f) are factorised, E = QR, by modified Gram-Schmidt
///                      with f as last column (Björck, BIT 7, 1967); R and z = Qᵀf are left;
///   normal_equations:  EᵀE and Eᵀf are formed from sums before u is taken off.
///
/// One thread of a team per window, its lanes along the rows. n(k+2) entries are read, about
/// 2n(k+1)(k+2) flops.
template <class ExecSpace, class Real, class Source>
class ManyMotionsKernel {
 public:
  ManyMotionsKernel(ArrowBatch<Real> const& batch, Source const& source, int level)
      : batch_(batch), source_(source), level_(level) {}

  static std::size_t bytes_per_thread(int rows, int k) {
    return (static_cast<std::size_t>(rows) * (k + 2)) * sizeof(double) + 64;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const k = batch_.k;
    int const item = team.league_rank() * team.team_size() + team.team_rank();
    RowTile const tile{
        static_cast<double*>(team.thread_scratch(level_).get_shmem_aligned(
            static_cast<std::size_t>(batch_.window_rows) * (k + 2) * sizeof(double), 16)),
        batch_.window_rows};
    if (item >= batch_.problems() * batch_.windows) return;
    int const problem = item / batch_.windows;
    int const window = item % batch_.windows;
    int const frame = batch_.frame_of(problem);
    int const begin = window * batch_.window_rows;
    int const end = Kokkos::min(begin + batch_.window_rows, batch_.n);
    int const count = end - begin;
    auto const rows = source_.of(batch_, problem);
    bool const gram = batch_.options.method == PseudoinverseMethod::normal_equations;

    double* const partial = batch_.partial(problem, window);
    double* const triangle = partial;               // k×(k+1)
    double* const squares = partial + k * (k + 1);  // k
    WindowEdges edges;
    lane_for(team, count, [&](int i) {
      rows.read(begin + i, k, [&](int c, double value) { tile(i, c) = value; });
    });
    sum_squares(team, tile, count, squares);
    if (gram) sum_products(team, tile, count, triangle);

    int segment = batch_.m > 0 ? segment_by_lanes<ExecSpace>(team, batch_, frame, begin) : 0;
    for (int at = begin; at < end;) {
      while (segment < batch_.m && batch_.offset(frame, segment + 1) <= at) ++segment;
      if (segment == batch_.m) break;  // the offsets end before n, which the core kernel reports
      int const behind = batch_.offset(frame, segment + 1);
      int const stop = Kokkos::min(behind, end);
      bool const begins = batch_.offset(frame, segment) >= begin;
      bool const whole = begins && behind <= end;
      double const mu = whole ? batch_.damping_of(frame, batch_.k + segment) : 0;
      double* const edge = squares + k + (begins ? k + 2 : 0);
      eliminate_column(
          team, tile, at - begin, stop - begin, 0, k + 1,
          [&](double d) { return damped_share(d, mu); },
          [&](int l, double d, double q) {
            double const damped = d + mu;
            double const kept = damped > 0 ? d / damped : 1;
            int const c = l == 0 ? 0 : l == k + 1 ? 1 : 1 + l;
            double const value = l == 0 ? damped : kept * q;
            if (whole)
              batch_.group(problem, c, segment) = value;
            else
              edge[c] = value;
          });
      if (gram) take_off_group(team, problem, segment, whole ? nullptr : edge, triangle);
      if (!whole) (begins ? edges.tail : edges.head) = segment;
      at = stop;
    }
    if (!gram) factorise_tile(team, tile, count, 1, k, triangle);
    if constexpr (Source::checks_places)
      edges.invalid =
          lane_max<int>(team, count, [&](int i) { return rows.valid_at(begin + i) ? 0 : 1; });
    once_per_thread(team, [&] { batch_.edges_of(problem, window) = edges; });
  }

 private:
  KOKKOS_FUNCTION void sum_squares(TeamMember<ExecSpace> const& team, RowTile const& tile,
                                   int count, double* squares) const {
    for (int j = 0; j < batch_.k; ++j) {
      double const square = dot(team, &tile(0, 1 + j), &tile(0, 1 + j), count);
      once_per_thread(team, [&] { squares[j] = square; });
    }
  }

  /// BᵀB, upper half, and Bᵀr.
  KOKKOS_FUNCTION void sum_products(TeamMember<ExecSpace> const& team, RowTile const& tile,
                                    int count, double* products) const {
    int const k = batch_.k;
    for (int j = 0; j < k; ++j)
      for (int l = j; l <= k; ++l) {
        double const product = dot(team, &tile(0, 1 + j), &tile(0, 1 + l), count);
        once_per_thread(team, [&] { products[j * (k + 1) + l] = product; });
      }
  }

  /// Takes a group's part, (d+μ)·(β|γ)ᵀ(β|γ), off the sums, by √(d+μ)·(β|γ): products of two
  /// columns are rounded alike whichever comes first, so that those of copies stay copies.
  KOKKOS_FUNCTION void take_off_group(TeamMember<ExecSpace> const& team, int problem, int segment,
                                      double const* edge, double* products) const {
    int const k = batch_.k;
    once_per_thread(team, [&] {
      auto const entry = [&](int c) { return edge ? edge[c] : batch_.group(problem, c, segment); };
      double const root = Kokkos::sqrt(entry(0));
      for (int j = 0; j < k; ++j)
        for (int l = j; l <= k; ++l)
          products[j * (k + 1) + l] =
              multiply_add(-(root * entry(2 + j)), root * (l == k ? entry(1) : entry(2 + l)),
                           products[j * (k + 1) + l]);
    });
  }

  ArrowBatch<Real> batch_;
  Source source_;
  int level_;
};

}  // namespace carroll::detail
