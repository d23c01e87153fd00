// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/truncated_svd/load.hpp>
#include <carroll/detail/truncated_svd/problem.hpp>

namespace carroll::detail {

/// One pass of the orthonormalisation of a block Y of `width` columns, by its Gram matrix G = YᵀY:
///
///   D⁻¹·G·D⁻¹ = L·Lᵀ,  D² = diag(G),      R := D⁻¹·L⁻ᵀ,      then Y := Y·R elsewhere
///
/// A Gram matrix shows only what a column has beyond the others down to about √eps of its length:
/// its entries are wrong by up to δ = `width`·eps, and a pivot by more where its row has had many
/// times others, whose errors come along, taken off it: δᵢ ← δᵢ + lᵢⱼ²·δⱼ. A pivot of less than
/// 16·δ says nothing. It is raised to that, which takes the other columns out of this one and
/// lengthens what remains by 1/√(16·δ); the next pass sees it enlarged. So the passes reach any
/// number of digits (cf. the shifted CholeskyQR of Fukaya, Kannan, Nakatsukasa, Yamamoto and
/// Yanagisawa, SIAM J. Sci. Comput. 42(1), 2020). A column that stays dependent after all but two
/// passes holds rounding errors, and is replaced by a random one. Two passes remain: the others
/// have pivots above the limit, so that the first makes all of them independent, and the second
/// orthonormal to rounding.
///
/// One team. The elimination is carried along the identity, whose columns take the place of those
/// eliminated, so that L⁻¹ is there when L is: width steps of one barrier each, width³ flops.
template <class ExecSpace, class Real>
class GramFactorKernel {
 public:
  struct Pass {
    bool first;    ///< forgets how settled an earlier block was
    bool strict;   ///< is to end with columns orthonormal to rounding, not just independent
    bool replace;  ///< the last but two of strict passes
  };

  GramFactorKernel(TruncatedProblem<Real> const& problem, Pass const& pass, bool in_scratch)
      : width_(problem.width),
        pass_(pass),
        gram_(problem.gram),
        room_(in_scratch ? nullptr : problem.elimination),
        fresh_(problem.fresh),
        state_(problem.state) {}

  static std::size_t bytes_per_team(int width) {
    auto const n = static_cast<std::size_t>(width);
    return (n * n + 2 * n) * sizeof(Real) + sizeof(Real);
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    std::ptrdiff_t const n = width_;
    bool const settled = !pass_.first && state_->settled;
    if (pass_.replace)
      thread_for(team, width_, [&](int j) { once_per_thread(team, [&] { fresh_[j] = 0; }); });
    team.team_barrier();  // all have looked at the state
    if (settled) {
      thread_for(team, width_, [&](int j) {
        lane_for(team, width_, [&](int i) { gram_[j * n + i] = i == j ? Real(1) : Real(0); });
      });
      return;
    }
    Real* const room = room_ ? room_ : scratch(team);
    Real* const lengths = room + n * n;  // 1/D
    Real* const pivots = lengths + n;
    load(team, room, lengths);
    Real const least = eliminate(team, room, pivots);
    // R(c, i) = L⁻¹(i, c)/D(c)
    thread_for(team, width_, [&](int i) {
      Real const factor = 1 / Kokkos::sqrt(Kokkos::abs(pivots[i]));
      lane_for(team, width_, [&](int c) {
        gram_[i * n + c] =
            c > i ? Real(0) : lengths[c] * factor * (c < i ? room[i * n + c] : Real(1));
      });
      if (pass_.replace) once_per_thread(team, [&] { fresh_[i] = pivots[i] < 0 ? 1 : 0; });
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      // Half of every column is its own: what is left of the others after this pass is rounding.
      state_->settled = least > (pass_.strict ? Real(0.5) : floor()) ? 1 : 0;
    });
  }

 private:
  /// What a pivot has to exceed, of which `doubt` is δ.
  KOKKOS_FUNCTION static Real least_pivot(Real doubt) { return 16 * doubt; }
  KOKKOS_FUNCTION Real floor() const { return 16 * width_ * Kokkos::Experimental::epsilon_v<Real>; }

  KOKKOS_FUNCTION Real* scratch(TeamMember<ExecSpace> const& team) const {
    return static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(
        static_cast<std::ptrdiff_t>((width_ * width_ + 2 * width_) * sizeof(Real)), sizeof(Real)));
  }

  /// room(i, :) := row i of D⁻¹·G·D⁻¹; columns without length are 0.
  KOKKOS_FUNCTION void load(TeamMember<ExecSpace> const& team, Real* room, Real* lengths) const {
    std::ptrdiff_t const n = width_;
    thread_for(team, width_, [&](int j) {
      once_per_thread(team, [&] {
        Real const square = gram_[j * n + j];
        bool const usable = square >= Kokkos::Experimental::norm_min_v<Real>;
        lengths[j] = usable ? 1 / Kokkos::sqrt(square) : Real(0);
      });
    });
    team.team_barrier();
    thread_for(team, width_, [&](int i) {
      lane_for(team, width_, [&](int c) {
        room[i * n + c] =
            i == c && lengths[i] > Real(0) ? Real(1) : lengths[i] * gram_[i * n + c] * lengths[c];
      });
    });
    team.team_barrier();
  }

