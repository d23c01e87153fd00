// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/arrow_rows.hpp>
#include <carroll/detail/pseudoinverse/core_solve.hpp>
#include <carroll/detail/pseudoinverse/depth_group.hpp>
#include <carroll/detail/pseudoinverse/row_tile.hpp>

namespace carroll::detail {

/// The second and last kernel of a step, a team per problem: merges the pieces of segments that
/// cross windows, sums or factorises what the windows have left, solves the k×k core, and puts y
/// back into the depth columns, ξᵢ = γᵢ - βᵢy. What is merged, and in which order, depends on the
/// number of windows alone: the same bits for every team size. Reads (k+2)² doubles a window and
/// k+2 a segment.
template <class ExecSpace, class Real>
class ArrowCoreKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  /// Windows whose triangles are put into one, in a first step, form this many ranges.
  static constexpr int ranges = 16;

  /// `tile_rows`: 0 where the system is a sum, S; see Core.
  ArrowCoreKernel(ArrowBatch<Real> const& batch, int tile_rows, int level)
      : batch_(batch), tile_rows_(tile_rows), level_(level) {}

  static std::size_t bytes_per_thread(int tile_rows, int k) {
    return tile_rows == 0 ? 0 : static_cast<std::size_t>(tile_rows) * (k + 1) * sizeof(double) + 64;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const problem = team.league_rank();
    int const k = batch_.k;
    Core const core(k, batch_.core(problem),
                    batch_.pivots + static_cast<std::ptrdiff_t>(problem) * k);
    RowTile tile;
    if (tile_rows_ > 0)
      tile = {static_cast<double*>(team.thread_scratch(level_).get_shmem_aligned(
                  static_cast<std::size_t>(tile_rows_) * (k + 1) * sizeof(double), 16)),
              tile_rows_};
    int const invalid = merge_segments(team, problem);
    team.team_barrier();
    int const depth_rank = count_depths(team, problem);
    if (tile_rows_ > 0)
      factorise_windows(team, problem, tile, core);
    else
      sum_windows(team, problem, core);
    sum_squares(team, problem, core);
    team.team_barrier();

    PseudoinverseInfo<Real>& info = batch_.info_of(problem);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      Status const status = invalid != 0    ? Status::breakdown
                            : core.finite() ? Status::success
                                            : Status::non_finite;
      double const cutoff = rank_cutoff();
      double smallest = 1;
      int const rank =
          status == Status::success ? core.solve(tile_rows_ == 0, cutoff, smallest) : 0;
      info = {status, rank, static_cast<Real>(cutoff), static_cast<Real>(smallest)};
    });
    team.team_barrier();
    Status const status = info.status;
    int const rank = info.rank;
    team.team_barrier();
    if (status != Status::success) {
      fill_with_nan(team, problem);
      return;
    }
    if (rank < k) {
      for (int pass = 0; pass < 2; ++pass) {
        sum_groups(team, problem, core, rank);
        team.team_barrier();
        Kokkos::single(Kokkos::PerTeam(team), [&] { core.shorten(rank); });
        team.team_barrier();
      }
    }
    bool const wants_covariance = batch_.covariance.data || batch_.variances.data;
    if (wants_covariance) {
      Kokkos::single(Kokkos::PerTeam(team), [&] { core.covariance(rank < k); });
      team.team_barrier();
    }
    int const overflow = write(team, problem, core);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      info.rank = rank + depth_rank;
      if (overflow != 0) info.status = Status::overflow;
    });
  }

 private:
  /// Segments that cross windows, each by the lane that has the window in which it begins; empty
  /// ones. Returns, on every lane, whether offsets or row numbers are unusable.
  KOKKOS_FUNCTION int merge_segments(Member const& team, int problem) const {
    int const k = batch_.k;
    int const frame = batch_.frame_of(problem);
    int invalid_rows = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, batch_.windows),
        [&](int w, int& worst) {
          WindowEdges const& edges = batch_.edges_of(problem, w);
          if (edges.invalid > worst) worst = edges.invalid;
          if (edges.tail >= 0) merge_segment(problem, frame, w, edges.tail);
        },
        Kokkos::Max<int>(invalid_rows));
    int invalid_offsets = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, batch_.m + 1),
        [&](int i, int& worst) {
          int const offset = batch_.offset(frame, i);
          int const next = i < batch_.m ? batch_.offset(frame, i + 1) : batch_.n;
          if (offset > next || (i == 0 && offset != 0) || (i == batch_.m && offset != batch_.n))
            worst = 1;
          if (i < batch_.m && offset == next)
            for (int c = 0; c < k + 2; ++c)
              batch_.group(problem, c, i) = c == 0 ? batch_.damping_of(frame, k + i) : 0;
        },
        Kokkos::Max<int>(invalid_offsets));
    // Kokkos starts from the lowest number, which an empty range hands back.
    return invalid_rows > 0 || invalid_offsets > 0 ? 1 : 0;
  }

  KOKKOS_FUNCTION void merge_segment(int problem, int frame, int window, int segment) const {
    int const k = batch_.k;
    std::ptrdiff_t const head = static_cast<std::ptrdiff_t>(k) * (k + 2);
    double* const partial = batch_.partial(problem, window);
    double* const group = partial + head + group_size(k);
    double* piece = nullptr;
    for (int w = window + 1; w < batch_.windows && batch_.edges_of(problem, w).head == segment;
         ++w) {
      piece = batch_.partial(problem, w) + head;
      merge_groups(group, piece, k);
      add_row(partial, piece);
    }
    double const mu = batch_.damping_of(frame, k + segment);
    if (mu > 0 && piece) {
      piece[0] = mu;
      for (int c = 1; c < k + 2; ++c) piece[c] = 0;
      merge_groups(group, piece, k);
      add_row(partial, piece);
    }
    for (int c = 0; c < k + 2; ++c) batch_.group(problem, c, segment) = group[c];
  }

  /// Adds the row (β | γ), where merge_groups has left it, to a window's system.
  KOKKOS_FUNCTION void add_row(double* system, double* row) const {
    int const k = batch_.k;
    auto const value = [&](int c) -> double& { return c == k ? row[1] : row[2 + c]; };
    for (int j = 0; j < k; ++j) {
      double* const R = system + static_cast<std::ptrdiff_t>(j) * (k + 1);
      if (tile_rows_ == 0) {
        for (int l = j; l <= k; ++l) R[l] += value(j) * value(l);
        continue;
      }
      double const x = value(j);
      if (x == 0) continue;
      double const r = Kokkos::sqrt(R[j] * R[j] + x * x);
      double const c = R[j] / r, s = x / r;
      for (int l = j; l <= k; ++l) {
        double const upper = R[l];
        R[l] = c * upper + s * value(l);
        value(l) = c * value(l) - s * upper;
      }
    }
  }

  KOKKOS_FUNCTION int count_depths(Member const& team, int problem) const {
    int count = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, batch_.m),
        [&](int i, int& sum) { sum += batch_.group(problem, 0, i) > 0 ? 1 : 0; }, count);
    return count;
  }

  /// S and Eᵀf: entry by entry over the windows.
  KOKKOS_FUNCTION void sum_windows(Member const& team, int problem, Core const& core) const {
    int const k = batch_.k;
    thread_for(team, k * (k + 1), [&](int e) {
      if (e % (k + 1) < e / (k + 1)) return;
      double const sum = lane_sum<double>(team, batch_.windows,
                                          [&](int w) { return batch_.partial(problem, w)[e]; });
      bool const diagonal = e % (k + 1) == e / (k + 1);
      double const lambda = diagonal ? batch_.damping_of(batch_.frame_of(problem), e / (k + 1)) : 0;
      once_per_thread(team, [&] { core.system[e] = sum + lambda; });
    });
  }

  /// Norms of the motion columns, damping included.
  KOKKOS_FUNCTION void sum_squares(Member const& team, int problem, Core const& core) const {
    int const k = batch_.k;
    thread_for(team, k, [&](int j) {
      double const sum = lane_sum<double>(
          team, batch_.windows, [&](int w) { return batch_.partial(problem, w)[k * (k + 1) + j]; });
      double const lambda = batch_.damping_of(batch_.frame_of(problem), j);
      once_per_thread(team, [&] { core.scale[j] = Kokkos::sqrt(sum + lambda); });
    });
  }

  /// Windows begin, …, end-1 of range r.
  KOKKOS_FUNCTION int range_begin(int r) const {
    return static_cast<int>(static_cast<std::int64_t>(batch_.windows) * r / ranges);
  }

  /// (R | z) of all windows, by way of ranges of them; with the rows of the damping.
  KOKKOS_FUNCTION void factorise_windows(Member const& team, int problem, RowTile const& tile,
                                         Core const& core) const {
    int const k = batch_.k;
    thread_for(team, ranges, [&](int r) {
      int const first = range_begin(r);
      int const count = range_begin(r + 1) - first;
      if (count == 0) return;
      stack(team, tile, count * k, batch_.partial(problem, first), [&](int q, int c) {
        return q % k <= c ? batch_.partial(problem, first + q / k)[(q % k) * (k + 1) + c] : 0.0;
      });
    });
    team.team_barrier();
    if (team.team_rank() == 0) {
      int const frame = batch_.frame_of(problem);
      stack(team, tile, (ranges + 1) * k, core.system, [&](int q, int c) {
        int const r = q / k, row = q % k;
        if (r == ranges) return row == c ? Kokkos::sqrt(batch_.damping_of(frame, c)) : 0.0;
        int const first = range_begin(r);
        if (row > c || range_begin(r + 1) == first) return 0.0;
        return batch_.partial(problem, first)[row * (k + 1) + c];
      });
    }
  }

  /// The triangle of `count` rows, row(q, c), as many at a time as the tile holds.
  template <class Row>
  KOKKOS_FUNCTION void stack(Member const& team, RowTile const& tile, int count, double* triangle,
                             Row const& row) const {
    int const k = batch_.k;
    int held = 0;  // rows of the triangle so far
    for (int done = 0; done < count;) {
      int const taken = Kokkos::min(tile.capacity - held, count - done);
      lane_for(team, held + taken, [&](int i) {
        for (int c = 0; c <= k; ++c)
          tile(i, c) = i >= held ? row(done + i - held, c)
                       : i <= c  ? triangle[i * (k + 1) + c]
                                 : 0.0;
      });
      factorise_tile(team, tile, held + taken, 0, k, triangle);
      done += taken;
      held = k;
    }
  }

  /// Σ (βᵢV)ᵀ(βᵢV), Σ βᵢᵀβᵢ/dᵢ and Σ (βᵢV)ᵀξᵢ, which only dependent motion columns need.
  KOKKOS_FUNCTION void sum_groups(Member const& team, int problem, Core const& core,
                                  int rank) const {
    int const k = batch_.k;
    thread_for(team, k * k, [&](int e) {
      int const row = e / k, col = e % k;
      auto const sums = lane_sums<double, 3>(team, batch_.m, [&](int i) {
        double const d = batch_.group(problem, 0, i);
        double left = 0, right = 0, xi = batch_.group(problem, 1, i);
        for (int c = 0; c < k; ++c) {
          double const beta = batch_.group(problem, 2 + c, i);
          left += beta * core.basis(rank, c, row);
          right += beta * core.basis(rank, c, col);
          xi -= beta * core.y[c];
        }
        double const product =
            batch_.group(problem, 2 + row, i) * batch_.group(problem, 2 + col, i);
        return Sums<double, 3>{{left * right, d > 0 ? product / d : 0, left * xi}};
      });
      once_per_thread(team, [&] {
        core.gram[e] = sums[0];
        core.weighted[e] = sums[1];
        if (col == 0) core.cross[row] = sums[2];
      });
    });
  }

  /// Returns, on every lane, whether a result does not fit Real.
  KOKKOS_FUNCTION int write(Member const& team, int problem, Core const& core) const {
    int const k = batch_.k;
    int const frame = batch_.frame_of(problem);
    int const rhs = batch_.rhs_of(problem);
    int worst_y = 0, worst_xi = 0;
    auto const put = [](Real& target, double value, int& worst) {
      target = static_cast<Real>(value);
      if (!Kokkos::isfinite(target)) worst = 1;
    };
    if (batch_.y.data)
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, k),
          [&](int j, int& worst) { put(entry(batch_.y, frame, j, rhs), core.y[j], worst); },
          Kokkos::Max<int>(worst_y));
    if (batch_.xi.data)
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, batch_.m),
          [&](int i, int& worst) {
            double x = batch_.group(problem, 1, i);
            for (int j = 0; j < k; ++j) x -= batch_.group(problem, 2 + j, i) * core.y[j];
            put(entry(batch_.xi, frame, i, rhs), x, worst);
          },
          Kokkos::Max<int>(worst_xi));
    int worst_c = 0, worst_v = 0;
    if (batch_.covariance.data)
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, k * k),
          [&](int e, int& worst) {
            put(entry(batch_.covariance, frame, e / k, e % k), core.work[e], worst);
          },
          Kokkos::Max<int>(worst_c));
    if (batch_.variances.data)
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, batch_.m),
          [&](int i, int& worst) {
            put(entry(batch_.variances, frame, i, 0), variance(problem, core, i), worst);
          },
          Kokkos::Max<int>(worst_v));
    return worst_y > 0 || worst_xi > 0 || worst_c > 0 || worst_v > 0 ? 1 : 0;
  }

  KOKKOS_FUNCTION double variance(int problem, Core const& core, int i) const {
    int const k = batch_.k;
    double const d = batch_.group(problem, 0, i);
    double spread = 0, shortened = 0;
    for (int r = 0; r < k; ++r)
      for (int c = 0; c < k; ++c) {
        double const product = batch_.group(problem, 2 + r, i) * batch_.group(problem, 2 + c, i);
        spread += product * core.at(core.work, r, c);
        shortened += product * core.at(core.T, r, c);
      }
    return spread + (d > 0 ? (1 - 2 * shortened) / d : 0);
  }

  KOKKOS_FUNCTION void fill_with_nan(Member const& team, int problem) const {
    constexpr Real nan = Kokkos::Experimental::quiet_NaN_v<Real>;
    int const frame = batch_.frame_of(problem);
    int const rhs = batch_.rhs_of(problem);
    auto const fill = [&](StridedBatch<Real> const& out, int count, int width, int col) {
      if (!out.data) return;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](int e) {
        entry(out, frame, e / width, width == 1 ? col : e % width) = nan;
      });
    };
    fill(batch_.y, batch_.k, 1, rhs);
    fill(batch_.xi, batch_.m, 1, rhs);
    fill(batch_.covariance, batch_.k * batch_.k, batch_.k, 0);
    fill(batch_.variances, batch_.m, 1, 0);
  }

  KOKKOS_FUNCTION static Real& entry(StridedBatch<Real> const& out, int frame, int i, int j) {
    return out.data[frame * out.strides[0] + i * out.strides[1] + j * out.strides[2]];
  }

  KOKKOS_FUNCTION double rank_cutoff() const {
    if (batch_.options.cutoff > 0) return batch_.options.cutoff;
    constexpr double eps = Kokkos::Experimental::epsilon_v<Real>;
    constexpr double double_eps = Kokkos::Experimental::epsilon_v<double>;
    bool const gram = batch_.options.method == PseudoinverseMethod::normal_equations;
    double const cutoff = 32.0 * (batch_.k + 1) * eps;
    double const squared = Kokkos::sqrt(32.0 * (batch_.k + 1) * double_eps);
    return gram && squared > cutoff ? squared : cutoff;
  }

  ArrowBatch<Real> batch_;
  int tile_rows_;
  int level_;
};

}  // namespace carroll::detail