  /// Row i minus multiples of the rows before it; what it was multiplied by stands left of the
  /// diagonal. Rows with a raised pivot are not taken off others: their part in these is rounding.
  /// Returns the smallest pivot; raised ones are negative in `pivots`, and count as 0.
  KOKKOS_FUNCTION Real eliminate(TeamMember<ExecSpace> const& team, Real* room,
                                 Real* pivots) const {
    std::ptrdiff_t const n = width_;
    Real* const doubts = pivots;  // until all rows are done
    Real const unit = Kokkos::Experimental::epsilon_v<Real>;
    thread_for(team, width_,
               [&](int i) { once_per_thread(team, [&] { doubts[i] = width_ * unit; }); });
    team.team_barrier();
    Real least = 1;
    for (int j = 0; j < width_; ++j) {
      Real const pivot = room[j * n + j], doubt = doubts[j];
      bool const raised = !(pivot > least_pivot(doubt));
      least = raised ? Real(0) : Kokkos::min(least, pivot);
      thread_for(team, width_ - j - 1, [&](int below) {
        int const i = j + 1 + below;
        Real const factor = raised ? Real(0) : room[i * n + j] / pivot;
        lane_for(team, width_, [&](int c) {
          if (c != j) room[i * n + c] -= factor * room[j * n + c];
        });
        once_per_thread(team, [&] {
          room[i * n + j] = -factor;
          doubts[i] += factor * factor * doubt;
        });
      });
      team.team_barrier();
    }
    thread_for(team, width_, [&](int i) {
      once_per_thread(team, [&] {
        Real const pivot = room[i * n + i], enough = least_pivot(doubts[i]);
        pivots[i] = pivot > enough ? pivot : -enough;
      });
    });
    team.team_barrier();
    return least;
  }

  int width_;
  Pass pass_;
  Real* gram_;
  Real* room_;
  int* fresh_;
  TruncatedState<Real>* state_;
};

/// New random columns where the factorisation gave up; a thread per entry.
template <class Real>
struct FreshColumnsKernel {
  Real* block;
  int rows;
  int const* fresh;
  std::uint64_t seed;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    if (fresh[entry / rows])
      block[entry] = random_normal<Real>(seed, fresh_stream, static_cast<std::uint64_t>(entry));
  }
};

/// A pass sees √(16·width·eps), so that all but two of these see down to 16·width·eps.
template <class Real>
inline constexpr int strict_passes = sizeof(Real) == 4 ? 6 : 4;
/// To keep the columns of a power step independent.
inline constexpr int loose_passes = 2;

/// An orthonormal basis of the columns of `from`, rows × width, by passes that go to and fro
/// between `x` and `y`, both other blocks of that size. Returns the one of them that the basis is
/// in. With `strict` it is orthonormal to rounding whatever the columns are, otherwise as good as
/// the next product needs. Passes that are not needed any more multiply by the identity.
///
/// Per pass 4·rows·width² flops; the block is read three times and written once.
template <class ExecSpace, class Real>
Real* enqueue_orthonormalise(ExecSpace const& exec, TruncatedProblem<Real> const& problem, int rows,
                             Real const* from, Real* x, Real* y, bool strict) {
  using Kernel = GramFactorKernel<ExecSpace, Real>;
  int const n = problem.width;
  std::size_t scratch = Kernel::bytes_per_team(n);
  bool const fits = lanes<ExecSpace> > 1 && scratch <= most_team_scratch<ExecSpace>();
  if (!fits) scratch = 0;
  int const passes = strict ? strict_passes<Real> : loose_passes;
  for (int pass = 0; pass < passes; ++pass) {
    bool const replace = strict && pass == passes - 3;
    StridedMatrix<Real const> const block{from, 1, rows};
    StridedMatrix<Real> const gram = problem.square(problem.gram);
    enqueue_gemm("carroll::truncated_svd::gram", exec,
                 Gemm<Real>{n, n, rows, 1, block.transposed(), block, 0, gram,
                            pass > 0 ? &problem.state->settled : nullptr},
                 problem.partial);
    launch_fitting_teams("carroll::truncated_svd::gram_factor", exec,
                         Kernel(problem, {pass == 0, strict, replace}, fits),
                         {1, team_threads(exec, 1, n), scratch});
    Real* const to = pass % 2 == 0 ? x : y;
    enqueue_gemm("carroll::truncated_svd::orthonormalise", exec,
                 Gemm<Real>{rows, n, n, 1, block, read_only(gram), 0, {to, 1, rows}},
                 problem.partial);
    if (replace) {
      launch_each("carroll::truncated_svd::fresh_columns", exec, std::int64_t{rows} * n,
                  FreshColumnsKernel<Real>{to, rows, problem.fresh, problem.seed});
    }
    from = to;
  }
  return passes % 2 == 0 ? y : x;
}

}  // namespace carroll::detail
